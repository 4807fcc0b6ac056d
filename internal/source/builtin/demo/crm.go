package demo

import (
	"maps"
	"slices"
)

// stages of a deal, in order.
var stages = [...]string{"lead", "qualified", "offer", "won", "lost"}

// crm keeps customers and deals.
func crm(s *service) {
	contacts := contactsTable(s)
	deals := dealsTable(s, contacts)
	activities := activitiesTable(s, contacts)
	known := func(c *call) error { _, err := contacts.find(c.args.str("contact_id")); return err }
	s.offer("crm",
		contacts.create("create_contact", "Add a person to the customer database.", `{"name":"Yuki Mori","email":"yuki@kumo.example","company":"Kumo"}`, "name", "email", "phone", "company", "city", "tags"),
		contacts.get("get_contact", "Show one person of the customer database with phone, mail and company.", `{"contact_id":"CON-101"}`),
		contacts.list("list_contacts", "List people of the customer database, optionally by company, city or tag.", `{"tag":"customer"}`,
			contacts.by("company"), contacts.by("city"),
			having("tag", "Only people with this tag.", "tags")),
		contacts.search("search_contacts", "Find people in the customer database by name, company, city, phone or mail.", `{"query":"ferreira"}`, "name", "company", "city", "email", "phone"),
		contacts.update("update_contact", "Overwrite what is known about a person.", `{"contact_id":"CON-102","city":"Lisbon"}`, "name", "email", "phone", "company", "city", "tags"),
		contacts.deletion("delete_contact", "Delete a person from the customer database for good.", `{"contact_id":"CON-104"}`),
		do(destroys, "merge_contacts", "Merge a duplicate into another person: gaps are filled, deals and activities move, the duplicate goes.",
			`{"keep":"CON-102","duplicate":"CON-104"}`,
			fields(contacts.ref("keep", "The person who stays.").must(), contacts.ref("duplicate", "The one who goes.").must()), contacts.record(),
			func(c *call) (any, error) { return mergeContacts(c, contacts, deals, activities) }),
		do(adds, "create_deal", "Write down a chance to sell something to a person.", `{"title":"Spare parts shop","contact_id":"CON-101","amount":4000}`,
			deals.columns("title", "contact_id", "amount", "currency", "expected_close"), deals.record(), func(c *call) (any, error) {
				if err := known(c); err != nil {
					return nil, err
				}
				return deals.insert(stamp(c.now), c.args.pick("title", "contact_id", "amount", "currency", "expected_close"))
			}),
		deals.list("list_deals", "List deals, optionally by stage, person or least amount.", `{"stage":"offer"}`,
			deals.by("stage"), deals.by("contact_id"),
			filter{number("min_amount", "Only deals worth at least this.", 0, 1e9), func(r, args record) bool { return r.num("amount") >= args.num("min_amount") }}),
		deals.fill("move_deal", "Move a deal to another stage of the sales pipeline, such as won or lost.", `{"deal_id":"DEA-101","stage":"won"}`, "stage"),
		do(adds, "log_activity", "Write down a call, meeting or mail with a person.", `{"contact_id":"CON-102","kind":"call","summary":"Asked for a pilot in May."}`,
			activities.columns("contact_id", "kind", "summary", "happened_at"), activities.record(), func(c *call) (any, error) {
				if err := known(c); err != nil {
					return nil, err
				}
				values := record{"happened_at": stamp(c.now)}
				maps.Copy(values, c.args.pick("contact_id", "kind", "summary", "happened_at"))
				return activities.insert(stamp(c.now), values)
			}),
		activities.list("list_activities", "List what has been talked about with customers, optionally with one person.", `{"contact_id":"CON-101"}`, activities.by("contact_id"), activities.by("kind")),
		do(reads, "pipeline_summary", "Add up the deals of each stage of the sales pipeline, in one currency.", `{"currency":"EUR"}`,
			fields(currency("currency", "Currency of the sums.").or("EUR")),
			shape(currency("currency", "Currency of the sums.").must(), listing("stages", "One entry a stage.", shape(
				choice("stage", "The stage.", stages[:]...).must(), whole("deals", "How many.", 0, maxRows).must(), number("amount", "What they are worth.", 0, 1e12).must()))),
			func(c *call) (any, error) { return pipeline(c, deals), nil }),
	)
}

