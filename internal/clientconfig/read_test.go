package clientconfig

import (
	"encoding/json"
	"testing"
)

func TestRead(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.title(), func(t *testing.T) {
			servers, err := client(t, s.client).Read(s.file, s.text(t))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(servers, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, s.title()+".read", append(got, '\n'))
		})
	}
}

func TestIsToolcrib(t *testing.T) {
	for _, s := range []Server{
		{Name: "Toolcrib"}, {Command: "toolcrib"}, {Command: "/usr/bin/toolcrib"}, {Command: `C:\x\ToolCrib.EXE`},
		{URL: "http://127.0.0.1:7433/mcp"}, {URL: "http://box.local:7433/mcp/"},
	} {
		if !IsToolcrib(s) {
			t.Errorf("%+v is toolcrib", s)
		}
	}
	for _, s := range []Server{{}, {Command: "toolcribber"}, {URL: "http://127.0.0.1:7434/mcp"}, {URL: "http://127.0.0.1:7433/sse"}, {URL: "::"}} {
		if IsToolcrib(s) {
			t.Errorf("%+v is not toolcrib", s)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.text(f), "toolcrib")
	}
	f.Add([]byte("[mcp_servers]\na={command=''}"), "a")
	f.Add([]byte(`{"servers":{"a":{"command":["x",1,{}],"env":[],"args":{}}}}`), "a")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		for _, c := range Clients() {
			file := File{Client: c.Name, Scope: "user", Path: "/f"}
			servers, err := c.Read(file, text)
			if err != nil {
				continue
			}
			var names []string
			for _, s := range servers {
				names = append(names, s.Name)
			}
			after, u, err := c.Connect(file, text, entry, names)
			if err != nil {
				continue // such as a key that stands twice
			}
			back, err := c.Disconnect(file, after, u)
			if err != nil {
				t.Fatalf("%s: %q connects to %q and won't disconnect: %v", c.Name, text, after, err)
			}
			if !u.Empty() && string(back) != string(text) {
				t.Fatalf("%s: %q connects to %q and comes back as %q", c.Name, text, after, back)
			}
			if _, err := c.Disconnect(file, append(after, '\n'), u); err != nil {
				t.Fatalf("%s: %q connects to %q and won't disconnect with one more line: %v", c.Name, text, after, err)
			}
		}
	})
}
