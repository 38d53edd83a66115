package quantity

import (
	"math"
	"strings"

	"atelier/agent/lazyregexp"
)

// Sizing is a new size for a picture: a factor, or one or both sides in pixels.
type Sizing struct {
	// Factor multiplies both sides; 0 if the size is given in pixels. From 0.001 to 1000.
	Factor float64
	// Width and Height are from 1 to 999,999; if one is 0, it follows from the other.
	Width, Height int
	// Longest is the longer side, if neither width nor height is named.
	Longest int
	// AtMost keeps a picture whose named side is already small enough.
	AtMost bool
}

// Of returns the new size of a picture: at least one pixel on each side.
func (z Sizing) Of(width, height int) (w, h int) {
	scale := func(side int, by float64) int { return max(1, int(math.Round(float64(side)*by))) }
	switch {
	case z.Longest > 0 && width >= height:
		z.Width = z.Longest
	case z.Longest > 0:
		z.Height = z.Longest
	}
	switch {
	case z.AtMost && width <= z.Width, z.AtMost && z.Width == 0 && height <= z.Height:
		return width, height
	case z.Width > 0 && z.Height > 0:
		return z.Width, z.Height
	case z.Width > 0:
		return z.Width, scale(height, float64(z.Width)/float64(width))
	case z.Height > 0:
		return scale(width, float64(z.Height)/float64(height)), z.Height
	}
	return scale(width, z.Factor), scale(height, z.Factor)
}

const pixels = `(?: ?(?:px|pixels?|pix))?`

// most matches words for a maximum.
const most = `\b(?:max|maximum|at most|(?:no|not) (?:more|larger|bigger|wider|higher|taller|longer) than)\b`

var beforeSize = lazyregexp.New(`(?i)` + most + ` $`)

// LimitBefore returns the words at the end of a text that make the following size a maximum, such as
// "at most "; "" if there are none.
func LimitBefore(text string) string { return beforeSize.FindString(text) }

// longSideSize matches a size before or after the words for the long side.
const (
	longSide     = `(?:long|longer|longest|larger|largest|bigger|biggest) (?:side|edge|dimension)s?\b`
	longSideSize = `\b(\d{1,6})` + pixels + ` (?:(?:on|at|for|along|by) )?(?:the |its |their )?` + longSide + `|` +
		`\b` + longSide + `(?: of| to| is| be| at| =|=|:| max| maximum| at most)* ?(\d{1,6})` + pixels + `\b`
)

var (
	sides = lazyregexp.New(`(?:^|[^\d.])(\d{1,6})` + pixels + ` ?(?:x|\*|by) ?(\d{1,6})(?:\D|$)`)
	wide  = lazyregexp.New(`(?:^|[^\d.])(\d{1,6})` + pixels + ` (?:wide|in width|across|width)\b|` +
		`\b(?:width|wide)(?: of| to| is| be| at| =|=|:)* ?(\d{1,6})\b`)
	high = lazyregexp.New(`(?:^|[^\d.])(\d{1,6})` + pixels + ` (?:high|tall|in height|height)\b|` +
		`\b(?:height|high|tall)(?: of| to| is| be| at| =|=|:)* ?(\d{1,6})\b`)
	longest = lazyregexp.New(longSideSize)
	atMost  = lazyregexp.New(most)
	onlyPix = lazyregexp.New(`(?:^|[^\d.])(\d{1,6}) ?(?:px|pixels?|pix)\b`)
	lines   = lazyregexp.New(`\b(\d{3,4})p\b`)
	times   = lazyregexp.New(`(?:^|[^\d.])` + number + ` ?(?:x|times|fold)(?:\W|$)|\bx ?` + number + `\b|` +
		`\b(?:factor|scale)(?: of| by| to)? ` + number + `|\bby ` + number + `(?:$| )`)
	bare      = lazyregexp.New(`(?:^|\bto )(?:at |of )*` + number + `$`)
	growing   = lazyregexp.New(`\b(?:larger|bigger|greater|enlarge|enlarged|increase|increased|grow|expand|wider|taller|upscale|blow|magnify|up)\b`)
	shrinking = lazyregexp.New(`\b(?:smaller|less|shrink|shrunk|reduce|reduced|decrease|decreased|lower|lessen|down|shorter|narrower|small)\b`)
	enlarging = lazyregexp.New(`\b(?:larger|bigger|greater|enlarged?|increased?|grow|expand)\b`)
	bySoMuch  = lazyregexp.New(`\bby (?:about |around |just |only |an? )*$`)
	comparing = lazyregexp.New(`^ ?%? ?(?:larger|bigger|greater|wider|taller|smaller|less|shorter|narrower|more)\b`)
	little    = lazyregexp.New(`\b(?:a bit|a little|slightly|slight|somewhat|a touch|a tad|tiny bit|gently|softly|subtle|subtly|light|lightly)\b`)
	lot       = lazyregexp.New(`\b(?:much|a lot|lots|very|strong|strongly|stronger|` +
		`heavy|heavily|far|way|greatly|extreme|extremely|completely|considerably|significantly)\b`)
)

