package quantity

import (
	"math"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

// Property is an adjustable property of a picture.
type Property string

// The properties.
const (
	Brightness Property = "brightness"
	Contrast   Property = "contrast"
	Saturation Property = "saturation"
	Warmth     Property = "warmth"
	Sharpness  Property = "sharpness"
	Sepia      Property = "sepia"
	Invert     Property = "invert"
	Vignette   Property = "vignette" // darkening of the corners
	Exposure   Property = "exposure" // light in stops, each of which doubles it
)

// MaxStops is the maximum change of the exposure.
const MaxStops = 5

// Adjustment is a change of one property. By is from -1 to 1; it is 1 for Sepia and Invert, and positive for Vignette.
// For Exposure it is in stops, at most MaxStops either way.
type Adjustment struct {
	Property Property
	By       float64
}

// rim matches the outer parts of a picture, and darkRim phrases that call them dark.
const (
	rim     = `(?:edges|corners|sides|borders|outside|rim)`
	darkRim = `(?:dark|darker|darken|darkened)(?: [a-z]+){0,3} ` + rim + `|` + rim + `(?: [a-z]+){0,4} (?:dark|darker|darkened)`
)

// qualities are nouns for adjustable properties.
const qualities = `(?:brightness|lightness|exposure|contrast|warmth|temperature|sharpness|clarity|saturation|vibrance|colours?)`

// looks maps words to a property, and to whether they mean less of it.
var looks = []struct {
	property Property
	less     bool
	words    lazyregexp.Regexp
}{
	{Sepia, false, lazyregexp.New(`\b(?:sepia|vintage|old fashioned|nostalgic)\b`)},
	{Invert, false, lazyregexp.New(`\b(?:invert|inverted|inverse|negative|reversed? colours|x ray)\b`)},
	{Vignette, false, lazyregexp.New(`\b(?:vignett(?:e|es|ed|ing)|` + darkRim + `)\b`)},
	{Contrast, false, lazyregexp.New(`\b(?:contrast|contrasty|punchier|contrastier)\b`)},
	{Contrast, true, lazyregexp.New(`\b(?:flatter)\b`)},
	{Saturation, true, lazyregexp.New(`\b(?:desaturated?|paler|pale|muted|mute|faded|duller|washed out|colourless)\b`)},
	{Brightness, true, lazyregexp.New(`\b(?:dark|darker|darken|darkened|dim|dimmer|dimmed)\b`)},
	{Brightness, false, lazyregexp.New(`\b(?:bright|brighter|brighten|brightness|lighter|lighten|lightness|exposure|light)\b`)},
	{Warmth, true, lazyregexp.New(`\b(?:cool|cooler|cold|colder|bluer|bluish)\b`)},
	{Warmth, false, lazyregexp.New(`\b(?:warm|warmer|warmth|temperature|golden|yellower)\b`)},
	{Sharpness, false, lazyregexp.New(`\b(?:sharp|sharper|sharpen|sharpened|sharpness|crisp|crisper|clarity)\b`)},
	{Saturation, false, lazyregexp.New(`\b(?:saturation|saturated?|colours?|colourful|vivid|vibrant|vibrance|intense)\b`)},
}

var (
	lessOf  = lazyregexp.New(`\b(?:less|reduce|reduced|lower|lowered|decrease|decreased|down|weaker|weaken|fewer|soften|softer|minus|drop|not (?:so|as))\b`)
	tooMuch = lazyregexp.New(`\btoo\b`)
	undone  = lazyregexp.New(`\b(?:remove|without|no|rid|correct|undo|fix|brighten|lighten|brighter|lighter)\b`)
	// lightAlone matches "light" as a property, as opposed to "lightly".
	lightAlone = lazyregexp.New(`\blight\b`)
	// quality matches a property without a direction: "brightness -20%".
	quality = lazyregexp.New(`\b` + qualities + `\b`)
	// signed matches a sign after a letter: "contrast+20".
	signed = lazyregexp.New(`([a-z])([+-]\d)`)
	// points matches percentages without a percent sign: "warmth +10", "contrast by 20".
	points = lazyregexp.New(`(?:^|\s)(?:[+-]|minus |plus |by )` + number + `$`)
	target = lazyregexp.New(`\bto ` + number + ` ?%`)
	// row matches a property with its amount, followed by another word: "contrast +10% saturation +20%".
	row = lazyregexp.New(`\b(` + qualities + `)( [+-]` + number + `(?: ?%)?) ([a-z])`)
	// stops matches an amount of exposure.
	stops   = lazyregexp.New(`(?:^|\s)([+-]?)(?:` + number + `|(\d)/([1-9])|(half)|(?:(1|2) )?(third)s?|an?)(?: (?:of )?an?)? ?-?(?:f ?|full )?(?:stops?|ev)\b`)
	exposed = lazyregexp.New(`\bexposure\b`)
	darken  = lazyregexp.New(`\b(?:pull|under ?expose)\b`)
	clauses = lazyregexp.New(`,|\band\b|\bbut\b|\bthen\b|\bplus\b|\bwith\b`)
)

// Adjust parses adjustments of a picture: "brighter", "20% darker", "a bit more contrast and less
// colourful", "warmth +10", "contrast to 120%", "sepia", "one stop brighter". A share
// of exposure is one of light: 50% more is 0.58 stops. The default amount is a fifth, "a bit" is a
// tenth, and "much" is two fifths. More saturation is doubled, since a fifth is hardly visible.
func Adjust(text string) ([]Adjustment, bool) {
	var all []Adjustment
	s := signed.ReplaceAllString(numerals(fold(text)), "$1 $2")
	if exotic.MatchString(s) {
		return nil, false
	}
	s = row.ReplaceAllString(s, "$1$2 , $4")
	before := "" // the clause of the last adjustment
	for _, clause := range clauses.Split(s, -1) {
		clause = strings.TrimSpace(clause)
		a, ok := adjustment(clause)
		if _, named := amount(clause); named && !ok && before != "" { // "less contrast, 10%"
			a, ok = adjustment(before + " " + clause)
			all = all[:len(all)-1]
		}
		switch {
		case !ok:
			continue
		case a.By == 0 || slices.ContainsFunc(all, a.contradicts): // "brighter but darker"
			return nil, false
		}
		all, before = append(all, a), clause
	}
	return all, len(all) > 0
}

func (a Adjustment) contradicts(b Adjustment) bool {
	return a.Property == b.Property && (a.By < 0) != (b.By < 0)
}

func adjustment(s string) (Adjustment, bool) {
	if by, ok := exposure(s); ok {
		return Adjustment{Property: Exposure, By: by}, true
	}
	a, ok := changeBy(s)
	if _, named := amount(s); named && ok && a.Property == Brightness && a.By != 0 && exposed.MatchString(s) { // "50% more exposure"
		a = Adjustment{Property: Exposure, By: math.Round(100*max(-MaxStops, math.Log2(1+a.By))) / 100}
	}
	return a, ok
}

// changeBy parses a change of a property by a share.
func changeBy(s string) (Adjustment, bool) {
	for _, look := range looks {
		if !look.words.MatchString(s) {
			continue
		}
		if look.property == Sepia || look.property == Invert {
			return Adjustment{Property: look.property, By: 1}, true
		}
		by, named := amount(s)
		if named && quality.MatchString(s) && (target.MatchString(s) || by > 1) { // "brightness 120%"
			return Adjustment{Property: look.property, By: math.Round(1000*max(-1, min(by-1, 1))) / 1000}, true
		}
		by = min(by, 1)
		if look.property == Vignette && (lessOf.MatchString(s) || tooMuch.MatchString(s) || negative.MatchString(s) || undone.MatchString(s)) {
			return Adjustment{Property: look.property}, true // darkened corners cannot be restored
		}
		// "less dark" and "too dark" both reverse the direction.
		less := look.less != (lessOf.MatchString(s) || tooMuch.MatchString(s))
		if !less && negative.MatchString(s) {
			if !quality.MatchString(s) { // "-20% brighter"
				return Adjustment{Property: look.property}, true
			}
			less = true
		}
		switch {
		case less:
			by = -by
		case look.property == Saturation && !named:
			by = min(2*by, 1)
		}
		return Adjustment{Property: look.property, By: by}, true
	}
	return Adjustment{}, false
}

// exposure parses a change of exposure in stops: "1.5 stops darker", "-1 EV", "half a stop".
func exposure(s string) (by float64, ok bool) {
	m := stops.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	by = 1
	switch {
	case m[2] != "":
		by = float(m[2])
	case m[3] != "":
		by = float(m[3]) / float(m[4])
	case m[5] != "":
		by = 0.5
	case m[7] != "":
		by = max(1, float(m[6])) / 3
	}
	less := m[1] == "-" || lessOf.MatchString(s) || darken.MatchString(s) || tooMuch.MatchString(s)
	for _, look := range looks {
		if look.property == Brightness && look.less && look.words.MatchString(s) {
			less = !less // "too dark" is brightened
			break
		}
	}
	if less {
		by = -by
	}
	return math.Round(100*max(-MaxStops, min(by, MaxStops))) / 100, true
}

// amount returns the size of a change; named reports whether the text gives a number.
func amount(s string) (by float64, named bool) {
	if v, _, ok := share(s); ok {
		return v, true
	}
	if m := points.FindStringSubmatch(s); m != nil {
		return float(m[1]) / 100, true
	}
	by = 0.2
	if little.MatchString(lightAlone.ReplaceAllString(s, "")) {
		by = 0.1
	} else if lot.MatchString(s) {
		by = 0.4
	}
	return by, false
}

// Level is a strength in words.
type Level int

// The levels of strength.
const (
	Little Level = iota - 1
	Medium
	Lot
)

// Strength is the strength of an effect, in pixels or as a level.
type Strength struct {
	Pixels float64 // 0 if only a level is given; at most 999,999
	Level  Level
}

var (
	lone   = lazyregexp.New(`(?:^|[^\d.])` + number + `(?:$|[^\d.])`)
	medium = lazyregexp.New(`\b(?:medium|normal|moderate|moderately|default|some)\b`)
	full   = lazyregexp.New(`\b(?:unreadable|unrecognisable|unrecognizable|nobody|maximum|max|hard)\b`)
)

// Strong parses a strength: a number of pixels, a percentage (medium from 33 %, a lot from 67 %),
// or words such as "a little" and "strongly".
func Strong(text string) (Strength, bool) {
	s := numerals(fold(text))
	if senseless(s) {
		return Strength{}, false
	}
	if m := percentage.FindStringSubmatch(s); m != nil {
		return Strength{Level: Level(min(int(float(m[1])/33.4), 2) - 1)}, true
	}
	if m := lone.FindStringSubmatch(s); m != nil && float(m[1]) > 0 {
		return Strength{Pixels: float(m[1])}, true
	}
	switch {
	case lot.MatchString(s), full.MatchString(s):
		return Strength{Level: Lot}, true
	case little.MatchString(s):
		return Strength{Level: Little}, true
	case medium.MatchString(s):
		return Strength{}, true
	}
	return Strength{}, false
}

var fileSize = lazyregexp.New(`(?:^|[^\d.,])(?:(\d{1,9})(?:[.,](\d{1,3}))?|(half an?|an?)) ?` +
	`(k|kb|kib|kilobytes?|kbytes?|m|mb|mib|mbytes?|megs?|megabytes?|g|gb|gib|gigabytes?|b|bytes?)\b`)

// sizeChange matches a difference, not a size: "2 MB smaller", "by 300 kB".
var sizeChange = lazyregexp.New(`\d ?(?:[kmg]i?b|megs?|\w*bytes?) (?:smaller|less|larger|bigger|more)\b|` +
	`\bby (?:about )?\d[\d.,]* ?(?:[kmg]i?b|megs?|\w*bytes?)\b`)

// Bytes parses a file size, from 1 to 1e18: "2 MB", "500kB", "under 1.5 megabytes". A kB is 1000
// bytes and a KiB 1024, so that a file below the limit is so in either reading.
func Bytes(text string) (int64, bool) {
	s := fold(text)
	m := fileSize.FindStringSubmatch(s)
	if m == nil || senseless(s) || sizeChange.MatchString(s) {
		return 0, false
	}
	v := float(m[1]) // nine digits at most
	if m[2] != "" {
		v += float(m[2]) / math.Pow10(len(m[2]))
	}
	switch {
	case m[3] != "" && m[3][0] == 'h':
		v = 0.5
	case m[3] != "":
		v = 1
	}
	unit := map[byte]float64{'b': 1, 'k': 1e3, 'm': 1e6, 'g': 1e9}[m[4][0]]
	if len(m[4]) == 3 && m[4][1:] == "ib" {
		unit = map[byte]float64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30}[m[4][0]]
	}
	v *= unit
	return int64(v), v >= 1 && v <= 1e18
}

