package attach

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
)

// memory is how the client introduced itself. The session's mutex guards it.
type memory struct {
	hello    []byte // the line of initialize; nil until it has been answered
	helloKey string
	version  string // that was negotiated
	ready    []byte // the line of notifications/initialized
	level    []byte // the line of the last logging/setLevel
	levelKey string
}

// remember keeps what another gateway must be told.
func (s *session) remember(m *message) {
	switch m.method {
	case noteInitialized:
		s.memory.ready = lineOf(m.raw)
	case methodSetLevel:
		s.memory.level, s.memory.levelKey = lineOf(m.raw), m.key
	}
}

func lineOf(raw []byte) []byte { return append(bytes.Clone(raw), '\n') }

// answered keeps the handshake when the gateway has agreed to it.
func (s *session) answered(f *flight, m *message) {
	if f.method == methodInitialize && !m.failed && f.line != nil {
		s.memory.hello, s.memory.helloKey, s.memory.version = f.line, f.key, versionIn(m.result)
	}
}

func versionIn(result []byte) string {
	var r struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &r) // what is no handshake has no version
	return r.Version
}

// greet repeats the handshake with another gateway. Its answer is for nobody, but
// it must agree to the version that the client speaks by now.
func (s *session) greet(up *upstream) error {
	s.mu.Lock()
	m := s.memory
	s.mu.Unlock()
	if m.hello == nil {
		return nil
	}
	timer := time.AfterFunc(greeting, func() { up.conn.Close() })
	defer timer.Stop()
	if _, err := up.conn.Write(m.hello); err != nil {
		return err
	}
	for {
		line, err := up.lines.next()
		if err != nil {
			return fmt.Errorf("the gateway did not answer the handshake: %w", err)
		}
		all, batch := peek(line)
		if batch || len(all) != 1 || !all[0].response() || all[0].key != m.helloKey {
			s.fromGateway(line)
			continue
		}
		return agrees(&all[0], m.version)
	}
}

func agrees(answer *message, version string) error {
	if answer.failed {
		return toolcrib.NewError(toolcrib.KindUnavailable, "the gateway refuses the session: "+string(answer.raw), "")
	}
	if now := versionIn(answer.result); now != version {
		return toolcrib.NewError(toolcrib.KindUnavailable,
			fmt.Sprintf("the gateway that runs now speaks version %q of the protocol, and this session %q", now, version),
			"start the client's session anew")
	}
	return nil
}

// resume makes a gateway the present one: in the background it gets what the
// client said before and the requests that wait, and then what follows.
func (s *session) resume(up *upstream) {
	up.lock()
	up.work.Go(func() {
		replayed := s.replay(up)
		up.unlock()
		if replayed {
			s.install(up)
		}
	})
}

// replay writes all that a gateway has missed; the caller holds its gate.
func (s *session) replay(up *upstream) bool {
	for _, line := range s.missed() {
		if _, err := up.conn.Write(line); err != nil {
			s.fading(up)
			return false
		}
	}
	return true
}

// missed takes the lines for a new gateway, in their order.
func (s *session) missed() (all [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.memory
	if m.hello != nil && m.ready != nil {
		all = append(all, m.ready)
	}
	if m.hello != nil && m.level != nil && s.ledger.flights[m.levelKey] == nil {
		s.swallow[m.levelKey]++
		all = append(all, m.level)
	}
	for _, f := range s.ledger.waiting() {
		f.waiting = false
		if f.method == methodListen {
			s.swallowAck[f.key]++
		}
		all = append(all, f.line)
	}
	return all
}
