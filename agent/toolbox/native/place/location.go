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

// extractLocation finds the place that a text is about, by known names and by words that precede place names.
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
	return toolbox.Output{Value: place, About: plan.Say("the place in the text")}, nil
}

var (
	// toPlaces are words before place names.
	toPlaces = prose.Set("in at near around to from for of above over via outside visit visiting visited through leaving reach reached")
	// joints are words within names: Stratford-upon-Avon, Rio de Janeiro, Isle of Man.
	joints = prose.Set("of de da do del di la le les los el upon on am an der den and the sur")
	// noPlaces are capitalized words that are not places.
	noPlaces = prose.Set(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
		september october november december christmas easter i i'm we you he she they it internet english french german spanish
		mr mrs ms dr god`)
	// aroundPlaces are other words in questions about a place.
	aroundPlaces = prose.Set(`what what's whats is it the weather forecast temperature like how hows how's warm cold hot windy rain raining snow snowing
		will does do did today tomorrow tonight now right this next week weekend morning afternoon evening please pls tell me give show get check
		look up a an my current conditions there going be location place where city town country need umbrella i time date clock
		which text about any of`)
)

// namedPlace is a possible place name in a text.
type namedPlace struct {
	text   string
	known  bool // whether it is in the gazetteer
	placed bool // whether it follows a word in toPlaces
}

// locate returns the place that a text is about: preferably a known place after a word such as "in",
// then any known place, then an unknown name after such a word; "" if there is none.
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
	return bareLocation(text)
}

// names returns the possible place names in a sentence.
func names(s string) []namedPlace {
	all := prose.Tokens(s)
	few := len(all) <= 12 // short messages often leave out capitals
	var found []namedPlace
	for i := 0; i < len(all); i++ {
		placed := i > 0 && toPlaces[all[i-1].Lower()] || i > 1 && all[i-1].Lower() == "the" && toPlaces[all[i-2].Lower()]
		if n := knownAt(s, all[i:], few); n > 0 {
			end := i + n
			for end < len(all) && followedByRegion(s, all[end-1], all[end]) { // ", UK"
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
		for end < len(all) && (adjacent(s, all[end-1], all[end]) && (capital(all[end]) || joined(s, all, end)) || followedByRegion(s, all[end-1], all[end])) {
			end++
		}
		found = append(found, namedPlace{s[all[i].Start:all[end-1].End], false, true})
		i = end - 1
	}
	return found
}

// knownAt returns the number of words of the known place name at the start of all, 0 if there is none.
// Names without a capital only count in short messages.
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

// upper reports whether a word is all capitals: "US".
func upper(t prose.Token) bool { return len(t.Text) > 1 && t.Text == strings.ToUpper(t.Text) }

// adjacent reports whether only a space or a hyphen is between two words.
func adjacent(s string, a, b prose.Token) bool {
	between := s[a.End:b.Start]
	return between == " " || between == "-"
}

// followedByRegion reports whether the second word follows after a comma, like a region: "London, UK".
func followedByRegion(s string, a, b prose.Token) bool {
	return strings.TrimSpace(s[a.End:b.Start]) == "," && capital(b) && !noPlaces[b.Lower()]
}

// joined reports whether a small word joins two parts of a name.
func joined(s string, all []prose.Token, at int) bool {
	return joints[all[at].Lower()] && at+1 < len(all) && capital(all[at+1]) && adjacent(s, all[at], all[at+1])
}

// bareLocation finds the place in a short text without capitals, such as "weather in bergen": the words
// after the last preposition, or what is left without question words.
func bareLocation(text string) string {
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