// Limit parses a maximum file size in bytes, like [Bytes]. A number alone is in megabytes.
func Limit(text string) (int64, bool) {
	if limit, ok := Bytes(text); ok {
		return limit, true
	}
	return Bytes(text + " MB")
}

var (
	slowing   = lazyregexp.New(`\b(?:slow|slower|slowed|slowly|slowdown|slow ?mo|slow motion|down|reduce|decrease|less|lower)\b`)
	speeding  = lazyregexp.New(`\b(?:fast|faster|quick|quicker|quickly|up|accelerate|accelerated|sped|forward|time ?lapse|hyperlapse)\b`)
	factorX   = lazyregexp.New(`(\d)x\b`)
	lapse     = lazyregexp.New(`\b(?:time ?lapse|hyperlapse)\b`)
	softening = lazyregexp.New(`\b(?:quiet|quieter|soft|softer|down|off|reduce|decrease|drop|cut|attenuate|less|lower)\b`)
	raising   = lazyregexp.New(`\b(?:loud|louder|up|raise|increase|boost|more|higher)\b`)
	faster    = lazyregexp.New(`^ ?%? ?(?:faster|quicker|more|louder|slower|less|quieter|softer)\b`)
	decibels  = lazyregexp.New(`(?:^|[^\d.])([+-]?) ?` + number + ` ?(?:db|decibels?)\b`)
	// partOfWhole matches a part that the change may be for, which is no factor: "the first half".
	partOfWhole = lazyregexp.New(`\b(?:first|second|last|other|left|right|top|bottom|upper|lower) (?:half|third|quarter)\b`)
	bareTempo   = lazyregexp.New(`(?:^|[^\d.:])` + number + `$`)
)

