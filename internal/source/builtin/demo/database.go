package demo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// database is a small shop database that is asked without SQL.
func database(s *service) {
	customers := customersTable(s)
	orders := ordersTable(s)
	backups := backupsTable(s)
	db := shop{"customers": customers, "orders": orders}

	in := choice("table", "The table.", "customers", "orders").must()
	where := several("where", "Conditions that must all hold.", shape(
		text("column", "Name of the column.").must(),
		choice("op", "How to compare; contains ignores case.", "=", "!=", "<", "<=", ">", ">=", "contains").must(),
		field{name: "value", required: true, schema: schema{"type": []string{"string", "number"}, "description": "What to compare with."}},
	))
	wanted := where.must()
	wanted.schema = maps.Clone(where.schema)
	wanted.schema["minItems"] = 1
	values := field{name: "values", required: true, schema: schema{
		"type": "object", "description": "Column names and their new values.", "minProperties": 1, "maxProperties": 8, "additionalProperties": false,
		"properties": columnsOf(customers, orders),
	}}
	counted := shape(whole("rows", "How many rows.", 0, maxRows).must())
	s.offer("database",
		do(reads, "describe_tables", "List the tables of the shop database with their columns and how many rows they have.", `{}`, nil,
			shape(listing("tables", "One entry a table.", shape(text("table", "Its name.").must(), whole("rows", "How many rows.", 0, maxRows).must(), words("columns", "Names of the columns.").must()))),
			func(*call) (any, error) {
				return record{"tables": []record{db.describe("customers"), db.describe("orders")}}, nil
			}),
		do(reads, "query_rows", "Read rows of the shop database by conditions on their columns, in an order of your choice.",
			`{"table":"orders","where":[{"column":"quantity","op":">","value":10}],"order_by":"price"}`,
			append(fields(in, where, text("order_by", "Column to sort by."), yesNo("descending", "Largest first.").or(false)), paging()...), nil,
			func(c *call) (any, error) {
				rows, err := db.rows(c)
				if err != nil {
					return nil, err
				}
				return page(c, rows), nil
			}),
		do(reads, "count_rows", "Count the rows of a database table that meet some conditions.", `{"table":"orders","where":[{"column":"state","op":"=","value":"new"}]}`,
			fields(in, where), counted, func(c *call) (any, error) {
				rows, err := db.rows(c)
				return record{"rows": len(rows)}, err
			}),
		do(adds, "insert_row", "Add a row to a table of the shop database.", `{"table":"customers","values":{"name":"Kumo","country":"JP"}}`,
			fields(in, values), nil, func(c *call) (any, error) { return db.insert(c) }),
		do(destroys, "update_rows", "Overwrite columns of all rows that meet the conditions. At least one condition is needed.",
			`{"table":"orders","where":[{"column":"state","op":"=","value":"new"}],"values":{"state":"packed"}}`,
			fields(in, wanted, values), counted, func(c *call) (any, error) { return db.update(c) }),
		do(destroys, "delete_rows", "Delete all rows that meet the conditions for good. At least one condition is needed.",
			`{"table":"orders","where":[{"column":"item","op":"=","value":"tracker"}]}`, fields(in, wanted), counted, func(c *call) (any, error) {
				rows, err := db.rows(c)
				for _, r := range rows {
					_ = db[c.args.str("table")].remove(r.str("id")) // it was just found
				}
				return record{"rows": len(rows)}, err
			}),
		do(adds, "create_backup", "Make a backup of the whole shop database. Nothing else of the kind may run beside it.", `{"label":"before the import"}`,
			backups.columns("label"), backups.record(), func(c *call) (any, error) {
				c.step("copied customers")
				c.step("copied orders")
				return backups.insert(stamp(c.now), record{"label": c.args["label"], "rows": len(customers.rows) + len(orders.rows)})
			}).alone(),
		backups.list("list_backups", "List the backups of the shop database, oldest first.", `{}`),
	)
}

// customersTable holds customers of the shop database.
func customersTable(s *service) *table {
	return s.table("customer", "", "query_rows", fields(
		text("name", "Name.").must(), text("country", "Country code.").must(), number("credit", "Credit limit.", 0, 1e9).or(0),
	),
		record{"name": "Northwind Bakery", "country": "GB", "credit": 5000},
		record{"name": "Porto Logistics", "country": "PT", "credit": 2000},
		record{"name": "Fjord Energy", "country": "NO", "credit": 20000},
	)
}

