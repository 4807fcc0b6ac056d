package demo

import (
	"math"
	"time"
)

// metrics that can be asked for, and their size on a usual day.
var metrics = map[string]float64{"visits": 5200, "signups": 140, "orders": 310, "revenue": 9400}

const maxDays = 92

// analytics counts what happens on a web shop.
func analytics(s *service) {
	alerts := s.table("alert", "ALR-", "list_alerts", fields(
		metric().must(),
		choice("when", "On which side of the limit to speak up.", "below", "above").must(),
		number("limit", "The limit for one day.", 0, 1e9).must(),
		email("notify", "Whom to tell.").must(),
	), record{"metric": "orders", "when": "below", "limit": 150, "notify": "ines@example.com"})
	days := fields(day("from", "First day.").must(), day("to", "Last day, at most 91 days later.").must())
	s.offer("analytics",
		do(reads, "query_metric", "Show a number of the web shop, such as visits or revenue, day by day.", `{"metric":"visits","from":"2026-02-01","to":"2026-02-07"}`,
			append(fields(metric().must()), days...),
			shape(metric().must(), number("total", "All days together.", 0, 1e12).must(), listing("days", "One entry a day.", shape(day("day", "The day.").must(), number("value", "Its number.", 0, 1e12).must()))),
			func(c *call) (any, error) {
				list, total, err := series(c.args.str("metric"), c.args.time("from"), c.args.time("to"))
				return record{"metric": c.args["metric"], "total": total, "days": list}, err
			}),
		do(reads, "compare_periods", "Compare a number of the web shop with the same length of time just before.", `{"metric":"revenue","from":"2026-02-08","to":"2026-02-14"}`,
			append(fields(metric().must()), days...),
			shape(metric().must(), number("now", "Sum of the days asked for.", 0, 1e12).must(), number("before", "Sum of the days before.", 0, 1e12).must(), number("change_percent", "Growth in percent.", -100, 1e6).must()),
			func(c *call) (any, error) {
				from, to := c.args.time("from"), c.args.time("to")
				length := to.Sub(from) + 24*time.Hour
				_, now, err := series(c.args.str("metric"), from, to)
				if err != nil {
					return nil, err
				}
				_, before, err := series(c.args.str("metric"), from.Add(-length), to.Add(-length))
				return record{"metric": c.args["metric"], "now": now, "before": before, "change_percent": cents(100 * (now - before) / before)}, err
			}),
		do(reads, "top_pages", "List the most visited pages of the web shop in some days.", `{"from":"2026-02-01","to":"2026-02-28","limit":3}`,
			append(days[:2:2], whole("limit", "How many pages at most.", 1, 8).or(5)),
			shape(listing("pages", "Most visited first.", shape(text("path", "Address of the page.").must(), number("visits", "How many visits.", 0, 1e12).must()))),
			topPages),
		do(reads, "funnel_report", "Show how many visitors of some days looked at a product, filled a basket and bought.", `{"from":"2026-02-01","to":"2026-02-28"}`, days,
			shape(listing("steps", "From the first step to the last.", shape(text("step", "The step.").must(), number("people", "How many got there.", 0, 1e12).must(), number("share", "Share of all visits.", 0, 1).must()))),
			func(c *call) (any, error) {
				_, visits, err := series("visits", c.args.time("from"), c.args.time("to"))
				steps := []record{}
				for _, st := range []struct {
					name  string
					share float64
				}{{"visit", 1}, {"product", 0.52}, {"basket", 0.13}, {"purchase", 0.06}} {
					steps = append(steps, record{"step": st.name, "people": math.Round(visits * st.share), "share": st.share})
				}
				return record{"steps": steps}, err
			}),
		alerts.create("create_alert", "Ask to be told when a number of the web shop goes above or below a limit.", `{"metric":"revenue","when":"below","limit":5000,"notify":"you@example.com"}`, "metric", "when", "limit", "notify"),
		alerts.list("list_alerts", "List the alerts on numbers of the web shop.", `{}`, alerts.by("metric")),
		alerts.deletion("delete_alert", "Delete an alert on a number of the web shop.", `{"alert_id":"ALR-101"}`),
	)
}

func metric() field {
	return choice("metric", "Which number.", "visits", "signups", "orders", "revenue")
}

// series makes up a number for each day: a size, a weekend and some noise.
func series(name string, from, to time.Time) ([]record, float64, error) {
	size, ok := metrics[name]
	switch {
	case !ok:
		return nil, 0, refuse("there is no metric %q: ask for visits, signups, orders or revenue", name)
	case to.Before(from):
		return nil, 0, refuse("the last day is before the first one: swap them")
	case hours(from, to) >= 24*maxDays:
		return nil, 0, refuse("that is more than %d days: ask for fewer", maxDays)
	}
	list, total := []record{}, 0.0
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		date := d.Format(time.DateOnly)
		v := size * (0.8 + 0.4*wobble(name, date))
		if d.Weekday() == time.Saturday || d.Weekday() == time.Sunday {
			v *= 0.7
		}
		v = math.Round(v)
		total += v
		list = append(list, record{"day": date, "value": v})
	}
	return list, total, nil
}

func topPages(c *call) (any, error) {
	_, visits, err := series("visits", c.args.time("from"), c.args.time("to"))
	if err != nil {
		return nil, err
	}
	limit := 5
	if c.args.has("limit") {
		limit = c.args.int("limit")
	}
	pages := []record{}
	for i, p := range []string{"/", "/sensors", "/gateways", "/basket", "/help", "/prices", "/about", "/jobs"} {
		if i < limit {
			pages = append(pages, record{"path": p, "visits": math.Round(visits * 0.4 / float64(i+1))})
		}
	}
	return record{"pages": pages}, nil
}
