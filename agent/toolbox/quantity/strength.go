package quantity

import (
	"math"

	"atelier/agent/lazyregexp"
)

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
