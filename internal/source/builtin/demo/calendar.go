package demo

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// calendar is one person's calendar, with the busy times of colleagues.
func calendar(s *service) {
	events := eventsTable(s)
	span := fields(
		moment("from", "Start of the time to look at.").must(),
		moment("to", "End of the time to look at, at most 31 days later.").must(),
	)
	slot := shape(moment("start", "When the slot begins.").must(), moment("end", "When it ends.").must())
	s.offer("calendar",
		do(adds, "create_event", "Put a meeting or an appointment into the calendar and invite people to it.",
			`{"title":"Coffee with Ines","start":"2026-03-05T10:00:00Z","end":"2026-03-05T10:30:00Z","attendees":["ines@example.com"]}`,
			events.columns("title", "start", "end", "place", "attendees", "notes"), events.record(), func(c *call) (any, error) {
				if err := inOrder(c.args.time("start"), c.args.time("end")); err != nil {
					return nil, err
				}
				return events.insert(stamp(c.now), c.args.pick("title", "start", "end", "place", "attendees", "notes"))
			}),
		events.get("get_event", "Show one calendar event with its time, place, attendees and notes.", `{"event_id":"EVT-102"}`),
		events.list("list_events", "List calendar events, optionally between two times or with one attendee.",
			`{"from":"2026-03-04T00:00:00Z","to":"2026-03-05T00:00:00Z"}`,
			since("from", "Only events that start at this time or later.", "start"),
			until("to", "Only events that start before this time.", "start"),
			events.by("reply"),
			filter{email("attendee", "Only events to which this person is invited."), func(r, args record) bool { return matches(r["attendees"], args["attendee"]) }}),
		events.search("search_events", "Find calendar events by words in their title, place, notes or attendees.", `{"query":"review"}`, "title", "place", "notes", "attendees"),
		events.update("update_event", "Overwrite the title, place, attendees or notes of an event.", `{"event_id":"EVT-101","place":"Room Elm"}`, "title", "place", "attendees", "notes"),
		events.deletion("cancel_event", "Cancel an event and take it out of the calendar.", `{"event_id":"EVT-103"}`),
		events.act(puts, "reschedule_event", "Move an event to another time; its length stays unless an end is given.",
			`{"event_id":"EVT-104","start":"2026-03-09T15:00:00Z"}`,
			fields(moment("start", "The new beginning.").must(), moment("end", "The new end.")), reschedule),
		events.join("invite_to_event", "Invite one more person to an event.", `{"event_id":"EVT-102","attendee":"jonas@example.com"}`, "attendees", email("attendee", "Mail address of the person.")),
		events.act(puts, "respond_to_invitation", "Accept, decline or tentatively accept an invitation.", `{"event_id":"EVT-104","reply":"accepted"}`,
			fields(choice("reply", "Your answer.", "accepted", "tentative", "declined").must()),
			func(c *call, _ record) (record, error) { return c.args.pick("reply"), nil }),
		do(reads, "find_free_slot", "Find the next free times of a given length during working hours, 8:00 to 18:00 UTC on weekdays.",
			`{"from":"2026-03-04T08:00:00Z","to":"2026-03-06T18:00:00Z","minutes":60}`,
			append(slices.Clone(span), whole("minutes", "Length of the slot in minutes.", 5, 480).must(), whole("limit", "How many slots at most.", 1, 20).or(3)),
			shape(listing("slots", "Free times, earliest first.", slot)),
			func(c *call) (any, error) { return freeSlots(c, events) }),
		do(reads, "check_availability", "Say whether a time is free, and which events are in the way if not.",
			`{"from":"2026-03-04T13:30:00Z","to":"2026-03-04T14:30:00Z"}`, span,
			shape(yesNo("free", "True when nothing overlaps.").must(), listing("conflicts", "The events that overlap.", events.record())),
			func(c *call) (any, error) {
				from, to := c.args.time("from"), c.args.time("to")
				if err := inOrder(from, to); err != nil {
					return nil, err
				}
				busy := overlapping(events, from, to)
				return record{"free": len(busy) == 0, "conflicts": busy}, nil
			}),
	)
}

