package config

import (
	"strings"
	"testing"
)

func TestSessionsDefaults(t *testing.T) {
	c, warnings := load(t, write(t, `{}`))
	s := c.Sessions
	if s.Audit != "required" || !s.Args || s.KeepDays != 30 || s.Redact != nil || c.Store.URL != "" || len(warnings) > 0 {
		t.Errorf("%+v, %+v, %q", c.Store, s, warnings)
	}
	c, warnings = load(t, write(t, `{sessions: {keepDays: 0}}`))
	if c.Sessions.KeepDays != 1 || len(warnings) != 1 {
		t.Errorf("keepDays 0 is %d, %q", c.Sessions.KeepDays, warnings)
	}
}

func TestSessionsMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{store: {url: "postgres://x"}}`:     "store.url: names no store",
		`{store: {url: "sqlite:"}}`:          "store.url: names no store",
		`{sessions: {audit: "never"}}`:       "sessions.audit",
		`{sessions: {redact: ["/[/"]}}`:      "sessions.redact: holds what is no regular expression",
		`{sessions: {redact: ["a", "/(/"]}}`: "sessions.redact: holds what is no regular expression",
	} {
		if _, _, err := Load(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{`{store: {url: "memory:"}}`, `{store: {url: ""}}`, `{sessions: {redact: ["/", "//", "/x/", "a*"]}}`} {
		load(t, write(t, text))
	}
}
