package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// records builds a table from rows of named cells.
type records struct {
	Table
	at map[string]int
}

// add adds a row of named cells.
func (r *records) add(names, cells []string) {
	if r.at == nil {
		r.at = map[string]int{}
	}
	var row []string
	for i, name := range names {
		at, known := r.at[name]
		if !known {
			at = len(r.Columns)
			r.at[name] = at
			r.Columns = append(r.Columns, name)
		}
		for len(row) <= at {
			row = append(row, "")
		}
		row[at] = cells[i]
	}
	r.Rows = append(r.Rows, row)
}

func badJSON(err error) error {
	return &plan.Fault{Sentence: plan.Say("The JSON is damaged: %s. Please correct it and send it again.", err.Error()), Err: err}
}

// readJSON reads a list of objects, a list of lists, one object per line, or an object that holds
// only a list of objects.
func readJSON(text string) (Table, bool, error) {
	text = strings.TrimSpace(text)
	if text[0] != '[' && text[0] != '{' || text[0] == '[' && !json.Valid([]byte(text)) {
		return Table{}, false, nil
	}
	var items []json.RawMessage
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var item json.RawMessage
		if err := d.Decode(&item); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return Table{}, false, badJSON(err)
		}
		items = append(items, item)
	}
	if len(items) == 1 {
		items = listOf(items[0])
	}
	var r records
	for _, item := range items {
		names, cells, err := fields(item)
		if err != nil {
			return Table{}, false, noTable(err)
		}
		if names == nil && len(r.Columns) == 0 && len(r.Rows) == 0 { // the first list contains the column names
			r.Columns = cells
			continue
		}
		if names == nil {
			r.Rows = append(r.Rows, cells)
			continue
		}
		r.add(names, cells)
	}
	return r.Table, len(r.Columns) > 0, nil
}

// listOf returns the rows in a value: the elements of a list, or those of the only list in an object.
func listOf(item json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(item, &list) == nil {
		return list
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(item, &object) == nil {
		for _, value := range object {
			var inner []json.RawMessage
			if json.Unmarshal(value, &inner) == nil && len(inner) > 0 && inner[0][0] == '{' && len(object) == 1 {
				return inner
			}
		}
	}
	return []json.RawMessage{item}
}

// fields returns the names and the cells of a row. A list has no names.
func fields(item json.RawMessage) (names, cells []string, err error) {
	var list []json.RawMessage
	if json.Unmarshal(item, &list) == nil {
		for _, v := range list {
			cells = append(cells, cellOf(v))
		}
		return nil, cells, nil
	}
	d := json.NewDecoder(bytes.NewReader(item))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, errors.New("a row must be an object or a list")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("read a name: %w", err)
		}
		key, ok := name.(string)
		if !ok {
			return nil, nil, fmt.Errorf("%v is not a name", name)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, fmt.Errorf("read a cell: %w", err)
		}
		names, cells = append(names, key), append(cells, cellOf(value))
	}
	return names, cells, nil
}

// cellOf converts a value to the text of a cell.
func cellOf(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	}
	var small bytes.Buffer
	if json.Compact(&small, value) != nil {
		return string(value)
	}
	return small.String()
}

var rule = lazyregexp.New(`^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$`)

// readMarkdown reads the first table of a Markdown text: a line of names, a rule, and rows.
func readMarkdown(text string) (Table, bool, error) {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if !strings.Contains(lines[i-1], "|") || !rule.MatchString(lines[i]) || !strings.ContainsAny(lines[i], "|-") {
			continue
		}
		t := Table{Columns: pipes(lines[i-1])}
		for _, line := range lines[i+1:] {
			if !strings.Contains(line, "|") {
				break
			}
			t.Rows = append(t.Rows, pipes(line))
		}
		return t, true, nil
	}
	return Table{}, false, nil
}

