package weather

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"

	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// place is where the weather is looked up.
type place struct {
	name                string
	latitude, longitude float64
}

var (
	// degrees are coordinates: "48.85, 2.35", "48.85° N 2.35° E", "lat 48.85 lon -2.35".
	degrees = lazyregexp.New(`(?i)^(?:(?:weather|in|at|near|coordinates|lat\w*)[ :=]*)*` +
		`([-+−]?\d{1,2}(?:\.\d{1,10})?) ?°? ?([ns])?[a-z]*[ ,;/]+` +
		`(?:lon\w*[ :=]*)?([-+−]?\d{1,3}(?:\.\d{1,10})?) ?°? ?([ewo])?[a-z]*\W*$`)
	// before and after are words that stand around a place, in a question of the weather.
	before = lazyregexp.New(`(?i)^(?:(?:what(?:'s|’s| is)?|how(?:'s|’s| is)?|the|tell|show|give|me|weather|` +
		`forecast|temperature|in|at|for|of|near|around) +)+`)
	after = lazyregexp.New(`(?i)[ ,]+(?:right now|now|today|tonight|tomorrow|` +
		`(?:this|next|on|at the|over the) ?(?:week(?:end)?|morning|afternoon|evening)?|weekend|please|pls)$`)
)

// maxPlace is the longest name of a place, in characters; the longest town's has 85 in one word.
const maxPlace = 120

// find finds the place that a text names.
func (b *Backend) find(ctx context.Context, said string) (place, error) {
	said = tidy(said)
	if at, ok, err := coordinates(said); ok || err != nil {
		return at, err
	}
	name := bare(said)
	switch {
	case name == "":
		return place{}, &plan.Fault{
			Sentence: plan.Say("Please say which place you want the weather for; name a town, such as “Lisbon” or “London, UK”."),
			Err:      errors.New("no place"),
		}
	case len([]rune(name)) > maxPlace:
		return place{}, &plan.Fault{
			Sentence: plan.Say("That is too long for a place name; name a town, such as “Lisbon” or “London, UK”."),
			Err:      errors.New("a long place"),
		}
	}
	var found []spot
	for _, read := range readings(name) {
		spots, err := b.search(ctx, read.name)
		if err != nil {
			return place{}, err
		}
		for _, s := range spots {
			if s.within(read.within) {
				return s.place(), nil
			}
		}
		found = append(found, spots...)
	}
	if len(found) > 0 {
		return place{}, &plan.Fault{
			Sentence: plan.Say("I cannot find “%s”, but I know %s. Say which one you mean, or name another town.", name, plan.Or(some(found)...)),
			Err:      errors.New("places of that name lie elsewhere"), Final: true,
		}
	}
	return place{}, &plan.Fault{
		Sentence: plan.Say("I cannot find a place called “%s”. Check the spelling, or name the nearest town with its country, such as “London, UK”.",
			name),
		Err: errors.New("no such place"), Final: true,
	}
}

// tidy is a text in one line, without what is not to be seen.
func tidy(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// bare is a place without the words of a question around it.
func bare(said string) string {
	name := strings.Trim(said, " .,;:!?\"'“”")
	for {
		shorter := strings.Trim(after.ReplaceAllString(name, ""), " .,;:!?")
		if shorter == name {
			break
		}
		name = shorter
	}
	if rest := before.ReplaceAllString(name, ""); rest != "" {
		return rest
	}
	return name
}

// coordinates reads a place that is given by its degrees.
func coordinates(said string) (place, bool, error) {
	m := degrees.FindStringSubmatch(said)
	if m == nil {
		return place{}, false, nil
	}
	read := func(s, side, negative string) float64 {
		v, err := strconv.ParseFloat(strings.Replace(s, "−", "-", 1), 64)
		if err != nil {
			return math.NaN()
		}
		if strings.EqualFold(side, negative) {
			v = -v
		}
		return v
	}
	at := place{latitude: read(m[1], m[2], "s"), longitude: read(m[3], m[4], "w")}
	if !(math.Abs(at.latitude) <= 90 && math.Abs(at.longitude) <= 180) {
		return place{}, false, &plan.Fault{
			Sentence: plan.Say("There is no such place: latitudes go from -90 to 90 degrees, and longitudes from -180 to 180."),
			Err:      errors.New("coordinates out of range"), Final: true,
		}
	}
	at.name = side(at.latitude, "N", "S") + ", " + side(at.longitude, "E", "W")
	return at, true, nil
}

func side(v float64, positive, negative string) string {
	if v < 0 {
		positive = negative
	}
	return fmt.Sprintf("%.2f° %s", math.Abs(v), positive)
}

// reading is one way to read the name of a place: a town, and what it lies in.
type reading struct {
	name   string
	within []string
}

// readings are the ways to read a name, the likelier first: "London, UK" by its comma,
// "New York" as it is, "Paris Texas" by its last word.
func readings(name string) []reading {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == ',' || r == ';' || r == '(' || r == ')' })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return nil
	}
	all := []reading{{parts[0], parts[1:]}}
	if at := strings.LastIndexByte(parts[0], ' '); at > 0 && len(parts) == 1 {
		all = append(all, reading{parts[0][:at], []string{parts[0][at+1:]}})
	}
	return all
}

