package toolsearch

import (
	"fmt"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// Mode says what a model sees in place of the catalog.
type Mode string

// Modes. ModeAuto and "" are no modes of a surface: Choose turns them into one.
const (
	ModeAuto      Mode = "auto"
	ModeDirect    Mode = "direct"
	ModeCode      Mode = "code"
	ModeTools     Mode = "tools"
	ModeDirectory Mode = "directory"
	ModeNative    Mode = "native"
)

// DirectTokens is the size up to which the automatic choice shows every tool
// directly. A token is estimated as BytesPerToken bytes of the tool list's JSON.
const (
	DirectTokens  = 2000
	BytesPerToken = 4
)

// Choice is the mode to open, and why it is not the configured one.
type Choice struct {
	Mode Mode
	// Session is what to configure for the later catalogs of the session: the
	// same as Mode, unless only this catalog is the reason for showing all.
	Session Mode
	// Reason is a sentence for the log; "" when the configured mode was taken as it is.
	Reason string
}

// ChooseOptions is what the choice depends on.
type ChooseOptions struct {
	// Configured is the operator's or the caller's wish; "" or ModeAuto leaves the choice here.
	Configured Mode
	Catalog    *catalog.Catalog
	// Split is Options.Split: the automatic choice takes tools in place of code, whose
	// one control can't be split.
	Split bool
	// AllowControl asks policy for a control, see ControlTool; nil allows all.
	AllowControl catalog.Decider
	// CodeRuntime says why no isolated runtime can be had, nil when one can; a
	// nil function means that there is none. It is asked only when mode code
	// would be taken, since the answer may cost the start of a runtime.
	CodeRuntime func() error
}

// Choose returns the mode to open, before anything is compacted. The automatic
// choice is made once a session: for each later catalog, which may have nothing
// to find, ask again with Choice.Session as the configured mode.
func Choose(o ChooseOptions) (Choice, error) {
	wanted, reason, err := settle(o)
	if err != nil || wanted == ModeDirect {
		return Choice{wanted, wanted, reason}, err
	}
	if !worthSearching(o.Catalog) {
		return Choice{ModeDirect, wanted, "nothing is catalogued, so the tools are shown directly"}, nil
	}
	if wanted == ModeCode {
		if why := o.noRuntime(); why != "" {
			wanted, reason = ModeTools, joinReasons(reason, "mode code needs an isolated code runtime ("+why+"), so mode tools is used")
		}
	}
	if name := refusedControl(controlsOf(wanted, o.Split), o.AllowControl); name != "" {
		return Choice{ModeDirect, wanted, "policy refuses the control " + name + ", so the tools are shown directly"}, nil
	}
	return Choice{wanted, wanted, reason}, nil
}

// noRuntime says why mode code can't be opened; "" when it can.
func (o ChooseOptions) noRuntime() string {
	if o.CodeRuntime == nil {
		return "there is none"
	}
	if err := o.CodeRuntime(); err != nil {
		return err.Error()
	}
	return ""
}

func joinReasons(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// settle turns the wish into a mode that exists, runtime or not.
func settle(o ChooseOptions) (Mode, string, error) {
	switch o.Configured {
	case ModeDirect, ModeTools, ModeCode, ModeDirectory:
		return o.Configured, "", nil
	case ModeNative:
		return ModeTools, "mode native is not offered here, so mode tools is used", nil
	case ModeAuto, "":
		large := ModeCode
		if o.Split {
			large = ModeTools
		}
		if o.Catalog.Pending() {
			return large, "automatic: " + unanswered(o.Catalog.Awaited()), nil
		}
		if n := directTokens(o.Catalog); n <= DirectTokens {
			return ModeDirect, fmt.Sprintf("automatic: all tools together are about %d tokens", n), nil
		}
		return large, fmt.Sprintf("automatic: all tools together are over %d tokens", DirectTokens), nil
	}
	return "", "", toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no mode %q", o.Configured), "use direct, code, tools, directory, native or auto")
}

// Bounds of the reason that names servers, in bytes: of one server's own, and of all.
const maxWhy, maxUnanswered = 160, 800

// unanswered says which servers may be large for all that is known, and why that
// is all.
func unanswered(servers []catalog.Outage) string {
	var names []string
	for _, o := range servers {
		names = append(names, fmt.Sprintf("%s (%s)", o.Server, fold(safe(o.Reason), maxWhy)))
	}
	verb := "has"
	if len(servers) > 1 {
		verb = "have"
	}
	return listed(names, maxUnanswered) + " " + verb + " not answered yet and may be large"
}

// worthSearching reports whether the catalog holds, or may soon hold, anything
// to find.
func worthSearching(c *catalog.Catalog) bool {
	_, total := counted(c)
	return total > 0 || c.Pending()
}

// directTokens estimates the tokens of the direct surface, exactly below the
// limit; above it the figure is only known to be over.
func directTokens(c *catalog.Catalog) int {
	raw := 0
	for t := range c.All() {
		const frame = 60 // what stands around a tool in the list, at the least
		if raw += len(t.Name) + len(t.Description) + len(t.Parameters) + frame; raw > 2*DirectTokens*BytesPerToken {
			return raw / BytesPerToken
		}
	}
	visible, _, _ := expose(c, ModeDirect, false, DirectoryOptions{})
	text, err := encode(visible)
	if err != nil {
		return DirectTokens + 1
	}
	return len(text) / BytesPerToken
}

// refusedControl names a control that policy refuses; "" for none.
func refusedControl(all []control, allow catalog.Decider) string {
	if allow == nil {
		return ""
	}
	for _, c := range all {
		t := ControlTool(c.name)
		if !allow(&t) {
			return c.name
		}
	}
	return ""
}
