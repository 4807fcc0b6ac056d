package config

import "testing"

func TestPinning(t *testing.T) {
	for text, want := range map[string]string{
		`{mcp: {servers: {a: {command: 'x'}}}}`:                                                    PinFirstUse,
		`{mcp: {pinning: 'review', servers: {a: {command: 'x'}}}}`:                                 PinReview,
		`{mcp: {pinning: 'review', servers: {a: {command: 'x', pinning: 'off'}}}}`:                 PinOff,
		`{mcp: {pinning: 'review', servers: {a: {command: 'x', trusted: true}}}}`:                  PinOff,
		`{mcp: {servers: {a: {command: 'x', trusted: true, pinning: 'review'}}}}`:                  PinReview,
		`{mcp: {pinning: 'off', servers: {a: {command: 'x', trusted: false, pinning: 'review'}}}}`: PinReview,
	} {
		o := write(t, text)
		c, warnings := load(t, o)
		if got := c.MCP.Servers["a"].Pinning; got != want || len(warnings) > 0 {
			t.Errorf("%s: %s, %v; want %s", text, got, warnings, want)
		}
	}
}
