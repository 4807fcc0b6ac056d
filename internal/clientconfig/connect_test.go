package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// data is what a text says, whatever its layout.
func data(t testing.TB, name string, text []byte) any {
	t.Helper()
	if strings.HasSuffix(name, ".toml") {
		out := map[string]any{}
		if err := toml.Unmarshal(text, &out); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		return out
	}
	n, err := json5.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return plain(n)
}

func plain(n *json5.Node) any {
	switch n.Kind {
	case json5.Bool:
		return n.Bool
	case json5.Number, json5.String:
		return n.Text
	case json5.Array:
		out := []any{}
		for _, item := range n.Items {
			out = append(out, plain(item))
		}
		return out
	case json5.Object:
		out := map[string]any{}
		for _, m := range n.Members {
			out[m.Key] = plain(m.Value)
		}
		return out
	}
	return nil
}

// all are the names of the servers that can be taken over.
func all(t testing.TB, c Client, f File, text []byte) []string {
	t.Helper()
	servers, err := c.Read(f, text)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range servers {
		out = append(out, s.Name)
	}
	return out
}

// kept sends an Undo through JSON, as one that waits in a file.
func kept(t testing.TB, u Undo) Undo {
	t.Helper()
	text, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	var out Undo
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestConnectWrites(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.title(), func(t *testing.T) {
			c, text := client(t, s.client), s.text(t)
			after, _, err := c.Connect(s.file, text, entry, nil)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, s.title()+".connected", after)
			after, _, err = c.Connect(s.file, text, entry, all(t, c, s.file, text))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, s.title()+".alone", after)
			servers, err := c.Read(s.file, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range servers {
				if got.Disabled == (got.Name == "toolcrib") {
					t.Errorf("%s: disabled is %v", got.Name, got.Disabled)
				}
				if got.Name == "toolcrib" && (got.Command != entry.Command || !cmp.Equal(got.Args, entry.Args)) {
					t.Errorf("the entry reads %+v", got)
				}
			}
		})
	}
}

func TestConnectMakesAFile(t *testing.T) {
	for _, c := range Clients() {
		f := File{Client: c.Name, Scope: "user", Path: "/home/ana/file"}
		e := entry
		e.Env = map[string]string{"XDG_STATE_HOME": "/s", "A": "1"}
		after, u, err := c.Connect(f, nil, e, nil)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, c.Name+".new", after)
		u = kept(t, u)
		if back, err := c.Disconnect(f, after, u); err != nil || back != nil {
			t.Errorf("%s: disconnect gives %q, %v; want nothing", c.Name, back, err)
		}
		edited := append(bytes.Clone(after), '\n')
		if back, err := c.Disconnect(f, edited, u); err != nil || back != nil {
			t.Errorf("%s: disconnect of a file with one more line gives %q, %v; want nothing", c.Name, back, err)
		}
	}
}

func TestDisconnectGivesTheBytesBack(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.title(), func(t *testing.T) {
			c, text := client(t, s.client), s.text(t)
			for _, names := range [][]string{nil, all(t, c, s.file, text)} {
				after, u, err := c.Connect(s.file, text, entry, names)
				if err != nil {
					t.Fatal(err)
				}
				back, err := c.Disconnect(s.file, after, kept(t, u))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(text), string(back)); diff != "" {
					t.Errorf("take over %v (-before +after):\n%s", names, diff)
				}
			}
		})
	}
}

// A program that writes its file anew may lay it out otherwise and add keys.
func TestDisconnectAfterEdits(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.title(), func(t *testing.T) {
			c, text := client(t, s.client), s.text(t)
			after, u, err := c.Connect(s.file, text, entry, all(t, c, s.file, text))
			if err != nil {
				t.Fatal(err)
			}
			before, now := data(t, s.name, text).(map[string]any), data(t, s.name, after).(map[string]any)
			before["added"], now["added"] = "by the program", "by the program"
			var again []byte
			if strings.HasSuffix(s.name, ".toml") {
				again, err = toml.Marshal(now)
			} else {
				again, err = json.MarshalIndent(now, "", "    ")
			}
			if err != nil {
				t.Fatal(err)
			}
			back, err := c.Disconnect(s.file, again, kept(t, u))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(before), data(t, s.name, back)); diff != "" {
				t.Errorf("(-before +after):\n%s\nin\n%s", diff, back)
			}
		})
	}
}

