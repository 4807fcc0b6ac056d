package gateway

import "strings"

import "testing"

// TestTrustHints: the hints of a server are believed where it is trusted, unless
// the operator says otherwise.
func TestTrustHints(t *testing.T) {
	servers, err := allServers(configOf(t, `mcp.servers={
		a: {command: "x"}, b: {command: "x", trusted: true}, c: {command: "x", trustHints: true}, d: {command: "x", trusted: true, trustHints: false},
	}`), map[string]Server{
		"e": {Command: "x"}, "f": {Command: "x", Trusted: true}, "g": {Command: "x", TrustHints: new(true)}, "h": {Command: "x", Trusted: true, TrustHints: new(false)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var believed strings.Builder
	for _, s := range servers {
		if s.TrustHints {
			believed.WriteString(s.Name)
		}
	}
	if believed.String() != "bcfg" {
		t.Errorf("believed are the hints of %q, want bcfg", believed.String())
	}
}
