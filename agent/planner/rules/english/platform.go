package english

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

// platforms finds what platforms call their pictures, the longest name first.
func platforms(e *Lists) *regexp.Regexp {
	var names []string
	for section, phrases := range e.lists {
		if strings.HasPrefix(section, sizeSection) {
			for _, p := range phrases {
				names = append(names, regexp.QuoteMeta(p))
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(names, "|") + `)\b`)
}

const sizeSection = "size "

// sizedTail is what may be said of the shape behind the name: "instagram story with blurred sides".
var sizedTail = lazyregexp.New(`(?i)^(?:\s+(?:size|format|dimensions?|resolution|shape))?\s*` +
	`((?:with|without|but|no|don['’]?t|do not|blurred|cropped|padded)\b.*?)?[.!?]*$`)

// PlatformSize reads a wish for the size of a platform and for nothing else: "can you make this fit an instagram story"
// is "1080x1920". more is what it says of the shape behind that, "with blurred sides"; ok is false for any other wish.
func (g *Grammar) PlatformSize(wish string) (size, more string, ok bool) {
	at := g.platforms.FindStringIndex(wish)
	if at == nil {
		return "", "", false
	}
	tail := sizedTail.FindStringSubmatch(wish[at[1]:])
	before := wish[:at[0]]
	if tail == nil {
		tail, before = []string{"", ""}, before+wish[at[1]:]
	}
	for _, w := range g.Lexicon.Words(before, nil) {
		if !w.IsMark() && !w.IsFile() && !g.In("sizing", w.Lower()) {
			return "", "", false
		}
	}
	sections := g.SectionsOf(sizeSection, strings.ToLower(wish[at[0]:at[1]]))
	return strings.TrimPrefix(sections[0], sizeSection), tail[1], true
}
