// Package quantity understands quantities, times and positions in English: sizes, angles, positions,
// regions, strengths, limits and passages, within the words of a request.
//
// Guarantees:
//   - It is pure: no I/O, no imports of ours, and no input causes a panic.
//   - Each function reports whether it understood, and never makes up a value. Contradictions and
//     nonsense ("-50%" of a size, "1e400") are not understood.
//   - Every number that it returns is finite and within the range in its comment.
package quantity

import (
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
)

// number matches an unsigned decimal number, short enough not to overflow; it must be preceded by \b
// or another boundary.
const number = `(\d{1,6}(?:\.\d{1,12})?|\.\d{1,12})`

// words maps words to digits, symbols or a single spelling.
var words = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14",
	"fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20",
	"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
	"percent": "%", "center": "centre", "centered": "centre", "centred": "centre", "middle": "centre",
	"midpoint": "centre",
	"color":    "colour", "colors": "colours", "colorful": "colourful", "gray": "grey",
}

var signs = strings.NewReplacer(
	"×", "x", "½", " 1/2", "¼", " 1/4", "¾", " 3/4", "⅓", " 1/3", "⅔", " 2/3", "°", " degrees ",
	"per cent", "%", "%", " % ", "–", "-", "—", " ", "−", "-", "’", "'", "\"", " ", ";", " , ",
	"(", " ", ")", " ", "!", " ", "?", " ")

var (
	andAHalf = lazyregexp.New(`\b(\d{1,3}) and (?:a|1) half\b`)
	unitHalf = lazyregexp.New(`\b(?:an?|1) (hour|minute|second) and (?:a|1) half\b`)
	comma    = lazyregexp.New(`([a-z%]),`)
	fullStop = lazyregexp.New(`\.(\s|$)`)
)

// maxText is the length to which texts are cut; quantities are short.
const maxText = 400

// fold normalizes a text for the patterns: lower case, single spaces, numbers in digits, one spelling.
func fold(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	s = signs.Replace(strings.ToLower(s))
	s = fullStop.ReplaceAllString(comma.ReplaceAllString(splitHyphens(s), "$1 ,"), " ")
	fields := strings.Fields(s)
	for i, f := range fields {
		if w, ok := words[f]; ok {
			fields[i] = w
		}
	}
	s = strings.Join(fields, " ")
	return unitHalf.ReplaceAllString(andAHalf.ReplaceAllString(s, "$1.5"), "1.5 ${1}s")
}

// Spelled reports whether a word is an integer of at least two: "seven". "One" is rarely a count.
func Spelled(word string) bool {
	n, err := strconv.Atoi(words[strings.ToLower(word)])
	return err == nil && n > 1
}

// splitHyphens splits "two-thirds", but leaves "-90" and "10-20" unchanged.
func splitHyphens(s string) string {
	runes := []rune(s)
	for i := 1; i+1 < len(runes); i++ {
		if runes[i] == '-' && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1]) {
			runes[i] = ' '
		}
	}
	return string(runes)
}

// float parses a match of the pattern number; 0 for the empty string.
func float(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0 // only for a group that did not match
	}
	return v
}

// whole parses an integer of up to nine digits; 0 for the empty string.
func whole(s string) int { return int(float(s)) }

var (
	percentage = lazyregexp.New(`(?:^|[^\d.])` + number + ` ?%`)
	ratio      = lazyregexp.New(`(?:^|[^\d./])(\d{1,4}) ?/ ?(\d{1,4})(?:$|[^\d./])`)
	named      = lazyregexp.New(`(?:\b(\d{1,3}) )?\b(half|halves|halve|halved|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)\b`)
)

// share parses a fraction: "50%", "1/3", "two thirds", "half". at is its byte range. It may exceed 1: "150%".
func share(s string) (v float64, at [2]int, ok bool) {
	if m := percentage.FindStringSubmatchIndex(s); m != nil {
		return float(s[m[2]:m[3]]) / 100, [2]int{m[2], m[1]}, true
	}
	if m := ratio.FindStringSubmatchIndex(s); m != nil {
		if d := float(s[m[4]:m[5]]); d > 0 {
			return float(s[m[2]:m[3]]) / d, [2]int{m[2], m[5]}, true
		}
	}
	if m := named.FindStringSubmatchIndex(s); m != nil {
		count := 1.0
		if m[2] >= 0 {
			count = float(s[m[2]:m[3]])
		}
		return count / denominator(s[m[4]:m[5]]), [2]int{m[0], m[1]}, true
	}
	return 0, at, false
}

func denominator(word string) float64 {
	switch strings.TrimSuffix(word, "s") {
	case "third":
		return 3
	case "quarter", "fourth":
		return 4
	case "fifth":
		return 5
	case "sixth":
		return 6
	case "eighth":
		return 8
	case "tenth":
		return 10
	}
	return 2 // half, halves, halve, halved
}
