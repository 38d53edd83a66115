package table

import (
	"slices"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

// relation is a relation between a cell and a value.
type relation struct {
	// words matches the relation in a lower-case condition.
	words lazyregexp.Regexp
	holds func(cell, value string) bool
}

// relations are tried in this order: longer phrases first.
var relations = []relation{
	{phrase(`(is|are) not (empty|blank)|isn't empty|has a value|is set|is filled( in)?`), func(cell, _ string) bool { return strings.TrimSpace(cell) != "" }},
	{phrase(`(is|are) (empty|blank|missing)|has no value|is not set`), func(cell, _ string) bool { return strings.TrimSpace(cell) == "" }},
	{phrase(`(does not|doesn't|do not|don't) (contain|include|have)|not containing`), func(cell, value string) bool { return !contains(cell, value) }},
	{phrase(`contains?|containing|includes?|including|mentions?|mentioning`), contains},
	{phrase(`(starts?|begins?|starting|beginning) with`), begins},
	{phrase(`(ends?|ending) (with|in)`), ends},
	{phrase(`((is|are|lies) )?between`), between},
	{phrase(`((is|are) )?at least|(is|are) not (less|under|below)( than)?`, `>=`, `≥`), ordered(func(order int) bool { return order >= 0 })},
	{phrase(`((is|are) )?at most|(is|are) not (more|over|above)( than)?|up to`, `<=`, `≤`), ordered(func(order int) bool { return order <= 0 })},
	{phrase(`(is|are) not|isn't|aren't|other than|not equal to|(is|are) anything but`, `!=`, `<>`, `≠`), func(cell, value string) bool {
		return !same(cell, value)
	}},
	{
		phrase(`((is|are) )?((more|greater|higher|larger|bigger|later|older) than|over|above|after)|exceeds|exceeding`, `>`),
		ordered(func(order int) bool { return order > 0 }),
	},
	{phrase(`((is|are) )?((less|fewer|lower|smaller|earlier|younger) than|under|below|before)`, `<`), ordered(func(order int) bool { return order < 0 })},
	{phrase(`is equal to|equals?|is exactly|is|are|was|were`, `==?`), same},
}

// phrase matches whole words, and signs anywhere.
func phrase(words string, signs ...string) lazyregexp.Regexp {
	return lazyregexp.New(strings.Join(append([]string{`\b(?:` + words + `)\b`}, signs...), "|"))
}

// condition is a condition on a row.
type condition struct {
	columns []int // any of these
	holds   func(cell, value string) bool
	values  []string // any of these
}

func (c condition) of(row []string) bool {
	return slices.ContainsFunc(c.columns, func(i int) bool {
		return slices.ContainsFunc(c.values, func(v string) bool { return c.holds(row[i], v) })
	})
}

// Where returns the rows that match a condition, such as "city is Berlin", "price over 100 and status
// is not done", or "Berlin" in any column; with others, it returns the other rows. It returns false if
// the words are not a condition.
func (t Table) Where(words string, others bool) (Table, bool) {
	var groups [][]condition // a row must match all conditions of some group
	for _, part := range t.alternatives(words) {
		if all := t.conditions(part); len(all) > 0 {
			groups = append(groups, all)
		}
	}
	if len(groups) == 0 {
		return Table{}, false
	}
	holds := func(row []string) bool {
		return slices.ContainsFunc(groups, func(all []condition) bool {
			return !slices.ContainsFunc(all, func(c condition) bool { return !c.of(row) })
		})
	}
	kept := t
	kept.Rows = nil
	for _, row := range t.Rows {
		if holds(row) != others {
			kept.Rows = append(kept.Rows, row)
		}
	}
	return kept, true
}

// alternatives splits the words at "or" into conditions. In "city is Berlin or Hamburg", the second
// part is another value of the same condition.
func (t Table) alternatives(words string) []string {
	var all []string
	for _, part := range or.Split(words, -1) {
		if _, ok := t.condition(part); ok || len(all) == 0 {
			all = append(all, part)
		} else {
			all[len(all)-1] += " or " + part
		}
	}
	return all
}

var (
	// leading matches the words before a condition.
	leading = lazyregexp.New(`(?i)^.*?\b(?:rows?|lines?|entries|entry|records?|those|ones)\b` +
		`(?:\s+(?:where|whose|with|of|from|in which|for which|that have|that has|having|that|which|for|in))?\s+`)
	opening = lazyregexp.New(`(?i)^(?:only |just |all )*(?:where|whose|with|if|when|having)\s+`)
	// span matches a range, whose "and" does not join conditions.
	span = lazyregexp.New(`(?i)\b(between\s+\S+)\s+and\s+`)
	// joint matches what joins conditions.
	joint  = lazyregexp.New(`(?i)\s+(?:and|but)\s+(?:where\s+|the\s+)*|\s*;\s*|\s+&&?\s+`)
	or     = lazyregexp.New(`(?i)\s+or\s+(?:where\s+)?`)
	either = lazyregexp.New(`(?i)\s*,\s*(?:or\s+)?|\s+or\s+`)
)

// conditions parses conditions joined by "and".
func (t Table) conditions(words string) []condition {
	words = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(words), ".!?"))
	if rest := leading.ReplaceAllString(words, ""); rest != "" {
		words = rest
	}
	words = opening.ReplaceAllString(span.ReplaceAllString(words, "$1 … "), "")
	var all []condition
	for _, part := range joint.Split(words, -1) {
		c, ok := t.condition(part)
		switch {
		case ok:
			all = append(all, c)
		case len(all) > 0 && strings.TrimSpace(part) != "": // "Berlin and Hamburg"
			last := &all[len(all)-1]
			last.values = append(last.values, valueOf(part))
		case strings.TrimSpace(part) != "":
			all = append(all, condition{columns: t.every(), holds: same, values: valuesOf(part)})
		}
	}
	return all
}

