package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// DefaultHookTimeoutMs is the time of a hook that names none.
const DefaultHookTimeoutMs = 5000

// Hook is one hook around calls: either Command or URL is set.
type Hook struct {
	// Event is "before_tool_call" or "after_tool_call".
	Event string
	// Match are patterns of tools; empty means every tool.
	Match   []string
	Command string
	Args    []string
	Env     map[string]string
	// Cwd is absolute, or empty for the gateway's own folder.
	Cwd     string
	URL     string
	Secret  string
	Headers map[string]string
	// TimeoutMs bounds one run, 100 to 60000.
	TimeoutMs int
	// Priority orders hooks, the highest first.
	Priority int
	Enabled  bool
}

// Timeout is TimeoutMs as a duration.
func (h Hook) Timeout() time.Duration { return time.Duration(h.TimeoutMs) * time.Millisecond }

func hookKeys() []Key {
	const h = "hooks.*"
	return []Key{
		{Path: "hooks", Type: Map, Doc: "Programs and webhooks that see each call before it runs, or its result after it did. The name is a letter or digit, then at most 63 letters, digits, _, . or -. docs/hooks.md has what they are sent and may answer. A hook that fails or is slow blocks the call."},
		{Path: h, Type: Object, Doc: "One hook: either command or url."},
		{
			Path: h + ".event", Type: String, Enum: []string{"before_tool_call", "after_tool_call"},
			Doc: "When it runs: before a call, which it may block, change or have a person asked about, or after it, when it may change or withhold the result. Required.",
		},
		{Path: h + ".match", Type: List, Doc: "Only for calls of tools that match one of these patterns. Empty or absent: all."},
		{Path: h + ".match.[]", Type: String, Doc: "A pattern."},
		{Path: h + ".command", Type: String, Doc: "The program to start for each call. It gets JSON on its standard input and answers on its standard output; exit code 2 blocks. No shell reads it."},
		{Path: h + ".args", Type: List, Doc: "The program's arguments."},
		{Path: h + ".args.[]", Type: String, Doc: "An argument."},
		{Path: h + ".env", Type: Map, Doc: "Variables for the program, added to the same base of toolcrib's own environment as MCP servers get."},
		{Path: h + ".env.*", Type: String | Whole | Bool, SecretNames: true, Doc: "A variable. Numbers and booleans become text."},
		{Path: h + ".cwd", Type: String, Doc: "The folder in which the program starts. A relative path starts at the configuration file."},
		{Path: h + ".url", Type: String, Doc: "Where each call is posted to as JSON. Anything but a 2xx with a right answer blocks; redirects are not followed."},
		{Path: h + ".secret", Type: String, Secret: true, Doc: "The key that signs each request: X-Toolcrib-Signature. Write ${env:NAME} or ${file:PATH} rather than the key itself."},
		{Path: h + ".headers", Type: Map, Doc: "Headers of every request to url."},
		{Path: h + ".headers.*", Type: String | Whole | Bool, SecretNames: true, Doc: "A header."},
		{Path: h + ".timeoutMs", Type: Whole, Default: "5000", Min: 100, Max: 60_000, Doc: "How long the hook may hold a call up, in milliseconds. Then it is ended, and the call is blocked."},
		{Path: h + ".priority", Type: Whole, Default: "0", Min: -1_000_000, Max: 1_000_000, Doc: "Hooks run one after another, the highest first; equal ones in the order of their names."},
		{Path: h + ".enabled", Type: Bool, Default: "true", Doc: "false keeps the hook in the file and out of use."},
	}
}

// hooksOf reads the keys of hookKeys.
func hooksOf(v *value) map[string]Hook {
	if v == nil {
		return nil
	}
	hooks := make(map[string]Hook, len(v.fields))
	for _, f := range v.fields {
		h := f.val
		hooks[f.key] = Hook{
			Event: text(h.get("event")), Match: texts(h.get("match")),
			Command: text(h.get("command")), Args: texts(h.get("args")), Env: textMap(h.get("env")), Cwd: text(h.get("cwd")),
			URL: text(h.get("url")), Secret: text(h.get("secret")), Headers: textMap(h.get("headers")),
			TimeoutMs: number(h.get("timeoutMs"), DefaultHookTimeoutMs), Priority: number(h.get("priority"), 0), Enabled: yes(h.get("enabled")),
		}
	}
	return hooks
}

// hooks checks what no single row of the table can.
func (c crossChecker) hooks(all *value) {
	if all == nil {
		return
	}
	for _, f := range all.fields {
		path := joinPath("hooks", f.key)
		if !toolcrib.ValidOwner(f.key) {
			c.fail(f.at, path, "the name of a hook is a letter or digit, then at most 63 letters, digits, _, . or -", fmt.Sprintf("for example %q", slug(f.key)))
		}
		if !f.val.bad {
			c.hook(f, path)
		}
	}
}

func (c crossChecker) hook(f field, path string) {
	v := f.val
	command, addr := v.get("command"), v.get("url")
	switch {
	case command != nil && addr != nil:
		c.fail(f.at, path, "has both command and url", "keep the one that is meant")
	case command == nil && addr == nil:
		c.fail(f.at, path, "has neither command nor url", "name the program to start, or the address to post to")
	}
	if v.get("event") == nil {
		c.fail(f.at, path, "has no event", `write event: "before_tool_call" or event: "after_tool_call"`)
	}
	c.emptyPatterns(v.get("match"), path+".match")
	c.variables(v.get("env"), path+".env")
	c.headers(v.get("headers"), path+".headers")
	if on := v.get("enabled"); on != nil && !on.bool {
		return // what is left may hold references that could not be filled in
	}
	if command != nil && !command.bad && strings.TrimSpace(command.text) == "" {
		c.fail(command.origin, path+".command", "is empty", "name the program to start")
	}
	if secret := v.get("secret"); secret != nil && !secret.bad && secret.text == "" {
		c.fail(secret.origin, path+".secret", "is empty", "leave it out to send requests without a signature")
	}
	if addr != nil && !addr.bad {
		c.url(addr, path+".url")
	}
	if cwd := v.get("cwd"); cwd != nil {
		cwd.text = c.opts.resolve(cwd.text, c.dir)
	}
	c.useless(v, path, command != nil, "hook", "headers", "secret")
}
