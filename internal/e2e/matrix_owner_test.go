package e2e

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib/gateway"
)

// ownerOnly is a tool of the operator alone.
var ownerOnly = refusal{
	name: "owner-only tool", x: target{name: "forbidden"}, absent: true, rule: "owner-only tool",
	senseless: func(w way) string {
		switch {
		case w.place == operator:
			return "who reaches the control API is the operator, whose tool it is: it runs there"
		case w.single():
			return "a command by itself has no tools of a program in Go, and the program itself has none of an owner"
		}
		return ""
	},
}

// ownersAlone crosses the ways with a tool of the operator, which takes a gateway of a
// program in Go. There the tool runs for the operator, and for a token of an owner.
func ownersAlone(t *testing.T, table *cells) {
	t.Run(ownerOnly.name, func(t *testing.T) {
		s := newSite(t, false)
		s.inGo(t)
		var all []opened
		for _, o := range s.openAll(t, ways()) {
			if !(o.single() && o.place == alone) {
				all = append(all, o)
			}
		}
		eachWay(t, "unrefused", all, func(t *testing.T, o opened) { s.runsBy(t, o) })
		eachWay(t, "refused", all, func(t *testing.T, o opened) {
			if why := ownerOnly.senseless(o.way); why != "" {
				if a := o.call(t, ownerOnly.x, marked(o.way, ownerOnly)); a.refused || s.marks(t, ownerOnly.x, o.way) != 1 {
					t.Errorf("the operator is refused: %s", a.text)
				}
				table.skip(t, o.way, ownerOnly, why)
			}
			s.cell(t, o, ownerOnly, table)
		})
		s.ownersToken(t)
		eachWay(t, "recorded", all, func(t *testing.T, o opened) {
			var done []refusal
			if o.place != operator {
				done = append(done, ownerOnly)
			}
			s.checkRecord(t, o, done)
		})
	})
}

// ownersToken proves that a token of the owner leads to the tool.
func (s *site) ownersToken(t *testing.T) {
	for _, w := range ways() {
		if w.place == overHTTP {
			same := *s
			same.secret = s.main.token("mine-"+w.name, "--owner", "--agent", w.agent())
			if a := w.open(t, &same, w, nil)(t, ownerOnly.x, object{"mark": "owner-" + w.name}); a.refused {
				t.Errorf("%s: the owner is refused: %s", w.name, a.text)
			}
		}
	}
}

// inGo starts a gateway of this program, where toolcrib's commands find it.
func (s *site) inGo(t *testing.T) {
	config := s.config(t, false)
	delete(config, "mcp")
	s.main.write(config)
	s.other, s.free = s.main, target{name: "fine"}
	socket := answer[struct{ Socket string }](s.main, "config", "path").Socket
	g, err := gateway.New(t.Context(), gateway.Options{
		ConfigFile: s.main.config, StateDir: s.main.state(), CacheDir: filepath.Join(s.main.dir, "k", "toolcrib"), Socket: socket,
		Environ: s.main.environ(), Sandbox: sandboxed, Tools: []gateway.Tool{s.tool("fine"), s.tool("forbidden", gateway.OwnerOnly())},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	urls, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- g.Serve(ctx, gateway.ServeOptions{Listen: "127.0.0.1:0", Ready: func(url string) { urls <- url }})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case s.url = <-urls:
	case err := <-done:
		done <- err
		t.Fatal(err)
	}
	s.running = &running{home: s.main, url: s.url, socket: socket}
	s.aloneAs = func(t testing.TB, mode, agent string) mcp.Transport {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() {
			defer out.Close()
			_ = g.ServeStdio(ctx, gateway.StdioOptions{In: in, Out: out, Mode: mode, Agent: agent})
		}()
		return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
	}
}

// tool is a Go function that writes down that it ran.
func (s *site) tool(name string, opts ...gateway.ToolOption) gateway.Tool {
	type input struct {
		Mark string `json:"mark"`
	}
	return gateway.Func(name, "Rake a corner of the yard", func(_ context.Context, in input) (string, error) {
		data, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		return "raked", note(s.ran, name+" "+string(data))
	}, opts...)
}
