package toolcrib

import "testing"

// TestEffect: the hints that are believed have MCP's meaning, the others count
// against the tool alone.
func TestEffect(t *testing.T) {
	yes, no := new(true), new(false)
	for _, tt := range []struct {
		name                 string
		reads, destroys      *bool
		believed, unbelieved Effect
	}{
		{"nothing", nil, nil, EffectUnknown, EffectUnknown},
		{"reads", yes, nil, EffectRead, EffectUnknown},
		{"reads and destroys nothing", yes, no, EffectRead, EffectUnknown},
		{"writes", no, nil, EffectDestructive, EffectUnknown},
		{"writes and destroys nothing", no, no, EffectWrite, EffectUnknown},
		{"destroys nothing", nil, no, EffectWrite, EffectUnknown},
		{"destroys", nil, yes, EffectDestructive, EffectDestructive},
		{"writes and destroys", no, yes, EffectDestructive, EffectDestructive},
		{"reads and destroys", yes, yes, EffectDestructive, EffectDestructive},
	} {
		hints := Annotations{ReadOnly: tt.reads, Destructive: tt.destroys}
		for _, believed := range []Tool{
			{Source: SourceMCP, TrustedHints: true}, {Source: SourceClient, TrustedHints: true}, {Source: SourceCore}, {Source: SourcePlugin},
		} {
			believed.Annotations = hints
			if got := believed.Effect(); got != tt.believed {
				t.Errorf("%s, of %s, believed: %q, want %q", tt.name, believed.Source, got, tt.believed)
			}
		}
		for _, stranger := range []Tool{{Source: SourceMCP}, {Source: SourceMCP, Trusted: true}, {Source: SourceClient}} {
			stranger.Annotations = hints
			if got := stranger.Effect(); got != tt.unbelieved {
				t.Errorf("%s, of %s, not believed: %q, want %q", tt.name, stranger.Source, got, tt.unbelieved)
			}
		}
	}
}
