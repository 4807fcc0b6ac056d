package cli

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// api is a connection to a control API that answers paths with fixed texts, and
// all others with "not found".
func api(answers map[string]string) *connection {
	mux := http.NewServeMux()
	for path, text := range answers {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	}
	return &connection{Client: client.New(client.InProcess(mux), "")}
}

func TestWhyNoSignatureIsShown(t *testing.T) {
	servers := `{"servers": [{"name": "strange"}, {"name": "known", "trusted": true}]}`
	for _, tt := range []struct {
		owner  string
		source toolcrib.Source
		want   string
	}{
		{"strange", toolcrib.SourceMCP, "untrusted server: see parameters"},
		{"known", toolcrib.SourceMCP, "see parameters"},
		{"strange", toolcrib.SourcePlugin, "see parameters"},
		{"gone", toolcrib.SourceMCP, "see parameters"},
	} {
		d := client.Description{Hit: client.Hit{Owner: tt.owner, Source: tt.source}}
		if got := whyUnknown(t.Context(), api(map[string]string{"/api/servers": servers}), d); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.owner, tt.source, got, tt.want)
		}
	}
}

// The schema decides, and that there is none is no failure of its own.
func TestPairsAskForTheSchema(t *testing.T) {
	given := callArgs{pairs: []pair{{"title", "2026"}}}
	for want, answers := range map[string]map[string]string{
		`{"title":"2026"}`: {"/api/describe": `{"id": "a", "parameters": {"properties": {"title": {"type": "string"}}}}`},
		`{"title":2026}`:   {},
	} {
		got, err := given.of(t.Context(), api(answers), source{}, "a")
		if err != nil || string(got) != want {
			t.Errorf("got %s and %v, want %s", got, err, want)
		}
	}
	if got, err := (callArgs{}).of(t.Context(), api(nil), source{}, "a"); err != nil || string(got) != "{}" {
		t.Errorf("no arguments are %s and %v, want {}", got, err)
	}
}

func TestAnOwnerThatIsDownIsNoMistake(t *testing.T) {
	c := api(map[string]string{"/api/servers": `{"servers": [{"name": "memory"}]}`, "/api/tools": `{"tools": [{"id": "plugin:tracker:a", "owner": "tracker"}]}`})
	for owner, kind := range map[string]toolcrib.Kind{"memory": "", "tracker": "", "memry": toolcrib.KindNotFound} {
		if err := checkOwner(t.Context(), c, "", owner); (err != nil) != (kind != "") || err != nil && toolcrib.KindOf(err) != kind {
			t.Errorf("%s: %v, want kind %q", owner, err, kind)
		}
	}
}
