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
	"cmp"
	"math"
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

// InDigits replaces number words before units of time and angle with digits: "the last five secs", "four degrees". Words
// after a colon, or after a word such as "write" or "called", may be a text and stay as they are, unless the text is quoted:
// the caller replaces each quotation with a private character.
func InDigits(text string) string {
	end := len(text)
	if m := wordsFollow.FindStringIndex(text); m != nil && !strings.ContainsFunc(text, private) {
		end = m[0]
	}
	return countedUnits.ReplaceAllStringFunc(text[:end], func(found string) string {
		m := countedUnits.FindStringSubmatch(found)
		n := 0
		for _, word := range m[1:3] {
			n += whole(cmp.Or(words[strings.ToLower(word)], "0"))
		}
		return strconv.Itoa(n) + " " + m[3]
	}) + text[end:]
}

func private(r rune) bool { return unicode.Is(unicode.Co, r) }

var (
	wordsFollow = lazyregexp.New(`(?i):|\b(?:write|writes|say|says|saying|reads?|speak|captions?|captioned|text|titled?|named|called|labell?ed|` +
		`draw|paint|generate|create|compose|imagine)\b`)
	// "one second" may be the second one.
	countedUnits = lazyregexp.New(`(?i)\b(?:(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -])?` +
		`(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|` +
		`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (seconds|secs?|minutes|mins?|hours|degrees)\b`)
)

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

// Fraction parses a fraction: "50%", "two thirds", "half".
func Fraction(text string) (float64, bool) {
	v, _, ok := share(numerals(fold(text)))
	return v, ok
}

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

// Unit is the unit of a quantity in a text.
type Unit string

// The units.
const (
	Pixels    Unit = "pixels"     // "240 pixels", "800x600", "360p"
	Percent   Unit = "percent"    // "20 %"
	ByteCount Unit = "bytes"      // "8 MB"
	Time      Unit = "time"       // "5 s", "seconds 2 to 4", "1 minute 30 seconds"
	Clock     Unit = "clock"      // "0:30"; also used for a ratio such as "9:16"
	Ratio     Unit = "ratio"      // "16:9"
	Degrees   Unit = "degrees"    // "90°"
	Factor    Unit = "factor"     // "2x", "3 times", "twice"
	Share     Unit = "share"      // "1/3", "half"
	FrameRate Unit = "frame rate" // "10 fps"
	Loudness  Unit = "loudness"   // "-16 LUFS"
	Gain      Unit = "gain"       // "+6 dB"
	BitRate   Unit = "bit rate"   // "32 kbps"
	Frequency Unit = "frequency"  // "44.1 kHz"
	Stops     Unit = "stops"      // of exposure: "1.5 stops", "+1 EV"
	Density   Unit = "density"    // "300 dpi"
	Length    Unit = "length"     // length of a text: "two sentences"
	Number    Unit = "number"     // without a unit
)

// Quantity is a number in a text with its unit. Start and End are byte offsets.
type Quantity struct {
	Unit       Unit
	Start, End int
}

const (
	digits   = `\d+(?:[.,]\d+)*`
	spelled  = `one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty`
	counting = `(?:` + digits + `|an?|` + spelled + `)`
	timeUnit = `(?:hours?|hrs?|h|minutes?|mins?|m|milliseconds?|ms|seconds?|secs?|s)\b`
	timeWord = `(?:hours?|minutes?|mins|seconds|secs)\b`
)

