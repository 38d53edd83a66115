// Package sheet converts, sorts, filters and analyses tables given as text, and draws them as pictures
// and charts. It also formats JSON.
package sheet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/table"
)

// tableOf reads the table argument of a call.
func tableOf(c toolbox.Call) (table.Table, error) {
	text := c.Text("table")
	if len(text) > prose.Most {
		return table.Table{}, prose.TooLong(text)
	}
	return table.Read(text)
}

// convertTable writes a table in another format.
func convertTable(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	format, err := toolbox.Need[string](c, "format")
	if err != nil {
		return toolbox.Output{}, err
	}
	if text := c.Text("table"); len(text) <= prose.Most {
		if out, ok, err := table.Rewritten(text, table.Format(format)); err != nil || ok {
			return toolbox.Output{Value: out, About: plan.Say("the table")}, err
		}
	}
	t, err := tableOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	out, err := t.Write(table.Format(format))
	return toolbox.Output{Value: out, About: plan.Say("the table")}, err
}

// joinTables puts the rows of several tables into one, in the form of the first. Columns of the same name become one.
func joinTables(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	var all table.Table
	for i, given := range c.Args["tables"] {
		if len(given.Value) > prose.Most {
			return toolbox.Output{}, prose.TooLong(given.Value)
		}
		t, err := table.Read(given.Value)
		if err != nil {
			return toolbox.Output{}, err
		}
		if i == 0 {
			all = t
			continue
		}
		all = all.With(t)
	}
	format, _ := toolbox.Param[string](c, "format")
	out, err := all.Write(cmp.Or(table.Format(format), all.From))
	about := plan.Say("%d rows", len(all.Rows))
	return toolbox.Output{Value: out, About: about}, err
}

// sortTable sorts the rows of a table by a column. The table keeps its format.
func sortTable(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	t, err := tableOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	words := c.Text("column")
	_, after, by := strings.Cut(" "+words+" ", " by ")
	named := t.Mentioned(after)
	if !by || len(named) == 0 {
		named = t.Mentioned(words)
	}
	if len(named) == 0 {
		return toolbox.Output{}, noColumn(t)
	}
	direction, _ := toolbox.Param[string](c, "direction")
	out, err := t.Sorted(named[0], direction == "descending").Write(t.From)
	return toolbox.Output{Value: out, About: plan.Say("sorted by %s", t.Columns[named[0]])}, err
}

// filterTable keeps the rows that match a condition, or removes them. The table keeps its format.
func filterTable(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	t, err := tableOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	rows, _ := toolbox.Param[string](c, "rows")
	kept, ok := t.Where(c.Text("condition"), rows == "removed")
	switch {
	case !ok:
		return toolbox.Output{}, operation.Problem("Please say which rows you mean, for example: city is Berlin.")
	case len(kept.Rows) == 0:
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("No rows would be left in the table. Its columns are: %s.", columnsOf(t)), Err: errors.New("no rows left"), Final: true,
		}
	}
	out, err := kept.Write(t.From)
	return toolbox.Output{Value: out, About: plan.Say("with %d of %d rows", len(kept.Rows), len(t.Rows))}, err
}

// pickColumns keeps the named columns, in the order named, or removes them. The table keeps its format.
func pickColumns(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	t, err := tableOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	named := t.Mentioned(c.Text("columns"))
	if len(named) == 0 {
		return toolbox.Output{}, noColumn(t)
	}
	if action, _ := toolbox.Param[string](c, "action"); action == "removed" {
		var others []int
		for i := range t.Columns {
			if !slices.Contains(named, i) {
				others = append(others, i)
			}
		}
		named = others
	}
	if len(named) == 0 {
		return toolbox.Output{}, operation.Problem("No columns would be left in the table.")
	}
	picked := t.Only(named)
	out, err := picked.Write(t.From)
	return toolbox.Output{Value: out, About: plan.Say("with the columns %s", columnsOf(picked))}, err
}

// noColumn returns the fault for a request that names no column of the table.
func noColumn(t table.Table) error {
	return &plan.Fault{
		Sentence: plan.Say("The table has no such column. Its columns are: %s.", columnsOf(t)), Err: errors.New("unknown column"), Final: true,
	}
}

// columnsOf lists the first columns by name, for people.
func columnsOf(t table.Table) string {
	names := make([]string, 0, len(t.Columns))
	for _, name := range t.Columns[:min(len(t.Columns), 20)] {
		names = append(names, prose.Shorten(prose.OneLine(name), 40))
	}
	return strings.Join(names, ", ")
}

