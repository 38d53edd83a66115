package place

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the machine may have no time zone data
	"unicode"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

// getTime returns the time of the request in a place.
func getTime(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	place := c.Text("place")
	if place == "" {
		place = c.Text("text")
	}
	where, zone, err := zoneOf(place, c.Now.Location())
	if err != nil {
		return toolbox.Output{}, err
	}
	now := c.Now.In(zone)
	about := plan.Say("the time")
	if where != "" {
		about = plan.Say("the time in %s", strings.TrimPrefix(where, " in "))
	}
	return toolbox.Output{
		Value: fmt.Sprintf("It is %s%s (%s).", now.Format("15:04 on Monday, 2 January 2006"), where, utcOffset(now)),
		About: about,
	}, nil
}

// utcOffset formats the offset of a time: "UTC+2", "UTC-3:30", "UTC".
func utcOffset(t time.Time) string {
	_, seconds := t.Zone()
	if seconds == 0 {
		return "UTC"
	}
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	s := fmt.Sprintf("UTC%c%d", sign, seconds/3600)
	if m := seconds % 3600 / 60; m != 0 {
		s += fmt.Sprintf(":%02d", m)
	}
	return s
}

// zoneOf finds the time zone of a place: a city, a country with one time zone, the name or
// abbreviation of a zone, an offset such as "UTC+3", or a question that contains one of them. An empty
// place, "here" and "now" mean here. where is a phrase with a leading space: " in Tokyo".
func zoneOf(place string, here *time.Location) (where string, zone *time.Location, err error) {
	if m := offset.FindStringSubmatch(place); m != nil {
		zone, err = offsetZone(m[1], m[2], m[3])
		return "", zone, err
	}
	gaz := gazetteer()
	name := fold(place)
	if len(name) > 400 || name == "" && strings.TrimSpace(place) != "" {
		return "", nil, unknownPlace(place)
	}
	words := strings.Fields(name)
	words = slices.DeleteFunc(words, func(w string) bool { return hereWords[w] })
	if len(words) == 0 {
		return "", here, nil
	}
	asked := strings.Join(words, " ")
	if at, ok := gaz.places[asked+" time"]; ok {
		return at.load()
	}
	// A name, or a question: take the longest known name in it, the last one of equal length. Capitals
	// distinguish "US" and "ET" from "us" and "et".
	raw := " " + strings.Join(strings.FieldsFunc(place, func(r rune) bool { return !unicode.IsLetter(r) }), " ") + " "
	for n := min(len(words), 5); n > 0; n-- {
		for i := len(words) - n; i >= 0; i-- {
			part := strings.Join(words[i:i+n], " ")
			if part != asked && len(part) < 4 && !strings.Contains(raw, " "+strings.ToUpper(part)+" ") {
				continue
			}
			if at, ok := gaz.places[part]; ok {
				return at.load()
			}
			if cities, ok := gaz.lands[part]; ok {
				return "", nil, severalZones(part, cities)
			}
		}
	}
	return "", nil, unknownPlace(place)
}

// hereWords do not name a place.
var hereWords = map[string]bool{
	"here": true, "now": true, "local": true, "locally": true, "time": true, "what": true, "whats": true,
	"is": true, "it": true, "the": true, "in": true, "at": true, "current": true, "right": true, "today": true,
	"date": true, "my": true, "place": true, "zone": true, "clock": true, "s": true, "please": true, "tell": true, "me": true,
}

func unknownPlace(place string) error {
	return &plan.Fault{
		Sentence: plan.Say("I do not know where “%s” is. Name a larger city (Tokyo, New York), a country with one time zone (Japan), "+
			"a zone (Europe/Paris, CET) or an offset (UTC+3).", prose.Shorten(prose.OneLine(prose.Clean(place)), 40)),
		Err: errors.New("unknown place"),
	}
}

func severalZones(land string, cities []string) error {
	return &plan.Fault{
		Sentence: plan.Say("There are several time zones in %s. Name a city, such as %s.", inSentence(land), plan.Or(cities...)),
		Err:      errors.New("country with several time zones"),
	}
}

// offset matches "UTC+3", "gmt -03:30" and "+0545": sign, hours, minutes.
var offset = lazyregexp.New(`(?i)(?:^|\b(?:utc|gmt))\s*([+\-−–])\s*(\d{1,2})(?::?(\d{2}))?\s*(?:h|hours?)?\s*[?.!]?\s*$`)

// offsetZone returns the zone of an offset: "+3", "-03:30", "+0545". The minutes may be empty.
func offsetZone(sign, hour, minute string) (*time.Location, error) {
	hours, err := strconv.Atoi(hour)
	if err != nil {
		return nil, fmt.Errorf("read the hours of an offset: %w", err)
	}
	minutes := 0
	if minute != "" {
		if minutes, err = strconv.Atoi(minute); err != nil {
			return nil, fmt.Errorf("read the minutes of an offset: %w", err)
		}
	}
	seconds := hours*3600 + minutes*60
	if sign != "+" {
		seconds = -seconds
	}
	if minutes > 59 || seconds > 14*3600 || seconds < -12*3600 {
		return nil, &plan.Fault{
			Sentence: plan.Say("There is no such time zone: offsets go from UTC-12 to UTC+14."),
			Err:      fmt.Errorf("offset of %d seconds", seconds),
		}
	}
	return time.FixedZone("", seconds), nil
}
