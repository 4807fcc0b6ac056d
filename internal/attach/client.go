package attach

import (
	"bytes"
	"errors"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/rpcline"
)

// listen reads the client until its input ends.
func (s *session) listen() {
	in := newLines(s.o.In, maxLine)
	for s.ctx.Err() == nil {
		line, err := in.next()
		switch {
		case errors.Is(err, errLineTooLong):
			s.tell((&rpcline.Refusal{Code: rpcline.CodeInvalid, Text: "Invalid request: the line is longer than 16 MiB"}).Line())
		case err != nil:
			s.finish(err)
			return
		case len(bytes.TrimSpace(line)) > 0:
			s.fromClient(line)
		}
	}
}

// fromClient hands a line to the present gateway, or the next one, once. What is
// no message, and a request with the id of one that is open, is answered here; a
// malformed answer to a gateway's request is that gateway's to judge.
func (s *session) fromClient(line []byte) {
	read, refused := rpcline.Read(line)
	if refused != nil && (read.Method != "" || read.ID == nil || refused.ID != nil) {
		s.tell(refused.Line())
		return
	}
	all, batch := peek(line)
	if s.taken(&all[0]) {
		s.tell(rpcline.InUse(read).Line())
		return
	}
	for {
		up, away := s.await()
		if up == nil {
			s.refuse(all, away)
			return
		}
		if s.deliver(up, line, all, batch) {
			return
		}
	}
}

// taken reports whether a request has the id of one that is open. Only what the
// client says, one line after the other, opens any.
func (s *session) taken(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.request() && s.ledger.flights[m.key] != nil
}

// refuse answers the requests of a line that no gateway gets.
func (s *session) refuse(all []message, e *toolcrib.Error) {
	s.mu.Lock()
	modern := s.memory.hello == nil
	for i := range all {
		s.remember(&all[i])
		s.cancel(&all[i])
	}
	s.mu.Unlock()
	for i := range all {
		if m := &all[i]; m.request() {
			s.tell(refusal(m.id, m.method, e, modern))
		}
	}
}

// deliver writes a line to a gateway. It returns false when that got nothing of it.
func (s *session) deliver(up *upstream, line []byte, all []message, batch bool) bool {
	up.lock()
	defer up.unlock()
	if up.dead {
		s.withdraw(up)
		return false
	}
	kept, full := s.note(all)
	if full {
		s.refuse(all, errBusy)
		return true
	}
	if len(all) > 0 && len(kept) == 0 {
		return true // all of it was for a gateway that is gone
	}
	if len(kept) < len(all) && batch {
		line = batched(kept)
	}
	for _, m := range kept {
		if m.method == methodCall {
			up.called = true
		}
	}
	n, err := up.conn.Write(line)
	if err == nil {
		return true
	}
	if n == 0 {
		s.unnote(kept)
	}
	s.fading(up)
	return n > 0 // the rest is settled at its end
}

// note enters what the client says into the books. It returns what the present
// gateway is to be told, and full when that would be too much.
func (s *session) note(all []message) (kept []*message, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range all {
		if s.concerns(&all[i]) {
			kept = append(kept, &all[i])
		}
	}
	if requests(kept) && len(s.ledger.flights)+len(kept) > maxFlights {
		return nil, true
	}
	for _, m := range kept {
		s.remember(m)
		s.cancel(m)
		if m.request() {
			s.ledger.open(m)
		}
	}
	return kept, false
}

func requests(kept []*message) bool {
	for _, m := range kept {
		if m.request() {
			return true
		}
	}
	return false
}

// concerns reports whether a message means anything to the present gateway:
// answers and progress that a former one asked for don't, and neither does the
// cancellation of a request that has its answer. The caller holds mu.
func (s *session) concerns(m *message) bool {
	switch {
	case m.response():
		if _, ok := s.ledger.asked[m.key]; ok {
			delete(s.ledger.asked, m.key)
			return true
		}
		delete(s.ledger.stale, m.key)
		return false
	case m.method == noteProgress && m.notification():
		return len(s.ledger.asked) > 0
	case m.method == noteCancelled && m.notification():
		return s.ledger.flights[requestIn(m.params)] != nil
	}
	return true
}

// cancel notes that the client wants no answer any more. The caller holds mu.
func (s *session) cancel(m *message) {
	if m.method == noteCancelled && m.notification() {
		if f := s.ledger.flights[requestIn(m.params)]; f != nil {
			f.cancelled = true
			s.changed()
		}
	}
}

// requestIn is the key of the request that a cancellation is about.
func requestIn(params []byte) string {
	if len(params) == 0 || params[0] != '{' {
		return ""
	}
	key := ""
	for m := range members(params) {
		if m.key == "requestId" {
			key = idKey(m.value)
		}
	}
	return key
}

// unnote takes back what note entered: the gateway did not get it.
func (s *session) unnote(kept []*message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range kept {
		if m.request() {
			s.ledger.close(m.key)
		}
	}
}

// batched writes a batch anew, without what is for nobody.
func batched(kept []*message) []byte {
	line := []byte{'['}
	for i, m := range kept {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, m.raw...)
	}
	return append(line, "]\n"...)
}