// tableStatistics computes statistics of the named columns, or of all numeric columns; for each group of rows if
// the words say so: "revenue by region".
func tableStatistics(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	t, err := tableOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	words := c.Text("column")
	by := groupColumn(t, words)
	named := slices.DeleteFunc(t.Mentioned(words), func(i int) bool { return i == by })
	numeric := slices.DeleteFunc(slices.Clone(named), func(i int) bool { return t.Statistics(i).Count == 0 })
	if by < 0 && len(numeric) > 0 && len(numeric) == len(named)-1 { // a column of texts beside numbers can only group them
		by = named[slices.IndexFunc(named, func(i int) bool { return !slices.Contains(numeric, i) })]
	}
	switch {
	case len(named) == 0 && namesOther(words):
		return toolbox.Output{}, noColumn(t)
	case len(named) == 0:
		for i := range t.Columns {
			if i != by && t.Numeric(i) {
				numeric = append(numeric, i)
			}
		}
	}
	if by >= 0 && len(numeric) > 0 {
		return groupedStatistics(t, by, numeric)
	}
	lines := []string{fmt.Sprintf("Rows: %d", len(t.Rows))}
	for _, i := range named {
		if s := t.Statistics(i); s.Count == 0 {
			lines = append(lines, fmt.Sprintf("%s: no numbers, %d texts, %d empty cells", prose.OneLine(t.Columns[i]), s.Other, s.Empty))
		}
	}
	for _, i := range numeric {
		lines = append(lines, statisticsLine(t.Columns[i], t.Statistics(i)))
	}
	if len(lines) == 1 {
		return toolbox.Output{}, operation.Problem("No column of the table has only numbers; say which one you mean.")
	}
	return toolbox.Output{Value: strings.Join(lines, "\n"), About: plan.Say("the statistics")}, nil
}

// groupedStatistics returns a Markdown table, which people can read and other tools take: a row for each group, and for
// each column if there are several.
func groupedStatistics(t table.Table, by int, numeric []int) (toolbox.Output, error) {
	out := table.Table{Columns: []string{t.Columns[by], "column", "sum", "mean", "median", "min", "max", "count"}}
	left := 0
	for _, i := range numeric {
		for _, g := range t.Groups(by) {
			s := g.Statistics(i)
			left += s.Empty + s.Other
			out.Rows = append(out.Rows, []string{
				g.Rows[0][by], t.Columns[i], figure(s.Sum), figure(s.Mean), figure(s.Median), figure(s.Min), figure(s.Max), strconv.Itoa(s.Count),
			})
		}
	}
	if len(numeric) == 1 {
		out = out.Only([]int{0, 2, 3, 4, 5, 6, 7})
	}
	text, err := out.Write(table.Markdown)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("write the statistics: %w", err)
	}
	result := toolbox.Output{Value: strings.TrimSpace(text), About: plan.Say("the statistics")}
	if left > 0 {
		result.Note = plan.Say("%d cells without a number were left out.", left)
	}
	return result, nil
}

// groupColumn returns the column that the words group by; -1 if there is none.
func groupColumn(t table.Table, words string) int {
	words = " " + words
	at := against.FindAllStringIndex(words, -1)
	if at == nil {
		return -1
	}
	after := t.Mentioned(words[at[len(at)-1][1]:])
	if len(after) == 0 {
		return -1
	}
	return after[0]
}

// plainWords are words that people use around column names.
var plainWords = strings.Fields(`a all an and are average averages can compute calculate column columns count counts csv data each every everything figures file
	for from give get how i in is it its largest lowest highest list many max maximum me mean median min minimum much number numbers of out over please rows
	sheet show smallest spreadsheet statistics stats sum summary sums table tell that the these
	this those to total totals up add what what's whats which with you
	calculate do does have has there values value find basic descriptive my our here could would want need s`)

// namesOther reports whether the words include a word outside plainWords, which probably names an unknown column.
func namesOther(words string) bool {
	return slices.ContainsFunc(prose.Tokens(words), func(t prose.Token) bool { return !slices.Contains(plainWords, t.Lower()) })
}

func statisticsLine(name string, s table.Statistics) string {
	line := fmt.Sprintf("%s: sum %s, mean %s, median %s, min %s, max %s, count %d",
		prose.OneLine(name), figure(s.Sum), figure(s.Mean), figure(s.Median), figure(s.Min), figure(s.Max), s.Count)
	if left := s.Empty + s.Other; left > 0 {
		line += fmt.Sprintf(" (%d cells without a number)", left)
	}
	return line
}

// figure formats a number with at most four decimals.
func figure(v float64) string {
	if math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 10, 64)
	}
	s := strconv.FormatFloat(v, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// formatJSON indents JSON, or compacts it into one line.
func formatJSON(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := strings.TrimSpace(strings.TrimPrefix(c.Text("text"), "\uFEFF"))
	switch {
	case text == "":
		return toolbox.Output{}, operation.Problem("There is no JSON to format. Please write it in the message or attach it.")
	case len(text) > prose.Most:
		return toolbox.Output{}, prose.TooLong(text)
	}
	var out bytes.Buffer
	style, _ := toolbox.Param[string](c, "style")
	var err error
	if style == "compact" {
		err = json.Compact(&out, []byte(text))
	} else {
		err = json.Indent(&out, []byte(text), "", "  ")
	}
	if err != nil {
		return toolbox.Output{}, damagedJSON(text, err)
	}
	return toolbox.Output{Value: out.String(), About: plan.Say("the JSON")}, nil
}

// damagedJSON returns the fault for invalid JSON, with the line if known.
func damagedJSON(text string, err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return &plan.Fault{Sentence: plan.Say("The JSON is damaged: %s. Please correct it and send it again.", err.Error()), Err: err}
	}
	before := text[:min(max(int(syntax.Offset), 0), len(text))]
	return &plan.Fault{
		Sentence: plan.Say("The JSON is damaged in line %d: %s. Please correct it and send it again.", strings.Count(before, "\n")+1, err.Error()),
		Err:      err,
	}
}