// eventsTable holds the events of the calendar.
func eventsTable(s *service) *table {
	return s.table("event", "EVT-", "list_events", fields(
		text("title", "What the event is about.").must(),
		moment("start", "When it begins.").must(),
		moment("end", "When it ends.").must(),
		text("place", "Room, address or link."),
		emails("attendees", "Who is invited.").or([]string{}),
		choice("reply", "Your own answer to the invitation.", "none", "accepted", "tentative", "declined").or("accepted"),
		prose("notes", "Agenda or other text."),
	),
		record{"title": "Team stand-up", "start": s.at(0, 9, 0), "end": s.at(0, 9, 15), "place": "Room Birch", "attendees": []string{"mira@example.com", "jonas@example.com"}},
		record{"title": "Design review: checkout", "start": s.at(0, 13, 0), "end": s.at(0, 14, 0), "place": "Room Oak", "attendees": []string{"tomoko@example.com"}, "notes": "Bring the three drafts."},
		record{"title": "Dentist", "start": s.at(1, 8, 30), "end": s.at(1, 9, 15), "place": "12 Mill Lane"},
		record{"title": "Quarterly numbers", "start": s.at(2, 15, 0), "end": s.at(2, 16, 30), "place": "https://meet.example.com/q", "attendees": []string{"ines@example.com", "mira@example.com"}, "reply": "none"},
		record{"title": "Release party", "start": s.at(6, 17, 0), "end": s.at(6, 20, 0), "place": "Canteen", "reply": "tentative"},
	)
}

func inOrder(from, to time.Time) error {
	switch {
	case !from.Before(to):
		return refuse("the end %s is not after the start %s: swap or correct them", stamp(to), stamp(from))
	case to.Sub(from) > 31*24*time.Hour:
		return refuse("from %s to %s is more than 31 days: ask for a shorter time", stamp(from), stamp(to))
	}
	return nil
}

func reschedule(c *call, r record) (record, error) {
	start := c.args.time("start")
	end := start.Add(r.time("end").Sub(r.time("start")))
	if c.args.has("end") {
		end = c.args.time("end")
	}
	return record{"start": stamp(start), "end": stamp(end)}, inOrder(start, end)
}

// overlapping returns the events that take place in the span and weren't declined.
func overlapping(events *table, from, to time.Time) []record {
	return events.where(func(r record) bool {
		return r.str("reply") != "declined" && r.time("start").Before(to) && r.time("end").After(from)
	})
}

func freeSlots(c *call, events *table) (any, error) {
	from, to := c.args.time("from"), c.args.time("to")
	if err := inOrder(from, to); err != nil {
		return nil, err
	}
	want := 3
	if c.args.has("limit") {
		want = c.args.int("limit")
	}
	length := time.Duration(c.args.int("minutes")) * time.Minute
	if length <= 0 {
		return nil, refuse("a slot of %d minutes can't be found: ask for 5 to 480", c.args.int("minutes"))
	}
	slots := []record{}
	for at := from; !at.Add(length).After(to) && len(slots) < want; {
		if next := nextFree(events, at, length); !next.Equal(at) {
			at = next
			continue
		}
		slots = append(slots, record{"start": stamp(at), "end": stamp(at.Add(length))})
		at = at.Add(length)
	}
	return record{"slots": slots}, nil
}

// nextFree returns at when a slot may begin there, else a later time to try.
func nextFree(events *table, at time.Time, length time.Duration) time.Time {
	morning := at.Truncate(24 * time.Hour).Add(8 * time.Hour)
	switch {
	case at.Before(morning):
		return morning
	case at.Weekday() == time.Saturday || at.Weekday() == time.Sunday, at.Add(length).After(morning.Add(10 * time.Hour)):
		return morning.Add(24 * time.Hour)
	}
	busy := overlapping(events, at, at.Add(length))
	if len(busy) == 0 {
		return at
	}
	last := slices.MaxFunc(busy, func(a, b record) int { return a.time("end").Compare(b.time("end")) })
	return last.time("end")
}

// byField sorts records by a text field, which dates and moments in UTC are.
func byField(name string) func(a, b record) int {
	return func(a, b record) int {
		return cmp.Or(strings.Compare(a.str(name), b.str(name)), strings.Compare(a.str("id"), b.str("id")))
	}
}
