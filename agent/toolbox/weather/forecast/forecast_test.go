package forecast

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(n int) time.Time { return time.Date(2026, time.November, n, 0, 0, 0, 0, time.UTC) }

// bergen is a Thursday.
var bergen = Forecast{
	Place: "Bergen, Vestland, Norway", At: time.Date(2026, time.November, 19, 15, 30, 0, 0, time.UTC),
	Now: Now{Sky: "light rain", Temperature: 4, Feels: -1, Humidity: 91, Wind: 31, From: "southwest"},
	Days: []Day{
		{Date: day(19), Sky: "rain", Low: 2, High: 5, Wet: 12.4, Chance: 98, Wind: 44},
		{Date: day(20), Sky: "heavy snow", Low: -3, High: 0, Wet: 6, Snow: 8.5, Chance: 90, Wind: 20},
		{Date: day(21), Sky: "clear sky", Low: -8, High: -2, Chance: 0, Wind: 9},
		{Date: day(22), Sky: "overcast", Low: -4, High: 1, Chance: -1, Wind: 12},
		{Date: day(23), Sky: "fog", Low: -4, High: 1, Chance: 5, Wind: 12},
	},
	Source: "Open-Meteo.com (CC BY 4.0)",
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	plain := Forecast{Place: "0.00° N, 0.00° E", At: bergen.At, Now: Now{Sky: "overcast"}}
	for _, f := range []Forecast{bergen, plain} {
		got, err := Parse("\n" + f.String() + " \n")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Error(diff)
		}
	}
	for _, text := range []string{"", "18 °C, light rain", "a\nb\nc", bergen.String() + "\nand so on", strings.Replace(bergen.String(), "19 November", "39 November", 1),
		strings.Replace(bergen.String(), "44 km/h", "99999999999999999999 km/h", 1)} {
		if f, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, f)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	want := "In Bergen, Vestland, Norway it is 4 °C now, which feels like -1 °C, with light rain and a fresh wind of 31 km/h from the southwest. " +
		"Today: rain, 2 to 5 °C, 98 % chance of rain (12.4 mm), wind up to 44 km/h. Take an umbrella. " +
		"Tomorrow: heavy snow, -3 to 0 °C, 90 % chance of snow (8.5 cm). Dress warmly, and watch out for ice. " +
		"On Saturday: clear sky, -8 to -2 °C, dry. On Sunday: overcast, -4 to 1 °C, dry. " +
		"Source: Open-Meteo.com (CC BY 4.0)."
	if got := bergen.Summary(); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestSkies(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{0: "a clear sky", 2: "a partly cloudy sky", 3: "an overcast sky", 61: "light rain", 95: "a thunderstorm", 12: "unsettled weather"} {
		if got := withArticle(Sky(code)); got != want {
			t.Errorf("%d is %q", code, got)
		}
	}
}

func TestWinds(t *testing.T) {
	t.Parallel()
	for degrees, want := range map[float64]string{0: "north", 22: "north", 23: "northeast", 180: "south", 250: "west", 338: "north", 360: "north", -90: "west", math.NaN(): "", math.Inf(1): ""} {
		if got := From(degrees); got != want {
			t.Errorf("%v° is %q, want %q", degrees, got, want)
		}
	}
	for wind, want := range map[int]string{0: "no wind", 12: "a light wind of 12 km/h", 40: "a strong wind of 40 km/h", 80: "a gale of 80 km/h", 130: "a storm of 130 km/h"} {
		if got := breeze(wind); got != want {
			t.Errorf("%d km/h is %q", wind, got)
		}
	}
}