// spot is a place that the service knows (https://open-meteo.com/en/docs/geocoding-api).
type spot struct {
	Name        string  `json:"name"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	CountryCode string  `json:"country_code"`
	Country     string  `json:"country"`
	Admin1      string  `json:"admin1"`
	Admin2      string  `json:"admin2"`
}

// search asks for the places of a name, the best known first.
func (b *Backend) search(ctx context.Context, name string) ([]spot, error) {
	answer, err := b.places.Do(ctx, endpoint.Request{
		Path: "/v1/search", Header: http.Header{"Accept": {"application/json"}},
		Query: url.Values{"name": {name}, "count": {"20"}, "language": {"en"}, "format": {"json"}},
	})
	if err != nil {
		return nil, fault(ctx, err)
	}
	var found struct {
		Results []spot `json:"results"`
	}
	if err := json.Unmarshal(answer.Body, &found); err != nil {
		return nil, unreadable(ctx, "the places are not the JSON that is documented")
	}
	return slices.DeleteFunc(found.Results, func(s spot) bool {
		return tidy(s.Name) == "" || !(math.Abs(s.Latitude) <= 90 && math.Abs(s.Longitude) <= 180)
	}), nil
}

// called is the name with what tells it from others.
func (s spot) called() string {
	var parts []string
	for _, p := range []string{s.Name, s.Admin1, s.Country} {
		if p = tidy(p); p != "" && !slices.Contains(parts, p) {
			parts = append(parts, string([]rune(p)[:min(len([]rune(p)), maxPlace)]))
		}
	}
	return strings.Join(parts, ", ")
}

func (s spot) place() place { return place{s.called(), s.Latitude, s.Longitude} }

// within reports whether the place lies in all of these: countries, their codes, or parts
// of countries.
func (s spot) within(names []string) bool {
	for _, name := range names {
		lies := slices.ContainsFunc([]string{s.Country, s.CountryCode, s.Admin1, s.Admin2}, func(of string) bool {
			return of != "" && (alike(of, name) || alike(of, also[strings.ToLower(strings.ReplaceAll(name, ".", ""))]))
		})
		if !lies {
			return false
		}
	}
	return true
}

func alike(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// also are other names of countries and states, with those that the service knows.
var also = map[string]string{
	"uk": "GB", "great britain": "GB", "britain": "GB", "usa": "US", "america": "US", "the united states": "US", "united states of america": "US",
	"uae": "AE", "holland": "NL", "czech republic": "CZ", "south korea": "KR", "north korea": "KP", "russia": "RU", "the netherlands": "NL",
	"turkey": "TR", "türkiye": "TR", "ivory coast": "CI", "vietnam": "VN", "burma": "MM", "deutschland": "DE", "españa": "ES", "italia": "IT",
	"al": "Alabama", "ak": "Alaska", "az": "Arizona", "ar": "Arkansas", "ca": "California", "co": "Colorado", "ct": "Connecticut", "de": "Delaware",
	"dc": "District of Columbia", "fl": "Florida", "ga": "Georgia", "hi": "Hawaii", "id": "Idaho", "il": "Illinois", "in": "Indiana", "ia": "Iowa",
	"ks": "Kansas", "ky": "Kentucky", "la": "Louisiana", "me": "Maine", "md": "Maryland", "ma": "Massachusetts", "mi": "Michigan", "mn": "Minnesota",
	"ms": "Mississippi", "mo": "Missouri", "mt": "Montana", "ne": "Nebraska", "nv": "Nevada", "nh": "New Hampshire", "nj": "New Jersey",
	"nm": "New Mexico", "ny": "New York", "nc": "North Carolina", "nd": "North Dakota", "oh": "Ohio", "ok": "Oklahoma", "or": "Oregon",
	"pa": "Pennsylvania", "ri": "Rhode Island", "sc": "South Carolina", "sd": "South Dakota", "tn": "Tennessee", "tx": "Texas", "ut": "Utah",
	"vt": "Vermont", "va": "Virginia", "wa": "Washington", "wv": "West Virginia", "wi": "Wisconsin", "wy": "Wyoming",
}

// some are the names of a few of the places, each once.
func some(found []spot) []string {
	var names []string
	for _, s := range found {
		if n := s.called(); len(names) < 3 && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
