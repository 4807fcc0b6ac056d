package mcp

import (
	"net/http"
	"net/url"
	"testing"
)

func TestProxyRules(t *testing.T) {
	environ := []string{"HTTP_PROXY=proxy:1", "https_proxy=http://sproxy:2", "NO_PROXY=inner.example, .dotted.example,10.0.0.0/8,port.example:8080"}
	for target, proxy := range map[string]string{
		"http://out.example/":       "http://proxy:1",
		"https://out.example/":      "http://sproxy:2",
		"http://inner.example/":     "",
		"http://a.inner.example/":   "",
		"http://notinner.example/":  "http://proxy:1",
		"http://a.dotted.example/":  "",
		"http://10.1.2.3/":          "",
		"http://11.1.2.3/":          "http://proxy:1",
		"http://port.example:8080/": "",
		"http://port.example/":      "http://proxy:1",
		"http://localhost:3/":       "",
		"http://127.0.0.1/":         "",
	} {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Proxy(environ)(&http.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		if text := ""; got != nil {
			if text = got.String(); text != proxy {
				t.Errorf("%s goes through %q, want %q", target, text, proxy)
			}
		} else if proxy != "" {
			t.Errorf("%s goes direct, want %q", target, proxy)
		}
	}
}
