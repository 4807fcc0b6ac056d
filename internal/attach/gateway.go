package attach

import (
	"bytes"
	"encoding/json"
	"time"
)

// holding is how long the answer to a subscription is held back.
const holding = time.Second

// fromGateway hands a line of the present gateway to the client. A batch goes as
// it is, without what is for nobody.
func (s *session) fromGateway(line []byte) {
	all, batch := peek(line)
	if len(all) == 0 {
		if json.Valid(line) {
			s.tell(line)
		}
		return // what was cut off by the end
	}
	kept := make([]*message, 0, len(all))
	for i := range all {
		if s.wanted(&all[i], batch) {
			kept = append(kept, &all[i])
		}
	}
	switch {
	case len(kept) == len(all):
		s.tell(line)
	case len(kept) > 0:
		s.tell(batched(kept))
	}
}

// wanted reports whether a message is for the client, and enters it into the books.
func (s *session) wanted(m *message, batch bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.response():
		return s.settle(m, batch)
	case m.request():
		return s.asks(m)
	case m.method == noteCancelled:
		delete(s.ledger.asked, requestIn(m.params))
	case m.method == noteAcknowledged:
		if key := subscriptionIn(m.params); s.swallowAck[key] > 0 {
			s.swallowAck[key]--
			return false
		}
	}
	return true
}

// settle closes the request that a message answers.
func (s *session) settle(m *message, batch bool) bool {
	if s.swallow[m.key] > 0 {
		s.swallow[m.key]--
		return false
	}
	f := s.ledger.flights[m.key]
	if f == nil {
		return true
	}
	if f.method == methodListen && !m.failed && !f.cancelled && !batch {
		s.hold(f, m)
		return false
	}
	s.ledger.close(m.key)
	s.answered(f, m)
	s.changed()
	return true
}

// hold keeps the good answer to a subscription back: a gateway that ends says it
// to all, and the client shall not notice. It goes out if the gateway lives on.
func (s *session) hold(f *flight, m *message) {
	f.held = lineOf(m.raw)
	time.AfterFunc(holding, func() {
		s.mu.Lock()
		line := f.held
		if line != nil {
			f.held = nil
			s.ledger.close(f.key)
		}
		s.mu.Unlock()
		if line != nil && s.ctx.Err() == nil {
			s.tell(line)
		}
	})
}

// asks enters a request of the gateway to the client. One whose id a former
// gateway has used, and the client has not answered yet, can't be told apart
// from that: the gateway is told so.
func (s *session) asks(m *message) bool {
	if !s.ledger.stale[m.key] && len(s.ledger.asked) < maxFlights {
		s.ledger.asked[m.key] = bytes.Clone(m.id)
		return true
	}
	if up := s.up; up != nil {
		line := refusal(bytes.Clone(m.id), m.method, errTaken, false)
		up.work.Go(func() {
			up.lock()
			defer up.unlock()
			if !up.dead {
				_, _ = up.conn.Write(line) // its end is noticed by who reads
			}
		})
	}
	return false
}

// subscriptionIn is the key of the subscription that a notification belongs to.
func subscriptionIn(params []byte) string {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if len(params) == 0 || json.Unmarshal(params, &p) != nil || len(p.Meta[metaSubscriptionID]) == 0 {
		return ""
	}
	return idKey(p.Meta[metaSubscriptionID])
}

// wantsTools reports whether a subscription is about the list of tools.
func wantsTools(line []byte) bool {
	var m struct {
		Params struct {
			Notifications struct {
				Tools bool `json:"toolsListChanged"`
			} `json:"notifications"`
		} `json:"params"`
	}
	return json.Unmarshal(line, &m) == nil && m.Params.Notifications.Tools
}
