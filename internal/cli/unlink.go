package cli

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
	"github.com/toolcrib/toolcrib/internal/config"
)

const unlinkShape = `{"client", "dryRun", "files": [{"file", "scope", "action": "restored|removed|deleted|absent", "enabled": ["..."], "backup", "note"}], "next": ["..."]}`

// What disconnect does with a file.
const (
	actionRestored = "restored"
	actionRemoved  = "removed"
	actionDeleted  = "deleted"
	actionAbsent   = "absent"
)

func (a *app) unlinkCommand() *cobra.Command {
	var file string
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use:   "disconnect CLIENT",
		Short: "Take toolcrib out of the configuration of another program",
		Long: `Undo connect: a file that nobody has changed since gets its old bytes back; in any
other the entry is taken out, and the servers that were switched off are switched
on again. Edits that were made in between stay. The last backup is kept.

Without --file it undoes every connect of the program, and looks into its files of
the user too. CLIENT is ` + strings.ReplaceAll(clientNames(), "\n", " ") + `.`,
		Example: `  toolcrib disconnect claude-desktop
  toolcrib disconnect cursor --file ./.cursor/mcp.json`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: completeClients,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.unlink(args[0], file, dryRun, asJSON)
		},
	}
	flags := c.Flags()
	flags.StringVar(&file, "file", "", "`file` to take toolcrib out of, alone")
	flags.BoolVar(&dryRun, "dry-run", false, "say what would be done, and write nothing")
	jsonFlag(c, &asJSON, unlinkShape)
	return c
}

// unlinkReport is the answer of disconnect.
type unlinkReport struct {
	Client string         `json:"client"`
	DryRun bool           `json:"dryRun"`
	Files  []unlinkedFile `json:"files"`
	Next   []string       `json:"next"`
}

// unlinkedFile is what became of one file.
type unlinkedFile struct {
	File   string `json:"file"`
	Scope  string `json:"scope"`
	Action string `json:"action"`
	// Enabled are the servers that are on again.
	Enabled []string `json:"enabled"`
	Backup  string   `json:"backup,omitempty"`
	// Note says what could not be brought back.
	Note string `json:"note,omitempty"`
}

func (a *app) unlink(name, file string, dryRun, asJSON bool) error {
	client, err := clientOf(name)
	if err != nil {
		return err
	}
	paths, err := config.Locate(a.configOptions())
	if err != nil {
		return err
	}
	kept := records{filepath.Join(paths.StateDir, "clients")}
	targets, err := a.unlinkTargets(client, kept, file)
	if err != nil {
		return err
	}
	report := unlinkReport{Client: client.Name, DryRun: dryRun, Files: []unlinkedFile{}, Next: []string{}}
	var failed []error
	for _, f := range targets {
		done, err := a.unlinkFile(client, kept, f, dryRun)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		report.Files = append(report.Files, done)
		if done.Action != actionAbsent {
			report.Next = restartStep(client)
		}
	}
	if asJSON && len(failed) == 0 {
		return a.out.json(report)
	}
	if len(failed) == 0 || len(report.Next) > 0 {
		a.printUnlink(client, report)
	}
	return errors.Join(failed...)
}

func restartStep(client clientconfig.Client) []string {
	return []string{"restart " + client.Title + ", or start a new session of it"}
}

