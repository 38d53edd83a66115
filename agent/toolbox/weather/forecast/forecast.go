// Package forecast holds the weather of a place as text: people can read it, tools can parse it, and it can
// be summed up in sentences.
//
// It is pure. [Parse] reads what [Forecast.String] writes, and nothing else.
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
	// Place is the name with its region and country: "Paris, Île-de-France, France".
	Place string
	// At is the local time of Now.
	At  time.Time
	Now Now
	// Days are today and the following days.
	Days []Day
	// Source is the attribution of the data.
	Source string
}

// Now is the current weather.
type Now struct {
	// Sky is the weather in words: see [Sky].
	Sky string
	// Temperature and Feels are in whole degrees Celsius.
	Temperature, Feels int
	// Humidity is in percent.
	Humidity int
	// Wind is in km/h, and From the direction it comes from: "southwest".
	Wind int
	From string
}

// Day is the weather of a day.
type Day struct {
	Date time.Time
	Sky  string
	// Low and High are in whole degrees Celsius.
	Low, High int
	// Wet is rain and melted snow in mm, and Snow is fresh snow in cm, both with one decimal.
	Wet, Snow float64
	// Chance is the probability of rain or snow in percent; -1 means unknown.
	Chance int
	// Wind is the maximum, in km/h.
	Wind int
}

// points are the directions of the wind.
var points = []string{"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}

// From returns the direction of a wind, given in degrees clockwise from north.
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

// String formats the forecast: one line for now and one for each day.
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
