package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/clientconfig"
)

// listedClient is a client that was found on this machine.
type listedClient struct {
	Client string       `json:"client"`
	Title  string       `json:"title"`
	Files  []listedFile `json:"files"`
}

// listedFile is one of its files that is there.
type listedFile struct {
	Path  string `json:"path"`
	Scope string `json:"scope"`
	// Servers counts those that are not toolcrib.
	Servers int `json:"servers"`
	// Toolcrib says that toolcrib is among the servers.
	Toolcrib bool   `json:"toolcrib"`
	Error    string `json:"error,omitempty"`
}

// listClients shows the clients whose files are there.
func (a *app) listClients(asJSON bool) error {
	found := []listedClient{}
	for _, client := range clientconfig.Clients() {
		if files := a.listFiles(client); len(files) > 0 {
			found = append(found, listedClient{client.Name, client.Title, files})
		}
	}
	if asJSON {
		return a.out.json(struct {
			Clients []listedClient `json:"clients"`
		}{found})
	}
	if a.p.Home == "" {
		a.warn("HOME is not set, so the files of users are not looked at")
	}
	if len(found) == 0 {
		a.note("note", "2", "no configuration of a known client was found here; known are "+strings.Join(clientList(), ", "))
		a.note("hint", "36", "name a file: toolcrib import CLIENT --file FILE")
		return nil
	}
	var rows [][]string
	for _, c := range found {
		for _, f := range c.Files {
			rows = append(rows, []string{c.Client, f.Scope, f.note(), folded(f.Path)})
		}
	}
	a.out.rows([]string{"CLIENT", "SCOPE", "SERVERS", "FILE"}, rows)
	for _, c := range found {
		for _, f := range c.Files {
			if f.Error != "" {
				a.warn(f.Error)
			}
		}
	}
	a.note("hint", "36", "take the servers of one over: toolcrib import CLIENT")
	return nil
}

func (a *app) listFiles(client clientconfig.Client) []listedFile {
	var list []listedFile
	var seen []clientconfig.File
	for _, f := range client.Files(a.clientEnvironment()) {
		if slices.ContainsFunc(seen, func(g clientconfig.File) bool { return samePlace(f, g) }) {
			continue
		}
		seen = append(seen, f)
		read, err := readServers(client, f)
		if err == nil && read.text == nil {
			continue
		}
		row := listedFile{Path: f.Path, Scope: f.Scope}
		if err != nil {
			row.Error = err.Error()
		}
		for _, s := range read.servers {
			if clientconfig.IsToolcrib(s) {
				row.Toolcrib = true
			} else {
				row.Servers++
			}
		}
		list = append(list, row)
	}
	return list
}

func (f listedFile) note() string {
	switch {
	case f.Error != "":
		return "?"
	case f.Toolcrib && f.Servers == 0:
		return "toolcrib"
	case f.Toolcrib:
		return fmt.Sprintf("%d and toolcrib", f.Servers)
	}
	return fmt.Sprint(f.Servers)
}

// maxCell is how many characters of a foreign text a table shows.
const maxCell = 60

// cell is a foreign text for a table.
func cell(text string) string {
	runes := []rune(folded(text))
	if len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return string(runes)
}

// printImport shows what became of each server, and what to do next.
func (a *app) printImport(client clientconfig.Client, r *importReport) {
	added, off := 0, 0
	var rows [][]string
	for _, s := range r.Servers {
		if s.Action == actionAdded {
			added++
			if !s.Enabled {
				off++
			}
		}
		rows = append(rows, []string{cell(s.Name), s.Scope, cell(s.result()), cell(s.Starts), cell(s.secrets())})
	}
	if len(rows) > 0 {
		a.out.rows([]string{"SERVER", "SCOPE", "RESULT", "STARTS", "WITH"}, rows)
	}
	for _, w := range r.Warnings {
		a.warn(w)
	}
	for _, s := range r.Servers {
		if s.Action == actionSkipped {
			a.warn(s.Name + ": " + s.Reason)
		}
		for _, note := range s.Notes {
			a.note("note", "2", s.Name+": "+note)
		}
	}
	a.printImportEnd(client, r, added, off)
}

func (a *app) printImportEnd(client clientconfig.Client, r *importReport, added, off int) {
	switch {
	case len(r.Servers) == 0:
		a.note("note", "2", fmt.Sprintf("%s has no servers in %s", client.Title, strings.Join(r.Files, ", ")))
	case r.DryRun:
		a.note("note", "2", fmt.Sprintf("nothing was written; %s would be added to %s", counted(added, "server"), r.Config))
		return
	case r.Written:
		a.note("note", "2", fmt.Sprintf("%s added to %s", counted(added, "server"), r.Config))
	default:
		a.note("note", "2", "nothing is new for "+r.Config)
	}
	if off > 0 {
		a.note("note", "2", fmt.Sprintf("switched off among them: %d", off))
	}
	if r.Gateway > 0 {
		a.note("note", "2", fmt.Sprintf("the running gateway (process %d) takes them over by itself", r.Gateway))
	}
	a.note("hint", "36", "next, give "+client.Title+" toolcrib in their place: "+r.Next)
}

// result is the outcome in one cell.
func (s imported) result() string {
	switch s.Action {
	case actionAdded:
		text := "added"
		if s.As != s.Name {
			text += " as " + s.As
		}
		if !s.Enabled {
			text += ", switched off"
		}
		return text
	case actionPresent:
		if s.As != s.Name {
			return "already there as " + s.As
		}
		return "already there"
	case actionSelf:
		return "skipped: toolcrib itself"
	}
	return "skipped"
}

// secrets names the variables and headers, without their values.
func (s imported) secrets() string {
	var words []string
	if len(s.Env) > 0 {
		words = append(words, "env "+strings.Join(s.Env, ", "))
	}
	if len(s.Headers) > 0 {
		words = append(words, "headers "+strings.Join(s.Headers, ", "))
	}
	return strings.Join(words, "; ")
}