// forms are the ways to write quantities; the first that matches wins.
var forms = []struct {
	unit    Unit
	pattern string
}{
	{Pixels, `\d{1,6}(?:\.\d+)? ?(?:px|pixels?|pix)? ?(?:x|×|\*|by) ?\d{1,6}(?:\.\d+)?(?: ?(?:px|pixels?|pix))?\b`},
	{Pixels, digits + `[ -]?(?:px|pixels?|pix)\b(?: (?:wide|high|tall))?|\d{3,4}p\b|` + digits + ` (?:wide|high|tall)\b`},
	{FrameRate, digits + ` ?(?:fps\b|frames? ?(?:per|a|/) ?s(?:ec(?:ond)?)?\b)`},
	{BitRate, digits + ` ?(?:[km]bps|[km]bits?(?:/s| per second)?|[km]b/s)\b|\b(?:32|48|64|96|112|128|160|192|224|256|320)k\b`},
	{ByteCount, digits + ` ?(?:[kmg]i?b|[kmg]bytes?|megs?|(?:kilo|mega|giga)?bytes?)\b`},
	{Loudness, `-?` + digits + ` ?(?:lufs|lkfs)\b`},
	{Gain, `-?` + digits + ` ?(?:dbfs|db|decibels?)\b`},
	{Frequency, digits + ` ?k?hz\b`},
	{Stops, `(?:(?:-?` + digits + `|\d/\d)[ -]?|(?:(?:half )?an?|` + spelled + `)[ -])(?:f[ -]?|full )?(?:stops?|ev)\b`},
	{Density, digits + ` ?(?:dpi|ppi)\b`},
	{Degrees, `-?` + digits + ` ?(?:°|degrees?\b|deg\b)`},
	{Percent, digits + ` ?(?:%|percent\b|per cent\b)`},
	{Length, `(?:` + digits + `|` + spelled + `)[ -](?:\w+ )?(?:sentences?|words?|paragraphs?|bullets?|bullet points?|lines|pages)\b`},
	{Time, counting + ` and an? half ` + timeUnit + `|` + counting + ` (?:hour|minute|second) and a half\b`},
	{Factor, counting + ` and an? half times\b`},
	{Time, digits + `[ -]?` + timeUnit + `(?: (?:and )?` + digits + ` ?` + timeUnit + `)*|(?:half an?|` + counting + `) ` + timeWord +
		`|one sec\b|half a second\b`},
	{Time, `(?:hours?|minutes?|mins?|seconds?|secs?) ` + digits + `(?: ?(?:-|–|to|until|till) ?` + digits + `)?\b`},
	{Factor, digits + ` ?(?:x\b|×|times\b|-?fold\b)|x ?` + digits + `|` + counting + ` times\b`},
	{Factor, `(?:twice|thrice|doubled?|tripled?|quadrupled?)\b`},
	{Share, `\d{1,3}/\d{1,3}\b|half\b`},
	{Clock, `(?:\d{1,3}:)?\d{1,3}:\d{2}(?:\.\d+)?\b`},
	{Ratio, `\d{1,2} ?: ?\d{1,2}\b`},
	{Number, `-?` + digits},
}

// quantities matches a quantity at the start of a text, with one group per form.
var quantities = func() lazyregexp.Regexp {
	groups := make([]string, len(forms))
	for i, f := range forms {
		groups[i] = `(` + f.pattern + `)`
	}
	return lazyregexp.New(`^(?i:` + strings.Join(groups, `|`) + `)`)
}()

// firstWords are the words that begin a quantity.
var firstWords = map[string]bool{
	"a": true, "an": true, "half": true, "x": true, "twice": true, "thrice": true,
	"one": true, "two": true, "three": true, "four": true, "five": true, "six": true, "seven": true, "eight": true,
	"nine": true, "ten": true, "twenty": true, "thirty": true,
	"hour": true, "hours": true, "minute": true, "minutes": true, "min": true, "mins": true,
	"second": true, "seconds": true, "sec": true, "secs": true,
	"double": true, "doubled": true, "triple": true, "tripled": true, "quadruple": true, "quadrupled": true,
}

// mayBegin reports whether a quantity may begin the text. It spares most words the long expression.
func mayBegin(text string) bool {
	end := 0
	for end < len(text) && ('a' <= text[end]|0x20 && text[end]|0x20 <= 'z') {
		end++
	}
	return end == 0 || firstWords[strings.ToLower(text[:end])]
}

