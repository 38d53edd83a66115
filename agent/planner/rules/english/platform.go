package english

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
)

// Platforms knows the picture and video sizes of social platforms.
type Platforms struct {
	*Grammar

	names *regexp.Regexp // platforms' names for their pictures and videos, longest first
}

// NewPlatforms reads the sizes from the lists of a grammar.
func NewPlatforms(g *Grammar) *Platforms {
	var names []string
	for section, phrases := range g.lists {
		if strings.HasPrefix(section, sizeSection) {
			for _, phrase := range phrases {
				names = append(names, regexp.QuoteMeta(phrase))
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return &Platforms{g, regexp.MustCompile(`(?i)\b(?:` + strings.Join(names, "|") + `)\b`)}
}

const sizeSection = "size "

// sizedTail matches words about the shape after the name: "instagram story with blurred sides".
var sizedTail = lazyregexp.New(`(?i)^(?:\s+(?:size|format|dimensions?|resolution|shape))?\s*` +
	`((?:with|without|but|no|don['’]?t|do not|blurred|cropped|padded)\b.*?)?[.!?]*$`)

// Size parses a wish that only asks for the size of a platform or of a print: "can you make this fit an instagram story" is
// "1080x1920". More is the words about the shape after it, "with blurred sides"; ok is false for other wishes.
func (p *Platforms) Size(wish string) (size, more string, ok bool) {
	at, print := p.names.FindStringIndex(wish), printSize.FindStringSubmatchIndex(wish)
	switch {
	case print != nil:
		at = print[:2]
	case at == nil:
		return "", "", false
	}
	tail := sizedTail.FindStringSubmatch(wish[at[1]:])
	before := wish[:at[0]]
	if tail == nil {
		tail, before = []string{"", ""}, before+wish[at[1]:]
	}
	for _, w := range p.Lexicon.Words(before, nil) {
		if !w.IsMark() && !w.IsFile() && !p.In("sizing", w.Lower()) {
			return "", "", false
		}
	}
	if print != nil {
		return printed(wish[at[0]:at[1]]), tail[1], true
	}
	sections := p.SectionsOf(sizeSection, strings.ToLower(wish[at[0]:at[1]]))
	return strings.TrimPrefix(sections[0], sizeSection), tail[1], true
}

// IsPrint reports whether a wish has the size of a print.
func (p *Platforms) IsPrint(wish string) bool { return printSize.MatchString(wish) }

// printSize matches the size of a print: "10x15 cm", "4 by 6 inches at 200 dpi".
var printSize = lazyregexp.New(`(?i)\b` + printSide + ` ?` + lengthUnit + `? ?(?:x|×|by) ?` + printSide + ` ?` + lengthUnit +
	`(?:,? (?:at |in |with )?(\d{2,4}) ?dpi)?`)

const (
	printSide  = `(\d{1,3}(?:[.,]\d{1,2})?)`
	lengthUnit = `(cm\b|mm\b|inch(?:es)?\b|")`
	usualDPI   = 300
)

// printed returns the size in pixels of a print, at 300 dpi unless another resolution is named: "1181x1772" for "10x15 cm".
func printed(print string) string {
	m := printSize.FindStringSubmatch(print)
	dpi := number(m[5])
	if dpi == 0 {
		dpi = usualDPI
	}
	inch := map[string]float64{"cm": 2.54, "mm": 25.4}[strings.ToLower(m[4])]
	if inch == 0 {
		inch = 1
	}
	return fmt.Sprintf("%.0fx%.0f", number(m[1])/inch*dpi, number(m[3])/inch*dpi)
}

// number parses a decimal number, 0 if it is none.
func number(text string) float64 {
	n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil {
		return 0
	}
	return n
}

// Ratio returns the aspect ratio of two sides: "16:9" for 1280 and 720.
func Ratio(width, height int) string {
	a, b := width, height
	for b != 0 {
		a, b = b, a%b
	}
	return fmt.Sprintf("%d:%d", width/a, height/a)
}
