package toolcrib

import "encoding/json"

// CatalogMode says whether a tool may stand behind Tool Search.
type CatalogMode string

// Catalog modes. The zero value is CatalogDefault.
const (
	// CatalogDefault puts the tool into the catalog: found by search, called by id.
	CatalogDefault CatalogMode = ""
	// CatalogDirectOnly keeps the tool out of the catalog and in the model's view, in every mode.
	CatalogDirectOnly CatalogMode = "direct-only"
)

// ExecutionMode says whether calls of a tool may overlap.
type ExecutionMode string

// Execution modes. The zero value is ExecutionParallel.
const (
	// ExecutionParallel lets calls overlap freely.
	ExecutionParallel ExecutionMode = ""
	// ExecutionSequential makes a call run alone within its session.
	ExecutionSequential ExecutionMode = "sequential"
)

// Annotations are MCP's hints about a tool's behaviour. A nil pointer means
// that the tool did not say; MCP's defaults then apply to whoever reads them.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// IsZero reports whether no hint was given.
func (a Annotations) IsZero() bool { return a == Annotations{} }

// Tool describes one tool. It is plain data and is never changed once a source
// has listed it; holders may share the byte slices.
type Tool struct {
	// ID is MakeID(Source, Owner, Name).
	ID     string
	Source Source
	// Owner is the core group, the plugin or the MCP server; empty for a client tool.
	Owner string
	// Name is the name by which the source knows the tool, any characters.
	Name string
	// Label is a title for people; empty when the source gives none.
	Label       string
	Description string
	// Parameters is the exact JSON Schema of the arguments as the source sent
	// it, nil when it sent none.
	Parameters json.RawMessage
	// OutputSchema is the JSON Schema that the source claims for Result.Details, nil when none.
	OutputSchema json.RawMessage
	Annotations  Annotations
	// Meta is the source's own "_meta" object, passed on where tools are listed directly.
	Meta          json.RawMessage
	CatalogMode   CatalogMode
	ExecutionMode ExecutionMode
	// OwnerOnly hides the tool from every caller that is not proven to be the owner.
	OwnerOnly bool
	// Trusted marks an MCP server that the operator vouches for. Core and
	// plugin tools are trusted whatever it says.
	Trusted bool
	// TrustedHints marks a tool of an MCP server whose read-only and destructive
	// hints the operator believes. Those of core and plugin tools are believed
	// whatever it says.
	TrustedHints bool
}

// TrustsInput reports whether the parameter schema may be indexed, shown as a
// signature and used to validate arguments.
func (t *Tool) TrustsInput() bool {
	return t.Trusted || t.Source == SourceCore || t.Source == SourcePlugin
}

// TrustsOutput reports whether the output schema may be promised to a model and
// enforced. A server's claim never is, not even a trusted server's.
func (t *Tool) TrustsOutput() bool {
	return t.Source == SourceCore || t.Source == SourcePlugin
}

// State is the condition of an owner of tools, an MCP server above all.
type State string

// States of an owner.
const (
	// StateReady means that the listing is what the owner offers now.
	StateReady State = "ready"
	// StateStarting means that the owner has not answered yet; Tools may be a remembered list.
	StateStarting State = "starting"
	// StateDown means that calls fail now; Tools may be a remembered list.
	StateDown State = "down"
	// StateDisabled means that the operator switched the owner off.
	StateDisabled State = "disabled"
)

// Listing is what one owner offers at one moment. It is immutable: a change
// makes a new Listing with another Fingerprint.
type Listing struct {
	Source Source
	Owner  string
	State  State
	// Reason says why the owner is not ready, in words for a person; empty when it is.
	Reason string
	// Tools is sorted by name. Shared, never changed.
	Tools []Tool
	// Fingerprint changes whenever Tools does, and never otherwise.
	Fingerprint string
	// Known is false while the owner has not answered and nothing is remembered of it.
	Known bool
	// Withheld are tools that the owner lists and that nobody may use until a person
	// has looked at them. They are not in Tools, and Fingerprint doesn't cover them.
	Withheld []Withheld
	// WithheldMark is other whenever Withheld is; empty has it made of them each time.
	WithheldMark string
	// ToolPrefix stands before "__" in the names that direct mode shows. Empty
	// means the name of an MCP server, and nothing for other owners; NoPrefix
	// drops it.
	ToolPrefix string
	NoPrefix   bool
}

// Withheld is a tool that is kept back, with the reason in words for a person or a
// model, such as "it is new, and waits for a review".
type Withheld struct {
	Tool   Tool
	Reason string
}