// contactsTable holds the people of the customer database.
func contactsTable(s *service) *table {
	return s.table("contact", "CON-", "list_contacts", fields(
		text("name", "Full name.").must(),
		email("email", "Mail address."),
		text("phone", "Telephone number with country code."),
		text("company", "Whom the person works for."),
		text("city", "Where the person works."),
		words("tags", "Words to group people by.").or([]string{}),
	),
		record{"name": "Amara Okafor", "email": "amara@northwind.example", "company": "Northwind Bakery", "city": "Bristol", "tags": []string{"customer"}},
		record{"name": "Luis Ferreira", "email": "luis@portolog.example", "phone": "+351 22 000 0000", "company": "Porto Logistics", "city": "Porto", "tags": []string{"prospect"}},
		record{"name": "Hanna Lind", "email": "hanna@fjord.example", "company": "Fjord Energy", "city": "Bergen", "tags": []string{"customer", "reference"}},
		record{"name": "L. Ferreira", "phone": "+351 22 000 0000", "company": "Porto Logistics"},
	)
}

// dealsTable holds what is being sold.
func dealsTable(s *service, contacts *table) *table {
	return s.table("deal", "DEA-", "list_deals", fields(
		text("title", "What is being sold.").must(),
		contacts.ref("contact_id", "Who buys it.").must(),
		number("amount", "What it is worth.", 0, 1e9).must(),
		currency("currency", "Currency of the amount.").or("EUR"),
		choice("stage", "How far it is.", stages[:]...).or("lead"),
		day("expected_close", "When the customer should decide."),
	),
		record{"title": "Oven telemetry, 40 shops", "contact_id": "CON-101", "amount": 18000, "stage": "offer", "expected_close": s.on(12)},
		record{"title": "Route planning pilot", "contact_id": "CON-102", "amount": 7500, "stage": "qualified", "expected_close": s.on(30)},
		record{"title": "Turbine dashboards", "contact_id": "CON-103", "amount": 52000, "stage": "won"},
		record{"title": "Second site", "contact_id": "CON-103", "amount": 21000},
	)
}

// activitiesTable holds what was talked about with customers.
func activitiesTable(s *service, contacts *table) *table {
	return s.table("activity", "ACT-", "list_activities", fields(
		contacts.ref("contact_id", "With whom.").must(),
		choice("kind", "What it was.", "call", "meeting", "mail", "note").must(),
		prose("summary", "What came of it.").must(),
		moment("happened_at", "When it was."),
	),
		record{"contact_id": "CON-101", "kind": "call", "summary": "Wants the offer split by region.", "happened_at": s.at(-3, 14, 0)},
		record{"contact_id": "CON-103", "kind": "meeting", "summary": "Happy; will be a reference.", "happened_at": s.at(-9, 10, 0)},
	)
}

func mergeContacts(c *call, contacts, deals, activities *table) (any, error) {
	keep, err := contacts.find(c.args.str("keep"))
	if err != nil {
		return nil, err
	}
	gone := c.args.str("duplicate")
	twin, err := contacts.find(gone)
	if err != nil {
		return nil, err
	}
	if gone == keep.str("id") {
		return nil, refuse("%s can't be merged with itself", gone)
	}
	changes := record{}
	for _, f := range contacts.fields {
		if !keep.has(f.name) && twin.has(f.name) {
			changes[f.name] = twin[f.name]
		}
	}
	for _, t := range []*table{deals, activities} {
		for _, r := range t.where(is("contact_id", gone)) {
			if _, err := t.set(c, r, record{"contact_id": keep["id"]}); err != nil {
				return nil, err
			}
		}
	}
	if err := contacts.remove(gone); err != nil {
		return nil, err
	}
	return contacts.set(c, keep, changes)
}

func pipeline(c *call, deals *table) record {
	to := c.args.str("currency")
	if to == "" {
		to = "EUR"
	}
	_, groups := sums(deals.rows, "stage", func(r record) float64 { return exchange(r.num("amount"), r.str("currency"), to) })
	list := []record{}
	for _, stage := range stages {
		row := record{"stage": stage, "deals": 0, "amount": 0}
		if i := slices.IndexFunc(groups, func(g group) bool { return g.name == stage }); i >= 0 {
			row["deals"], row["amount"] = groups[i].count, cents(groups[i].sum)
		}
		list = append(list, row)
	}
	return record{"currency": to, "stages": list}
}
