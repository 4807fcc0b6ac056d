package client

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// TestSilentGateway: a gateway that takes a connection and says nothing is given up.
func TestSilentGateway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path) // which the system answers for
	if err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	defer l.Close()
	c, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	c = c.WithPatience(10 * time.Millisecond)
	for name, ask := range map[string]func() error{
		"status": func() error { _, err := c.Status(t.Context()); return err },
		"search": func() error { _, err := c.Search(t.Context(), SearchRequest{Query: "x"}); return err },
	} {
		if err := ask(); toolcrib.KindOf(err) != toolcrib.KindUnavailable || !Silent(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if quick("POST", "/api/call") || quick("POST", "/api/reload") {
		t.Error("calls are bounded")
	}
}
