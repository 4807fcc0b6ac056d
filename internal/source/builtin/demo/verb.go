package demo

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// The verbs that every table has. Each returns a tool that works on the table.

// create adds a record from these columns.
func (t *table) create(name, about, example string, columns ...string) tool {
	return do(adds, name, about, example, t.columns(columns...), t.record(), func(c *call) (any, error) {
		return t.insert(stamp(c.now), c.args.pick(columns...))
	})
}

// get shows one record.
func (t *table) get(name, about, example string) tool {
	return do(reads, name, about, example, fields(t.keyField()), t.record(), func(c *call) (any, error) {
		return t.find(c.args.str(t.key()))
	})
}

// update overwrites some of these columns.
func (t *table) update(name, about, example string, columns ...string) tool {
	in := fields(t.keyField())
	for _, f := range t.columns(columns...) {
		f.required, f.preset = false, nil
		in = append(in, f)
	}
	u := t.act(destroys, name, about, example, in[1:], func(c *call, _ record) (record, error) {
		return c.args.pick(columns...), nil
	})
	u.least = 2
	return u
}

// deletion deletes a record for good.
func (t *table) deletion(name, about, example string) tool {
	out := shape(t.ref("deleted", "Id of the "+t.one+" that is gone.").must())
	return do(destroys, name, about, example, fields(t.keyField()), out, func(c *call) (any, error) {
		id := c.args.str(t.key())
		return record{"deleted": id}, t.remove(id)
	})
}

// act changes one record by the values that change returns.
func (t *table) act(e effect, name, about, example string, in []field, change func(*call, record) (record, error)) tool {
	in = append(fields(t.keyField()), in...)
	return do(e, name, about, example, in, t.record(), func(c *call) (any, error) {
		r, err := t.find(c.args.str(t.key()))
		if err != nil {
			return nil, err
		}
		changes, err := change(c, r)
		if err != nil {
			return nil, err
		}
		return t.set(c, r, changes)
	})
}

// put sets one record's column to a fixed value.
func (t *table) put(name, about, example, column string, value any) tool {
	return t.act(puts, name, about, example, nil, func(*call, record) (record, error) {
		return record{column: value}, nil
	})
}

// fill sets these columns from the arguments, all of them required.
func (t *table) fill(name, about, example string, columns ...string) tool {
	in := t.columns(columns...)
	for i := range in {
		in[i].required = true
	}
	return t.act(puts, name, about, example, in, func(c *call, _ record) (record, error) {
		return c.args.pick(columns...), nil
	})
}

// join adds the argument to a list column, once.
func (t *table) join(name, about, example, column string, in field) tool {
	return t.act(puts, name, about, example, fields(in.must()), func(c *call, r record) (record, error) {
		list := r.items(column)
		if v := c.args.str(in.name); !slices.Contains(r.list(column), v) {
			if len(list) >= maxItems {
				return nil, refuse("the %s has %d %s, and more don't fit", t.one, len(list), column)
			}
			list = append(slices.Clone(list), v)
		}
		return record{column: list}, nil
	})
}

// filter is an optional argument of a list, and what it leaves.
type filter struct {
	arg  field
	keep func(r record, args record) bool
}

// by keeps the records whose column is, or whose list holds, the argument.
func (t *table) by(column string) filter {
	f := t.column(column)
	f.required, f.preset = false, nil
	if items, ok := f.schema["items"].(schema); ok {
		f.schema = schema{"description": "Only those with this one in their " + column + "."}
		maps.Copy(f.schema, items)
	}
	return filter{f, func(r, args record) bool { return matches(r[column], args[column]) }}
}

func matches(have, want any) bool {
	switch have := have.(type) {
	case string:
		want, ok := want.(string)
		return ok && strings.EqualFold(have, want)
	case []any:
		return slices.ContainsFunc(have, func(v any) bool { return matches(v, want) })
	}
	return have == want
}

// having keeps the records whose list column holds the argument of this name.
func having(arg, about, column string) filter {
	return filter{text(arg, about), func(r, args record) bool { return matches(r[column], args[arg]) }}
}

// since keeps the records whose column is not before the argument.
func since(arg, about, column string) filter {
	return filter{moment(arg, about), func(r, args record) bool { return !r.time(column).Before(args.time(arg)) }}
}

// until keeps the records whose column is before the argument.
func until(arg, about, column string) filter {
	return filter{moment(arg, about), func(r, args record) bool { return r.time(column).Before(args.time(arg)) }}
}

// list shows the records that pass the filters that the caller uses.
func (t *table) list(name, about, example string, filters ...filter) tool {
	var in []field
	for _, f := range filters {
		in = append(in, f.arg)
	}
	return do(reads, name, about, example, append(in, paging()...), t.page(), func(c *call) (any, error) {
		return page(c, t.where(func(r record) bool { return passes(filters, r, c.args) })), nil
	})
}

func passes(filters []filter, r, args record) bool {
	for _, f := range filters {
		if args.has(f.arg.name) && !f.keep(r, args) {
			return false
		}
	}
	return true
}

// search shows the records that hold every word of a query in one of these columns.
func (t *table) search(name, about, example string, columns ...string) tool {
	in := append(fields(text("query", "Words to look for; all of them must occur, in any order.").must()), paging()...)
	return do(reads, name, about, example, in, t.page(), func(c *call) (any, error) {
		query := strings.Fields(strings.ToLower(c.args.str("query")))
		if len(query) == 0 {
			return nil, refuse("the query is empty: say a word to look for, or use %s", t.lister)
		}
		return page(c, t.where(func(r record) bool { return holds(r, columns, query) })), nil
	})
}

func holds(r record, columns, query []string) bool {
	var b strings.Builder
	for _, col := range columns {
		b.WriteString(strings.ToLower(r.str(col) + " " + strings.Join(r.list(col), " ") + "\n"))
	}
	all := b.String()
	return !slices.ContainsFunc(query, func(w string) bool { return !strings.Contains(all, w) })
}

func paging() []field {
	return fields(
		whole("limit", "How many at most.", 1, 100).or(20),
		whole("offset", "How many to skip; next_offset of the answer before.", 0, 100_000).or(0),
	)
}

// page is the schema of a list of records.
func (t *table) page() schema { return pageOf(t.record()) }

func pageOf(each any) schema {
	return shape(
		listing("items", "The records of this page.", each),
		whole("total", "How many there are in all.", 0, 1_000_000).must(),
		whole("next_offset", "Where the next page starts; absent on the last one.", 0, 1_000_000),
	)
}

func page(c *call, found []record) record {
	limit := 20
	if c.args.has("limit") {
		limit = max(1, min(c.args.int("limit"), 100))
	}
	from := max(0, min(c.args.int("offset"), len(found)))
	to := min(from+limit, len(found))
	out := record{"items": found[from:to], "total": len(found)}
	if to < len(found) {
		out["next_offset"] = to
	}
	return out
}

// hours is the length of a span.
func hours(from, to time.Time) float64 { return to.Sub(from).Hours() }
