package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table holds records of one kind, oldest first. It is used under its service's lock.
type table struct {
	service *service
	one     string // what a record is called: "issue"
	prefix  string // of ids: "TRK-"
	lister  string // the tool that shows what there is
	fields  []field
	shape   json.RawMessage // of one row; made when it is first asked for
	rows    []record
	sizes   map[string]int
	next    int
}

// table makes a table and fills it. Ids count up from 101 in the order of the
// seeds. It panics when a seed breaks the bounds, which is a fault of this package.
func (s *service) table(one, prefix, lister string, columns []field, seeds ...record) *table {
	t := &table{service: s, one: one, prefix: prefix, lister: lister, fields: columns, sizes: map[string]int{}, next: 101}
	s.tables = append(s.tables, t)
	for i, seed := range seeds {
		if _, err := t.insert(s.at(i-len(seeds), 8, 0), plain(seed)); err != nil {
			panic(err)
		}
	}
	return t
}

// plain gives a record the types that encoding/json decodes.
func plain(r record) record {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // a seed of this package that is no JSON
	}
	out := record{}
	_ = json.Unmarshal(raw, &out) // what Marshal wrote
	return out
}

// key is the argument that names a record.
func (t *table) key() string { return strings.ReplaceAll(t.one, " ", "_") + "_id" }

func (t *table) keyField() field { return t.ref(t.key(), "Id of the "+t.one+".").must() }

// ref is a field that holds an id of this table.
func (t *table) ref(name, about string) field {
	return newField(name, about, "string", schema{"pattern": "^" + t.prefix + "[0-9]{1,6}$"})
}

// columns are the table's own fields of these names.
func (t *table) columns(names ...string) []field {
	all := make([]field, 0, len(names))
	for _, n := range names {
		all = append(all, t.column(n))
	}
	return all
}

func (t *table) column(name string) field {
	i := slices.IndexFunc(t.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		panic("no column " + name + " in table " + t.one) // a fault of this package
	}
	return t.fields[i]
}

// record is the closed schema of one row.
func (t *table) record() json.RawMessage {
	if t.shape != nil {
		return t.shape
	}
	all := append([]field{
		t.ref("id", "Id of the "+t.one+".").must(),
		moment("created_at", "When it was made.").must(),
		moment("updated_at", "When it was last changed.").must(),
	}, t.fields...)
	t.shape = encode(shape(all...))
	return t.shape
}

func (t *table) insert(at string, values record) (record, error) {
	if len(t.rows) >= maxRows {
		return nil, refuse("the demo keeps at most %d of these and has that many: no new %s fits", maxRows, t.one)
	}
	r := record{"id": fmt.Sprint(t.prefix, t.next), "created_at": at, "updated_at": at}
	for _, f := range t.fields {
		if v, ok := values[f.name]; ok && v != nil {
			r[f.name] = v
		} else if f.preset != nil {
			r[f.name] = plain(record{"v": f.preset})["v"]
		}
	}
	if err := t.account(r); err != nil {
		return nil, err
	}
	t.next++
	t.rows = append(t.rows, r)
	return r, nil
}

// account checks the size of a record and counts it.
func (t *table) account(r record) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	id, size := r.str("id"), len(raw)
	if size > maxRecord {
		return refuse("the %s would grow over the %d bytes that the demo keeps of one", t.one, maxRecord)
	}
	total := t.service.bytes - t.sizes[id] + size
	if total > maxState {
		return refuse("the demo's memory for this service, %d bytes, is used up: delete something first", maxState)
	}
	t.service.bytes, t.sizes[id] = total, size
	return nil
}

// find returns the record of this id, or says what to try.
func (t *table) find(id string) (record, error) {
	if i := t.index(id); i >= 0 {
		return t.rows[i], nil
	}
	return nil, refuse("there is no %s %q: %s shows what there is", t.one, id, t.lister)
}

func (t *table) index(id string) int {
	return slices.IndexFunc(t.rows, func(r record) bool { return r["id"] == id })
}

// set replaces some values of a record; nil takes a value away. A change that
// changes nothing leaves updated_at alone.
func (t *table) set(c *call, r record, changes record) (record, error) {
	next := maps.Clone(r)
	for k, v := range plain(changes) {
		if v == nil {
			delete(next, k)
		} else {
			next[k] = v
		}
	}
	if equal(next, r) {
		return r, nil
	}
	next["updated_at"] = stamp(c.now)
	if err := t.account(next); err != nil {
		return nil, err
	}
	t.rows[t.index(r.str("id"))] = next
	return next, nil
}

// equal compares by what would be written.
func equal(a, b record) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func (t *table) remove(id string) error {
	i := t.index(id)
	if i < 0 {
		_, err := t.find(id)
		return err
	}
	t.rows = slices.Delete(t.rows, i, i+1)
	t.service.bytes -= t.sizes[id]
	delete(t.sizes, id)
	return nil
}

// where returns the records for which keep is true, in order. Never nil.
func (t *table) where(keep func(record) bool) []record {
	found := []record{}
	for _, r := range t.rows {
		if keep(r) {
			found = append(found, r)
		}
	}
	return found
}

// first returns the oldest record for which keep is true.
func (t *table) first(keep func(record) bool) (record, bool) {
	i := slices.IndexFunc(t.rows, keep)
	if i < 0 {
		return nil, false
	}
	return t.rows[i], true
}

// is is a condition on one field, case ignored.
func is(name, value string) func(record) bool {
	return func(r record) bool { return strings.EqualFold(r.str(name), value) }
}
