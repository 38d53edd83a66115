package param

import (
	"fmt"
	"math"

	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// aPage is a page or a range of pages in canonical form.
const aPage = `(\d+(-(\d+|last))?|last( \d+)?)`

// plainTypes are numbers and similar types.
func plainTypes() map[Type]kind {
	return map[Type]kind{
		Number: {
			about: plan.Say("a number"), examples: []string{"10", "0.5"}, meaning: plan.Amount,
			units: []quantity.Unit{
				quantity.Number, quantity.Percent, quantity.Factor, quantity.Pixels,
				quantity.Loudness, quantity.Gain, quantity.BitRate, quantity.FrameRate, quantity.Frequency,
			},
			most: 1, pattern: `^-?\d+(\.\d+)?$`,
			parse: parseWith(parseNumber), read: readNumber, format: printNumber, measure: number,
		},
		Integer: {
			about: plan.Say("a whole number"), examples: []string{"3", "10"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Number, quantity.Factor, quantity.Pixels}, most: 1, pattern: `^-?\d+$`,
			parse: func(_ Param, s string) (any, bool) {
				v, err := strconv.ParseInt(s, 10, 32)
				return int(v), err == nil
			},
			read: func(p Param, s string) (any, bool) {
				v, ok := readNumber(p, s)
				f, isNumber := v.(float64)
				other := p.Unit == sentences && otherLength.MatchString(s) || p.Unit == Frames && atAnEnd.MatchString(s)
				return int(f), ok && isNumber && f == math.Trunc(f) && !other
			},
			format: func(data any) string { return strconv.Itoa(int(number(data))) }, measure: number,
		},
		Integers: {
			about: plan.Say("a list of whole numbers"), examples: []string{"16, 32", "100"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Number, quantity.Pixels}, most: 20, pattern: `^\d+(,\d+)*$`,
			parse: parseWith(quantity.Integers), read: readWith(quantity.Integers),
			format: func(data any) string {
				return strings.Trim(strings.ReplaceAll(fmt.Sprint(as[[]int](data)), " ", ","), "[]")
			},
		},
		Boolean: {
			about: plan.Say("yes or no"), examples: []string{"yes", "no"}, meaning: plan.Amount, most: 1, pattern: `^(true|false)$`,
			parse: func(_ Param, s string) (any, bool) { return s == "true", s == "true" || s == "false" },
			read: func(_ Param, s string) (any, bool) {
				s = strings.ToLower(strings.Trim(s, ".! "))
				yes, no := s == "yes" || s == "on", s == "no" || s == "off"
				return yes, yes || no
			},
			format: func(data any) string { return strconv.FormatBool(data == true) },
		},
		Factor: factorOf(quantity.Tempo, plan.Say("a speed"), "2x", "half", "three times slower", "25%"),
		Volume: factorOf(quantity.Volume, plan.Say("a volume"), "twice as loud", "50%", "6 dB quieter").in(quantity.Gain),
		Opacity: {
			about: plan.Say("an opacity"), examples: []string{"50%", "semi transparent", "opaque"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Percent, quantity.Share}, most: 1, pattern: `^\d+(\.\d+)?%$`,
			parse: parsePercent, read: readOpacity, format: printPercent,
		},
		Pages: {
			about: plan.Say("pages of a document"), examples: []string{"page 9", "pages 2-4", "every page", "the last page"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Number, quantity.Length}, most: 10,
			pattern: `^(all|odd|even|` + aPage + `(,` + aPage + `)*)$`,
			parse:   parseWith(quantity.PageList), read: readWith(quantity.PageList),
			format: func(data any) string { return as[quantity.Pages](data).String() },
		},
		FileSize: {
			about: plan.Say("the size of a file"), examples: []string{"8 MB", "500 kB", "under 25 megabytes"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.ByteCount}, most: 1, pattern: `^\d+ B$`,
			parse: func(_ Param, s string) (any, bool) {
				s, ok := strings.CutSuffix(s, " B")
				v, err := strconv.ParseInt(s, 10, 64)
				return v, ok && err == nil && v > 0 && v <= 1e18
			},
			read: readWith(quantity.Limit),
			format: func(data any) string {
				v := as[int64](data)
				return strconv.FormatInt(v, 10) + " B"
			},
		},
		Strength: {
			about: plan.Say("a strength"), examples: []string{"a little", "strongly", "5 pixels"}, meaning: plan.Amount,
			units: []quantity.Unit{quantity.Pixels, quantity.Percent, quantity.Share, quantity.Number}, most: 1,
			pattern: `^(light|medium|strong|\d+(\.\d+)? px)$`,
			parse:   parseStrength, read: readWith(quantity.Strong), format: printStrength,
		},
	}
}

// factorOf returns the type of a factor that has its own way of being written.
func factorOf(read func(string) (float64, bool), about plan.Message, examples ...string) kind {
	return kind{
		about: about, examples: examples, meaning: plan.Amount,
		units: []quantity.Unit{quantity.Factor, quantity.Percent, quantity.Share, quantity.Number}, most: 1, pattern: `^\d+(\.\d+)?x$`,
		parse: parseWith(func(s string) (float64, bool) {
			s, ok := strings.CutSuffix(s, "x")
			v, isNumber := parseNumber(s)
			return v, ok && isNumber && v >= 0.01 && v <= 100
		}),
		read:   readWith(read),
		format: func(data any) string { return decimal(number(data)) + "x" }, measure: number,
	}
}

// in adds a unit to the type.
func (k kind) in(u quantity.Unit) kind {
	k.units = append(k.units, u)
	return k
}

// decimal formats a number without an exponent.
func decimal(v float64) string {
	if v == 0 {
		return "0" // not "-0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// parseWith and readWith adapt functions that ignore the declaration.
func parseWith[T any](parse func(string) (T, bool)) func(Param, string) (any, bool) {
	return func(_ Param, s string) (any, bool) { return parse(s) }
}

func readWith[T any](read func(string) (T, bool)) func(Param, string) (any, bool) {
	return parseWith(read)
}

var plainNumber = lazyregexp.New(`^-?\d{1,15}(?:\.\d{1,17})?$`)

func parseNumber(s string) (float64, bool) {
	if !plainNumber.MatchString(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

var (
	exponent = lazyregexp.New(`\d\.?[eE][+-]?\d`)
	pair     = lazyregexp.New(`\d ?[x×*] ?\d`) // a size: "100x100"
	megabits = lazyregexp.New(`(?i)(?:^|[^\d.,])(\d{1,5}(?:[.,]\d{1,3})?) ?m(?:bps|bits?\b|b/s)`)
	numeral  = lazyregexp.New(`(^|[^\w.-])(-?\d{1,9}(?:[.,]\d{1,6})?)(?:[^\d.]|$)`)
)

// readNumber parses the only number of a text, including "twice" and "half".
func readNumber(p Param, s string) (any, bool) {
	if m := megabits.FindStringSubmatch(s); m != nil && p.Unit == "kbps" {
		v, ok := parseNumber(strings.Replace(m[1], ",", ".", 1))
		return 1000 * v, ok
	}
	if exponent.MatchString(s) || pair.MatchString(s) || p.isOther(s) {
		return nil, false
	}
	found := numeral.FindAllStringSubmatch(s, -1)
	if len(found) == 1 {
		return parseNumber(strings.Replace(found[0][2], ",", ".", 1))
	}
	if len(found) > 1 {
		return nil, false
	}
	spoken := quantity.Numbers(s)
	if len(spoken) != 1 {
		return nil, false
	}
	for v := range spoken {
		return v, true
	}
	return nil, false
}

// isOther reports whether the text is a time or a number of bytes, which no number stands for: "loop it for 30 seconds"
// is not 30 times.
func (p Param) isOther(text string) bool {
	found := quantity.Find(text)
	return len(found) == 1 && (found[0].Unit == quantity.Time || found[0].Unit == quantity.ByteCount) && units[p.Unit] != found[0].Unit
}

func printNumber(data any) string { return decimal(number(data)) }

func parsePercent(_ Param, s string) (any, bool) {
	s, ok := strings.CutSuffix(s, "%")
	v, isNumber := parseNumber(s)
	return v / 100, ok && isNumber && v >= 0 && v <= 100
}

func printPercent(data any) string { return decimal(round(100*number(data))) + "%" }

// round rounds off floating-point errors after the sixth decimal.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

var (
	opaque      = lazyregexp.New(`(?i)\b(?:opaque|solid|fully visible)\b`)
	transparent = lazyregexp.New(`(?i)\b(?:semi|half|partly|partially|slightly)?[ -]?(?:transparent|translucent|see[ -]through)\b`)
	// seeThrough matches a part of a picture, rather than an opacity.
	seeThrough = lazyregexp.New(`(?i)\btransparent (?:parts?|areas?|regions?|pixels?|bits|background|ground)\b`)
	// fraction matches a share of the opacity in words.
	fraction = lazyregexp.New(`(?i)\b((?:[a-z]+ )?(?:half|thirds?|quarters?|fourths?|fifths?|tenths?))[ -]` +
		`(?:of (?:the |its )?)?(?:opacity|opaque|transparen|translucen|visible)`)
	faint        = lazyregexp.New(`(?i)\b(?:faint|barely visible|subtle)\b`)
	transparency = lazyregexp.New(`(?i)transparen|translucen`)
	percentage   = lazyregexp.New(`(\d{1,3}(?:[.,]\d{1,3})?) ?(?:%|percent\b|per cent\b)`)
)

// readOpacity parses "50%", "30% transparent", "half opacity", "a third opaque", "semi transparent", "faint" and "opaque".
func readOpacity(_ Param, s string) (any, bool) {
	if m := percentage.FindStringSubmatch(s); m != nil {
		v, ok := parseNumber(strings.Replace(m[1], ",", ".", 1))
		v /= 100
		if transparency.MatchString(s) {
			v = 1 - v
		}
		return round(v), ok && v >= 0 && v <= 1
	}
	if m := fraction.FindStringSubmatch(s); m != nil {
		if v, ok := quantity.Fraction(m[1]); ok && v <= 1 {
			if transparency.MatchString(s) {
				v = 1 - v
			}
			return round(v), !seeThrough.MatchString(s)
		}
	}
	switch {
	case opaque.MatchString(s):
		return 1.0, true
	case faint.MatchString(s):
		return 0.25, true
	case transparent.MatchString(s) && !seeThrough.MatchString(s):
		return 0.5, true
	}
	return nil, false
}

var levels = map[quantity.Level]string{quantity.Little: "light", quantity.Medium: "medium", quantity.Lot: "strong"}

func parseStrength(_ Param, s string) (any, bool) {
	for level, name := range levels {
		if s == name {
			return quantity.Strength{Level: level}, true
		}
	}
	s, ok := strings.CutSuffix(s, " px")
	v, isNumber := parseNumber(s)
	return quantity.Strength{Pixels: v}, ok && isNumber && v > 0 && v < 1e6
}

func printStrength(data any) string {
	s := as[quantity.Strength](data)
	if s.Pixels > 0 {
		return decimal(s.Pixels) + " px"
	}
	return levels[s.Level]
}
