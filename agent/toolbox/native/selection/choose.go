// Package selection selects boxes, masks and classes by a description, and counts them.
//
// Guarantees:
//   - Only entries of the given list are selected, in its order.
//   - A note says what could not be checked with the labels alone.
package selection

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/native/prose"
)

// maxPhrase is the maximum length of a phrase, in characters; the rest is ignored.
const maxPhrase = 300

// item is a candidate for selection: a box, a part of a mask, or a class.
type item struct {
	label string
	score float64
	box   plan.Box // position; empty for classes
}

// choose returns the indexes of the items that a phrase describes, ascending, and a note for people if
// the labels could not answer everything.
//
// A phrase names a thing in the singular or plural, by a synonym or a more general word, and may
// restrict it by place, size or order. Phrases may be joined by "and", commas or "or"; the part after
// "except" is excluded; "all" selects everything.
func choose(phrase string, items []item) (kept []int, note plan.Message) {
	phrase = prose.Shorten(prose.OneLine(prose.Clean(phrase)), maxPhrase)
	lower := " " + strings.ToLower(phrase) + " "
	for _, except := range []string{" except for ", " except ", " but not ", " apart from ", " other than ", " everything but ", " all but "} {
		i := strings.Index(lower, except)
		if i < 0 || len(lower) != len(phrase)+2 {
			continue
		}
		all, _ := choose(phrase[:max(i-1, 0)], items)
		without, note := choose(phrase[min(i+len(except)-1, len(phrase)):], items)
		return slices.DeleteFunc(all, func(k int) bool { return slices.Contains(without, k) }), note
	}
	parts := alternatives(phrase)
	if len(parts) != 1 && !readPhrase(phrase).any() { // "salt and pepper" may be one label
		if whole, note := chooseOne(phrase, items, rightThing); len(whole) > 0 {
			return whole, note
		}
	}
	if len(parts) == 0 {
		parts = []string{""}
	}
	var notes []plan.Message
	for _, part := range parts {
		found, note := chooseOne(part, items, noFit+1)
		for _, k := range found {
			if !slices.Contains(kept, k) {
				kept = append(kept, k)
			}
		}
		notes = append(notes, note)
	}
	slices.Sort(kept)
	if len(kept) == 0 && len(items) > 0 {
		return nil, plan.Say("Nothing here matches “%s”. I found: %s.", prose.Shorten(phrase, 40), inventory(items))
	}
	return kept, plan.Sentences(notes...)
}

// alternatives splits "dogs, cats and the car" into its three parts.
func alternatives(phrase string) []string {
	phrase = strings.NewReplacer(" and ", ",", " or ", ",", ";", ",", "&", ",", " as well as ", ",").Replace(phrase)
	parts := strings.FieldsFunc(phrase, func(r rune) bool { return r == ',' })
	return slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
}

// textNouns are stems of words for any written text.
var textNouns = []string{"text", "word", "write", "letter"}

// IsRead reports whether the labels of boxes are recognized text.
func IsRead(boxes []plan.Box) bool {
	items := make([]item, len(boxes))
	for i, b := range boxes {
		items[i].label = b.Label
	}
	return isRead(items)
}

// isRead reports whether the labels are recognized text: it has capitals, digits or punctuation, which
// object labels lack.
func isRead(items []item) bool {
	return slices.ContainsFunc(items, func(it item) bool {
		return strings.ContainsFunc(it.label, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.IsPunct(r) })
	})
}

// chooseOne selects by a phrase that names one thing, if some label fits at least as well as least.
func chooseOne(phrase string, items []item, least int) (kept []int, note plan.Message) {
	if isRead(items) {
		if found, known := writtenAs(phrase, items); known {
			return found, plan.Message{}
		}
	}
	w := readPhrase(phrase)
	best := noFit
	grades := make([]int, len(items))
	ofText := len(w.nouns) > 0 && !slices.ContainsFunc(w.nouns, func(noun string) bool { return !slices.Contains(textNouns, prose.Stem(noun)) })
	unlabelled := !slices.ContainsFunc(items, func(it item) bool { return it.label != "" })
	for i, it := range items {
		switch {
		case w.any() || unlabelled || ofText && isRead(items):
			grades[i] = rightThing
		default:
			grades[i] = max(fit(w.nouns, it.label), fit(w.short, it.label))
		}
		best = max(best, grades[i])
	}
	if best < least {
		return nil, plan.Message{}
	}
	for i, g := range grades {
		if g == best {
			kept = append(kept, i)
		}
	}
	what := strings.Join(w.short, " ")
	switch {
	case unlabelled && !w.any():
		note = plan.Say("There are no labels here, so I could not check which of them is “%s”.", what)
	case best == headOnly || best == general:
		note = plan.Say("The labels only say “%s”, so I could not check for “%s”.", items[kept[0]].label, what)
	}
	return w.narrow(kept, items), note
}

