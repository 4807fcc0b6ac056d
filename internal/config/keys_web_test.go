package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWeb(t *testing.T) {
	o := write(t, `{tools: {web: {allowHosts: ['*.example.com'], denyHosts: ['bad.example.com'], allowPrivate: ['docs.corp', '10.2.0.0/16', 'fd00::1'],
		timeoutMs: 5, maxBytes: 99999999, allowDowngrade: true, proxy: '${env:PROXY}'}}}`, "PROXY=http://me:pass-word@proxy.corp:3128")
	c, warnings := load(t, o)
	want := Web{
		AllowHosts: []string{"*.example.com"}, DenyHosts: []string{"bad.example.com"}, AllowPrivate: []string{"docs.corp", "10.2.0.0/16", "fd00::1"},
		TimeoutMs: 1000, MaxBytes: 8 << 20, AllowDowngrade: true, Proxy: "http://me:pass-word@proxy.corp:3128",
	}
	if diff := cmp.Diff(want, c.Tools.Web); diff != "" || len(warnings) != 2 {
		t.Errorf("warnings %q, web (-want +got):\n%s", warnings, diff)
	}
	if got := c.Redact("the proxy is " + want.Proxy); strings.Contains(got, "pass-word") {
		t.Errorf("the password of the proxy is shown: %s", got)
	}
}

func TestWebRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`allowHosts: ['']`:                  "tools.web.allowHosts[0]: is empty",
		`denyHosts: ['a', 'https://b/']`:    "tools.web.denyHosts[1]: is no pattern",
		`allowPrivate: ['10.0.0.0/33']`:     "tools.web.allowPrivate[0]: is no pattern",
		`allowPrivate: ['*.corp']`:          "tools.web.allowPrivate[0]: holds a *",
		`proxy: 'socks5://proxy.corp:1080'`: "tools.web.proxy: is no address of a proxy",
		`proxy: 'proxy.corp:3128'`:          "tools.web.proxy: is no address of a proxy",
	} {
		if got := strings.Join(refuse(t, write(t, `{tools: {web: {`+text+`}}}`)), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