// Tempo parses a playing speed, as a factor: "2x", "half", "25%", "three times slower", "50%
// faster", "slow motion", "time-lapse". A factor without a direction multiplies the speed: "2" is
// twice as fast. It is from 0.01 to 100.
func Tempo(text string) (float64, bool) { return change(text, slowing, speeding) }

// Volume parses a volume, as a factor: "twice as loud", "50%", "20% louder", "quieter", "6 dB
// quieter", "-6 dB". A factor without a direction multiplies the volume. It is from 0.01 to 100.
func Volume(text string) (float64, bool) {
	s := fold(text)
	m := decibels.FindStringSubmatch(s)
	if m == nil {
		return change(text, softening, raising)
	}
	gain := float(m[2])
	if m[1] == "-" || m[1] == "" && softening.MatchString(s) {
		gain = -gain
	}
	f := math.Round(1e5*math.Pow(10, gain/20)) / 1e5
	return f, !exotic.MatchString(s) && f >= 0.01 && f <= 100
}

// change parses a factor; less and more match the words for smaller and larger values.
func change(text string, less, more lazyregexp.Regexp) (float64, bool) {
	s := numerals(factorX.ReplaceAllString(fold(text), "$1 x"))
	if senseless(s) || partOfWhole.MatchString(s) {
		return 0, false
	}
	f, ok := tempo(s, less.MatchString(s), more.MatchString(s))
	return f, ok && f >= 0.01 && f <= 100
}

func tempo(s string, slow, fast bool) (float64, bool) {
	multiple, several := multipleOf(s)
	if v, at, ok := share(s); ok {
		if several { // "half and double"
			return 0, false
		}
		change := bySoMuch.MatchString(s[:at[0]]) || faster.MatchString(s[at[1]:])
		switch {
		case change && slow && !fast:
			return 1 - v, v < 1
		case change && fast && !slow:
			return 1 + v, true
		}
		return v, v > 0
	}
	if m := times.FindStringSubmatch(s); m != nil {
		multiple, several = float(m[1]+m[2]+m[3]+m[4]), true
	} else if m := bareTempo.FindStringSubmatch(s); m != nil {
		multiple, several = float(m[1]), true
	}
	if several {
		if multiple > 1 && slow && !fast {
			return 1 / multiple, true
		}
		return multiple, multiple > 0
	}
	if slow == fast {
		return 0, false
	}
	level := 1
	if little.MatchString(s) {
		level = 0
	} else if lot.MatchString(s) {
		level = 2
	}
	switch {
	case slow:
		return []float64{0.8, 0.5, 0.25}[level], true
	case lapse.MatchString(s):
		return 10, true
	}
	return []float64{1.25, 2, 4}[level], true
}
