// Package forecast is how the weather of a place is told: as text that people can read as it
// is, that tools read back, and that is summed up in sentences.
//
// It is pure: what [Forecast.String] writes, [Parse] reads, and nothing else is promised of
// a text that somebody else has written.
package forecast

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Forecast is the weather of a place.
type Forecast struct {
	// Place is its name, with what tells it from others: "Paris, Île-de-France, France".
	Place string
	// At is when it is Now there, by the clocks of that place.
	At  time.Time
	Now Now
	// Days are today and those after it.
	Days []Day
	// Source is who is to be named for the data.
	Source string
}

// Now is the weather of the moment.
type Now struct {
	// Sky is what it looks like, in words: see [Sky].
	Sky string
	// Temperature and Feels are in degrees Celsius, whole.
	Temperature, Feels int
	// Humidity is in percent.
	Humidity int
	// Wind is in km/h, and From where it comes from: "southwest".
	Wind int
	From string
}

// Day is the weather of a day.
type Day struct {
	Date time.Time
	Sky  string
	// Low and High are in degrees Celsius, whole.
	Low, High int
	// Wet is rain and melted snow in mm, to a tenth; Snow is fresh snow in cm, to a tenth.
	Wet, Snow float64
	// Chance is how likely it rains or snows, in percent; -1 if that is not known.
	Chance int
	// Wind is the strongest, in km/h.
	Wind int
}

// points are where winds come from.
var points = []string{"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}

// From names where a wind of that direction comes from, in degrees clockwise from north.
func From(degrees float64) string {
	if math.IsNaN(degrees) || math.IsInf(degrees, 0) {
		return ""
	}
	k := int(math.Round(math.Mod(degrees, 360)/45)) % len(points)
	return points[(k+len(points))%len(points)]
}

const (
	moment = "Monday, 2 January 2006, 15:04"
	date   = "Monday, 2 January 2006"
)

// String writes the forecast, one line for now and one for each day.
func (f Forecast) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", f.Place, f.At.Format(moment))
	fmt.Fprintf(&b, "Now: %s, %d °C, feels like %d °C, humidity %d %%, wind %d km/h", f.Now.Sky, f.Now.Temperature, f.Now.Feels, f.Now.Humidity, f.Now.Wind)
	if f.Now.From != "" {
		b.WriteString(" from the " + f.Now.From)
	}
	for _, d := range f.Days {
		fmt.Fprintf(&b, "\n%s: %s, %d to %d °C", d.Date.Format(date), d.Sky, d.Low, d.High)
		if d.Chance >= 0 {
			fmt.Fprintf(&b, ", %d %% chance of rain or snow", d.Chance)
		}
		if d.Wet > 0 {
			fmt.Fprintf(&b, ", %s mm", tenths(d.Wet))
		}
		if d.Snow > 0 {
			fmt.Fprintf(&b, ", %s cm of snow", tenths(d.Snow))
		}
		fmt.Fprintf(&b, ", wind up to %d km/h", d.Wind)
	}
	if f.Source != "" {
		b.WriteString("\nSource: " + f.Source)
	}
	return b.String()
}

func tenths(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
