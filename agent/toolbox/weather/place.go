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

// place is a place whose weather is looked up.
type place struct {
	name                string
	latitude, longitude float64
}

var (
	// degrees matches coordinates: "48.85, 2.35", "48.85° N 2.35° E", "lat 48.85 lon -2.35".
	degrees = lazyregexp.New(`(?i)^(?:(?:weather|in|at|near|coordinates|lat\w*)[ :=]*)*` +
		`([-+−]?\d{1,2}(?:\.\d{1,10})?) ?°? ?([ns])?[a-z]*[ ,;/]+` +
		`(?:lon\w*[ :=]*)?([-+−]?\d{1,3}(?:\.\d{1,10})?) ?°? ?([ewo])?[a-z]*\W*$`)
	// before and after match the words around a place in a question about the weather.
	before = lazyregexp.New(`(?i)^(?:(?:what(?:'s|’s| is)?|how(?:'s|’s| is)?|the|tell|show|give|me|weather|` +
		`forecast|temperature|in|at|for|of|near|around) +)+`)
	after = lazyregexp.New(`(?i)[ ,]+(?:right now|now|today|tonight|tomorrow|` +
		`(?:this|next|on|at the|over the) ?(?:week(?:end)?|morning|afternoon|evening)?|weekend|please|pls)$`)
)

// maxPlace is the longest name of a place, in characters. The longest name of a town has 85, in one word.
const maxPlace = 120

// find returns the place that a text names.
func (b *Backend) find(ctx context.Context, said string) (place, error) {
	said = tidy(said)
	if at, ok, err := coordinates(said); ok || err != nil {
		return at, err
	}
	name := stripQuestion(said)
	switch {
	case name == "":
		return place{}, &plan.Fault{
			Sentence: plan.Say("Please say which place you want the weather for; name a town, such as “Lisbon” or “London, UK”."),
			Err:      errors.New("no place name in the text"),
		}
	case len([]rune(name)) > maxPlace:
		return place{}, &plan.Fault{
			Sentence: plan.Say("That is too long for a place name; name a town, such as “Lisbon” or “London, UK”."),
			Err:      errors.New("the place name is too long"),
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
			Err:      errors.New("no place of that name in that region"), Final: true,
		}
	}
	return place{}, &plan.Fault{
		Sentence: plan.Say("I cannot find a place called “%s”. Check the spelling, or name the nearest town with its country, such as “London, UK”.",
			name),
		Err: errors.New("unknown place"), Final: true,
	}
}

// tidy collapses white space and removes invisible characters.
func tidy(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// stripQuestion strips the words of a question from around a place name.
func stripQuestion(said string) string {
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

// coordinates parses a place given as degrees.
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

// reading is one interpretation of a place name: a town, and the regions that contain it.
type reading struct {
	name   string
	within []string
}

// readings returns the interpretations of a place name, the likeliest first: "London, UK" is split at its
// comma, "New York" is a town as it stands, and "Paris Texas" may be split before its last word.
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

// spot is a place in the geocoding service (https://open-meteo.com/en/docs/geocoding-api).
type spot struct {
	Name        string  `json:"name"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	CountryCode string  `json:"country_code"`
	Country     string  `json:"country"`
	Admin1      string  `json:"admin1"`
	Admin2      string  `json:"admin2"`
}

// search returns the places with a name, the best known first.
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
		return nil, unreadable(ctx, "the places are not in the documented form")
	}
	return slices.DeleteFunc(found.Results, func(s spot) bool {
		return tidy(s.Name) == "" || !(math.Abs(s.Latitude) <= 90 && math.Abs(s.Longitude) <= 180)
	}), nil
}

// fullName returns the name with its region and country.
func (s spot) fullName() string {
	var parts []string
	for _, p := range []string{s.Name, s.Admin1, s.Country} {
		if p = tidy(p); p != "" && !slices.Contains(parts, p) {
			parts = append(parts, string([]rune(p)[:min(len([]rune(p)), maxPlace)]))
		}
	}
	return strings.Join(parts, ", ")
}

func (s spot) place() place { return place{s.fullName(), s.Latitude, s.Longitude} }

// within reports whether the place is in all of the named regions: countries, country codes, or parts of
// countries.
func (s spot) within(names []string) bool {
	for _, name := range names {
		lies := slices.ContainsFunc([]string{s.Country, s.CountryCode, s.Admin1, s.Admin2}, func(of string) bool {
			return of != "" && (alike(of, name) || alike(of, aliases[strings.ToLower(strings.ReplaceAll(name, ".", ""))]))
		})
		if !lies {
			return false
		}
	}
	return true
}

func alike(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// aliases maps alternative names of countries and states to those of the service.
var aliases = map[string]string{
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

// some returns up to three distinct names of the places.
func some(found []spot) []string {
	var names []string
	for _, s := range found {
		if n := s.fullName(); len(names) < 3 && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
