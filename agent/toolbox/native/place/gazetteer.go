// Package place finds place names in texts, and reports the time and the weather of places.
//
// Guarantees:
//   - It uses no clock and no server: the call provides the time and the weather.
package place

import (
	_ "embed"
	"strings"
	"sync"
	"time"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/native/prose"
)

// zoneList is the list of time zones with their places.
//
//go:embed words/zones.txt
var zoneList string

// landList is the list of countries with several zones.
//
//go:embed words/lands.txt
var landList string

// spot is a known place and its time zone.
type spot struct{ name, zone string }

func (s spot) load() (string, *time.Location, error) {
	zone, err := time.LoadLocation(s.zone)
	if err != nil { // cannot happen: the list is tested against the embedded zones
		return "", nil, &plan.Fault{Sentence: plan.Say("I do not know that time zone."), Err: err}
	}
	if s.name == "" {
		return "", zone, nil
	}
	return " in " + s.name, zone, nil
}

// atlas looks up places by folded name.
type atlas struct {
	places map[string]spot
	lands  map[string][]string // countries with several zones, with example cities
}

var gazetteer = sync.OnceValue(func() atlas {
	a := atlas{places: map[string]spot{}, lands: map[string][]string{}}
	for _, z := range []string{"utc", "gmt", "z", "zulu", "universal", "greenwich mean", "coordinated universal"} {
		a.places[z] = spot{"", "UTC"}
	}
	var names []string
	for _, line := range prose.Lines(zoneList) {
		zone, others, _ := strings.Cut(line, ":")
		city := zone[strings.LastIndexByte(zone, '/')+1:]
		a.places[fold(zone)] = spot{inSentence(fold(city)), zone}
		a.places[fold(city)] = spot{inSentence(fold(city)), zone}
		for name := range strings.SplitSeq(others, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name+"="+zone)
			}
		}
	}
	for _, n := range names { // common names take precedence over a zone's own city
		name, zone, _ := strings.Cut(n, "=")
		a.places[fold(name)] = spot{inSentence(name), zone}
	}
	for _, line := range prose.Lines(landList) {
		land, cities, _ := strings.Cut(line, ":")
		for city := range strings.SplitSeq(cities, ",") {
			a.lands[fold(land)] = append(a.lands[fold(land)], strings.TrimSpace(city))
		}
	}
	return a
})

// fold normalizes a place name: lower case, no accents or dots, spaces for '_', '/' and hyphens, "st" for "saint".
func fold(place string) string {
	place = strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		for plain, accented := range accents {
			if strings.ContainsRune(accented, r) {
				return plain
			}
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		case r == '.' || r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
			return -1
		}
		return ' '
	}, place)
	words := strings.Fields(place)
	for i, w := range words {
		if w == "saint" {
			words[i] = "st"
		}
	}
	return strings.Join(words, " ")
}

var accents = map[rune]string{
	'a': "áàâäãåāă", 'c': "çćč", 'd': "ð", 'e': "éèêëēěę", 'g': "ğ", 'i': "íìîïıī", 'l': "ł",
	'n': "ñńň", 'o': "óòôöõøō", 's': "śšşș", 't': "țţ", 'u': "úùûüūů", 'y': "ýÿ", 'z': "źżž",
}

// placeCase capitalizes a place name.
func placeCase(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		switch {
		case i > 0 && (w == "of" || w == "the" || w == "and" || w == "es"):
		case strings.Contains(zoneLetters, " "+w+" ") || w == "drc":
			words[i] = strings.ToUpper(w)
		default:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// zoneLetters are names written in capitals.
const zoneLetters = " uk uae usa us nyc la dc cet cest eet eest est edt et cst cdt ct mst mdt mt pst pdt pt jst kst ist bst hkt msk aest aedt awst nzst nzdt "

// withArticle are names that need "the".
const withArticle = " uk uae us usa drc netherlands philippines bahamas gambia maldives united kingdom " +
	"united states united arab emirates czech republic dominican republic democratic republic of the congo "

// inSentence returns a place name as it appears after "in".
func inSentence(name string) string {
	if strings.Contains(withArticle, " "+name+" ") {
		return "the " + placeCase(name)
	}
	return placeCase(name)
}
