package e2e

import (
	"context"
	"encoding/json"
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

// modelTalk is what testdata/modelclient.mjs prints.
type modelTalk struct {
	Text, Pieces    string
	Input, Output   int
	Ran             []object
	Sessions, Types []string
}

const (
	lookingText = "I will look."
	lampText    = "The plants are watered, and the hall is lit."
)

// lampTurns is a model that searches, waters the plants through toolcrib, has the
// program light the lamp by the call that is given, and says so.
func lampTurns(lamp modelmock.Turn) modelmock.Script {
	look := modelmock.Use("tool_search", `{"query":"water the plants"}`)
	look.Text = lookingText
	return modelmock.Steps(look, modelmock.Use("tool_call", `{"id":"mcp:balcony:water_plants","args":{"litres":2}}`), lamp, modelmock.Text(lampText))
}

// TestModelClients: programs made with the kits that people use for models, whose
// address of the model is the gateway's, have their own tool called and get the
// end of the talk, while the gateway runs its tools between.
func TestModelClients(t *testing.T) {
	t.Parallel()
	folder := modelClientsFolder(t)
	for mode, lamp := range map[string]modelmock.Turn{
		"tools":     modelmock.Use("tool_call", `{"id":"client:light_lamp","args":{"room":"hall","level":3}}`),
		"directory": modelmock.Use("light_lamp", `{"room":"hall","level":3}`),
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			mock := modelmock.New(lampTurns(lamp))
			upstream := httptest.NewServer(mock)
			t.Cleanup(upstream.Close)
			config := servers(object{"balcony": fake(t, "good")})
			config["tools"].(object)["toolSearch"].(object)["mode"] = mode
			config["models"] = object{"providers": object{"local": object{"baseUrl": upstream.URL + "/v1"}}}
			g := newHome(t, config).serve()
			g.ready("balcony")
			for _, kit := range []string{"openai", "ai"} {
				for _, way := range []string{"whole", "streamed"} {
					g.lightsLamp(t, folder, mock, kit, way)
				}
			}
		})
	}
}

// lightsLamp lets one program ask its question, and looks at what came of it.
func (r *running) lightsLamp(t *testing.T, folder string, mock *modelmock.Server, kit, way string) {
	t.Helper()
	name := kit + "-" + way // the model's, to tell the talks apart
	talk := r.modelClient(t, folder, kit, way, "local/"+name)
	if diff := cmp.Diff([]object{{"room": "hall", "level": 3.0}}, talk.Ran); diff != "" {
		t.Errorf("%s: the program's own tool: %s", name, diff)
	}
	kind, pieces := "application/json", ""
	if way == "streamed" {
		kind, pieces = "text/event-stream", lookingText+lampText
	}
	if talk.Text != lampText || talk.Pieces != pieces || talk.Input < 1 || talk.Output < 1 {
		t.Errorf("%s: it was told %+v", name, talk)
	}
	if len(talk.Sessions) != 2 || talk.Sessions[0] == "" || talk.Sessions[0] != talk.Sessions[1] || !strings.HasPrefix(talk.Types[1], kind) {
		t.Fatalf("%s: not two answers of one session: %q %q", name, talk.Sessions, talk.Types)
	}
	asked := slices.DeleteFunc(mock.Prompts(), func(p modelmock.Prompt) bool { return p.Model != name })
	if len(asked) != 4 || len(asked[3].Results) != 3 {
		t.Fatalf("%s: the model was asked %d times: %+v", name, len(asked), asked)
	}
	results := asked[3].Results
	mentions(t, results[1].Text, "water_plants {", "2}")
	mentions(t, results[2].Text, "hall lit at 3")
	r.explainsLamp(t, talk.Sessions[0])
}

// explainsLamp checks that the record of a session has both tools.
func (r *running) explainsLamp(t *testing.T, session string) {
	t.Helper()
	const plants, lamp = "mcp:balcony:water_plants", "client:light_lamp"
	var x struct {
		Requests, Searches int
		Found              []string
		Calls              []struct{ Tool, Source, Outcome string }
	}
	decode(t, r.ok("sessions", "explain", session, "--json"), &x)
	if x.Requests != 4 || x.Searches != 1 || !slices.Contains(x.Found, plants) {
		t.Errorf("the record: %+v", x)
	}
	want := []struct{ Tool, Source, Outcome string }{{plants, "mcp", "ok"}, {lamp, "client", "ok"}}
	if diff := cmp.Diff(want, x.Calls); diff != "" {
		t.Error(diff)
	}
	mentions(t, r.ok("sessions", "explain", session), plants, lamp)
}

// modelClient runs one program to its end.
func (r *running) modelClient(t *testing.T, folder, kit, way, model string) (talk modelTalk) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "modelclient.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", script, folder, kit, way, "http://"+r.addr+"/v1", model)
	cmd.Env = r.environ()
	cmd.WaitDelay = time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	started := time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", kit, way, err, out, stderr.String())
	}
	t.Logf("%s %s: %v", kit, way, time.Since(started).Round(10*time.Millisecond))
	if err := json.Unmarshal(out, &talk); err != nil {
		t.Fatalf("%s %s: %v in %s%s", kit, way, err, out, stderr.String())
	}
	return talk
}

// modelClientsFolder is the folder in which `make setup` installs kits for models.
func modelClientsFolder(t testing.TB) string {
	t.Helper()
	dir := npmFolder(t)
	for _, name := range []string{"openai", "ai", filepath.Join("@ai-sdk", "openai-compatible")} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", name, "package.json")); err != nil {
			absent(t, name+" is absent: run make setup")
		}
	}
	return dir
}
