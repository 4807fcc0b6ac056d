package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// target is a tool that is called. Its owner is a server, or what stands before the
// name in the id of another source; an empty one is the plugin of a program in Go.
type target struct{ owner, name string }

func (x target) id() string {
	switch {
	case x.owner == "":
		return "plugin:app:" + x.name
	case strings.Contains(x.owner, ":"):
		return x.owner + ":" + x.name
	}
	return "mcp:" + x.owner + ":" + x.name
}

// shown is the name that mode direct gives the tool.
func (x target) shown() string {
	source, owner, other := strings.Cut(x.owner, ":")
	switch {
	case x.owner == "", other && source == "plugin":
		return x.name
	case other:
		return owner + "__" + x.name
	}
	return x.owner + "__" + x.name
}

// answered is what the caller of a tool is told.
type answered struct {
	text    string
	refused bool // it is told as a failure
	// broken is an error of the protocol in place of an answer.
	broken error
}

// use calls a tool by one way.
type use func(t testing.TB, x target, args object) answered

// The places at which a way comes in.
const (
	alone    = "by itself" // a process with a gateway of its own
	attached = "attached"  // a process that shares the one that runs
	overHTTP = "http"
	operator = "operator" // the control API
)

// way is one way to reach a tool. Its name is that of its client, or of its agent.
type way struct {
	name, place string
	split       bool // it takes an agent for whom calls are split
	// open begins what is needed for it; person is who can be asked, nil for nobody.
	open func(t testing.TB, s *site, w way, person *mcp.ClientOptions) use
}

// The ways: everything that a model may see, at every place where it may be seen,
// and what people and programs use. A new one is a line.
func ways() (all []way) {
	for _, v := range []view{
		{"direct", "direct", false, func(x target, args object) (string, any) { return x.shown(), args }},
		{"call", "tools", false, func(x target, args object) (string, any) {
			return "tool_call", object{"id": x.id(), "args": args}
		}},
		{"split", "tools", true, func(x target, args object) (string, any) {
			return "tool_call_write", object{"id": x.id(), "args": args} // they say nothing of themselves
		}},
		{"directory", "directory", false, func(x target, args object) (string, any) { return x.name, args }},
		{"code", "code", false, func(x target, args object) (string, any) {
			return "tool_search_code", object{"code": codeOf(x, args)}
		}},
	} {
		all = append(all,
			way{v.name + "-alone", alone, v.split, v.over(func(t testing.TB, s *site, w way) (mcp.Transport, string) {
				return s.aloneAs(t, v.mode, w.agent()), eras["legacy"]
			})},
			way{v.name + "-attached", attached, v.split, v.over(func(t testing.TB, s *site, w way) (mcp.Transport, string) {
				return s.program(t, s.main, "mcp", "--attach=always", "--mode", v.mode, "--agent", w.agent()), eras["modern"]
			})},
			way{v.name + "-legacy", overHTTP, v.split, v.over(func(t testing.TB, s *site, w way) (mcp.Transport, string) {
				return s.endpoint(t, v.mode, w), eras["legacy"]
			})},
			way{v.name + "-modern", overHTTP, v.split, v.over(func(t testing.TB, s *site, w way) (mcp.Transport, string) {
				return s.endpoint(t, v.mode, w), eras["modern"]
			})},
		)
	}
	return append(all,
		way{"cli-call", operator, false, func(_ testing.TB, s *site, w way, _ *mcp.ClientOptions) use { return commandCall(s.main, w) }},
		way{"cli-code", operator, false, func(_ testing.TB, s *site, w way, _ *mcp.ClientOptions) use { return commandCode(s.main, w) }},
		way{"cli-alone", alone, false, func(_ testing.TB, s *site, w way, _ *mcp.ClientOptions) use { return commandCall(s.other, w) }},
		way{"api-call", operator, false, func(_ testing.TB, s *site, w way, _ *mcp.ClientOptions) use {
			return controlCall(w, "/api/call", s.overSocket, func(x target, args object) object { return object{"id": x.id(), "args": args} })
		}},
		way{"api-code", operator, false, func(_ testing.TB, s *site, w way, _ *mcp.ClientOptions) use {
			return controlCall(w, "/api/code", s.overSocket, func(x target, args object) object { return object{"code": codeOf(x, args)} })
		}},
		way{"api-tcp", operator, false, func(_ testing.TB, s *site, w way, _ *mcp.ClientOptions) use {
			return controlCall(w, "/api/call", s.overTCP, func(x target, args object) object { return object{"id": x.id(), "args": args} })
		}},
	)
}

