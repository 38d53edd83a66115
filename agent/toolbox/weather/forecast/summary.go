package forecast

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Summary describes the weather in a few sentences: now, today, tomorrow and the weekend, with advice on
// what to take along.
func (f Forecast) Summary() string {
	said := []string{f.present()}
	today := f.At.Truncate(24 * time.Hour)
	var weekend []Day
	for _, d := range f.Days {
		switch days := int(d.Date.Sub(today).Hours()+12) / 24; {
		case d.Date.Before(today):
		case days == 0:
			said = append(said, d.describe("Today")+d.advice())
		case days == 1:
			said = append(said, d.describe("Tomorrow")+d.advice())
		case days < 7 && (d.Date.Weekday() == time.Saturday || d.Date.Weekday() == time.Sunday):
			weekend = append(weekend, d)
		}
	}
	for _, d := range weekend {
		said = append(said, d.describe("On "+d.Date.Weekday().String()))
	}
	if f.Source != "" {
		said = append(said, "Source: "+strings.TrimSuffix(f.Source, ".")+".")
	}
	return strings.Join(said, " ")
}

func (f Forecast) present() string {
	s := fmt.Sprintf("In %s it is %d °C now", f.Place, f.Now.Temperature)
	if f.Now.Feels != f.Now.Temperature {
		s += fmt.Sprintf(", which feels like %d °C", f.Now.Feels)
	}
	s += ", with " + withArticle(f.Now.Sky) + " and " + breeze(f.Now.Wind)
	if f.Now.From != "" && f.Now.Wind >= calm {
		s += " from the " + f.Now.From
	}
	return s + "."
}

// withArticle returns the sky as it reads after "with".
func withArticle(sky string) string {
	switch {
	case sky == "clear sky":
		return "a clear sky"
	case strings.HasPrefix(sky, "thunderstorm"):
		return "a " + sky
	case sky == "mainly clear" || sky == "partly cloudy" || sky == "overcast":
		return map[string]string{"mainly clear": "a mainly clear", "partly cloudy": "a partly cloudy", "overcast": "an overcast"}[sky] + " sky"
	case sky == "unsettled":
		return "unsettled weather"
	}
	return sky
}

// calm is the wind speed in km/h below which no wind is felt (Beaufort 1).
const calm = 2

// breeze describes a wind speed in words (Beaufort scale, in km/h).
func breeze(wind int) string {
	switch {
	case wind < calm:
		return "no wind"
	case wind < 20:
		return fmt.Sprintf("a light wind of %d km/h", wind)
	case wind < 39:
		return fmt.Sprintf("a fresh wind of %d km/h", wind)
	case wind < 62:
		return fmt.Sprintf("a strong wind of %d km/h", wind)
	case wind < 103:
		return fmt.Sprintf("a gale of %d km/h", wind)
	}
	return fmt.Sprintf("a storm of %d km/h", wind)
}

// describe describes the day in a sentence.
func (d Day) describe(when string) string {
	s := fmt.Sprintf("%s: %s, %d to %d °C", when, d.Sky, d.Low, d.High)
	if d.Low == d.High {
		s = fmt.Sprintf("%s: %s, %d °C", when, d.Sky, d.High)
	}
	falls := "rain"
	if d.Snow > 0 {
		falls = "snow"
	}
	switch {
	case d.Chance > 0:
		s += fmt.Sprintf(", %d %% chance of %s", d.Chance, falls)
	case d.Wet == 0 && d.Snow == 0:
		s += ", dry"
	}
	switch {
	case d.Snow > 0:
		s += fmt.Sprintf(" (%s cm)", tenths(d.Snow))
	case d.Wet > 0:
		s += fmt.Sprintf(" (%s mm)", tenths(d.Wet))
	}
	if d.Wind >= 39 {
		s += ", wind up to " + strconv.Itoa(d.Wind) + " km/h"
	}
	return s + "."
}

// advice says what to take along, starting with a space; "" if nothing is needed.
func (d Day) advice() string {
	switch {
	case strings.Contains(d.Sky, "thunderstorm"):
		return " Stay close to shelter."
	case d.Snow > 0 || strings.Contains(d.Sky, "snow") || strings.Contains(d.Sky, "freezing"):
		return " Dress warmly, and watch out for ice."
	case d.Chance >= 50 || d.Chance < 0 && d.Wet >= 0.5:
		return " Take an umbrella."
	case d.High >= 30:
		return " Drink plenty of water, and stay in the shade."
	case d.High <= 0:
		return " Dress warmly."
	}
	return ""
}