// Find returns the quantities in a text, in order. Digits within words do not count ("mp4", "part1").
func Find(text string) []Quantity {
	var found []Quantity
	for at := 0; at < len(text); {
		if !letterOrDigit(text[at]) && text[at] != '-' {
			at++
			continue
		}
		var m []int
		if mayBegin(text[at:]) {
			m = quantities.FindStringSubmatchIndex(text[at:])
		}
		switch {
		case m != nil && !within(text, at):
			unit, end := matchedUnit(m), at+m[1]
			by := countedBy.FindStringSubmatchIndex(text[at:])
			if by == nil && ofPage.MatchString(text[:at]) {
				by = numberBy.FindStringSubmatchIndex(text[at:])
			}
			if unit == Pixels && by != nil { // "page 2 by 90 degrees"
				unit, end = Number, at+by[3]
			}
			found = append(found, Quantity{withoutUnit(text[:at], unit), at, end})
			at = end
		case text[at] == '-' && clockAhead.MatchString(text[at+1:]): // "0:05-0:10"
			at++
		case m != nil || text[at] != '-':
			at = wordEnd(text, at+1)
		default:
			at++
		}
	}
	return found
}

// matchedUnit returns the unit of the form that matched.
func matchedUnit(groups []int) Unit {
	for i, f := range forms {
		if groups[2+2*i] >= 0 {
			return f.unit
		}
	}
	return Number
}

// countedBy matches a number followed by "by" and another unit, which is not part of a size.
var countedBy = lazyregexp.New(`^(?i:(\d{1,6}) by -?\d{1,6} ?(?:°|degrees?\b|deg\b|%|percent\b|per cent\b))`)

// ofPage and numberBy match a page number followed by "by", which is not part of a size: "page 2 by 180".
var (
	ofPage   = lazyregexp.New(`(?i)\bpages? $`)
	numberBy = lazyregexp.New(`^(?i:(\d{1,6}) by )`)
)

var clockAhead = lazyregexp.New(`^(?:\d{1,3}:)?\d{1,3}:\d{2}(?:\.\d+)?\b`)

// elliptic matches a text after which a number repeats the unit of the time before: "in over 1 second and out over 4".
var elliptic = lazyregexp.New(`(?i)\d ?(?:s|secs?|seconds?) and (?:\pL+ )?(?:over|for|lasting) $`)

// withoutUnit returns the unit of a number, which may be implied by the time before it.
func withoutUnit(before string, own Unit) Unit {
	if own == Number && elliptic.MatchString(before) {
		return Time
	}
	return own
}

// wordEnd returns the end of the word at that position.
func wordEnd(text string, at int) int {
	for at < len(text) && letterOrDigit(text[at]) {
		at++
	}
	return at
}

// within reports whether the position is inside a word.
func within(text string, at int) bool {
	return at > 0 && (letterOrDigit(text[at-1]) || text[at-1] == '_')
}

func letterOrDigit(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b >= 0x80
}

var (
	// exotic matches numbers that are never meant: "1e400", "NaN", "infinite".
	exotic = lazyregexp.New(`\d\.?e[+-]?\d|\b(?:nan|inf|infinity|infinite|infinitely)\b`)
	// negative matches a negative number; "10-20" and "10 - 20" are ranges.
	negative  = lazyregexp.New(`(?:^|[\s,x*:+])-\.?\d|^- ?\.?\d|\bminus \.?\d`)
	thousands = lazyregexp.New(`\b(\d{1,3}),(\d{3})\b`)
	decimal   = lazyregexp.New(`\b(\d{1,6}),(\d{1,2})\b`)
)

// senseless reports whether a folded text contains a number that cannot be a quantity.
func senseless(s string) bool { return exotic.MatchString(s) || negative.MatchString(s) }

// numerals normalizes "1,500" and "1,5"; commas of lists stay.
func numerals(s string) string {
	return decimal.ReplaceAllString(thousands.ReplaceAllString(s, "$1$2"), "$1.$2")
}