// single reports whether the way is a command that ends with its call.
func (w way) single() bool { return strings.HasPrefix(w.name, "cli-") }

// view is a surface that a model sees, with the call that runs a tool there.
type view struct {
	name, mode string
	split      bool
	put        func(x target, args object) (name string, arguments any)
}

func codeOf(x target, args object) string {
	data, _ := json.Marshal(args)
	return fmt.Sprintf("return await openclaw.tools.call(%q, %s)", x.id(), data)
}

// over is the way of a view through a transport.
func (v view) over(dial func(testing.TB, *site, way) (mcp.Transport, string)) func(testing.TB, *site, way, *mcp.ClientOptions) use {
	return func(t testing.TB, s *site, w way, person *mcp.ClientOptions) use {
		transport, version := dial(t, s, w)
		c := client(t, transport, w.name, version, person)
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return v.calls(c)
	}
}

// calls is the use of a session.
func (v view) calls(c *mcp.ClientSession) use {
	return func(t testing.TB, x target, args object) answered {
		name, arguments := v.put(x, args)
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			return answered{text: err.Error(), refused: true, broken: err}
		}
		var texts []string
		for _, block := range r.Content {
			if text, ok := block.(*mcp.TextContent); ok {
				texts = append(texts, text.Text)
			}
		}
		return answered{text: strings.Join(texts, "\n"), refused: r.IsError}
	}
}

// client is a session of the official kit whose client has a name.
func client(t testing.TB, transport mcp.Transport, name, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, o).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// program is toolcrib as a client starts it.
func (s *site) program(t testing.TB, h *home, args ...string) mcp.Transport {
	cmd := exec.Command(binary, append(args, "--config", h.config)...)
	cmd.Env = h.environ()
	cmd.Stderr = s.said
	return &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}
}

// agent is whose policy and modes hold for a model that comes by the way.
func (w way) agent() string {
	if w.split {
		return w.name
	}
	return "main"
}

// endpoint is the MCP endpoint in a mode, for who shows a token. The one for all is
// of one agent.
func (s *site) endpoint(t testing.TB, mode string, w way) mcp.Transport {
	secret := cmp.Or(s.secret, staticToken)
	if s.secret == "" && w.split {
		secret = s.main.token("own-"+w.name, "--agent", w.agent())
	}
	return &mcp.StreamableClientTransport{Endpoint: s.url + "?mode=" + mode, HTTPClient: &http.Client{Transport: shows(secret)}, MaxRetries: -1}
}

// commandCall is `tools call`.
func commandCall(h *home, w way) use {
	return func(t testing.TB, x target, args object) answered {
		data, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return ended(h.run("tools", "call", x.id(), "--args", string(data), "--agent", w.name))
	}
}

// commandCode is `code run`.
func commandCode(h *home, w way) use {
	return func(t testing.TB, x target, args object) answered {
		file := filepath.Join(h.dir, w.name+"-"+x.name+".js")
		if err := os.WriteFile(file, []byte(codeOf(x, args)), 0o600); err != nil {
			t.Fatal(err)
		}
		return ended(h.run("code", "run", file, "--agent", w.name))
	}
}

func ended(o outcome) answered {
	if o.code == 0 {
		return answered{text: o.stdout}
	}
	a := answered{text: o.stderr, refused: true}
	if o.code == 1 || strings.TrimSpace(o.stdout) != "" {
		a.broken = fmt.Errorf("it ended with code %d and said %s", o.code, o.stdout)
	}
	return a
}

// sends makes a request of the control API.
type sends func(t testing.TB, path, body string) (int, string)

// controlCall is a route of the control API.
func controlCall(w way, path string, send sends, put func(target, object) object) use {
	return func(t testing.TB, x target, args object) answered {
		request := put(x, args)
		request["agent"] = w.name
		data, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		code, body := send(t, path, string(data))
		var reply struct{ OK *bool }
		decode(t, body, &reply)
		return answered{text: body, refused: code != http.StatusOK || reply.OK != nil && !*reply.OK}
	}
}

func (s *site) overSocket(t testing.TB, path, body string) (int, string) {
	code, text, err := s.running.control("POST", path, "", body)
	if err != nil {
		t.Fatal(err)
	}
	return code, text
}

func (s *site) overTCP(t testing.TB, path, body string) (int, string) {
	return post(t, strings.TrimSuffix(s.url, "/mcp")+path, body, showing(s.main.adminSecret()))
}
