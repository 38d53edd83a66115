package place

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

// extractLocation finds the place that a text speaks of, by the names that are known here
// and by how names of places stand in a sentence.
func extractLocation(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("find a place in"))
	if err != nil {
		return toolbox.Output{}, err
	}
	place := locate(text)
	if place == "" {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("I found no place in this text. Name it, such as “Lisbon” or “London, UK”."),
			Err:      errors.New("no place in the text"),
		}
	}
	return toolbox.Output{Value: place, About: plan.Say("the place that the text speaks of")}, nil
}

var (
	// toPlaces stand before the name of a place.
	toPlaces = prose.Set("in at near around to from for of above over via outside visit visiting visited through leaving reach reached")
	// joints stand within names: Stratford-upon-Avon, Rio de Janeiro, Isle of Man.
	joints = prose.Set("of de da do del di la le les los el upon on am an der den and the sur")
	// noPlaces have capitals and are no places.
	noPlaces = prose.Set(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
		september october november december christmas easter i i'm we you he she they it internet english french german spanish
		mr mrs ms dr god`)
	// aroundPlaces are the words of a question about a place.
	aroundPlaces = prose.Set(`what what's whats is it the weather forecast temperature like how hows how's warm cold hot windy rain raining snow snowing
		will does do did today tomorrow tonight now right this next week weekend morning afternoon evening please pls tell me give show get check
		look up a an my current conditions there going be location place where city town country need umbrella i time date clock
		which text about any of`)
)

// named is a name within a text.
type namedPlace struct {
	text   string
	known  bool // to the list of places
	placed bool // behind a word that places stand behind
}

// locate is the place that a text speaks of: a known one behind a word such as "in" before any
// other known one, before an unknown one behind such a word; "" if there is none.
func locate(text string) string {
	var best namedPlace
	weight := func(n namedPlace) int {
		w := 0
		if n.known {
			w += 2
		}
		if n.placed {
			w++
		}
		return w
	}
	for _, s := range prose.Sentences(text) {
		for _, n := range names(s) {
			if weight(n) > weight(best) {
				best = n
			}
		}
	}
	if best.text != "" {
		return best.text
	}
	return plainly(text)
}

// names are the names in a sentence that may be of places.
func names(s string) []namedPlace {
	all := prose.Tokens(s)
	few := len(all) <= 12 // a message, in which people leave out capitals
	var found []namedPlace
	for i := 0; i < len(all); i++ {
		placed := i > 0 && toPlaces[all[i-1].Lower()] || i > 1 && all[i-1].Lower() == "the" && toPlaces[all[i-2].Lower()]
		if n := knownAt(s, all[i:], few); n > 0 {
			end := i + n
			for end < len(all) && parted(s, all[end-1], all[end]) { // ", UK"
				end++
			}
			found = append(found, namedPlace{s[all[i].Start:all[end-1].End], true, placed})
			i = end - 1
			continue
		}
		if !placed || !capital(all[i]) || noPlaces[all[i].Lower()] {
			continue
		}
		end := i + 1
		for end < len(all) && (adjacent(s, all[end-1], all[end]) && (capital(all[end]) || joined(s, all, end)) || parted(s, all[end-1], all[end])) {
			end++
		}
		found = append(found, namedPlace{s[all[i].Start:all[end-1].End], false, true})
		i = end - 1
	}
	return found
}

// knownAt is how many words from the first on are the name of a known place, 0 if none. Without a
// capital it counts only where people leave these out.
func knownAt(s string, all []prose.Token, few bool) int {
	gaz := gazetteer()
	for n := min(len(all), 5); n > 0; n-- {
		name := fold(s[all[0].Start:all[n-1].End])
		_, place := gaz.places[name]
		_, land := gaz.lands[name]
		switch {
		case !place && !land, prose.IsStop(all[0].Lower()) && n == 1 && !upper(all[0]):
		case len(name) < 4 && !upper(all[0]): // "us", "et"
		case capital(all[0]) || few:
			return n
		}
	}
	return 0
}

func capital(t prose.Token) bool { return unicode.IsUpper(prose.FirstLetter(t.Text)) }

// upper tells whether a word is all capitals: "US".
func upper(t prose.Token) bool { return len(t.Text) > 1 && t.Text == strings.ToUpper(t.Text) }

// adjacent tells whether nothing but a space or a hyphen stands between two words.
func adjacent(s string, a, b prose.Token) bool {
	between := s[a.End:b.Start]
	return between == " " || between == "-"
}

// parted tells whether the second word is what the first lies in: "London, UK".
func parted(s string, a, b prose.Token) bool {
	return strings.TrimSpace(s[a.End:b.Start]) == "," && capital(b) && !noPlaces[b.Lower()]
}

// joined tells whether a small word joins two parts of a name.
func joined(s string, all []prose.Token, at int) bool {
	return joints[all[at].Lower()] && at+1 < len(all) && capital(all[at+1]) && adjacent(s, all[at], all[at+1])
}

// plainly is the place of a few words without capitals, such as "weather in bergen": what
// stands behind the last word that places stand behind, or is left without those of a question.
func plainly(text string) string {
	s := prose.OneLine(text)
	all := prose.Tokens(s)
	const most = 12
	if len(all) > most {
		return ""
	}
	begin := 0
	for i, t := range all {
		if toPlaces[t.Lower()] && i+1 < len(all) && !aroundPlaces[all[i+1].Lower()] {
			begin = i + 1
		}
	}
	rest := slices.DeleteFunc(slices.Clone(all[begin:]), func(t prose.Token) bool {
		return prose.IsStop(t.Lower()) || aroundPlaces[t.Lower()] || toPlaces[t.Lower()] || noPlaces[t.Lower()]
	})
	const longest = 4
	if len(rest) == 0 || len(rest) > longest || begin == 0 && len(rest) > 2 {
		return ""
	}
	return s[rest[0].Start:rest[len(rest)-1].End]
}
