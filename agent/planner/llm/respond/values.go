package respond

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/token"
	"atelier/agent/wording"
)

// made describes a result for the model.
type made struct {
	Type  plan.Type `json:"type"`
	File  string    `json:"file,omitempty"`
	Shows string    `json:"shows,omitempty"`
	// Text is a short text, which the model may quote. For a long one, Begins is the beginning and
	// InFull the placeholder for the whole text.
	Text   string `json:"text,omitempty"`
	Begins string `json:"begins,omitempty"`
	InFull string `json:"in_full,omitempty"`
	// Found are the items of a list; All is their number.
	All    *int           `json:"found_in_all,omitempty"`
	Labels map[string]int `json:"found_by_label,omitempty"`
	Found  []item         `json:"found,omitempty"`
}

// item is a box, a point, a class or a part.
type item struct {
	Label string `json:"label,omitempty"`
	Sure  string `json:"sure,omitempty"`
	Box   []int  `json:"box,omitempty"`
	Point []int  `json:"point,omitempty"`
}

// show describes a result. keep stores a long text and returns its placeholder; nil if texts cannot
// be inserted.
func show(r plan.Resource, size limits, keep func(made plan.Resource) (place string)) made {
	m := made{Type: r.Type, Shows: token.Excerpt(r.About, size.short)}
	if r.Type.Media() {
		m.File = wording.Called(r)
	}
	items, ok := itemsOf(r)
	switch {
	case ok:
		n := len(items)
		m.All, m.Labels, m.Found = &n, byLabel(items, size.items), items[:min(n, size.items)]
	case r.Type.Media():
	case !long(r.Value):
		m.Text = r.Value
	default:
		m.Begins = token.Excerpt(r.Value, size.text)
		if keep != nil {
			m.InFull = keep(r)
		}
	}
	return m
}

// itemsOf decodes a result that is a list.
func itemsOf(r plan.Resource) ([]item, bool) {
	switch {
	case r.Type == plan.BBox:
		return list(r, func(b plan.Box) item {
			return item{Label: b.Label, Sure: percent(b.Score), Box: []int{b.XMin, b.YMin, b.XMax, b.YMax}}
		})
	case r.Type == plan.Points:
		return list(r, func(p plan.Point) item { return item{Point: []int{p.X, p.Y}} })
	case r.Type == plan.Category:
		return list(r, func(c plan.Class) item { return item{Label: c.Label, Sure: percent(c.Score)} })
	case r.Type.Media() && r.Value != "":
		return list(r, func(p plan.Part) item { return item{Label: p.Label, Sure: percent(p.Score)} })
	}
	return nil, false
}

func list[T plan.Box | plan.Point | plan.Class | plan.Part](r plan.Resource, tell func(T) item) ([]item, bool) {
	values, err := plan.DecodeValue[T](r)
	if err != nil {
		return nil, false
	}
	items := []item{}
	for _, v := range values {
		items = append(items, tell(v))
	}
	return items, true
}

// byLabel counts repeated labels for the model, unless there are too many.
func byLabel(items []item, most int) map[string]int {
	count := map[string]int{}
	for _, i := range items {
		if i.Label != "" {
			count[i.Label]++
		}
	}
	if len(count) == len(items) || len(count) > most {
		return nil
	}
	return count
}

// percent words a score, if there is one.
func percent(score float64) string {
	switch {
	case score <= 0:
		return ""
	case score < 0.01:
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*min(score, 1))
}

// A text beyond one of these limits is long: the model should not retype it.
const (
	longTokens = 80
	longLines  = 4
)

func long(s string) bool {
	return token.Count(s) > longTokens || strings.Count(strings.TrimSpace(s), "\n") >= longLines
}

// wholeTexts are the texts that can be inserted into an answer.
type wholeTexts []wholeText

type wholeText struct {
	text   string
	wanted bool // people expect it
}

// placeFor returns the placeholder of text i.
func placeFor(i int) string { return "[[text " + strconv.Itoa(i+1) + "]]" }

var (
	// anyPlace matches possible placeholders.
	anyPlace = lazyregexp.New(`(?i)\[\[\s*text\s*([0-9]{1,6})\s*\]\]`)
	// framed matches a placeholder with the punctuation around it: quotation marks, emphasis, a
	// full stop.
	framed = lazyregexp.New("(?i)(?:```[a-z]*\n)?[ \\t\"“”„«»*_>`•-]*" + anyPlace.String()[len("(?i)"):] + "[ \\t\"“”„«»*_`.,;。]*(?:\n```)?")
)

// number returns the index of the text of a placeholder.
func (t wholeTexts) number(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n - 1, err == nil && n >= 1 && n <= len(t)
}

// placed returns which texts have placeholders in an answer, and the invalid placeholders.
func (t wholeTexts) placed(answer string) (have []bool, unknown []string) {
	have = make([]bool, len(t))
	for _, match := range anyPlace.FindAllStringSubmatch(answer, -1) {
		if i, ok := t.number(match[1]); ok {
			have[i] = true
		} else if !slices.Contains(unknown, match[0]) {
			unknown = append(unknown, match[0])
		}
	}
	return have, unknown
}

// fill replaces the placeholders by the texts, each as a paragraph and only once.
func (t wholeTexts) fill(answer string) string {
	var paragraphs []string
	said := make([]bool, len(t))
	from := 0
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			paragraphs = append(paragraphs, s)
		}
	}
	for _, at := range framed.FindAllStringSubmatchIndex(answer, -1) {
		i, ok := t.number(answer[at[2]:at[3]])
		if !ok {
			continue
		}
		add(answer[from:at[0]])
		if !said[i] {
			add(t[i].text)
		}
		said[i], from = true, at[1]
	}
	add(answer[from:])
	return strings.Join(paragraphs, "\n\n")
}