// narrow restricts the items by position, size and number.
func (w wanted) narrow(found []int, items []item) []int {
	if len(w.orders) == 0 && w.index == 0 && (w.count == 0 || w.count >= len(found)) {
		return found
	}
	orders := w.orders
	if len(orders) == 0 {
		orders = []ordering{byScore}
		if w.index != 0 {
			orders = []ordering{byLeft}
		}
	}
	ranked := slices.Clone(found)
	if items[found[0]].box != (plan.Box{}) || orders[0] == byScore {
		rank := ranking(orders, ranked, items)
		slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	}
	index := w.index
	if index < 0 {
		index = len(ranked)
	}
	count := w.count
	switch {
	case index > len(ranked):
		return nil
	case index > 0 && count > 1 && w.index > 0: // "the first two"
		ranked = ranked[index-1:]
	case index > 0 && count > 1: // "the last two"
		ranked = ranked[max(0, len(ranked)-count):]
	case index > 0:
		ranked = ranked[index-1 : index]
	case count == 0 && w.many && orders[0].placed():
		ranked = w.within(ranked, items)
	case count == 0:
		count = 1
	}
	if count > 0 {
		ranked = ranked[:min(count, len(ranked))]
	}
	slices.Sort(ranked)
	return ranked
}

// ranking returns a function that ranks items by the orderings; lower is better.
func ranking(orders []ordering, found []int, items []item) func(int) float64 {
	area := extent(found, items)
	width, height := float64(max(area.XMax-area.XMin, 1)), float64(max(area.YMax-area.YMin, 1))
	return func(i int) float64 {
		b := items[i].box
		x := (float64(b.XMin+b.XMax)/2 - float64(area.XMin)) / width
		y := (float64(b.YMin+b.YMax)/2 - float64(area.YMin)) / height
		size := float64(b.XMax-b.XMin) * float64(b.YMax-b.YMin) / (width * height)
		var sum float64
		for _, o := range orders {
			switch o {
			case byLeft:
				sum += x
			case byRight:
				sum -= x
			case byTop:
				sum += y
			case byBottom:
				sum -= y
			case byMiddle:
				sum += math.Hypot(x-0.5, y-0.5)
			case byLargest:
				sum -= size
			case bySmall:
				sum += size
			case byScore:
				sum -= items[i].score
			}
		}
		return sum
	}
}

// within keeps the items whose centre is in the requested half of their common bounding box: "the dogs on the left".
func (w wanted) within(found []int, items []item) []int {
	area := extent(found, items)
	midX, midY := area.XMin+area.XMax, area.YMin+area.YMax
	return slices.DeleteFunc(slices.Clone(found), func(i int) bool {
		b := items[i].box
		x, y := b.XMin+b.XMax, b.YMin+b.YMax
		for _, o := range w.orders {
			switch {
			case o == byLeft && x > midX, o == byRight && x < midX, o == byTop && y > midY, o == byBottom && y < midY:
				return true
			case o == byMiddle && 6*max(x-midX, midX-x) > 2*(area.XMax-area.XMin):
				return true
			}
		}
		return false
	})
}

// extent returns the bounding box of the items.
func extent(found []int, items []item) plan.Box {
	all := items[found[0]].box
	for _, i := range found[1:] {
		b := items[i].box
		all.XMin, all.YMin = min(all.XMin, b.XMin), min(all.YMin, b.YMin)
		all.XMax, all.YMax = max(all.XMax, b.XMax), max(all.YMax, b.YMax)
	}
	return all
}
