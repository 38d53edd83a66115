// Package table reads tables as people send them and converts them between formats: CSV with commas,
// semicolons or tabs, Markdown tables, JSON, YAML, and pairs of a name and a number ("Mon 3, Tue 5").
//
// Guarantees:
//   - Every cell is text and keeps its spelling. A cell is written as a number only if the
//     format has numbers (JSON, YAML) and writes this one the same way.
//   - Each row has as many cells as the table has columns, and column names are unique.
//   - Errors about the input contain a sentence for the user ([plan.Fault]). No input causes a panic.
//   - It is pure: no I/O.
package table

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
)

// Table is a table with named columns.
type Table struct {
	Columns []string
	Rows    [][]string
	// From is the format that the table was read from. Semicolons also count as CSV.
	From Format
}

// The limits of a table.
const (
	maxColumns = 1000
	maxCells   = 1_000_000
)

// Read parses a table in any of the formats.
func Read(text string) (Table, error) {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if strings.TrimSpace(text) == "" {
		return Table{}, &plan.Fault{
			Sentence: plan.Say("There is no table to work on. Please write it in the message or attach it, for example as CSV."),
			Err:      errors.New("empty text"),
		}
	}
	for _, form := range []struct {
		format Format
		read   func(string) (Table, bool, error)
	}{{JSON, readJSON}, {Markdown, readMarkdown}, {TSV, readTabs}, {CSV, readSeparated}, {CSV, readPairs}, {YAML, readYAML}} {
		t, ok, err := form.read(text)
		t.From = form.format
		switch {
		case err != nil:
			return Table{}, err
		case ok:
			return t.normalized()
		}
	}
	return Table{}, noTable(errors.New("the text is not in a table format"))
}

func noTable(err error) error {
	return &plan.Fault{Sentence: plan.Say("This text is not a table. I read CSV, tab-separated lines, Markdown tables, JSON and YAML."), Err: err}
}

// Numeric reports whether the column contains only numbers and empty cells.
func (t Table) Numeric(column int) bool {
	some := false
	for _, cell := range t.column(column) {
		if strings.TrimSpace(cell) == "" {
			continue
		}
		if _, ok := Number(cell); !ok {
			return false
		}
		some = true
	}
	return some
}

// Only returns the given columns, in this order.
func (t Table) Only(columns []int) Table {
	of := func(row []string) []string {
		all := make([]string, len(columns))
		for i, c := range columns {
			all[i] = row[c]
		}
		return all
	}
	only := Table{Columns: of(t.Columns), From: t.From}
	for _, row := range t.Rows {
		only.Rows = append(only.Rows, of(row))
	}
	return only
}

// Sorted returns the table with its rows sorted by a column. A numeric column is sorted by value,
// any other as text, ignoring case. Empty cells come last. Equal rows keep their order.
func (t Table) Sorted(column int, descending bool) Table {
	numeric := t.Numeric(column)
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b []string) int {
		x, y := strings.TrimSpace(a[column]), strings.TrimSpace(b[column])
		if (x == "") != (y == "") {
			if x == "" {
				return 1
			}
			return -1
		}
		order := strings.Compare(strings.ToLower(x), strings.ToLower(y))
		if numeric && x != "" {
			v, _ := Number(x)
			w, _ := Number(y)
			order = compare(v, w)
		}
		if descending {
			return -order
		}
		return order
	})
	return Table{t.Columns, rows, t.From}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Number parses the number in a cell: "12", "-3.5", "1,200.50", "€ 12", "15 %". "(3)" is -3, as in
