package toolsearch

import "github.com/toolcrib/toolcrib/internal/catalog"

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

// Choice is the mode to open, and why it is not the configured one.
type Choice struct {
	Mode Mode
	// Reason is a sentence for the log; "" when the configured mode was taken as it is.
	Reason string
}

// ChooseOptions is what the choice depends on.
type ChooseOptions struct {
	// Configured is the operator's or the caller's wish; "" or ModeAuto leaves the choice here.
	Configured Mode
	Catalog    *catalog.Catalog
	// AllowControl asks policy for a control, see ControlTool; nil allows all.
	AllowControl catalog.Decider
}
