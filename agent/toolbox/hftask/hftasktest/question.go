package hftasktest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is an answer that stands in a text.
type span struct {
	Answer string  `json:"answer"`
	Score  float64 `json:"score"`
	Start  int     `json:"start"`
	End    int     `json:"end"`
}

// member is a text of the inputs.
func (q *request) member(name string) string {
	in, _ := q.inputs.(map[string]any) //nolint:errcheck // the schema has seen to it
	text, _ := in[name].(string)       //nolint:errcheck // the schema has seen to it
	return text
}

// answerFromText gives the sentences that have most in common with the question.
func answerFromText(_ *world, q *request) (any, error) {
	question, text := q.member("question"), q.member("context")
	var all []span
	for _, s := range sentences(text) {
		before, _, _ := strings.Cut(text, s)
		start := utf8.RuneCountInString(before)
		all = append(all, span{s, float64(1+common(s, question)) / float64(2+len(words(question))), start, start + utf8.RuneCountInString(s)})
	}
	if len(all) == 0 {
		return nil, bad("the text is empty")
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.Score, a.Score) })
	return top(q, all[:min(len(all), q.number("top_k", 1))]), nil
}

// askDocument answers by what it sees of the page, which it cannot read: by the word
// boxes if they came, else by what is drawn there.
func askDocument(_ *world, q *request) (any, error) {
	sc, err := q.sceneOf("image")
	if err != nil {
		return nil, err
	}
	answer := "a page with " + sc.account()
	boxes, _ := q.params["word_boxes"].([]any) //nolint:errcheck // absent is none
	for _, item := range boxes {
		if word, ok := item.(string); ok && strings.ContainsAny(word, "0123456789") {
			answer = word
			break
		}
	}
	return top(q, []span{{answer, 0.8, 0, 0}}), nil
}

// found is what was found in a table.
type found struct {
	Answer      string   `json:"answer"`
	Coordinates [][2]int `json:"coordinates"`
	Cells       []string `json:"cells"`
	Aggregator  string   `json:"aggregator"`
}

// askTable finds the row whose cells and the column whose name the question speaks of; it
// counts and adds up.
func askTable(_ *world, q *request) (any, error) {
	in, _ := q.inputs.(map[string]any)       //nolint:errcheck // the schema has seen to it
	table, _ := in["table"].(map[string]any) //nolint:errcheck // the schema has seen to it
	if len(table) == 0 {
		return nil, bad("the table is empty")
	}
	columns := sortedKeys(table) // JSON has no order of members
	cells := map[string][]string{}
	rows := 0
	for _, c := range columns {
		cells[c] = (&request{params: table}).list(c)
		rows = max(rows, len(cells[c]))
	}
	for _, c := range columns {
		if len(cells[c]) != rows {
			return nil, bad("the column %s has %d cells, and another one %d", c, len(cells[c]), rows)
		}
	}
	question := q.member("question")
	// The wanted column is the one whose name is asked for; the wanted row the one of
	// which a cell is named.
	column, most := len(columns)-1, 0
	for i, c := range columns {
		if n := common(question, c); n > most {
			column, most = i, n
		}
	}
	var wanted []int
	for r := range rows {
		if slices.ContainsFunc(columns, func(c string) bool {
			return common(question, cells[c][r]) > 0 && common(question, cells[c][r]) == len(words(cells[c][r]))
		}) {
			wanted = append(wanted, r)
		}
	}
	f := found{Aggregator: "NONE", Cells: []string{}, Coordinates: [][2]int{}}
	asked := strings.ToLower(question)
	switch {
	case strings.Contains(asked, "how many"):
		f.Aggregator = "COUNT"
	case strings.Contains(asked, "total"), strings.Contains(asked, "sum"), strings.Contains(asked, "altogether"):
		f.Aggregator = "SUM"
	case strings.Contains(asked, "average"), strings.Contains(asked, "mean"):
		f.Aggregator = "AVERAGE"
	}
	if len(wanted) == 0 {
		for r := range rows {
			if f.Aggregator != "NONE" || r == 0 {
				wanted = append(wanted, r)
			}
		}
	}
	for _, r := range wanted {
		cell := cells[columns[column]][r]
		f.Cells = append(f.Cells, cell)
		f.Coordinates = append(f.Coordinates, [2]int{r, column})
	}
	f.Answer = strings.Join(f.Cells, ", ")
	if f.Aggregator != "NONE" {
		f.Answer = f.Aggregator + " > " + f.Answer
	}
	return []found{f}, nil
}

// prediction is a word for a gap.
type prediction struct {
	Sequence string  `json:"sequence"`
	Score    float64 `json:"score"`
	Token    int     `json:"token"`
	Word     string  `json:"token_str"`
	// The published schema describes token_str and asks for tokenStr.
	Again string `json:"tokenStr"` //nolint:tagliatelle // its name
}

// fillMask fills the gap "[MASK]" or "<mask>".
func fillMask(_ *world, q *request) (any, error) {
	text := q.text()
	gap := "[MASK]"
	if !strings.Contains(text, gap) {
		gap = "<mask>"
	}
	if !strings.Contains(text, gap) {
		return nil, bad("no mask token ([MASK]) was found in the input")
	}
	fits := q.list("targets")
	if len(fits) == 0 {
		fits = []string{"house", "day", "thing", "world", "man"}
	}
	all := []prediction{}
	for i, word := range fits {
		all = append(all, prediction{strings.Replace(text, gap, word, 1), 0.5 / float64(i+1), int(hash(word) % 30000), word, word})
	}
	return top(q, all), nil
}

// dimensions is how long the vectors are.
const dimensions = 16

// vectorOf is a direction that belongs to the words of a text.
func vectorOf(text string) []float64 {
	v := make([]float64, dimensions)
	for _, word := range words(text) {
		v[hash(word)%dimensions]++
	}
	length := 0.0
	for _, x := range v {
		length += x * x
	}
	for i := range v {
		v[i] /= max(math.Sqrt(length), 1e-9)
	}
	return v
}

// extractFeatures gives each text a vector.
func extractFeatures(_ *world, q *request) (any, error) {
	texts := (&request{params: map[string]any{"inputs": q.inputs}}).list("inputs")
	if text, ok := q.inputs.(string); ok {
		texts = []string{text}
	}
	all := [][]float64{}
	for _, text := range texts {
		all = append(all, vectorOf(text))
	}
	return all, nil
}

// compareSentences is how much the vectors of sentences have in common with that of the
// first.
func compareSentences(_ *world, q *request) (any, error) {
	in, _ := q.inputs.(map[string]any) //nolint:errcheck // the schema has seen to it
	source := vectorOf(q.member("source_sentence"))
	all := []float64{}
	for _, text := range (&request{params: in}).list("sentences") {
		dot := 0.0
		for i, x := range vectorOf(text) {
			dot += x * source[i]
		}
		all = append(all, dot)
	}
	return all, nil
}