var multiples = map[string]float64{
	"twice": 2, "double": 2, "doubled": 2, "thrice": 3, "triple": 3, "tripled": 3, "treble": 3,
	"quadruple": 4, "quadrupled": 4,
}

// Size parses a new size: "half as large", "50%", "20% smaller", "twice as big", "1/3", "by 0.5",
// "800x600", "800 px wide", "at most 1600 px on the long side", "height 300", "smaller". A number
// alone is a factor up to 10, otherwise a width in pixels. It rejects several sizes.
func Size(text string) (Sizing, bool) {
	s := numerals(fold(text))
	if several, _ := Sizes(s); senseless(s) || several != nil || changed.MatchString(s) && !sides.MatchString(s) {
		return Sizing{}, false
	}
	if z, ok := pixelSize(s); ok {
		return z, true
	}
	f, ok := factor(s)
	if !ok || f < 0.001 || f > 1000 {
		return Sizing{}, false
	}
	return Sizing{Factor: f}, true
}

// printSize matches the size of a print.
var printSize = lazyregexp.New(`(?i)(?:^|[^\d.,])(\d{1,3}(?:[.,]\d{1,2})?) ?(?:cm|mm|inch(?:es)?|")? ?(?:x|×|by) ?` +
	`(\d{1,3}(?:[.,]\d{1,2})?) ?(cm\b|mm\b|inch(?:es)?\b|")(?:,? (?:at |in |with )?(\d{2,4}) ?dpi)?`)

// Print finds the size of a print in a text: "10x15 cm", "4 by 6 inches at 200 dpi". It returns its byte range and its size in
// pixels, at 300 dpi unless another resolution is named; zeros if there is none.
func Print(text string) (start, end int, size Sizing) {
	at := printSize.FindStringSubmatchIndex(text)
	if at == nil {
		return 0, 0, Sizing{}
	}
	group := func(n int) string {
		if at[2*n] < 0 {
			return ""
		}
		return strings.Replace(text[at[2*n]:at[2*n+1]], ",", ".", 1)
	}
	dpi := 300.0
	if said := float(group(4)); said > 0 {
		dpi = said
	}
	inch := map[string]float64{"cm": 2.54, "mm": 25.4}[strings.ToLower(group(3))]
	if inch == 0 {
		inch = 1
	}
	pixels := func(side string) int { return int(math.Round(float(side) / inch * dpi)) }
	size = Sizing{Width: pixels(group(1)), Height: pixels(group(2))}
	if size.Width == 0 || size.Height == 0 {
		return 0, 0, Sizing{}
	}
	return at[2], at[1], size
}

// limited matches a size of the long side with its limiting words.
var limited = lazyregexp.New(`(?i)(?:` + most + ` )?(?:` + longSideSize + `)`)

// FindLongSide returns the byte range of a size of the long side in a text: "at most 1600 px on the
// long side". It returns zeros if there is none.
func FindLongSide(text string) (start, end int) {
	at := limited.FindStringIndex(text)
	if at == nil {
		return 0, 0
	}
	return at[0], at[1]
}

