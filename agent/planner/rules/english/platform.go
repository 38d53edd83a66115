package english

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/toolbox/quantity"
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
	at := p.names.FindStringIndex(wish)
	start, end, paper := quantity.Print(wish)
	switch {
	case end > 0:
		at = []int{start, end}
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
	if end > 0 {
		return fmt.Sprintf("%dx%d", paper.Width, paper.Height), tail[1], true
	}
	sections := p.SectionsOf(sizeSection, strings.ToLower(wish[at[0]:at[1]]))
	return strings.TrimPrefix(sections[0], sizeSection), tail[1], true
}

// Ratio returns the aspect ratio of two sides: "16:9" for 1280 and 720.
func Ratio(width, height int) string {
	a, b := width, height
	for b != 0 {
		a, b = b, a%b
	}
	return fmt.Sprintf("%d:%d", width/a, height/a)
}
