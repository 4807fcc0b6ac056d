package e2e

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// TestRealClients: a program that people use, connected by one command, offers
// its model toolcrib's tools by these very names, runs them, and forgets them
// after the other command.
func TestRealClients(t *testing.T) {
	t.Parallel()
	folder := clientsFolder(t)
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, c, folder, servers(object{"balcony": fake(t, "good")}))
			d.configure(nil)
			d.ok("connect", c.name)
			for _, m := range c.models {
				d.waters(m)
			}
			d.ok("disconnect", c.name)
			for _, m := range c.models {
				for _, e := range d.run(m.model, modelmock.Steps()).exchanges {
					if bytes.Contains(e.Body, []byte("toolcrib")) {
						t.Errorf("after disconnect, toolcrib is still in %s", e.Body)
					}
				}
			}
			nobodyLeft(t, d.dir)
		})
	}
}

// waters lets a model water the plants: through the controls, or directly.
func (d *desk) waters(m clientModel) {
	d.t.Helper()
	const done = "The plants are watered."
	r := d.run(m.model, modelmock.Steps(append(slices.Clone(m.turns), modelmock.Text(done))...))
	var offered []string
	for _, p := range r.prompts {
		for _, name := range p.Names() {
			if strings.Contains(name, "toolcrib") && !slices.Contains(offered, name) {
				offered = append(offered, name)
			}
		}
	}
	slices.Sort(offered)
	if diff := cmp.Diff(m.offered, offered); diff != "" {
		d.t.Errorf("model %q is offered: %s\n%s", m.model, diff, r.output)
	}
	if !strings.Contains(r.output, done) {
		d.t.Errorf("model %q: the end is not told:\n%s", m.model, r.output)
	}
	results := r.prompts[len(r.prompts)-1].Results
	if len(results) != len(m.turns) {
		d.t.Fatalf("model %q: %d results of %d calls:\n%s", m.model, len(results), len(m.turns), r.output)
	}
	if last := results[len(results)-1].Text; !strings.Contains(last, "water_plants {") || !strings.Contains(last, "2}") {
		d.t.Errorf("model %q: the plants answered %q", m.model, last)
	}
}

// desk is a home in which one client works, with a model that is played.
type desk struct {
	*home
	client realClient
	model  *httptest.Server
	script modelmock.Script
	mock   *modelmock.Server
	start  []string
	work   string
}

// newDesk makes a home for a client; config is toolcrib's.
func newDesk(t *testing.T, c realClient, folder string, config any) *desk {
	t.Helper()
	d := &desk{home: newHome(t, config), client: c, start: c.program(t, folder)}
	d.work = filepath.Join(d.dir, "work")
	if err := os.Mkdir(d.work, 0o700); err != nil {
		t.Fatal(err)
	}
	d.mock = modelmock.New(func(p modelmock.Prompt) modelmock.Turn { return d.script(p) })
	d.model = httptest.NewServer(d.mock)
	t.Cleanup(d.model.Close)
	t.Cleanup(d.model.CloseClientConnections)
	return d
}

// configure writes the client's own files, as its user would have them: its
// model, and the server that is given, if any.
func (d *desk) configure(s *ownServer) {
	d.t.Helper()
	for name, text := range d.client.files(d.model.URL, s) {
		path := filepath.Join(d.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
}

// ran is what one run of a client left.
type ran struct {
	output    string
	exchanges []modelmock.Exchange
	prompts   []modelmock.Prompt
}

// run lets the client answer one question, with a model and what that says.
func (d *desk) run(model string, script modelmock.Script) ran {
	d.t.Helper()
	d.script = script
	seen := len(d.mock.Exchanges())
	seenPrompts := len(d.mock.Prompts())
	ctx, cancel := context.WithTimeout(d.t.Context(), 2*patience)
	defer cancel()
	args := slices.Concat(d.start[1:], d.client.args(model))
	cmd := exec.CommandContext(ctx, d.start[0], args...)
	cmd.Dir = d.work
	cmd.Env = append(d.environ(), d.client.env(d.model.URL)...)
	cmd.WaitDelay = 5 * time.Second
	started := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s %q: %v\n%s", d.client.name, args, err, out)
	}
	r := ran{string(out), d.mock.Exchanges()[seen:], d.mock.Prompts()[seenPrompts:]}
	d.t.Logf("%s %s: %d requests, %v", d.client.name, model, len(r.exchanges), time.Since(started).Round(10*time.Millisecond))
	if len(r.prompts) == 0 {
		d.t.Fatalf("%s asked no model:\n%s", d.client.name, out)
	}
	return r
}
