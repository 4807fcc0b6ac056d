package demo

// home is a house with lamps, heating, locks and scenes.
func home(s *service) {
	devices := devicesTable(s)
	// only returns a change that refuses devices of another kind.
	only := func(kind string, change func(c *call) record) func(*call, record) (record, error) {
		return func(c *call, r record) (record, error) {
			if r.str("kind") != kind {
				return nil, refuse("%s (%s) is a %s, not a %s: list_devices with kind %q shows those", r.str("id"), r.str("name"), r.str("kind"), kind, kind)
			}
			return change(c), nil
		}
	}
	s.offer("home",
		devices.list("list_devices", "List the smart devices of the house, optionally by room or kind, with their state.", `{"room":"living room"}`,
			devices.by("room"), devices.by("kind"), devices.by("on")),
		devices.fill("switch_device", "Switch a lamp, plug or other device of the house on or off.", `{"device_id":"DEV-103","on":true}`, "on"),
		devices.act(puts, "dim_light", "Set how bright a lamp is.", `{"device_id":"DEV-101","brightness":25}`, fields(whole("brightness", "In percent; 0 switches it off.", 0, 100).must()),
			only("light", func(c *call) record {
				return record{"brightness": c.args["brightness"], "on": c.args.num("brightness") > 0}
			})),
		devices.act(puts, "set_temperature", "Set the temperature that the heating shall keep.", `{"device_id":"DEV-104","celsius":21}`,
			fields(number("celsius", "Wanted temperature in degrees Celsius.", 5, 30).must()),
			only("thermostat", func(c *call) record { return record{"target": c.args["celsius"], "on": true} })),
		devices.act(puts, "move_blind", "Open or close a blind, wholly or in part.", `{"device_id":"DEV-106","open_percent":40}`,
			fields(whole("open_percent", "0 is closed, 100 is open.", 0, 100).must()),
			only("blind", func(c *call) record { return c.args.pick("open_percent") })),
		devices.act(puts, "lock_door", "Lock a door of the house.", `{"device_id":"DEV-108"}`, nil,
			only("lock", func(*call) record { return record{"locked": true} })),
		devices.act(puts, "unlock_door", "Unlock a door of the house, so that anybody can come in.", `{"device_id":"DEV-105"}`, nil,
			only("lock", func(*call) record { return record{"locked": false} })).alone(),
		do(puts, "run_scene", "Put many devices of the house into a state at once: leaving, evening or night.", `{"scene":"night"}`,
			fields(choice("scene", "Which one.", "leaving", "evening", "night").must()),
			shape(listing("changed", "The devices as they are now.", devices.record())), func(c *call) (any, error) { return runScene(c, devices) }),
		do(reads, "energy_report", "Estimate how much electricity each room of the house uses a day.", `{}`, nil,
			shape(number("kwh", "Kilowatt hours in all.", 0, 1e6).must(), listing("rooms", "One entry a room.", shape(text("room", "The room.").must(), number("kwh", "Its share.", 0, 1e6).must()))),
			func(*call) (any, error) {
				total, rooms := sums(devices.rows, "room", dailyUse)
				return record{"kwh": cents(total), "rooms": named(rooms, "room", "kwh")}, nil
			}),
	)
}

// devicesTable holds the devices of the house.
func devicesTable(s *service) *table {
	return s.table("device", "DEV-", "list_devices", fields(
		text("name", "What people call it.").must(),
		choice("kind", "What it is.", "light", "plug", "thermostat", "lock", "blind", "sensor").must(),
		text("room", "Where it is.").must(),
		yesNo("on", "True when it is switched on.").or(false),
		whole("brightness", "Of a lamp, in percent.", 0, 100),
		number("target", "Wanted temperature in degrees Celsius.", 5, 30),
		number("reading", "What a sensor or thermostat measures.", -50, 100),
		yesNo("locked", "Of a lock: true when it is locked."),
		whole("open_percent", "Of a blind: how far it is open.", 0, 100),
	),
		record{"name": "Ceiling lamp", "kind": "light", "room": "living room", "brightness": 60, "on": true},
		record{"name": "Reading lamp", "kind": "light", "room": "bedroom", "brightness": 30},
		record{"name": "Coffee machine", "kind": "plug", "room": "kitchen"},
		record{"name": "Heating", "kind": "thermostat", "room": "living room", "target": 20.5, "reading": 19.8, "on": true},
		record{"name": "Front door", "kind": "lock", "room": "hall", "locked": true, "on": true},
		record{"name": "Garden blind", "kind": "blind", "room": "living room", "open_percent": 100, "on": true},
		record{"name": "Cellar humidity", "kind": "sensor", "room": "cellar", "reading": 61, "on": true},
		record{"name": "Back door", "kind": "lock", "room": "kitchen", "locked": false, "on": true},
	)
}

func dailyUse(r record) float64 {
	switch {
	case !r.yes("on"):
		return 0.01
	case r.str("kind") == "light":
		return 0.09 * r.num("brightness") / 100
	case r.str("kind") == "thermostat":
		return 0.4 * (r.num("target") - 5)
	}
	return 0.05
}

func runScene(c *call, devices *table) (any, error) {
	scene := c.args.str("scene")
	changed := []record{}
	for _, d := range devices.where(func(record) bool { return true }) {
		next, err := devices.set(c, d, inScene(scene, d))
		if err != nil {
			return nil, err
		}
		if !equal(next, d) {
			changed = append(changed, next)
		}
	}
	return record{"changed": changed}, nil
}

// inScene says what a scene does to a device.
func inScene(scene string, d record) record {
	switch d.str("kind") {
	case "light":
		if scene == "evening" {
			return record{"on": true, "brightness": 40}
		}
		return record{"on": false}
	case "lock":
		return record{"locked": true}
	case "blind":
		if scene != "leaving" {
			return record{"open_percent": 0}
		}
	case "thermostat":
		return record{"target": map[string]float64{"leaving": 16, "evening": 21, "night": 17.5}[scene]}
	}
	return nil
}
