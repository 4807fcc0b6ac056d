package demo

import "time"

// billing writes invoices and takes payments.
func billing(s *service) {
	invoices := invoicesTable(s)
	payments := paymentsTable(s, invoices)
	draft := func(r record) error {
		if r.str("status") != "draft" {
			return refuse("%s is %s, and only drafts can be changed: void it and write a new one", r.str("id"), r.str("status"))
		}
		return nil
	}
	s.offer("billing",
		do(adds, "create_invoice", "Write an invoice for a customer. It stays a draft until it is sent.",
			`{"customer":"Northwind Bakery","lines":[{"text":"Telemetry, March","quantity":40,"price":12.5}],"tax_rate":20}`,
			invoices.columns("customer", "lines", "currency", "tax_rate"), invoices.record(), func(c *call) (any, error) {
				values := c.args.pick("customer", "lines", "currency", "tax_rate")
				values["total"] = owed(values)
				return invoices.insert(stamp(c.now), values)
			}),
		invoices.get("get_invoice", "Show one invoice with its lines, total and what has been paid.", `{"invoice_id":"INV-101"}`),
		invoices.list("list_invoices", "List invoices, optionally by customer or status.", `{"status":"sent"}`, invoices.by("customer"), invoices.by("status"), invoices.by("currency")),
		invoices.act(destroys, "change_invoice_lines", "Replace the lines of an invoice that is still a draft, and add them up anew.",
			`{"invoice_id":"INV-103","lines":[{"text":"Workshop","quantity":1,"price":950}]}`, invoices.columns("lines"),
			func(c *call, r record) (record, error) {
				changed := r.pick("tax_rate")
				changed["lines"] = c.args["lines"]
				changed["total"] = owed(changed)
				return changed, draft(r)
			}),
		invoices.act(destroys, "send_invoice", "Send a draft invoice to the customer and start the time to pay. It can't be unsent.", `{"invoice_id":"INV-103","days":14}`,
			fields(whole("days", "Days the customer has to pay.", 1, 120).or(30)), func(c *call, r record) (record, error) {
				if r.str("status") == "sent" {
					return nil, nil
				}
				days := 30
				if c.args.has("days") {
					days = c.args.int("days")
				}
				return record{"status": "sent", "due": c.now.AddDate(0, 0, days).Format(time.DateOnly)}, draft(r)
			}),
		invoices.act(destroys, "void_invoice", "Declare an unpaid invoice void. This can't be taken back.", `{"invoice_id":"INV-101"}`, nil,
			func(_ *call, r record) (record, error) {
				if r.num("paid") > 0 {
					return nil, refuse("%s has payments of %.2f %s: refund_payment gives them back first", r.str("id"), r.num("paid"), r.str("currency"))
				}
				return record{"status": "void"}, nil
			}),
		do(adds, "record_payment", "Write down that a customer paid an invoice, wholly or in part.", `{"invoice_id":"INV-101","amount":600,"method":"card"}`,
			append(fields(invoices.keyField(), number("amount", "How much was paid.", 0.01, 1e9).must()), payments.columns("method")...), payments.record(),
			func(c *call) (any, error) { return pay(c, invoices, payments, c.args.num("amount")) }).alone(),
		do(consumes, "refund_payment", "Give money back that was paid for an invoice. The money is gone once it is sent.", `{"invoice_id":"INV-104","amount":150,"reason":"Outage credit"}`,
			append(fields(invoices.keyField(), number("amount", "How much to give back.", 0.01, 1e9).must()), payments.columns("reason")...), payments.record(),
			func(c *call) (any, error) { return pay(c, invoices, payments, -c.args.num("amount")) }).alone(),
		payments.list("list_payments", "List payments and refunds, optionally of one invoice.", `{"invoice_id":"INV-102"}`, payments.by("invoice_id"), payments.by("method")),
		do(reads, "overdue_invoices", "List the invoices that were sent, are past their day and not paid, oldest debt first.", `{}`, paging(), invoices.page(),
			func(c *call) (any, error) {
				today := c.now.Format(time.DateOnly)
				return page(c, sorted(invoices.where(func(r record) bool { return r.str("status") == "sent" && r.str("due") < today }), byField("due"))), nil
			}),
		do(reads, "revenue_report", "Add up what customers have paid, by customer, in one currency.", `{"currency":"USD"}`,
			fields(currency("currency", "Currency of the sums.").or("EUR")),
			shape(currency("currency", "Currency of the sums.").must(), number("total", "All of it.", 0, 1e15).must(), listing("customers", "One entry a customer.",
				shape(text("customer", "Who.").must(), number("paid", "How much.", 0, 1e15).must()))),
			func(c *call) (any, error) {
				to := c.args.str("currency")
				if to == "" {
					to = "EUR"
				}
				total, groups := sums(invoices.rows, "customer", func(r record) float64 { return exchange(r.num("paid"), r.str("currency"), to) })
				return record{"currency": to, "total": cents(total), "customers": named(groups, "customer", "paid")}, nil
			}),
		do(reads, "convert_currency", "Convert an amount of money from one currency to another at the demo's fixed rates.", `{"amount":100,"from":"EUR","to":"JPY"}`,
			fields(number("amount", "How much.", 0, 1e12).must(), currency("from", "Currency that it is in.").must(), currency("to", "Currency that is wanted.").must()),
			shape(number("amount", "The converted amount.", 0, 1e15).must(), currency("currency", "Its currency.").must(), number("rate", "What one unit became.", 0, 1e6).must()),
			func(c *call) (any, error) {
				from, to := c.args.str("from"), c.args.str("to")
				return record{"amount": cents(exchange(c.args.num("amount"), from, to)), "currency": to, "rate": exchange(1, from, to)}, nil
			}),
	)
}

