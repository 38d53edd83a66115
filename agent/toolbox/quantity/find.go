package quantity

import (
	"strings"

	"atelier/agent/lazyregexp"
)

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
	timeWord = `(?:hours?|minutes?|seconds)\b`
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
	{Time, digits + `[ -]?` + timeUnit + `(?: (?:and )?` + digits + ` ?` + timeUnit + `)*|(?:half an?|` + counting + `) ` + timeWord + `|half a second\b`},
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
