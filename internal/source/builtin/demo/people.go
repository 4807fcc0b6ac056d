package demo

import "time"

// people is the staff office: colleagues, leave and expenses.
func people(s *service) {
	staff := staffTable(s)
	leaves := leavesTable(s, staff)
	expenses := expensesTable(s, staff)
	decided := func(status string) func(*call, record) (record, error) {
		return func(c *call, r record) (record, error) {
			if st := r.str("status"); st != "waiting" && st != status {
				return nil, refuse("%s is %s already: ask for a new request", r.str("id"), st)
			}
			return record{"status": status, "comment": c.args["comment"]}, nil
		}
	}
	comment := fields(text("comment", "What to tell the person."))
	s.offer("people",
		staff.list("list_employees", "List colleagues, optionally of one team or under one manager.", `{"team":"engineering"}`, staff.by("team"), staff.by("manager")),
		staff.search("search_employees", "Find colleagues by name, role, team or mail address.", `{"query":"designer"}`, "name", "role", "team", "email"),
		do(adds, "request_leave", "Ask for days off: a holiday, illness or a family matter.", `{"employee_id":"EMP-102","first":"2026-07-06","last":"2026-07-17"}`,
			leaves.columns("employee_id", "first", "last", "reason"), leaves.record(), func(c *call) (any, error) {
				if _, err := staff.find(c.args.str("employee_id")); err != nil {
					return nil, err
				}
				if c.args.time("last").Before(c.args.time("first")) {
					return nil, refuse("the last day %s is before the first one %s: swap them", c.args.str("last"), c.args.str("first"))
				}
				return leaves.insert(stamp(c.now), c.args.pick("employee_id", "first", "last", "reason"))
			}),
		leaves.list("list_leave_requests", "List requests for days off, optionally of one person or those that wait for an answer.", `{"status":"waiting"}`, leaves.by("employee_id"), leaves.by("status")),
		leaves.act(destroys, "approve_leave", "Grant a request for days off. The decision is final.", `{"leave_request_id":"LVE-101","comment":"Enjoy!"}`, comment, decided("approved")),
		leaves.act(destroys, "reject_leave", "Turn a request for days off down. The decision is final.", `{"leave_request_id":"LVE-101","comment":"The release is that week."}`, comment, decided("rejected")),
		do(reads, "leave_balance", "Say how many days off a person has left this year.", `{"employee_id":"EMP-104"}`, fields(staff.keyField()),
			shape(number("entitled", "Days a year.", 0, 60).must(), whole("taken", "Working days approved this year.", 0, 366).must(), number("left", "What is left.", -366, 60).must()),
			func(c *call) (any, error) {
				e, err := staff.find(c.args.str("employee_id"))
				if err != nil {
					return nil, err
				}
				taken := 0
				for _, r := range leaves.where(func(r record) bool { return r["employee_id"] == e["id"] && r.str("status") == "approved" }) {
					taken += workingDays(r.time("first"), r.time("last"), c.now.Year())
				}
				return record{"entitled": e["leave_days"], "taken": taken, "left": e.num("leave_days") - float64(taken)}, nil
			}),
		do(adds, "submit_expense", "Hand in something you paid for work, to get the money back.", `{"employee_id":"EMP-103","purpose":"Adapter cables","amount":23.9,"spent":"2026-03-02"}`,
			expenses.columns("employee_id", "purpose", "amount", "currency", "spent"), expenses.record(), func(c *call) (any, error) {
				if _, err := staff.find(c.args.str("employee_id")); err != nil {
					return nil, err
				}
				return expenses.insert(stamp(c.now), c.args.pick("employee_id", "purpose", "amount", "currency", "spent"))
			}),
		expenses.list("list_expenses", "List what people paid for work and whether they got it back.", `{"status":"submitted"}`, expenses.by("employee_id"), expenses.by("status")),
	)
}

// staffTable holds the colleagues.
func staffTable(s *service) *table {
	return s.table("employee", "EMP-", "list_employees", fields(
		text("name", "Full name.").must(),
		email("email", "Mail address.").must(),
		choice("team", "Where the person works.", "engineering", "design", "sales", "finance").must(),
		text("role", "What the person does.").must(),
		text("manager", "Id of the person's manager."),
		day("started", "First day of work.").must(),
		number("leave_days", "Days of leave a year.", 0, 60).or(28),
	),
		record{"name": "Ines Duarte", "email": "ines@example.com", "team": "finance", "role": "Head of finance", "started": "2019-02-01"},
		record{"name": "Mira Holm", "email": "mira@example.com", "team": "engineering", "role": "Lead engineer", "started": "2020-09-15"},
		record{"name": "Jonas Weber", "email": "jonas@example.com", "team": "engineering", "role": "Engineer", "manager": "EMP-102", "started": "2023-04-03"},
		record{"name": "Tomoko Sato", "email": "tomoko@example.com", "team": "design", "role": "Designer", "manager": "EMP-102", "started": "2022-01-10", "leave_days": 30},
	)
}

// leavesTable holds requests for days off.
func leavesTable(s *service, staff *table) *table {
	return s.table("leave request", "LVE-", "list_leave_requests", fields(
		staff.ref("employee_id", "Who wants to be away.").must(),
		day("first", "First day away.").must(),
		day("last", "Last day away.").must(),
		choice("reason", "Why.", "holiday", "illness", "family").or("holiday"),
		choice("status", "What was decided.", "waiting", "approved", "rejected").or("waiting"),
		text("comment", "What the manager said."),
	),
		record{"employee_id": "EMP-103", "first": s.on(20), "last": s.on(27)},
		record{"employee_id": "EMP-104", "first": s.on(-40), "last": s.on(-36), "status": "approved"},
	)
}

// expensesTable holds what people paid for work.
func expensesTable(s *service, staff *table) *table {
	return s.table("expense", "EXP-", "list_expenses", fields(
		staff.ref("employee_id", "Who paid.").must(),
		text("purpose", "What it was for.").must(),
		number("amount", "How much.", 0.01, 100_000).must(),
		currency("currency", "In which currency.").or("EUR"),
		day("spent", "When.").must(),
		choice("status", "Where it is.", "submitted", "reimbursed").or("submitted"),
	), record{"employee_id": "EMP-102", "purpose": "Train to the customer", "amount": 84.5, "spent": s.on(-5)})
}

// workingDays counts the weekdays of one year in a span of days, at most a year's.
func workingDays(first, last time.Time, year int) int {
	n := 0
	for d, i := first, 0; !d.After(last) && i < 366; d, i = d.AddDate(0, 0, 1), i+1 {
		if d.Year() == year && d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			n++
		}
	}
	return n
}
