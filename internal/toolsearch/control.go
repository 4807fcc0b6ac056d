package toolsearch

import (
	"encoding/json"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// Names of the controls.
const (
	SearchControl   = "tool_search"
	DescribeControl = "tool_describe"
	CallControl     = "tool_call"
	CodeControl     = "tool_search_code"
)

// ControlOwner is the owner in the ids under which policy may name controls.
const ControlOwner = "toolsearch"

// alwaysLoad keeps a control visible in clients that hide tools behind a search of their own.
var alwaysLoad = json.RawMessage(`{"anthropic/alwaysLoad":true}`)

// control is one of our own tools that stand in place of the catalog.
type control struct {
	name        string
	description string
	counts      bool // the description goes on with what there is to find
	fields      []field
	annotations toolcrib.Annotations
}

var (
	yes, no = true, false

	// reading says of a control that it only reads what is here.
	reading = toolcrib.Annotations{ReadOnly: &yes, Idempotent: &yes, OpenWorld: &no}
	// anything says of a control that it may do what any tool can do.
	anything = toolcrib.Annotations{ReadOnly: &no, Destructive: &yes, OpenWorld: &yes}
)

// controls are those of mode tools, in the order in which they are listed.
var controls = []control{
	{
		name:        SearchControl,
		description: "Find tools by what they do. Search before you say that something can't be done.",
		counts:      true,
		fields:      searchFields,
		annotations: reading,
	},
	{
		name:        DescribeControl,
		description: "Get the full description and parameter schema of a found tool. Needed when a hit's input is \"unknown\".",
		fields:      describeFields,
		annotations: reading,
	},
	{
		name:        CallControl,
		description: "Run a found tool. Answers {tool, result}.",
		fields:      callFields,
		annotations: anything,
	},
}

// directoryControls are those of mode directory: the same three, told of the list.
var directoryControls = []control{
	{
		name:        SearchControl,
		description: "Find tools by what they do, also those that are not listed. Search before you say that something can't be done.",
		counts:      true,
		fields:      searchFields,
		annotations: reading,
	},
	{
		name:        DescribeControl,
		description: "Get the full description and parameter schema of a listed or found tool. Needed before it is called for the first time.",
		fields:      listedFields(describeFields),
		annotations: reading,
	},
	{
		name:        CallControl,
		description: "Run a listed or found tool. Answers {tool, result}.",
		fields:      listedFields(callFields),
		annotations: anything,
	},
}

// listedFields are the fields of a control that takes names of the list too.
func listedFields(fields []field) []field {
	out := slices.Clone(fields)
	out[0].doc = "name of a listed tool, or id of a hit"
	return out
}

// codeControl is that of mode code.
var codeControl = control{
	name: CodeControl,
	description: "Find and run tools with JavaScript. code is the body of an async function: return what you need of it, as JSON. " +
		"openclaw.tools.search(query, {limit}?) gives hits [{id, description, input, output?}]; .describe(id) adds the parameters, needed when input is \"unknown\"; " +
		".call(id, args) gives {tool, result: {content, details?, isError?}}. They return promises: run several at once with Promise.all. " +
		"console.log works; files, network, timers and imports don't exist. Search before you say that something can't be done.",
	counts:      true,
	fields:      codeFields,
	annotations: anything,
}

// splitControls and splitDirectoryControls are the same with calls split.
var splitControls, splitDirectoryControls = split(controls), split(directoryControls)

// controlsOf returns the controls of a mode, none where tools are shown directly.
// Mode code has one control, split or not: what a body calls can't be seen in it.
func controlsOf(m Mode, split bool) []control {
	switch {
	case m == ModeTools && split:
		return splitControls
	case m == ModeTools:
		return controls
	case m == ModeDirectory && split:
		return splitDirectoryControls
	case m == ModeDirectory:
		return directoryControls
	case m == ModeCode:
		return []control{codeControl}
	}
	return nil
}

// searchFields, describeFields and callFields are the inputs of the controls:
// the schemas that models see and the reading of what they send come from here.
var (
	searchFields = []field{
		{name: "query", kind: kindString, doc: "a few words on what the tool should do, a name or an id", aliases: []string{"q", "text", "search", "keywords"}},
		{name: "limit", kind: kindInteger, min: 1, aliases: []string{"max_results", "maxResults", "top_k"}},
		{name: "queries", kind: kindList, max: maxQueries, doc: "several searches at once", items: queryFields},
	}
	queryFields = []field{
		{name: "query", kind: kindString, required: true, aliases: []string{"q", "text", "search", "keywords"}},
		{name: "limit", kind: kindInteger, min: 1, aliases: []string{"max_results", "maxResults", "top_k"}},
	}
	describeFields = []field{
		{name: "id", kind: kindString, required: true, doc: "id of a hit", aliases: idAliases},
	}
	callFields = []field{
		{name: "id", kind: kindString, required: true, doc: "id of a hit", aliases: idAliases},
		{name: "args", kind: kindObject, doc: "the tool's arguments", aliases: []string{"arguments", "params", "parameters", "input"}},
	}
	codeFields = []field{
		{name: "code", kind: kindString, required: true, aliases: []string{"script", "source", "js", "javascript", "body", "program", "snippet"}},
	}
	idAliases = []string{"tool_id", "toolId", "tool", "name"}
)

// ControlNames are the names of all controls, of every mode.
func ControlNames() []string {
	return append([]string{CodeControl, SearchControl, DescribeControl, CallControl}, splitNames...)
}

// ControlTool returns a control in the form in which policy is asked for it.
func ControlTool(name string) toolcrib.Tool {
	return toolcrib.Tool{
		ID: toolcrib.MakeID(toolcrib.SourceCore, ControlOwner, name), Source: toolcrib.SourceCore, Owner: ControlOwner,
		Name: name, CatalogMode: toolcrib.CatalogDirectOnly,
	}
}

// visible is the control as a model sees it above a catalog.
func (k control) visible(c *catalog.Catalog) Visible {
	description := k.description
	if k.counts {
		description += " " + inventory(c)
	}
	return Visible{Name: k.name, Description: description, InputSchema: schemaOf(k.fields), Annotations: k.annotations, Meta: alwaysLoad}
}