// changed matches a change of a size, which is no size: "by 100 px", "100 px smaller".
var changed = lazyregexp.New(`\bby (?:about )?\d+ ?(?:px|pixels?)\b|\d ?(?:px|pixels?) (?:smaller|larger|bigger|wider|narrower|taller|higher|shorter)\b`)

func pixelSize(s string) (z Sizing, ok bool) {
	if m := sides.FindStringSubmatch(s); m != nil {
		z = Sizing{Width: whole(m[1]), Height: whole(m[2])}
		if atMost.MatchString(s) { // "at most 1024x1024" keeps the shape; other sides have no such size
			return Sizing{Longest: z.Width, AtMost: true}, z.Width > 0 && z.Width == z.Height
		}
		return z, z.Width > 0 && z.Height > 0
	}
	if m := longest.FindStringSubmatch(s); m != nil {
		z.Longest, z.AtMost = whole(m[1]+m[2]), atMost.MatchString(s)
		return z, z.Longest > 0
	}
	if m := wide.FindStringSubmatch(s); m != nil {
		z.Width = whole(m[1] + m[2])
	}
	if m := high.FindStringSubmatch(s); m != nil {
		z.Height = whole(m[1] + m[2])
	}
	if m := lines.FindStringSubmatch(s); m != nil && z == (Sizing{}) {
		z.Height = whole(m[1])
	}
	if m := onlyPix.FindStringSubmatch(s); m != nil && z == (Sizing{}) {
		z.Width = whole(m[1])
	}
	if m := bare.FindStringSubmatch(s); m != nil && z == (Sizing{}) && float(m[1]) > 10 {
		z.Width = whole(m[1])
	}
	z.AtMost = (z.Width == 0 || z.Height == 0) && atMost.MatchString(s)
	return z, z.Width > 0 || z.Height > 0
}

func factor(s string) (float64, bool) {
	grow, shrink := growing.MatchString(s), shrinking.MatchString(s)
	multiple, several := multipleOf(s)
	if v, at, ok := share(s); ok {
		if several { // "half and double"
			return 0, false
		}
		change := bySoMuch.MatchString(s[:at[0]]) || comparing.MatchString(s[at[1]:])
		switch {
		case change && shrink:
			return 1 - v, v < 1
		case change && grow:
			return 1 + v, true
		case enlarging.MatchString(s) && v < 1, shrink && !grow && v > 1: // "bigger and half the size"
			return 0, false
		}
		return v, v > 0
	}
	if m := times.FindStringSubmatch(s); m != nil {
		f := float(m[1] + m[2] + m[3] + m[4])
		if f > 1 && shrink && !grow {
			return 1 / f, true
		}
		return f, f > 0
	}
	if several && shrink {
		return 1 / multiple, true
	}
	if several {
		return multiple, true
	}
	if m := bare.FindStringSubmatch(s); m != nil {
		return float(m[1]), float(m[1]) > 0
	}
	return vague(s, grow, shrink)
}

// multipleOf returns the factor of the first multiplying word in the text.
func multipleOf(s string) (float64, bool) {
	for word := range strings.FieldsSeq(s) {
		if f, ok := multiples[word]; ok {
			return f, true
		}
	}
	return 0, false
}

// vague returns the factor for "smaller", "much larger" and the like.
func vague(s string, grow, shrink bool) (float64, bool) {
	if grow == shrink {
		return 0, false
	}
	level := 1
	if little.MatchString(s) {
		level = 0
	} else if lot.MatchString(s) {
		level = 2
	}
	if shrink {
		return []float64{0.75, 0.5, 0.25}[level], true
	}
	return []float64{1.25, 1.5, 3}[level], true
}

