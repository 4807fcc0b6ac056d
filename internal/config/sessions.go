package config

import (
	"regexp"
	"strings"
)

// Store says where what outlives a restart is kept.
type Store struct {
	// URL is "sqlite:PATH", "memory:", or empty for the usual file.
	URL string
}

// Sessions says what is recorded of sessions.
type Sessions struct {
	// Audit is "required", "best-effort" or "off".
	Audit string
	// Args keeps the arguments of calls, without secrets.
	Args bool
	// KeepDays is 1 to 3650.
	KeepDays int
	// Redact holds more names of keys, and regular expressions between slashes.
	Redact []string
}

func storeKeys() []Key {
	return []Key{
		{Path: "store", Type: Object, Doc: "Where sessions, approvals, tokens and the like are kept."},
		{
			Path: "store.url", Type: String,
			Doc: `sqlite:PATH is a file, of which a relative path starts at the state folder; memory: keeps nothing after the end. Absent: toolcrib.db in the state folder. A change takes a restart.`,
		},
		{Path: "sessions", Type: Object, Doc: "What is recorded of sessions: searches, descriptions and calls. toolcrib sessions shows it."},
		{
			Path: "sessions.audit", Type: String, Default: `"required"`, Enum: []string{"required", "best-effort", "off"},
			Doc: `"required" writes each call down before it runs, and refuses it when that fails. "best-effort" writes in the background, and "off" nothing.`,
		},
		{Path: "sessions.args", Type: Bool, Default: "true", Doc: "Keeps the arguments of calls, at most 4 KiB of each, without what looks like a secret. false keeps none."},
		{Path: "sessions.keepDays", Type: Whole, Default: "30", Min: 1, Max: 3650, Doc: "After how many days a record is deleted."},
		{Path: "sessions.redact", Type: List, Doc: "What is secret beside what always is, such as passwords and tokens: nothing of it is recorded."},
		{Path: "sessions.redact.[]", Type: String, Doc: "The name of an argument, with * for anything, or a regular expression between slashes, such as /acct-[0-9]+/."},
	}
}

// record reads the keys of storeKeys.
func (c *Config) record(root *value) {
	s := root.get("sessions")
	c.Store = Store{URL: text(root.get("store").get("url"))}
	c.Sessions = Sessions{
		Audit: text(s.get("audit")), Args: yes(s.get("args")), KeepDays: number(s.get("keepDays"), 0), Redact: texts(s.get("redact")),
	}
}

// record checks what no single row of the table can.
func (c crossChecker) record(root *value) {
	if url := root.get("store").get("url"); url != nil && !url.bad {
		path, sqlite := strings.CutPrefix(url.text, "sqlite:")
		if url.text != "" && url.text != "memory:" && (!sqlite || path == "") {
			c.fail(url.origin, "store.url", "names no store", `write "sqlite:PATH" or "memory:"`)
		}
	}
	list := root.get("sessions").get("redact")
	if list == nil {
		return
	}
	for _, item := range list.items {
		inner := strings.TrimPrefix(strings.TrimSuffix(item.text, "/"), "/")
		if item.bad || len(item.text) != len(inner)+2 {
			continue // the name of a key
		}
		if _, err := regexp.Compile(inner); err != nil {
			c.fail(item.origin, "sessions.redact", "holds what is no regular expression: "+err.Error(), "see https://pkg.go.dev/regexp/syntax")
		}
	}
}
