package cli

import (
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/client"
)

func TestExpiry(t *testing.T) {
	here := time.FixedZone("here", 3600)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, here)
	for text, want := range map[string]time.Time{
		"": {}, "never": {},
		"12h": now.Add(12 * time.Hour), "90m": now.Add(90 * time.Minute), "1h30m": now.Add(90 * time.Minute),
		"30d": time.Date(2026, 3, 31, 12, 0, 0, 0, here), "2w": time.Date(2026, 3, 15, 12, 0, 0, 0, here),
		"2026-03-02":           time.Date(2026, 3, 2, 0, 0, 0, 0, here),
		"2026-03-02T00:00:00Z": time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	} {
		if got, err := expiry(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"0d", "-1d", "d", "30", "1.5d", "-1h", "0s", "2026-03-01", "2025-01-01", "tomorrow", "99999999999d", "99999999w", "2026-03-01T10:59:59Z", " 1d"} {
		if got, err := expiry(text, now); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestTokenState(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	for want, token := range map[string]client.Token{
		"good":                   {},
		"until 2026-03-01 12:01": {Expires: now.Add(time.Minute)},
		"expired":                {Expires: now},
		"revoked":                {Expires: now.Add(time.Minute), Revoked: now},
	} {
		if got := tokenState(token, now); got != want {
			t.Errorf("%+v: %q, want %q", token, got, want)
		}
	}
	if got := tokenLimits(client.Token{Owner: true, Harness: "codex", Allow: []string{"a", "b*"}, Deny: []string{"c"}}); got != "owner, harness codex, allow a b*, deny c" {
		t.Error(got)
	}
}
