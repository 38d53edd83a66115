package offline

import (
	"regexp"
	"strings"
	"unicode"

	"atelier/agent/toolbox/retrieve"
)

// How much, how large or how long: "half as large", "800 pixels wide", "from 3 to 10
// seconds".

var (
	amountWords = regexp.MustCompile(`(?i)\b(?:half|twice|double|triple|quarter|third|thirds|smaller|larger|bigger|slightly|` +
		`a little|a bit|a lot|strongly|heavily|left|right|clockwise|counter-?clockwise|anticlockwise|upside down|` +
		`first|last|middle|beginning|end|start|square|portrait|landscape|upright)\b`)

	amountFigures = regexp.MustCompile(`(?i)` +
		// two figures: 800x600, 3 to 10 seconds
		`\d+(?:[.,:]\d+)*\s*(?:x|×|by|-|–|to|until)\s*\d+(?:[.,:]\d+)*\s*(?:pixels?|px|seconds?|secs?|s\b|minutes?|min\b)?|` +
		// one figure: 50%, 2 MB, -90 degrees
		`(?:\B-)?\d+(?:[.,:/]\d+)*\s*(?:%|percent|°|degrees?|px|pixels?|[kmg]i?b\b|megabytes?|kilobytes?|bytes?|` +
		`s\b|secs?\b|seconds?|min\b|minutes?|x\b|times|st\b|nd\b|rd\b|th\b)?`)

	// amountUnit is a unit that stands before its figure: "minute 3".
	amountUnit = regexp.MustCompile(`(?i)\b(?:seconds?|minutes?|hours?)\s+$`)

	// amountEnd is where the phrase of an amount ends.
	amountEnd = regexp.MustCompile(`[,.;!?\n]| (?:so|because|please|pls|and|for|out|off|since|thanks)\b`)
)

// amount is what the clause says of an amount, else what the statement before it told.
func (s *scene) amount(u *understood) string {
	if amount := amountIn(s.withoutFiles(u.words, u.text)); amount != "" {
		return amount
	}
	return amountIn(s.background)
}

// amountIn is the phrase from the first figure or word of quantity to the last, with
// the words after it that tell how it is meant; "" if there is none.
func amountIn(text string) string {
	places := amountFigures.FindAllStringIndex(text, -1)
	for i, at := range places {
		if figure := strings.TrimSpace(text[at[0]:at[1]]); unicode.IsDigit(rune(figure[len(figure)-1])) { // not "the second 90 degrees"
			if unit := amountUnit.FindStringIndex(text[:at[0]]); unit != nil {
				places[i][0] = unit[0]
			}
		}
	}
	if word := amountWords.FindStringIndex(text); word != nil {
		places = append(places, word)
	}
	if len(places) == 0 {
		return ""
	}
	begin, end := len(text), 0
	for _, at := range places {
		begin, end = min(begin, at[0]), max(end, at[1])
	}
	rest := text[end:]
	if at := amountEnd.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	return strings.TrimSpace(text[begin:end] + amountTail(rest))
}

// dropping reports whether an order takes a part away: "remove the first 2 seconds", "cut off the
// end"; not "cut 0:10 to 0:20 out of it", which keeps that part.
func dropping(words []retrieve.Word) bool {
	for i, w := range words {
		if w.Kind != retrieve.Plain {
			continue
		}
		if droppingWords.has(w) || cuttingWords.has(w) && i+1 < len(words) && awayWords.has(words[i+1]) {
			return true
		}
	}
	return false
}

// amountTail is how a phrase of an amount goes on: "half" with "as large", "800" with
// "pixels wide"; other words do not belong to it.
func amountTail(rest string) string {
	end := 0
	for {
		word := strings.TrimLeft(rest[end:], " ")
		begin := len(rest) - len(word)
		word, _, _ = strings.Cut(word, " ")
		if !amountUnits[strings.ToLower(word)] {
			return rest[:end]
		}
		end = begin + len(word)
	}
}
