package gateway

import "fmt"

// Level says how bad a Finding is.
type Level string

// Levels, the worst first.
const (
	// LevelError is what keeps something that is configured from working.
	LevelError Level = "error"
	// LevelWarning is what likely isn't as it is meant to be.
	LevelWarning Level = "warning"
	// LevelNote is worth knowing.
	LevelNote Level = "note"
	// LevelOK is what was looked at and is well.
	LevelOK Level = "ok"
)

// Areas of findings, in the order in which they are shown.
const (
	AreaConfig    = "configuration"
	AreaGateway   = "gateway"
	AreaServers   = "servers"
	AreaPlugins   = "plugins"
	AreaTools     = "tools"
	AreaSchemas   = "schemas"
	AreaPolicy    = "policy"
	AreaIsolation = "isolation"
)

// Finding is one thing that an examination found, in words for a person and
// without secrets.
type Finding struct {
	Level Level  `json:"level"`
	Area  string `json:"area"`
	// What happened or is there; Where is the place, such as a key or a tool's id;
	// Do is what to do about it. The last two may be empty.
	What  string `json:"what"`
	Where string `json:"where,omitempty"`
	Do    string `json:"do,omitempty"`
}

// findings collects those of one area.
type findings struct {
	area string
	list []Finding
}

func (f *findings) add(level Level, what, where, do string) {
	f.list = append(f.list, Finding{level, f.area, what, where, do})
}

// several adds findings of one kind, at most n of them, and says how many more there are.
func (f *findings) several(n int, all []Finding) {
	for i, one := range all {
		if i == n {
			f.add(one.Level, fmt.Sprintf("and %d more of this kind", len(all)-n), "", "")
			return
		}
		f.list = append(f.list, one)
	}
}