var (
	numeral = lazyregexp.New(`(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}) ?(%|min|m\b|h\b|hour|k)?`)
	clock   = lazyregexp.New(`\b(?:(\d{1,3}):)?(\d{1,3}):(\d{2}(?:\.\d{1,9})?)\b`)
	spoken  = map[string]float64{
		"half": 0.5, "halve": 0.5, "twice": 2, "double": 2, "thrice": 3, "triple": 3, "quadruple": 4,
		"third": 1.0 / 3, "quarter": 0.25, "a": 1, "an": 1,
	}
	spelledOut = lazyregexp.New(`\b(?:half|halve|twice|double|thrice|triple|quadruple|third|quarter|an?\b)`)
)

// Numbers returns the numbers in a text, in every unit in which a tool may take them: "2 minutes" is 2
// and 120, "50 %" is 50 and 0.5, "1:30" is 1, 30 and 90.
func Numbers(text string) map[float64]bool {
	all := map[float64]bool{}
	for _, piece := range pieces(text) {
		addNumbers(all, numerals(fold(piece)))
	}
	return all
}

// pieces splits a text at line ends, else at spaces, into pieces that [fold] does not cut.
func pieces(text string) []string {
	var all []string
	for len(text) > maxText {
		last := func(sep string) int { return max(strings.LastIndex(text[:maxText], sep), 0) }
		end := cmp.Or(last("\n"), last(" "), maxText)
		all, text = append(all, text[:end]), text[end:]
	}
	return append(all, text)
}

// addNumbers adds the numbers in a folded text.
func addNumbers(all map[float64]bool, s string) {
	for _, m := range clock.FindAllStringSubmatch(s, -1) {
		all[clockSeconds(m)] = true
	}
	for _, m := range numeral.FindAllStringSubmatch(s, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			continue
		}
		all[v] = true
		switch m[2] {
		case "%":
			all[v/100] = true
		case "min", "m":
			all[60*v] = true
		case "h", "hour":
			all[3600*v] = true
		case "k":
			all[1000*v] = true
		}
	}
	for _, w := range spelledOut.FindAllString(s, -1) {
		all[spoken[w]] = true
	}
}

// clockSeconds returns the seconds of a match of clock.
func clockSeconds(m []string) float64 { return 3600*float(m[1]) + 60*float(m[2]) + float(m[3]) }

// Says reports whether a quantity matches these numbers of a text.
func Says(numbers map[float64]bool, said string) bool {
	said = numerals(fold(said))
	said = clock.ReplaceAllStringFunc(said, func(time string) string {
		m := clock.FindStringSubmatch(time)
		if anyOf(numbers, map[float64]bool{clockSeconds(m): true}) {
			return ""
		}
		return time
	})
	for _, one := range numeral.FindAllString(said, -1) {
		if !anyOf(numbers, turned(one)) {
			return false
		}
	}
	for _, w := range spelledOut.FindAllString(said, -1) {
		if w != "a" && w != "an" && !anyOf(numbers, map[float64]bool{spoken[w]: true, 100 * spoken[w]: true}) {
			return false
		}
	}
	return true
}

// turned returns the numbers of a numeral, and their complements and inverses: "20 % slower" is 80 %,
// "2x slower" is 0.5.
func turned(one string) map[float64]bool {
	all := Numbers(one)
	for v := range Numbers(one) {
		if strings.Contains(one, "%") && v < 100 {
			all[100+v], all[100-v], all[1+v/100], all[1-v/100] = true, true, true, true
		} else if v > 0 {
			all[1/v], all[100*v] = true, true
		}
	}
	return all
}

// anyOf reports whether the sets share a number.
func anyOf(a, b map[float64]bool) bool {
	for v := range b {
		for w := range a {
			if math.Abs(v-w) < 0.01*math.Max(math.Abs(v), 0.01) {
				return true
			}
		}
	}
	return false
}
