package demo

import (
	"fmt"
	"slices"
	"time"
)

// cities that one can travel between.
var cities = []string{"Amsterdam", "Berlin", "Lisbon", "London", "Lyon", "Oslo", "Paris", "Tokyo"}

// travel finds and books flights and hotels.
func travel(s *service) {
	bookings := bookingsTable(s)
	city := func(name, about string) field { return choice(name, about, cities...).must() }
	offer := func(parts ...field) schema {
		return shape(listing("offers", "Cheapest first.", shape(append(parts, text("offer", "Code to book it with.").must(), number("price", "In euros.", 0, 1e6).must())...)))
	}
	code := func(pattern string) field {
		return newField("offer", "Code of the offer, from the search.", "string", schema{"pattern": pattern}).must()
	}
	s.offer("travel",
		do(reads, "search_flights", "Find flights between two cities on a day, cheapest first.", `{"from":"Berlin","to":"Lisbon","day":"2026-04-01"}`,
			fields(city("from", "City to start from."), city("to", "City to go to."), day("day", "Day of the flight.").must()),
			offer(moment("departs", "When it starts.").must(), whole("minutes", "How long it takes.", 1, 2000).must()), searchFlights),
		do(reads, "search_hotels", "Find hotels in a city, cheapest first, with the price of a night.", `{"city":"Lisbon","most":120}`,
			fields(city("city", "Where to sleep."), number("most", "Highest price of a night in euros.", 0, 10_000)),
			offer(text("name", "Name of the hotel.").must(), whole("stars", "From 1 to 5.", 1, 5).must()), searchHotels),
		do(adds, "book_flight", "Book a flight that search_flights offered.", `{"offer":"FL-Berlin-Lisbon-1","day":"2026-04-01","traveller":"Mira Holm"}`,
			append(fields(code("^FL-[A-Z][a-z]+-[A-Z][a-z]+-[1-3]$")), bookings.columns("day", "traveller")...), bookings.record(), func(c *call) (any, error) {
				price, ok := flightPrice(c.args.str("offer"), c.args.str("day"))
				if !ok {
					return nil, refuse("there is no flight offer %q: search_flights shows those there are", c.args.str("offer"))
				}
				values := c.args.pick("offer", "day", "traveller")
				values["kind"], values["price"] = "flight", price
				return bookings.insert(stamp(c.now), values)
			}).alone(),
		do(adds, "book_hotel", "Book a hotel that search_hotels offered, for some nights.", `{"offer":"HO-Lisbon-2","day":"2026-04-01","nights":2,"traveller":"Mira Holm"}`,
			append(fields(code("^HO-[A-Z][a-z]+-[1-4]$"), whole("nights", "How many nights.", 1, 30).must()), bookings.columns("day", "traveller")...), bookings.record(),
			func(c *call) (any, error) {
				h, ok := hotel(c.args.str("offer"))
				if !ok {
					return nil, refuse("there is no hotel offer %q: search_hotels shows those there are", c.args.str("offer"))
				}
				values := c.args.pick("offer", "day", "traveller", "nights")
				values["kind"], values["price"] = "hotel", cents(h["price"].(float64)*c.args.num("nights"))
				return bookings.insert(stamp(c.now), values)
			}).alone(),
		bookings.list("list_bookings", "List booked flights and hotels, optionally of one traveller.", `{"status":"confirmed"}`, bookings.by("kind"), bookings.by("traveller"), bookings.by("status")),
		bookings.act(destroys, "cancel_booking", "Cancel a booked flight or hotel. The place is given to others and can't be had back.", `{"booking_id":"TRV-102"}`, nil,
			func(c *call, r record) (record, error) {
				if r.str("status") == "confirmed" && r.str("day") < c.now.Format(time.DateOnly) {
					return nil, refuse("%s was on %s and can't be cancelled any more", r.str("id"), r.str("day"))
				}
				return record{"status": "cancelled"}, nil
			}),
	)
}

// bookingsTable holds what was booked.
func bookingsTable(s *service) *table {
	return s.table("booking", "TRV-", "list_bookings", fields(
		choice("kind", "What was booked.", "flight", "hotel").must(),
		text("offer", "Code of the offer that was taken.").must(),
		text("traveller", "Who travels.").must(),
		day("day", "Day of the flight or of arrival.").must(),
		whole("nights", "Of a hotel: how many nights.", 1, 30),
		number("price", "In euros.", 0, 1e6).must(),
		choice("status", "Whether it still stands.", "confirmed", "cancelled").or("confirmed"),
	),
		record{"kind": "flight", "offer": "FL-Berlin-Lisbon-1", "traveller": "You", "day": s.on(8), "price": 142},
		record{"kind": "hotel", "offer": "HO-Lisbon-2", "traveller": "You", "day": s.on(8), "nights": 3, "price": 297},
	)
}

// flightCode is the code of the nth flight of a day.
func flightCode(from, to string, n int) string { return fmt.Sprintf("FL-%s-%s-%d", from, to, n) }

// flightPrice returns the price of an offer, if there is such a flight.
func flightPrice(code, date string) (float64, bool) {
	for _, from := range cities {
		for _, to := range cities {
			for n := 1; n <= 3 && from != to; n++ {
				if code == flightCode(from, to, n) {
					return cents(40 + 300*wobble(code, date)), true
				}
			}
		}
	}
	return 0, false
}

func searchFlights(c *call) (any, error) {
	from, to, date := c.args.str("from"), c.args.str("to"), c.args.time("day")
	if from == to {
		return nil, refuse("the flight would start and end in %s: choose two cities", from)
	}
	offers := []record{}
	for n := 1; n <= 3; n++ {
		code := flightCode(from, to, n)
		price, ok := flightPrice(code, c.args.str("day"))
		if !ok {
			return nil, refuse("no flights go from %q to %q", from, to)
		}
		departs := date.Add(time.Duration(4*n+1) * time.Hour)
		offers = append(offers, record{"offer": code, "price": price, "departs": stamp(departs), "minutes": 60 + int(300*wobble(from, to))})
	}
	return record{"offers": cheapest(offers)}, nil
}

// hotel returns the offer of this code.
func hotel(code string) (record, bool) {
	for _, city := range cities {
		for n := 1; n <= 4; n++ {
			if code != fmt.Sprintf("HO-%s-%d", city, n) {
				continue
			}
			name := []string{"Hotel Central", "Pension Linden", "The Anchor", "Garden House"}[n-1]
			return record{"offer": code, "name": name + " " + city, "stars": 2 + n%4, "price": cents(45 + 140*wobble(code))}, true
		}
	}
	return nil, false
}

func searchHotels(c *call) (any, error) {
	offers := []record{}
	for n := 1; n <= 4; n++ {
		h, ok := hotel(fmt.Sprintf("HO-%s-%d", c.args.str("city"), n))
		if !ok {
			return nil, refuse("there are no hotels in %q", c.args.str("city"))
		}
		if !c.args.has("most") || h["price"].(float64) <= c.args.num("most") {
			offers = append(offers, h)
		}
	}
	return record{"offers": cheapest(offers)}, nil
}

func cheapest(offers []record) []record {
	slices.SortFunc(offers, func(a, b record) int { return order(a["price"], b["price"]) })
	return offers
}
