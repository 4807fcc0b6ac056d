package cli

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/toolcrib/toolcrib/internal/clientconfig"
)

// maxContext is how many lines around a change must be as they were at most.
const maxContext = 3

// without returns what the client's file would hold had toolcrib never been
// connected; nil is no file. Where nobody has touched the lines that connect
// changed, these come back byte for byte; else what they say does.
func (r records) without(client clientconfig.Client, rec *record, f clientconfig.File, text []byte) ([]byte, error) {
	if before, ok := r.original(rec, text); ok || text == nil {
		return before, nil
	}
	var undo clientconfig.Undo
	if rec != nil {
		undo = rec.Undo
	}
	plain, err := client.Disconnect(f, text, undo)
	if err != nil {
		return nil, err
	}
	if rec != nil && plain != nil && !bytes.Equal(plain, text) {
		if exact, ok := r.exact(client, rec, f, text); ok && sameServers(client, f, exact, plain) {
			return exact, nil
		}
	}
	return plain, nil
}

// exact undoes connect in a text that was edited elsewhere, as a patch that is
// applied backwards.
func (r records) exact(client clientconfig.Client, rec *record, f clientconfig.File, text []byte) ([]byte, bool) {
	if !rec.Existed {
		return nil, false
	}
	before, err := readClientFile(r.backupPath(rec.File))
	if err != nil || hashOf(before) != rec.Before {
		return nil, false
	}
	wrote, _, err := client.Connect(f, before, rec.Entry, rec.TakenOver)
	if err != nil || hashOf(wrote) != rec.Wrote[0] {
		return nil, false
	}
	return unpatch(before, wrote, text)
}

// unpatch puts before's lines in the place of wrote's where the two differ, if
// those of wrote stand in text exactly once, with some lines around them.
func unpatch(before, wrote, text []byte) ([]byte, bool) {
	old, now := bytes.SplitAfter(before, []byte("\n")), bytes.SplitAfter(wrote, []byte("\n"))
	head, tail, most := 0, 0, min(len(old), len(now))
	for head < most && bytes.Equal(old[head], now[head]) {
		head++
	}
	for tail < most-head && bytes.Equal(old[len(old)-1-tail], now[len(now)-1-tail]) {
		tail++
	}
	for context := maxContext; context >= 0; context-- {
		above, below := min(context, head), min(context, tail)
		have := bytes.Join(now[head-above:len(now)-tail+below], nil)
		want := bytes.Join(old[head-above:len(old)-tail+below], nil)
		at := bytes.Index(text, have)
		if len(have) > 0 && bytes.Count(text, have) == 1 && (at == 0 || text[at-1] == '\n') {
			return slices.Concat(text[:at], want, text[at+len(have):]), true
		}
	}
	return nil, false
}

// sameServers reports whether two texts have the same servers, wherever they stand.
func sameServers(client clientconfig.Client, f clientconfig.File, a, b []byte) bool {
	one, errA := client.Read(f, a)
	two, errB := client.Read(f, b)
	return errA == nil && errB == nil && reflect.DeepEqual(byName(one), byName(two))
}

func byName(list []clientconfig.Server) map[string]clientconfig.Server {
	all := map[string]clientconfig.Server{}
	for _, s := range list {
		s.Line = 0
		all[s.Name] = s
	}
	return all
}
