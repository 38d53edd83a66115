package place

import (
	"strings"
	"testing"
	"time"

	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/native/prose"
)

func TestGetTime(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 3, 14, 5, 0, 0, berlin)
	tests := map[string]string{
		"":                        "It is 14:05 on Friday, 3 July 2026 (UTC+2).",
		"here":                    "It is 14:05 on Friday, 3 July 2026 (UTC+2).",
		"what time is it now?":    "It is 14:05 on Friday, 3 July 2026 (UTC+2).",
		"Tokyo":                   "It is 21:05 on Friday, 3 July 2026 in Tokyo (UTC+9).",
		"new york":                "It is 08:05 on Friday, 3 July 2026 in New York (UTC-4).",
		"São Paulo":               "It is 09:05 on Friday, 3 July 2026 in Sao Paulo (UTC-3).",
		"Auckland, New Zealand":   "It is 00:05 on Saturday, 4 July 2026 in New Zealand (UTC+12).",
		"Kathmandu":               "It is 17:50 on Friday, 3 July 2026 in Kathmandu (UTC+5:45).",
		"St. John's":              "It is 09:35 on Friday, 3 July 2026 in St Johns (UTC-2:30).",
		"the UK":                  "It is 13:05 on Friday, 3 July 2026 in the UK (UTC+1).",
		"germany":                 "It is 14:05 on Friday, 3 July 2026 in Germany (UTC+2).",
		"San Francisco":           "It is 05:05 on Friday, 3 July 2026 in San Francisco (UTC-7).",
		"Europe/Paris":            "It is 14:05 on Friday, 3 July 2026 in Paris (UTC+2).",
		"America/Argentina/Salta": "It is 09:05 on Friday, 3 July 2026 in Salta (UTC-3).",
		"JST":                     "It is 21:05 on Friday, 3 July 2026 in JST (UTC+9).",
		"Eastern Time":            "It is 08:05 on Friday, 3 July 2026 in Eastern Time (UTC-4).",
		"UTC":                     "It is 12:05 on Friday, 3 July 2026 (UTC).",
		"GMT":                     "It is 12:05 on Friday, 3 July 2026 (UTC).",
		"UTC+3":                   "It is 15:05 on Friday, 3 July 2026 (UTC+3).",
		"the time at gmt -03:30":  "It is 08:35 on Friday, 3 July 2026 (UTC-3:30).",
		"+0545":                   "It is 17:50 on Friday, 3 July 2026 (UTC+5:45).",
		"Can you tell us how late it is in Los Angeles?": "It is 05:05 on Friday, 3 July 2026 in Los Angeles (UTC-7).",
		"Is it already morning in Seoul, South Korea?":   "It is 21:05 on Friday, 3 July 2026 in South Korea (UTC+9).",
		"Paris, Texas": "It is 07:05 on Friday, 3 July 2026 in Texas (UTC-5).",
	}
	for place, want := range tests {
		t.Run(place, func(t *testing.T) {
			for _, arg := range []string{"place", "text"} {
				c := nativetest.Call(arg, place)
				c.Now = now
				out, err := nativetest.New(t, Operations()).Perform("get_time", c)
				if err != nil {
					t.Fatal(err)
				}
				if out.Value != want {
					t.Errorf("got %q, not %q", out.Value, want)
				}
			}
		})
	}
}

func TestGetTimeOfUnclearPlaces(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"Atlantis":                "I do not know where “Atlantis” is.",
		"tell us the time there!": "I do not know where",
		"the USA":                 "several time zones in the USA. Name a city, such as New York",
		"Russia":                  "Moscow",
		"time in Australia":       "Sydney, Adelaide or Perth",
		"UTC+15":                  "offsets go from UTC-12 to UTC+14",
		"UTC+3:75":                "no such time zone",
		strings.Repeat("x ", 500): "I do not know",
		"\xff\xfe":                "I do not know",
	}
	for place, want := range tests {
		t.Run(prose.Shorten(place, 20), func(t *testing.T) {
			_, err := nativetest.New(t, Operations()).Perform("get_time", nativetest.Call("place", place))
			nativetest.WantFault(t, err, want)
		})
	}
}

// Every place in the lists has an embedded time zone, and every country with several zones lists known cities.
func TestPlacesAreKnown(t *testing.T) {
	t.Parallel()
	gaz := gazetteer()
	for name, at := range gaz.places {
		if _, err := time.LoadLocation(at.zone); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for land, cities := range gaz.lands {
		for _, city := range cities {
			if _, ok := gaz.places[fold(city)]; !ok {
				t.Errorf("%s: the city %s is not known", land, city)
			}
		}
		if at, ok := gaz.places[land]; ok {
			t.Errorf("%s has several zones and yet %s", land, at.zone)
		}
	}
}

func FuzzZoneOf(f *testing.F) {
	for _, place := range []string{"", "Tokyo", "UTC+3", "gmt−99:99", "what time is it in the US?", "ı ſ İ Ⱥ utc+", "St. John’s"} {
		f.Add(place)
	}
	f.Fuzz(func(t *testing.T, place string) {
		_, zone, err := zoneOf(place, time.UTC)
		if (zone == nil) == (err == nil) {
			t.Errorf("zone %v with the error %v", zone, err)
		}
		if err != nil {
			nativetest.WantFault(t, err, ".")
		}
	})
}
