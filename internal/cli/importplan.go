package cli

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/child"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
	"github.com/toolcrib/toolcrib/internal/config"
)

// What import does with a server.
const (
	actionAdded   = "added"
	actionPresent = "present"
	actionSkipped = "skipped"
	actionSelf    = "toolcrib"
)

// importReport is the answer of import.
type importReport struct {
	Client string `json:"client"`
	// Config is toolcrib's own file.
	Config  string     `json:"config"`
	DryRun  bool       `json:"dryRun"`
	Written bool       `json:"written"`
	Files   []string   `json:"files"`
	Servers []imported `json:"servers"`
	// Warnings are about toolcrib's own file with the servers in it.
	Warnings []string `json:"warnings,omitempty"`
	// Gateway is the process of the gateway that takes the servers over by itself.
	Gateway int    `json:"gateway,omitempty"`
	Next    string `json:"next"`
}

// imported is what became of one of the client's servers. It holds no values of
// env and headers, and no arguments.
type imported struct {
	Name string `json:"name"`
	// As is what toolcrib calls it.
	As      string   `json:"as,omitempty"`
	Scope   string   `json:"scope"`
	File    string   `json:"file"`
	Line    int      `json:"line,omitempty"`
	Action  string   `json:"action"`
	Reason  string   `json:"reason,omitempty"`
	Enabled bool     `json:"enabled"`
	Starts  string   `json:"starts,omitempty"`
	Env     []string `json:"env,omitempty"`
	Headers []string `json:"headers,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// importPlan decides what becomes of each server, in the client's order.
type importPlan struct {
	options config.Options
	rename  bool
	// own are the servers that toolcrib has, those of the plan included.
	own    []config.ServerEntry
	add    []config.ServerEntry
	report []imported
}

// take decides about one server.
func (p *importPlan) take(f clientconfig.File, s clientconfig.Server) {
	entry := entryOf(s)
	row := imported{
		Name: s.Name, Scope: f.Scope, File: f.Path, Line: s.Line, Enabled: !s.Disabled, Starts: starts(entry), Notes: s.Notes,
		Env: slices.Sorted(maps.Keys(s.Env)), Headers: slices.Sorted(maps.Keys(s.Headers)),
	}
	switch have := p.same(entry); {
	case clientconfig.IsToolcrib(s):
		row.Action, row.Reason = actionSelf, "it is toolcrib itself"
	case have != nil:
		row.Action, row.As, row.Enabled = actionPresent, have.Name, !have.Disabled
	default:
		p.decide(entry, s.Unresolved, &row)
	}
	p.report = append(p.report, row)
}

// same finds the server among toolcrib's own.
func (p *importPlan) same(entry config.ServerEntry) *config.ServerEntry {
	for i, have := range p.own {
		if have.Same(entry) {
			return &p.own[i]
		}
	}
	return nil
}

// decide adds a server that toolcrib doesn't have, or says why not.
func (p *importPlan) decide(entry config.ServerEntry, unresolved bool, row *imported) {
	var taken []string
	for _, have := range p.own {
		taken = append(taken, have.Name)
	}
	clean, free := config.CleanName(entry.Name, nil), config.CleanName(entry.Name, taken)
	if free != clean && !p.rename {
		row.Action, row.Enabled = actionSkipped, false
		row.Reason = fmt.Sprintf("toolcrib has another server %q; --rename takes this one over as %q", clean, free)
		return
	}
	entry.Name = free
	if word, line := child.CommandWord(entry.Command); line && entry.URL == "" {
		row.Notes = append(slices.Clone(row.Notes), wholeLine(word, entry))
		entry.Disabled, row.Enabled = true, false
	}
	if unresolved {
		entry.Disabled = true
	}
	if err := p.switchOff(&entry); err != nil {
		row.Action, row.Enabled, row.Reason = actionSkipped, false, messages(err)
		return
	} else if entry.Disabled && row.Enabled {
		row.Notes = append(slices.Clone(row.Notes), p.why(entry, unresolved))
	}
	row.Action, row.As, row.Enabled = actionAdded, entry.Name, !entry.Disabled
	p.add, p.own = append(p.add, entry), append(p.own, entry)
}

// wholeLine says what to do about a command that is a whole line.
func wholeLine(word string, entry config.ServerEntry) string {
	return fmt.Sprintf("comes in switched off: its command is a whole line (%s …), and toolcrib takes that for the name of one file. Split it into command and args in toolcrib's file, then: toolcrib config set %s true",
		word, enabledKey(entry.Name))
}

// switchOff checks a server. One that can't be used as it is, but would be fine
// once a variable is set, is switched off so that it doesn't stop the others.
func (p *importPlan) switchOff(entry *config.ServerEntry) error {
	err := entry.Check(p.options)
	if err == nil || entry.Disabled {
		return err
	}
	entry.Disabled = true
	return entry.Check(p.options)
}

// why says what keeps a server switched off, and how it is switched on.
func (p *importPlan) why(entry config.ServerEntry, unresolved bool) string {
	on := entry
	on.Disabled = false
	reason := messages(on.Check(p.options))
	if unresolved || reason == "" {
		reason = "it needs a value that only the other program can fill in"
	}
	return fmt.Sprintf("comes in switched off: %s. Once that is mended: toolcrib config set %s true", reason, enabledKey(entry.Name))
}

// messages joins what the errors say, without their hints.
func messages(err error) string {
	var words []string
	for _, f := range failures(err) {
		words = append(words, f.Message)
	}
	return strings.Join(words, ", ")
}

// enabledKey is the path of the switch of a server.
func enabledKey(name string) string {
	if strings.Contains(name, ".") {
		return shellQuote(fmt.Sprintf(`mcp.servers[%q].enabled`, name))
	}
	return "mcp.servers." + name + ".enabled"
}

// entryOf is a client's server as toolcrib's file would hold it.
func entryOf(s clientconfig.Server) config.ServerEntry {
	return config.ServerEntry{
		Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
		SSE: s.SSE, Disabled: s.Disabled, TimeoutMs: s.TimeoutMs, Allow: s.Allow, Deny: s.Deny,
	}
}

// starts says what a server is without its arguments or the path and query of
// its address, which may hold secrets: a program's name, or an address's host.
func starts(e config.ServerEntry) string {
	if e.URL == "" {
		word, _ := child.CommandWord(e.Command)
		return filepath.Base(filepath.ToSlash(word))
	}
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return "an address"
	}
	return u.Scheme + "://" + u.Host
}
