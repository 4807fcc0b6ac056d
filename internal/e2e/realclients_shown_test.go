package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// rulerLength is how much text a wordy server has for each thing, in characters.
const rulerLength = 18_000

// shown is how many characters of a server's texts a client gives to the model.
type shown struct {
	instructions, tool, property int
	search                       string // the client's own tool that finds tools, if it hides them
}

// ruler is a text in which every place says where it is.
func ruler(mark byte) string {
	var b strings.Builder
	for n := 10; n <= rulerLength; n += 10 {
		fmt.Fprintf(&b, "%c%08d.", mark, n)
	}
	return b.String()
}

// reach is how much of a ruler is in a text, in characters.
func reach(text string, mark byte) int {
	whole := ruler(mark)
	_, after, found := strings.Cut(text, whole[:10])
	if !found {
		return 0
	}
	n := 10
	for n < len(whole) && n-10 < len(after) && whole[n] == after[n-10] {
		n++
	}
	return n
}

// seenEnv names the file in which a wordy server notes who its client is.
const seenEnv = "TOOLCRIB_E2E_SEEN"

// wordy is a server with much to say. It notes what its client says of itself.
func wordy() int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		var r request
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		switch r.Method {
		case "initialize":
			if os.WriteFile(os.Getenv(seenEnv), []byte(line), 0o600) != nil {
				return 1
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"wordy","version":"1"},"instructions":%q}}`, r.ID, ruler('i'))
		case "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"talk","description":%q,"_meta":{"anthropic/alwaysLoad":true},"inputSchema":{"type":"object","properties":{"of":{"type":"string","description":%q}}}}]}}`, r.ID, ruler('t'), ruler('p'))
		default:
			if r.ID != nil {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, r.ID)
			}
		}
	}
}

// TestRealClientsShow measures how much of a server's texts each client gives to
// its model, which is what directory mode builds on. A newer client may do it
// otherwise: then see whether toolcrib still gives it what it shows.
func TestRealClientsShow(t *testing.T) {
	t.Parallel()
	folder := clientsFolder(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, c, folder, "{}")
			seen := filepath.Join(d.dir, "seen.json")
			d.configure(&ownServer{
				name: "wordy", command: self, args: []string{"fake-wordy"},
				env: map[string]string{fakeEnv: "wordy", seenEnv: seen},
			})
			for model, want := range c.shown {
				got := d.shows(model, want.search)
				if got != want {
					t.Errorf("model %q is shown %+v, want %+v", model, got, want)
				}
			}
			line, err := os.ReadFile(seen)
			if err != nil {
				t.Fatal(err)
			}
			var hello struct {
				Params struct {
					ProtocolVersion string
					ClientInfo      struct{ Name, Version string }
				}
			}
			decode(t, string(line), &hello)
			t.Logf("%s calls itself %q %s and asks for %s", c.name,
				hello.Params.ClientInfo.Name, hello.Params.ClientInfo.Version, hello.Params.ProtocolVersion)
			if hello.Params.ClientInfo.Name == "" {
				t.Errorf("no name in %s", line)
			}
			nobodyLeft(t, d.dir)
		})
	}
}

// shows runs the client and measures what reaches the model.
func (d *desk) shows(model, search string) shown {
	d.t.Helper()
	script := modelmock.Steps()
	if search != "" {
		script = modelmock.Steps(modelmock.Use(search, `{"query":"talk"}`))
	}
	var most shown
	for _, p := range d.run(model, script).prompts {
		said := append([]string{p.System}, p.User...)
		for _, tool := range p.Tools {
			if strings.HasSuffix(tool.Name, "talk") {
				most.tool = max(most.tool, reach(tool.Description, 't'))
				most.property = max(most.property, reach(string(tool.Schema), 'p'))
			} else if tool.Kind == "namespace" && search == "" {
				said = append(said, tool.Description)
			}
		}
		most.instructions = max(most.instructions, reach(strings.Join(said, "\n"), 'i'))
	}
	most.search = search
	d.t.Logf("%s %s: of %d characters the model is shown %d of the instructions, %d of a tool's description, %d of a property's",
		d.client.name, model, rulerLength, most.instructions, most.tool, most.property)
	return most
}
