package quantity

import (
	"strings"

	"atelier/agent/lazyregexp"
)

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