// ordersTable holds orders of the shop database.
func ordersTable(s *service) *table {
	return s.table("order", "", "query_rows", fields(
		text("customer", "Who ordered.").must(), text("item", "What.").must(), whole("quantity", "How many.", 0, 1e6).must(),
		number("price", "Price of one.", 0, 1e7).must(), text("state", "Where it is.").or("new"),
	),
		record{"customer": "Northwind Bakery", "item": "sensor", "quantity": 40, "price": 49.5, "state": "shipped"},
		record{"customer": "Fjord Energy", "item": "gateway", "quantity": 3, "price": 720},
		record{"customer": "Fjord Energy", "item": "sensor", "quantity": 120, "price": 44, "state": "packed"},
		record{"customer": "Porto Logistics", "item": "tracker", "quantity": 15, "price": 89.9},
	)
}

// backupsTable holds backups of the shop database.
func backupsTable(s *service) *table {
	return s.table("backup", "BAK-", "list_backups", fields(
		text("label", "What it was made for.").or("manual"),
		whole("rows", "How many rows it holds.", 0, 1e6).must(),
	), record{"label": "nightly", "rows": 6}, record{"label": "nightly", "rows": 7})
}

func columnsOf(tables ...*table) schema {
	all := schema{}
	for _, t := range tables {
		for _, f := range t.fields {
			all[f.name] = f.schema
		}
	}
	return all
}

// shop is the tables that a caller may name.
type shop map[string]*table

func (db shop) describe(name string) record {
	columns := []string{"id"}
	for _, f := range db[name].fields {
		columns = append(columns, f.name)
	}
	return record{"table": name, "rows": len(db[name].rows), "columns": columns}
}

func (db shop) table(c *call) (*table, error) {
	t, ok := db[c.args.str("table")]
	if !ok {
		return nil, refuse("there is no table %q: describe_tables lists them", c.args.str("table"))
	}
	return t, nil
}

func (t *table) knows(column string) error {
	if column == "id" || slices.ContainsFunc(t.fields, func(f field) bool { return f.name == column }) {
		return nil
	}
	return refuse("this table has no column %q: describe_tables lists them", column)
}

// rows are those that meet the conditions of the call, in its order.
func (db shop) rows(c *call) ([]record, error) {
	t, err := db.table(c)
	if err != nil {
		return nil, err
	}
	var conditions []record
	for _, v := range c.args.items("where") {
		m, _ := v.(map[string]any)
		if err := t.knows(record(m).str("column")); err != nil {
			return nil, err
		}
		conditions = append(conditions, m)
	}
	found := t.where(func(r record) bool {
		return !slices.ContainsFunc(conditions, func(m record) bool { return !meets(r[m.str("column")], m.str("op"), m["value"]) })
	})
	by := c.args.str("order_by")
	if by == "" {
		return found, nil
	}
	slices.SortStableFunc(found, func(a, b record) int {
		if c.args.yes("descending") {
			a, b = b, a
		}
		return order(a[by], b[by])
	})
	return found, t.knows(by)
}

func meets(have any, op string, want any) bool {
	o := order(have, want)
	switch op {
	case "=":
		return o == 0
	case "!=":
		return o != 0
	case "<":
		return o < 0
	case "<=":
		return o <= 0
	case ">":
		return o > 0
	case ">=":
		return o >= 0
	}
	return strings.Contains(strings.ToLower(fmt.Sprint(have)), strings.ToLower(fmt.Sprint(want)))
}

// order compares numbers as numbers and everything else as text.
func order(a, b any) int {
	x, isX := a.(float64)
	y, isY := b.(float64)
	if isX && isY {
		return cmp.Compare(x, y)
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// values checks the columns that a call sets.
func (t *table) values(c *call) (record, error) {
	m, _ := c.args["values"].(map[string]any)
	for k := range m {
		if err := t.knows(k); err != nil || k == "id" {
			return nil, cmp.Or(err, refuse("the id of a row can't be set"))
		}
	}
	return m, nil
}

func (db shop) insert(c *call) (any, error) {
	t, err := db.table(c)
	if err != nil {
		return nil, err
	}
	values, err := t.values(c)
	if err != nil {
		return nil, err
	}
	for _, f := range t.fields {
		if f.required && !values.has(f.name) {
			return nil, refuse("a new %s needs a value for %q", t.one, f.name)
		}
	}
	return t.insert(stamp(c.now), values)
}

func (db shop) update(c *call) (any, error) {
	t, err := db.table(c)
	if err != nil {
		return nil, err
	}
	values, err := t.values(c)
	if err != nil {
		return nil, err
	}
	rows, err := db.rows(c)
	for _, r := range rows {
		if _, err := t.set(c, r, values); err != nil {
			return nil, err
		}
	}
	return record{"rows": len(rows)}, err
}
