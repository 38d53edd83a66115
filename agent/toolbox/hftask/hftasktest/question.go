package hftasktest

import (
	"slices"
	"strings"
)

// span is an answer found in a text.
type span struct {
	Answer string  `json:"answer"`
	Score  float64 `json:"score"`
	Start  int     `json:"start"`
	End    int     `json:"end"`
}

// member returns a text of the inputs.
func (q *request) member(name string) string {
	in, _ := q.inputs.(map[string]any) //nolint:errcheck // the schema guarantees it
	text, _ := in[name].(string)       //nolint:errcheck // the schema guarantees it
	return text
}

// askDocument cannot read. It answers with the first word box that has a digit, or else describes the page.
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

// found is an answer about a table.
type found struct {
	Answer      string   `json:"answer"`
	Coordinates [][2]int `json:"coordinates"`
	Cells       []string `json:"cells"`
	Aggregator  string   `json:"aggregator"`
}

// askTable finds the row and the column that the question names, and counts or sums.
func askTable(_ *world, q *request) (any, error) {
	in, _ := q.inputs.(map[string]any)       //nolint:errcheck // the schema guarantees it
	table, _ := in["table"].(map[string]any) //nolint:errcheck // the schema guarantees it
	if len(table) == 0 {
		return nil, bad("the table is empty")
	}
	columns := sortedKeys(table) // JSON objects are unordered
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
	// The question names the column by its header, and the row by a cell.
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