func TestConnectAgain(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.title(), func(t *testing.T) {
			c, text := client(t, s.client), s.text(t)
			once, u, err := c.Connect(s.file, text, entry, nil)
			if err != nil {
				t.Fatal(err)
			}
			twice, none, err := c.Connect(s.file, once, entry, nil)
			if err != nil || !bytes.Equal(once, twice) || !none.Empty() {
				t.Fatalf("the same again: %v, %+v\n%s", err, none, cmp.Diff(string(once), string(twice)))
			}
			other := entry
			other.Command = "/opt/toolcrib/toolcrib"
			third, next, err := c.Connect(s.file, once, other, all(t, c, s.file, text))
			if err != nil {
				t.Fatal(err)
			}
			if back, err := c.Disconnect(s.file, third, kept(t, next)); err != nil || !bytes.Equal(back, once) {
				t.Errorf("the replaced entry doesn't come back: %v\n%s", err, cmp.Diff(string(once), string(back)))
			}
			if back, err := c.Disconnect(s.file, third, kept(t, u.Join(next))); err != nil || !bytes.Equal(back, text) {
				t.Errorf("the joined undo doesn't give the first text: %v\n%s", err, cmp.Diff(string(text), string(back)))
			}
			back, err := c.Disconnect(s.file, once, Undo{})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range all(t, c, s.file, back) {
				if name == "toolcrib" {
					t.Errorf("without an undo the entry stays:\n%s", back)
				}
			}
		})
	}
}

func TestConnectRefuses(t *testing.T) {
	for _, c := range Clients() {
		f := File{Client: c.Name, Scope: "user", Path: "/home/ana/file"}
		text := "{\n  \"mcpServers\": {\n    \"a\": hunter2\n"
		if c.Name == "codex" {
			text = "[mcp_servers.a]\ncommand = hunter2\n"
		}
		for what, err := range map[string]error{
			"read":       second(c.Read(f, []byte(text))),
			"connect":    third(c.Connect(f, []byte(text), entry, nil)),
			"disconnect": second(c.Disconnect(f, []byte(text), Undo{})),
		} {
			var one *toolcrib.Error
			if !errors.As(err, &one) || one.Kind != toolcrib.KindConfig || !strings.Contains(err.Error(), "line ") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %s: %v", c.Name, what, err)
			}
		}
		_, _, err := c.Connect(f, nil, entry, []string{"nobody"})
		if one := (*toolcrib.Error)(nil); !errors.As(err, &one) || one.Kind != toolcrib.KindNotFound {
			t.Errorf("%s: unknown name: %v", c.Name, err)
		}
	}
	c := client(t, "cursor")
	for _, text := range []string{`[]`, `{"mcpServers": []}`, `{"mcpServers": "hunter2"}`, `{"mcpServers": {}, "mcpServers": {}}`} {
		_, _, err := c.Connect(File{Path: "f"}, []byte(text), entry, nil)
		if one := (*toolcrib.Error)(nil); !errors.As(err, &one) || one.Kind != toolcrib.KindConfig || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }

// Odd layouts that a program or a person may leave.
func TestConnectOddFiles(t *testing.T) {
	for _, text := range []string{
		"", "\n", "{}", "{ }", "{\n}", "\ufeff{}\r\n", "// mine\n", "{\"mcpServers\":{}}", "{\"mcpServers\":null}", "{\"mcpServers\" : { // none\n } }",
		"{\n\t\"a\": 1\n}", "{\"a\":1,}", "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"},\n  },\n}",
		"{\"mcpServers\":{\"Toolcrib\":{\"command\":\"old\"},\"x\":{\"command\":\"/bin/toolcrib\",\"args\":[\"serve\"]}}}",
		"{\"mcpServers\":{\"toolcrib\":{\"url\":\"http://localhost:7433/mcp\"}},\"b\":[]}",
	} {
		for _, name := range []string{"cursor", "gemini", "claude-desktop"} {
			c, f := client(t, name), File{Scope: "user", Path: "f"}
			after, u, err := c.Connect(f, []byte(text), entry, nil)
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if got := all(t, c, f, after); !cmp.Equal(got[len(got)-1], "toolcrib") || strings.Count(string(after), "toolcrib.exe") != 1 {
				t.Errorf("%q becomes %q", text, after)
			}
			if back, err := c.Disconnect(f, after, u); err != nil || string(back) != text || back == nil {
				t.Errorf("%q comes back as %q, %v", text, back, err)
			}
		}
	}
}
