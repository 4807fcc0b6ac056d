package config

import "testing"

func TestSettingsHash(t *testing.T) {
	hash := func(environ ...string) string {
		return SettingsHash(Options{Environ: environ, Reserved: []string{"TOOLCRIB_STARTED_AS"}, GOOS: "linux"})
	}
	base := hash("TOOLCRIB_TOOLS__DENY=a,b", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000")
	for name, c := range map[string]struct {
		got  string
		same bool
	}{
		"another order":          {hash("TOOLCRIB_TOOLS__MAXRESULTBYTES=2000", "X=1", "TOOLCRIB_TOOLS__DENY=a,b"), true},
		"other letters":          {hash("TOOLCRIB_TOOLS__deny=a,b", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000"), true},
		"what is no setting":     {hash("TOOLCRIB_TOOLS__DENY=a,b", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000", "TOOLCRIB_CONFIG=/x", "TOOLCRIB_STARTED_AS=y", "TOOLCRIB_FOREIGN=z"), true},
		"where it listens, logs": {hash("TOOLCRIB_TOOLS__DENY=a,b", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000", "TOOLCRIB_GATEWAY__LISTEN=:1", "TOOLCRIB_LOG_LEVEL=debug", "TOOLCRIB_LOG__LEVEL=info"), true},
		"an empty one":           {hash("TOOLCRIB_TOOLS__DENY=a,b", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000", "TOOLCRIB_TOOLS__ALLOW="), true},
		"another value":          {hash("TOOLCRIB_TOOLS__DENY=a,c", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000"), false},
		"one less":               {hash("TOOLCRIB_TOOLS__DENY=a,b"), false},
		"one more":               {hash("TOOLCRIB_TOOLS__DENY=a,b", "TOOLCRIB_TOOLS__MAXRESULTBYTES=2000", "TOOLCRIB_TOOLS__ALLOW=x"), false},
	} {
		if (c.got == base) != c.same {
			t.Errorf("%s: %s, and the first is %s", name, c.got, base)
		}
	}
	if got := hash("HOME=/x", "TOOLCRIB_CONFIG=/y"); got != hash() || got == base {
		t.Errorf("no settings: %q, and with nothing at all %q", got, hash())
	}
}