// accounting.
func Number(cell string) (float64, bool) {
	s := strings.TrimSpace(cell)
	if len(s) > 40 {
		return 0, false
	}
	if inner, ok := strings.CutPrefix(s, "("); ok && strings.HasSuffix(inner, ")") {
		s = "-" + strings.TrimSuffix(inner, ")")
	}
	s = strings.NewReplacer("−", "-", "\u00A0", "", "\u202F", "", " ", "", "$", "", "€", "", "£", "", "¥", "").Replace(s)
	s = strings.TrimSuffix(s, "%")
	s, ok := withoutThousands(s)
	if !ok || s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// withoutThousands removes the thousands separators from a number and replaces a decimal comma by a
// point: "1,200", "1.200,5", "3,5". It returns false if the commas are invalid.
func withoutThousands(s string) (string, bool) {
	comma, point := strings.LastIndexByte(s, ','), strings.LastIndexByte(s, '.')
	switch {
	case comma < 0:
		return s, true
	case point > comma: // 1,200.50
		return strings.ReplaceAll(s[:point], ",", "") + s[point:], grouped(s[:point], ",")
	case point >= 0: // 1.200,50
		return strings.ReplaceAll(s[:comma], ".", "") + "." + s[comma+1:], grouped(s[:comma], ".")
	case grouped(s, ","):
		return strings.ReplaceAll(s, ",", ""), true
	}
	return strings.Replace(s, ",", ".", 1), strings.Count(s, ",") == 1
}

// grouped reports whether a whole number is written in groups of three digits.
func grouped(s, mark string) bool {
	groups := strings.Split(strings.TrimLeft(s, "+-"), mark)
	for i, g := range groups {
		if i == 0 && (len(g) == 0 || len(g) > 3) || i > 0 && len(g) != 3 {
			return false
		}
	}
	return groups[0] != "0"
}

// Statistics are the statistics of a column. Everything but the counts is about its numbers.
type Statistics struct {
	Count, Empty, Other int // numbers, empty cells, and other cells
	Sum, Mean, Median   float64
	Min, Max            float64
}

// Statistics computes the statistics of a column.
func (t Table) Statistics(column int) Statistics {
	var s Statistics
	var values []float64
	for _, cell := range t.column(column) {
		v, ok := Number(cell)
		switch {
		case ok:
			values = append(values, v)
			s.Sum += v
		case strings.TrimSpace(cell) == "":
			s.Empty++
		default:
			s.Other++
		}
	}
	if s.Count = len(values); s.Count == 0 {
		return s
	}
	slices.Sort(values)
	s.Mean, s.Min, s.Max = s.Sum/float64(s.Count), values[0], values[s.Count-1]
	s.Median = (values[(s.Count-1)/2] + values[s.Count/2]) / 2
	return s
}

// With appends the rows of another table. Columns with the same name are merged; others are added.
func (t Table) With(other Table) Table {
	all := t
	all.Columns = slices.Clone(t.Columns)
	place := make([]int, len(other.Columns))
	for i, name := range other.Columns {
		place[i] = slices.IndexFunc(all.Columns, func(c string) bool { return strings.EqualFold(c, name) })
		if place[i] < 0 {
			place[i] = len(all.Columns)
			all.Columns = append(all.Columns, name)
		}
	}
	all.Rows = nil
	for _, row := range t.Rows {
		all.Rows = append(all.Rows, append(slices.Clone(row), make([]string, len(all.Columns)-len(row))...))
	}
	for _, row := range other.Rows {
		longer := make([]string, len(all.Columns))
		for i, cell := range row {
			longer[place[i]] = cell
		}
		all.Rows = append(all.Rows, longer)
	}
	return all
}

// Groups splits the table by the cells of a column, in the order of first appearance.
func (t Table) Groups(column int) []Table {
	var all []Table
	at := map[string]int{}
	for _, row := range t.Rows {
		key := strings.ToLower(strings.TrimSpace(row[column]))
		if _, ok := at[key]; !ok {
			at[key] = len(all)
			all = append(all, Table{Columns: t.Columns})
		}
		all[at[key]].Rows = append(all[at[key]].Rows, row)
	}
	return all
}

// normalized gives every column a unique name and pads short rows.
func (t Table) normalized() (Table, error) {
	for _, row := range t.Rows {
		for len(t.Columns) < len(row) && len(t.Columns) <= maxColumns {
			t.Columns = append(t.Columns, "")
		}
	}
	if len(t.Columns) > maxColumns || len(t.Columns)*(len(t.Rows)+1) > maxCells {
		return Table{}, &plan.Fault{
			Sentence: plan.Say("The table is too large: the limit is %d columns and %d cells.", maxColumns, maxCells),
			Err:      fmt.Errorf("%d columns and %d rows", len(t.Columns), len(t.Rows)),
		}
	}
	used := map[string]bool{}
	for i, name := range t.Columns {
		name = strings.Join(strings.Fields(name), " ")
		if name == "" {
			name = "column " + strconv.Itoa(i+1)
		}
		unique := name
		for n := 2; used[unique]; n++ {
			unique = name + " " + strconv.Itoa(n)
		}
		t.Columns[i], used[unique] = unique, true
	}
	for i, row := range t.Rows {
		for len(row) < len(t.Columns) {
			row = append(row, "")
		}
		t.Rows[i] = row
	}
	return t, nil
}

// column returns the cells of a column.
func (t Table) column(i int) []string {
	cells := make([]string, len(t.Rows))
	for k, row := range t.Rows {
		cells[k] = row[i]
	}
	return cells
}