// invoicesTable holds the invoices.
func invoicesTable(s *service) *table {
	return s.table("invoice", "INV-", "list_invoices", fields(
		text("customer", "Who pays.").must(),
		several("lines", "What is charged.", invoiceLine()).must(),
		currency("currency", "Currency of the prices.").or("EUR"),
		number("tax_rate", "Tax in percent.", 0, 50).or(20),
		choice("status", "Where it stands.", "draft", "sent", "paid", "void").or("draft"),
		day("due", "Last day to pay."),
		number("total", "What is owed, with tax.", 0, 1e15).or(0),
		number("paid", "What has been paid, less refunds.", 0, 1e15).or(0),
	),
		record{"customer": "Northwind Bakery", "lines": []record{bill("Telemetry, February", 40, 12.5)}, "status": "sent", "due": s.on(-6), "total": 600},
		record{"customer": "Fjord Energy", "lines": []record{bill("Dashboards, instalment 2", 1, 13000)}, "status": "paid", "due": s.on(-20), "total": 15600, "paid": 15600},
		record{"customer": "Porto Logistics", "lines": []record{bill("Workshop", 2, 950), bill("Travel", 1, 212.4)}, "total": 2534.88},
		record{"customer": "Fjord Energy", "lines": []record{bill("Support, March", 1, 800)}, "status": "sent", "due": s.on(14), "total": 960, "paid": 400},
	)
}

// paymentsTable holds payments and refunds.
func paymentsTable(s *service, invoices *table) *table {
	return s.table("payment", "PAY-", "list_payments", fields(
		invoices.ref("invoice_id", "What it is for.").must(),
		number("amount", "How much; negative for a refund.", -1e9, 1e9).must(),
		choice("method", "How it came.", "card", "transfer", "cash").or("transfer"),
		text("reason", "Why, for a refund."),
	),
		record{"invoice_id": "INV-102", "amount": 15600},
		record{"invoice_id": "INV-104", "amount": 400, "method": "card"},
	)
}

// invoiceLine is the shape of what bill makes.
func invoiceLine() schema {
	return shape(
		text("text", "What is charged.").must(),
		number("quantity", "How many.", 0, 1e6).must(),
		number("price", "Price of one, before tax.", 0, 1e7).must(),
	)
}

// bill is a line of an invoice.
func bill(what string, quantity, price float64) record {
	return record{"text": what, "quantity": quantity, "price": price}
}

// owed adds up the lines with tax.
func owed(invoice record) float64 {
	rate := 20.0
	if invoice.has("tax_rate") {
		rate = invoice.num("tax_rate")
	}
	sum := 0.0
	for _, v := range invoice.items("lines") {
		if l, ok := v.(map[string]any); ok {
			sum += record(l).num("quantity") * record(l).num("price")
		}
	}
	return cents(sum * (1 + rate/100))
}

// pay books an amount, negative for a refund, on an invoice.
func pay(c *call, invoices, payments *table, amount float64) (any, error) {
	r, err := invoices.find(c.args.str("invoice_id"))
	if err != nil {
		return nil, err
	}
	paid := cents(r.num("paid") + amount)
	switch {
	case r.str("status") != "sent" && r.str("status") != "paid":
		return nil, refuse("%s is %s and takes no payments: send_invoice sends a draft", r.str("id"), r.str("status"))
	case paid < 0:
		return nil, refuse("only %.2f %s were paid for %s: refund at most that", r.num("paid"), r.str("currency"), r.str("id"))
	case paid > r.num("total"):
		return nil, refuse("%s has %.2f %s left to pay: record at most that", r.str("id"), r.num("total")-r.num("paid"), r.str("currency"))
	}
	booked, err := payments.insert(stamp(c.now), record{"invoice_id": r["id"], "amount": amount, "method": c.args["method"], "reason": c.args["reason"]})
	if err != nil {
		return nil, err
	}
	status := "sent"
	if paid == r.num("total") {
		status = "paid"
	}
	_, err = invoices.set(c, r, record{"paid": paid, "status": status})
	return booked, err
}

// exchange converts between currencies at fixed rates; an unknown one counts as the euro.
func exchange(amount float64, from, to string) float64 {
	return amount * perEuro(to) / perEuro(from)
}

func perEuro(currency string) float64 {
	switch currency {
	case "USD":
		return 1.1
	case "GBP":
		return 0.85
	case "JPY":
		return 162
	}
	return 1
}
