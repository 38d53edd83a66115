package table

import (
	"slices"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

// relation is how a cell stands to a value.
type relation struct {
	// words find it in a condition, in lower case.
	words lazyregexp.Regexp
	holds func(cell, value string) bool
}

// relations are tried in this order: those with more words come first.
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

// phrase finds whole words, and signs anywhere.
func phrase(words string, signs ...string) lazyregexp.Regexp {
	return lazyregexp.New(strings.Join(append([]string{`\b(?:` + words + `)\b`}, signs...), "|"))
}

// condition is one thing that rows must show.
type condition struct {
	columns []int // any of them
	holds   func(cell, value string) bool
	values  []string // any of them
}

func (c condition) of(row []string) bool {
	return slices.ContainsFunc(c.columns, func(i int) bool {
		return slices.ContainsFunc(c.values, func(v string) bool { return c.holds(row[i], v) })
	})
}

// Where returns the rows for which the words hold, such as "city is Berlin", "price over 100 and status is not done" or
// "Berlin", which any column may have; with others, the other rows. It is false if the words are no condition.
func (t Table) Where(words string, others bool) (Table, bool) {
	var groups [][]condition // of one of them, a row must show all
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

// alternatives are the conditions that "or" parts. Of "city is Berlin or Hamburg", the second is no condition but
// another value.
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
	// leading is what people say before a condition.
	leading = lazyregexp.New(`(?i)^.*?\b(?:rows?|lines?|entries|entry|records?|those|ones)\b` +
		`(?:\s+(?:where|whose|with|of|from|in which|for which|that have|that has|having|that|which|for|in))?\s+`)
	opening = lazyregexp.New(`(?i)^(?:only |just |all )*(?:where|whose|with|if|when|having)\s+`)
	// span is a range, whose "and" joins no conditions.
	span = lazyregexp.New(`(?i)\b(between\s+\S+)\s+and\s+`)
	// joint is what joins conditions.
	joint  = lazyregexp.New(`(?i)\s+(?:and|but)\s+(?:where\s+|the\s+)*|\s*;\s*|\s+&&?\s+`)
	or     = lazyregexp.New(`(?i)\s+or\s+(?:where\s+)?`)
	either = lazyregexp.New(`(?i)\s*,\s*(?:or\s+)?|\s+or\s+`)
)

// conditions are what the words ask of a row.
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

// condition reads one condition, which names a column.
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

// tail is where a value is said to stand.
var tail = lazyregexp.New(`(?i)^(.*?)\s+(?:in|as|for|under)\s+(?:the\s+)?(?:column\s+)?(.+?)(?:\s+column)?$`)

// ending reads a value with its column behind it.
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

// without is what follows the name of a column at the beginning of words.
func (t Table) without(words string, column int) (string, bool) {
	said := strings.Fields(words)
	for n := 1; n < len(said); n++ {
		if slices.Equal(t.Mentioned(strings.Join(said[:n], " ")), []int{column}) && !slices.Contains(t.Mentioned(said[n]), column) {
			return strings.Join(said[n:], " "), true
		}
	}
	return "", false
}

// valuesOf are the values that words name, any of which will do.
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

// same tells whether a cell has the value, as a number, as a date or in words.
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

// between tells whether a cell lies between two values, "3 … 5".
func between(cell, values string) bool {
	from, to, _ := strings.Cut(values, "…")
	low, isOver := order(cell, valueOf(from))
	high, isUnder := order(cell, valueOf(to))
	return isOver && isUnder && low >= 0 && high <= 0
}

// ordered compares a cell with a value.
func ordered(holds func(order int) bool) func(cell, value string) bool {
	return func(cell, value string) bool {
		o, ok := order(cell, value)
		return ok && holds(o)
	}
}

// order compares two numbers or two dates. It is false if they are neither.
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

// dates are the forms of dates that tables have. Which comes first of day and month, a slash does not tell.
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