func (t Table) every() []int {
	all := make([]int, len(t.Columns))
	for i := range all {
		all[i] = i
	}
	return all
}

// condition parses one condition that names a column.
func (t Table) condition(words string) (condition, bool) {
	lower := strings.ToLower(words)
	for _, r := range relations {
		at := r.words.FindStringIndex(lower)
		if at == nil || len(lower) != len(words) {
			continue
		}
		left, right := words[:at[0]], words[at[1]:]
		if columns := t.Mentioned(left); len(columns) > 0 {
			return condition{columns[len(columns)-1:], r.holds, valuesOf(right)}, true
		}
		if before, column, ok := t.ending(right); ok { // "over 100 in price"
			return condition{[]int{column}, r.holds, valuesOf(before)}, true
		}
	}
	if columns := t.Mentioned(words); len(columns) > 0 { // "status done"
		column := columns[0]
		if rest, ok := t.without(words, column); ok {
			return condition{[]int{column}, same, valuesOf(rest)}, true
		}
	}
	if before, column, ok := t.ending(words); ok { // "Berlin in the column city"
		return condition{[]int{column}, same, valuesOf(before)}, true
	}
	return condition{}, false
}

// tail matches a value followed by its column.
var tail = lazyregexp.New(`(?i)^(.*?)\s+(?:in|as|for|under)\s+(?:the\s+)?(?:column\s+)?(.+?)(?:\s+column)?$`)

// ending parses a value followed by its column.
func (t Table) ending(words string) (value string, column int, ok bool) {
	m := tail.FindStringSubmatch(strings.TrimSpace(words))
	if m == nil {
		return "", 0, false
	}
	columns := t.Mentioned(m[2])
	if len(columns) != 1 {
		return "", 0, false
	}
	return m[1], columns[0], true
}

// without returns the words after a column name.
func (t Table) without(words string, column int) (string, bool) {
	said := strings.Fields(words)
	for n := 1; n < len(said); n++ {
		if slices.Equal(t.Mentioned(strings.Join(said[:n], " ")), []int{column}) && !slices.Contains(t.Mentioned(said[n]), column) {
			return strings.Join(said[n:], " "), true
		}
	}
	return "", false
}

// valuesOf returns the values in the words, any of which may match.
func valuesOf(words string) []string {
	if strings.Contains(words, "…") {
		return []string{strings.TrimSpace(words)}
	}
	var all []string
	for _, v := range either.Split(strings.TrimSpace(words), -1) {
		if v = valueOf(v); v != "" {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return []string{""}
	}
	return all
}

func valueOf(words string) string {
	words = strings.TrimSpace(words)
	for _, article := range []string{"the ", "either ", "exactly ", "to "} {
		words = strings.TrimPrefix(words, article)
	}
	return strings.Trim(words, "\"'“”‘’` ")
}

// same reports whether a cell equals the value, as a number, a date or text.
func same(cell, value string) bool {
	if order, ok := order(cell, value); ok {
		return order == 0
	}
	return strings.EqualFold(strings.TrimSpace(cell), value)
}

func begins(cell, value string) bool {
	return strings.HasPrefix(strings.ToLower(cell), strings.ToLower(value))
}

func ends(cell, value string) bool {
	return strings.HasSuffix(strings.ToLower(cell), strings.ToLower(value))
}

func contains(cell, value string) bool {
	return strings.Contains(strings.ToLower(cell), strings.ToLower(value))
}

// between reports whether a cell is between two values, "3 … 5".
func between(cell, values string) bool {
	from, to, _ := strings.Cut(values, "…")
	low, isOver := order(cell, valueOf(from))
	high, isUnder := order(cell, valueOf(to))
	return isOver && isUnder && low >= 0 && high <= 0
}

// ordered returns a relation by the order of cell and value.
func ordered(holds func(order int) bool) func(cell, value string) bool {
	return func(cell, value string) bool {
		o, ok := order(cell, value)
		return ok && holds(o)
	}
}

// order compares two numbers or two dates. It returns false if they are neither.
func order(a, b string) (int, bool) {
	if x, ok := Number(a); ok {
		y, ok := Number(b)
		return compare(x, y), ok
	}
	x, ok := dateOf(a)
	if !ok {
		return 0, false
	}
	y, ok := dateOf(b)
	return x.Compare(y), ok
}

// dates are the accepted date formats. Day and month separated by slashes are ambiguous.
var dates = []string{
	time.DateOnly, "2006/01/02", "02.01.2006", "2.1.2006", time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01", "2006",
	"2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006",
}

func dateOf(s string) (time.Time, bool) {
	for _, form := range dates {
		if at, err := time.Parse(form, strings.TrimSpace(s)); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
