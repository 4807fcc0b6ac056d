package config

import (
	"slices"
	"testing"
)

func TestValues(t *testing.T) {
	for path, want := range map[string][]string{
		"log.level": {"debug", "info", "warn", "error"}, "tools.toolSearch": {"auto", "true", "false"}, "mcp.servers.any.scope": {"shared", "session"},
		"agents.list.x.tools.toolSearch.codeIsolation": {"kernel", "process"}, "mcp.servers.a.enabled": {"true", "false"},
		"tools.allow": nil, "tools.none": nil, "": nil, "tools.maxResultBytes": nil,
	} {
		if got := Values(path); !slices.Equal(got, want) {
			t.Errorf("%s takes %q, want %q", path, got, want)
		}
	}
}

func TestSecretPath(t *testing.T) {
	for path, want := range map[string]bool{
		"gateway.token": true, "mcp.servers.a.env.API_KEY": true, "mcp.servers.a.headers.Authorization": true,
		"mcp.servers.a.env.DEBUG": false, "log.level": false, "no.key": false, "": false,
	} {
		if got := SecretPath(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