// pipes splits a line of a Markdown table into cells.
func pipes(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	const escaped = "\x00"
	cells := strings.Split(strings.ReplaceAll(strings.ReplaceAll(line, escaped, ""), `\|`, escaped), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(cell, escaped, "|"), "<br>", "\n"))
	}
	return cells
}

// readTabs reads tab-separated values.
func readTabs(text string) (Table, bool, error) { return readMarked(text, "\t") }

// readSeparated reads values that are separated by semicolons, commas or pipes.
func readSeparated(text string) (Table, bool, error) { return readMarked(text, ";,|") }

// readMarked reads separated values. It tries each of the marks as the separator and keeps the one
// that gives the most columns to the most lines.
func readMarked(text, marks string) (Table, bool, error) {
	var best [][]string
	score := 1.0
	for _, mark := range marks {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = mark, true, -1, mark != '\t'
		rows, err := r.ReadAll()
		if err != nil || len(rows) < 2 || len(rows[0]) < 2 {
			continue
		}
		same := 0
		for _, row := range rows {
			if len(row) == len(rows[0]) {
				same++
			}
		}
		share := float64(same) / float64(len(rows))
		if s := share * share * float64(min(len(rows[0]), 50)); share > 0.5 && s > score {
			best, score = rows, s
		}
	}
	if best == nil {
		return Table{}, false, nil
	}
	return Table{Columns: best[0], Rows: best[1:]}, true, nil
}

// pair matches a name with a number: "Mon 3", "Tue: 5", "Wed = 4.5".
var (
	pair      = lazyregexp.New(`^([^\d:=][^:=]{0,59}?)(?: ?[:=] ?| )([+-]?\d[\d.]*%?)$`)
	pairLead  = lazyregexp.New(`(?i)\b(?:from|to|of|at|by|than)$`) // "y axis from 0 to 10" names no value
	pairMarks = lazyregexp.New(`[,;\n]|\band\b`)
)

// readPairs reads names that have a number each, in one line or in several.
func readPairs(text string) (Table, bool, error) {
	t := Table{Columns: []string{"name", "value"}}
	for _, item := range pairMarks.Split(text, -1) {
		if item = strings.Join(strings.Fields(item), " "); item == "" {
			continue
		}
		m := pair.FindStringSubmatch(item)
		if m == nil || len(t.Rows) >= maxPairs || pairLead.MatchString(m[1]) {
			return Table{}, false, nil
		}
		t.Rows = append(t.Rows, []string{strings.TrimSpace(m[1]), m[2]})
	}
	return t, len(t.Rows) > 1, nil
}

// maxPairs is the maximum number of pairs; a longer text is not a hand-written list.
const maxPairs = 1000

// readYAML reads a list of maps, or a map that holds only such a list.
func readYAML(text string) (Table, bool, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return Table{}, false, noTable(err)
	}
	if len(doc.Content) == 0 {
		return Table{}, false, nil
	}
	list := doc.Content[0]
	if list.Kind == yaml.MappingNode && len(list.Content) == 2 && list.Content[1].Kind == yaml.SequenceNode {
		list = list.Content[1]
	}
	notMap := func(n *yaml.Node) bool { return n.Kind != yaml.MappingNode }
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 || slices.ContainsFunc(list.Content, notMap) {
		return Table{}, false, nil
	}
	var r records
	for _, row := range list.Content {
		var names, cells []string
		for i := 0; i+1 < len(row.Content); i += 2 {
			value := row.Content[i+1]
			cell := value.Value
			switch {
			case value.Kind == yaml.AliasNode:
				cell = "*" + value.Value
			case value.Kind != yaml.ScalarNode:
				b, err := yaml.Marshal(value)
				if err != nil {
					return Table{}, false, noTable(err)
				}
				cell = strings.TrimSpace(string(b))
			case value.Tag == "!!null":
				cell = ""
			}
			names, cells = append(names, row.Content[i].Value), append(cells, cell)
		}
		r.add(names, cells)
	}
	return r.Table, len(r.Columns) > 0, nil
}