// unlinkTargets are the places to look at: where connect has been, and the
// client's files of this user, or the one that was named.
func (a *app) unlinkTargets(client clientconfig.Client, kept records, file string) ([]clientconfig.File, error) {
	recorded, err := kept.all(client.Name)
	if err != nil {
		return nil, err
	}
	path := a.absolute(file)
	var list []clientconfig.File
	add := func(f clientconfig.File) {
		if (path == "" || f.Path == path) && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	for _, rec := range recorded {
		add(rec.File)
	}
	if path != "" && len(list) > 0 {
		return list, nil
	}
	for _, f := range a.filesOf(client, file, "") {
		if file != "" || f.Scope == "user" && exists(f.Path) {
			add(f)
		}
	}
	return list, nil
}

// unlinkFile takes toolcrib out of one file.
func (a *app) unlinkFile(client clientconfig.Client, kept records, f clientconfig.File, dryRun bool) (unlinkedFile, error) {
	done := unlinkedFile{File: f.Path, Scope: f.Scope, Action: actionAbsent, Enabled: []string{}}
	rec, err := kept.load(f)
	if err != nil {
		return done, err
	}
	text, err := readClientFile(f.Path)
	if err != nil {
		return done, err
	}
	after := text
	if text != nil {
		if after, done.Action, err = undone(client, kept, f, rec, text); err != nil {
			return done, err
		}
	}
	if rec == nil && done.Action != actionAbsent {
		done.Note = a.lostRecord(client, f, after)
	}
	if rec != nil && done.Action != actionAbsent {
		done.Enabled = append(done.Enabled, rec.TakenOver...)
		if rec.Existed {
			done.Backup = kept.backupPath(f)
		}
	}
	if dryRun {
		return done, nil
	}
	if done.Action != actionAbsent {
		if err := (swap{f.Path, text, after}).do(); err != nil {
			return done, err
		}
	}
	return done, kept.remove(f)
}

// lostRecord says, of a file whose record of connect is gone, that servers which
// connect switched off there stay off, and where they are still to be had.
func (a *app) lostRecord(client clientconfig.Client, f clientconfig.File, after []byte) string {
	own, err := config.FileServers(a.configOptions())
	if err != nil || len(own) == 0 {
		return ""
	}
	on := map[string]bool{}
	servers, _ := client.Read(f, after) // it was written from what was read
	for _, s := range servers {
		on[s.Name] = !s.Disabled
	}
	var off []string
	for _, s := range own {
		if !on[s.Name] {
			off = append(off, s.Name)
		}
	}
	paths, err := config.Locate(a.configOptions())
	if err != nil || len(off) == 0 {
		return ""
	}
	return fmt.Sprintf("there is no record of connect for it, so servers that connect switched off there can't be switched on again; toolcrib's own file %s still has %s", paths.Config, strings.Join(off, ", "))
}

// undone is the file without toolcrib, nil when it is to go, and how that came about.
func undone(client clientconfig.Client, kept records, f clientconfig.File, rec *record, text []byte) ([]byte, string, error) {
	after, err := kept.without(client, rec, f, text)
	if err != nil {
		return nil, "", brokenFile(client, err)
	}
	if after == nil && (rec == nil || rec.Existed) {
		after = []byte{} // connect did not make it
	}
	switch {
	case after == nil:
		return nil, actionDeleted, nil
	case bytes.Equal(after, text):
		return text, actionAbsent, nil
	case rec != nil && hashOf(after) == rec.Before:
		return after, actionRestored, nil
	}
	return after, actionRemoved, nil
}

func (a *app) printUnlink(client clientconfig.Client, r unlinkReport) {
	words := map[string]string{
		actionRestored: "is as it was before",
		actionRemoved:  "has toolcrib no more; all else in it stays",
		actionDeleted:  "is deleted: connect had made it",
	}
	found := false
	for _, f := range r.Files {
		if f.Action == actionAbsent {
			continue
		}
		found = true
		a.out.printf("%s %s\n", folded(f.File), words[f.Action])
		if len(f.Enabled) > 0 {
			a.out.printf("on again: %s\n", folded(strings.Join(f.Enabled, ", ")))
		}
		if f.Note != "" {
			a.warn(f.Note)
		}
	}
	switch {
	case !found:
		a.note("note", "2", fmt.Sprintf("toolcrib is in no configuration of %s", client.Title))
	case r.DryRun:
		a.note("note", "2", "nothing was written")
	default:
		for _, step := range r.Next {
			a.note("next", "36", step)
		}
	}
}
