package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// revokedToken is what the holder of a token that was taken back is told.
var revokedToken = refusal{name: "token revoked", says: []string{"revoked"}, senseless: func(w way) string {
	switch {
	case w.name == "api-tcp", w.place == overHTTP:
		return ""
	}
	return "it shows no token: the process, or the socket, is its user's own"
}}

// revoked opens each way that shows a token with one of its own, and takes it back.
func (s *site) revoked(t *testing.T, table *cells) {
	var all, admins []opened
	for _, w := range ways() {
		if w.name == "api-tcp" { // the commands of the others show the same token
			admins = append(admins, opened{way: w})
			continue
		}
		all = append(all, opened{way: w})
	}
	try := func(t *testing.T, o opened) {
		if why := revokedToken.senseless(o.way); why != "" {
			table.skip(t, o.way, revokedToken, why)
		}
		call, revoke := s.withToken(t, o.way)
		args := object{"mark": "token-" + o.name}
		if a := call(t, in("fine"), args); a.refused {
			t.Fatalf("before: %s", a.text)
		}
		revoke()
		a := call(t, in("fine"), object{"mark": "revoked-" + o.name})
		if !a.refused {
			t.Errorf("it is not refused: %s", a.text)
		}
		if n := s.marks(t, in("fine"), way{name: "revoked-" + o.name}); n != 0 {
			t.Errorf("it ran %d times", n)
		}
	}
	eachWay(t, revokedToken.name, all, try)
	eachWay(t, revokedToken.name+", the admin's", admins, try)
	mentions(t, s.running.log.String(), "revoked")
}

// withToken opens a way that shows a token, with what takes the token back.
func (s *site) withToken(t *testing.T, w way) (use, func()) {
	if w.place == operator {
		secret := s.main.adminSecret()
		call := controlCall(w, "/api/call", func(t testing.TB, path, body string) (int, string) {
			return post(t, strings.TrimSuffix(s.url, "/mcp")+path, body, showing(secret))
		}, func(x target, args object) object { return object{"id": x.id(), "args": args} })
		return call, func() {
			s.main.ok("token", "admin", "rotate")
			if code, body := post(t, strings.TrimSuffix(s.url, "/mcp")+"/api/call", "{}", showing(secret)); code != http.StatusUnauthorized {
				t.Errorf("the former admin token: %d %s", code, body)
			}
		}
	}
	secret := s.main.token(w.name, "--agent", w.agent())
	same := w
	call := same.open(t, &site{main: s.main, running: s.running, url: s.url, said: s.said, secret: secret}, same, nil)
	return call, func() {
		s.main.ok("token", "revoke", w.name)
		code, body := post(t, s.url, initializeBody, showing(secret))
		if code != http.StatusUnauthorized {
			t.Errorf("the token still opens a session: %d %s", code, body)
		}
		mentions(t, body, revokedToken.says...)
	}
}

// unkept puts something that is no database in the place of the store.
func (s *site) unkept(t *testing.T, all []opened, table *cells) {
	for _, h := range []*home{s.main, s.other} {
		db := filepath.Join(h.state(), "toolcrib.db")
		for _, name := range []string{db, db + "-wal", db + "-shm"} {
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(db, []byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran := len(s.runs(t, in("fine")))
	eachWay(t, unkept.name, all, func(t *testing.T, o opened) {
		if o.split && o.place == overHTTP {
			table.skip(t, o.way, unkept, "the token of its agent is in the store too: without that nobody is let in")
		}
		a := o.call(t, in("fine"), marked(o.way, unkept))
		if a.broken != nil || !a.refused {
			t.Errorf("it is not refused: %s, %v", a.text, a.broken)
		}
		mentions(t, a.text, unkept.says...)
	})
	if lines := s.runs(t, in("fine")); len(lines) != ran {
		t.Errorf("it ran: %q", lines[ran:])
	}
	mentions(t, s.running.log.String(), "a call is refused because its audit record can't be written")
	mentions(t, s.said.String(), "a call is refused because its audit record can't be written")
}
