package demo

import (
	"math"
	"time"
)

var skies = []string{"clear", "cloudy", "rain", "storm", "snow"}

// weather makes up a plausible sky for the cities of the demo.
func weather(s *service) {
	place := choice("city", "For which city.", cities...).must()
	sky := shape(
		day("day", "The day.").must(),
		choice("sky", "What it looks like.", skies...).must(),
		number("low", "Lowest temperature in degrees Celsius.", -60, 60).must(),
		number("high", "Highest temperature in degrees Celsius.", -60, 60).must(),
		number("rain_mm", "Rain in millimetres.", 0, 500).must(),
		number("wind_kmh", "Wind in kilometres an hour.", 0, 300).must(),
	)
	s.offer("weather",
		do(reads, "current_weather", "Say what the weather is like in a city today: sky, temperature, rain and wind.", `{"city":"Oslo"}`,
			fields(place), sky, func(c *call) (any, error) { return skyOf(c.args.str("city"), c.now), nil }),
		do(reads, "weather_forecast", "Forecast the weather of a city for the coming days.", `{"city":"Lisbon","days":3}`,
			fields(place, whole("days", "How many days, from tomorrow on.", 1, 10).or(5)), shape(listing("days", "One entry a day.", sky)),
			func(c *call) (any, error) {
				n := 5
				if c.args.has("days") {
					n = max(1, min(c.args.int("days"), 10))
				}
				days := []record{}
				for i := range n {
					days = append(days, skyOf(c.args.str("city"), c.now.AddDate(0, 0, i+1)))
				}
				return record{"days": days}, nil
			}),
		do(reads, "weather_warnings", "List warnings of storm, frost or heat for all cities in the next three days.", `{}`, nil,
			shape(listing("warnings", "Soonest first.", shape(text("city", "Where.").must(), day("day", "When.").must(), choice("danger", "What.", "storm", "frost", "heat").must()))),
			func(c *call) (any, error) { return record{"warnings": warnings(c.now)}, nil }),
		do(reads, "air_quality", "Say how clean the air of a city is today, with pollen for people with hay fever.", `{"city":"Paris"}`, fields(place),
			shape(whole("index", "From 1, very good, to 6, very bad.", 1, 6).must(), number("pm25", "Fine dust in micrograms a cubic metre.", 0, 500).must(), choice("pollen", "How much is in the air.", "none", "some", "much").must()),
			func(c *call) (any, error) {
				w := wobble("air", c.args.str("city"), c.now.Format(time.DateOnly))
				return record{"index": 1 + int(w*5.99), "pm25": cents(3 + 60*w), "pollen": []string{"none", "some", "much"}[int(2.99*w)]}, nil
			}),
	)
}

// skyOf is the same for a city and a day, whoever asks.
func skyOf(city string, at time.Time) record {
	date := at.Format(time.DateOnly)
	season := 10 - 9*math.Cos(2*math.Pi*float64(at.YearDay()-20)/365)
	low := math.Round(season - 4 + 6*wobble("low", city, date))
	state := skies[int(float64(len(skies)-1)*wobble("sky", city, date))]
	if state == "rain" && low < 0 {
		state = "snow"
	}
	rain := 0.0
	if state == "rain" || state == "storm" || state == "snow" {
		rain = cents(1 + 20*wobble("rain", city, date))
	}
	return record{
		"day": date, "sky": state, "low": low, "high": low + math.Round(3+7*wobble("high", city, date)),
		"rain_mm": rain, "wind_kmh": math.Round(5 + 45*wobble("wind", city, date)),
	}
}

func warnings(now time.Time) []record {
	all := []record{}
	for i := range 3 {
		for _, city := range cities {
			d := skyOf(city, now.AddDate(0, 0, i))
			danger := ""
			switch {
			case d["sky"] == "storm":
				danger = "storm"
			case d.num("low") < -5:
				danger = "frost"
			case d.num("high") > 32:
				danger = "heat"
			}
			if danger != "" {
				all = append(all, record{"city": city, "day": d["day"], "danger": danger})
			}
		}
	}
	return all
}