const (
	pixelWord  = `(?: ?(?:px|pixels?))`
	sideWord   = `(?: ?(?:wide|width|across|high|tall|height|in width|in height))`
	twoSides   = `\d{1,6}` + pixelWord + `? ?(?:x|×|\*|by) ?\d{1,6}` + pixelWord + `?`
	listedSize = `(?:` + twoSides + `|\d{1,4}(?:\.\d{1,3})? ?(?:%|percent\b)|\d{3,4}p\b|\d{1,6}` + pixelWord + `?` + sideWord + `?)`
	sizeAnd    = `(?: ?, (?:and |or )?| and | or | ?& ?| ?\+ ?| ?/ ?)(?:also )?(?:an? )?`
	sizesLead  = `(?:(?:\d{1,2}|two|three|four|five|six) (?:different |new )?(?:sizes|widths|heights|versions|copies)(?: of| at|,|:| -)* )?` +
		`(?:(?:sizes|widths?|heights?)(?: of| at|:)* )?`
)

var (
	sizeList = lazyregexp.New(`(?:^|[^\w.,:%-])(` + sizesLead + listedSize + `(?:` + sizeAnd + listedSize + `)+)(?:$|[^\w%:.]|\.(?:\D|$))`)
	inSizes  = lazyregexp.New(`(\d{1,6})` + pixelWord + `? ?(?:x|×|\*|by) ?(\d{1,6})|(\d+(?:\.\d+)?) ?(%|percent)|(\d{3,4})p\b|` +
		`(\d{1,6})` + pixelWord + `?(` + sideWord + `)?`)
	count   = lazyregexp.New(`^\d+`)
	leading = lazyregexp.New(`^` + sizesLead)
)

// FindSizes returns the byte range of the first list of at least two sizes in a text: "100, 200 and
// 400 px wide", "1024x1024 and 512x512", "3 sizes: 320, 640 and 1280". It returns zeros if there is
// none.
func FindSizes(text string) (start, end int) {
	_, start, end = sizes(text)
	return start, end
}

// Sizes parses a list of at least two sizes. Words after the last one apply to all: "100 and 200
// px high". A number alone is a width in pixels.
func Sizes(text string) ([]Sizing, bool) {
	all, _, _ := sizes(text)
	return all, all != nil
}

// leastListed is the minimum side of a listed size: smaller numbers count something else.
const leastListed = 8

func sizes(text string) (all []Sizing, start, end int) {
	s := strings.ToLower(text)
	at := sizeList.FindStringSubmatchIndex(s)
	if at == nil || len(s) != len(text) {
		return nil, 0, 0
	}
	list := s[at[2]:at[3]]
	lead := leading.FindString(list)
	found := inSizes.FindAllStringSubmatch(list[len(lead):], -1)
	if len(found) < 2 || len(found) > mostListed {
		return nil, 0, 0
	}
	if n := count.FindString(numerals(fold(lead))); n != "" && whole(n) != len(found) {
		return nil, 0, 0
	}
	last := found[len(found)-1]
	percent, high := last[4] != "", isHeight(last[7]) || last[5] != "" || last[7] == "" && isHeight(lead)
	for _, m := range found {
		var z Sizing
		switch {
		case m[1] != "":
			z.Width, z.Height = whole(m[1]), whole(m[2])
		case m[3] != "":
			z.Factor = float(m[3]) / 100
		case m[5] != "":
			z.Height = whole(m[5])
		case percent:
			z.Factor = float(m[6]) / 100
		case isHeight(m[7]), m[7] == "" && high:
			z.Height = whole(m[6])
		default:
			z.Width = whole(m[6])
		}
		if !z.listed() || len(all) > 0 && !z.like(all[0]) { // "100 px wide and 200 px high" is one size
			return nil, 0, 0
		}
		all = append(all, z)
	}
	return all, at[2], at[3]
}

// listed reports whether the size is valid in a list.
func (z Sizing) listed() bool {
	return z.Factor >= 0.001 || z.Factor == 0 && max(z.Width, z.Height) >= leastListed && (z.Width == 0 || z.Width >= leastListed)
}

// like reports whether both sizes give the same sides, or both a factor.
func (z Sizing) like(o Sizing) bool {
	return (z.Width > 0) == (o.Width > 0) && (z.Height > 0) == (o.Height > 0)
}

// isHeight reports whether the words of a size refer to its height.
func isHeight(words string) bool {
	return strings.Contains(words, "high") || strings.Contains(words, "tall") || strings.Contains(words, "height")
}
