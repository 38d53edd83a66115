package sheet

import (
	"cmp"
	"context"
	"errors"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/chart"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/table"
)

// leastSide and mostSide are the limits of the sides of a chart, in pixels.
const leastSide, mostSide = 200, 4000

// maxCharted is the maximum number of rows in a chart.
const maxCharted = 10_000

// makeChart charts columns of a table.
func makeChart(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	t, err := tableOf(c)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case len(t.Rows) > maxCharted:
		return toolbox.Output{}, operation.Problem("A chart can show at most %d rows, and the table has %d.", maxCharted, len(t.Rows))
	}
	kind, _ := toolbox.Param[string](c, "kind")
	drawn, note, err := charted(t, chart.Kind(cmp.Or(kind, string(chart.Bar))), c.Text("columns"))
	if err != nil {
		return toolbox.Output{}, err
	}
	drawn.Colour, _ = toolbox.Param[color.NRGBA](c, "colour")
	if asked, ok := toolbox.Param[quantity.Sizing](c, "size"); ok {
		drawn.Size.X, drawn.Size.Y = asked.Of(chart.Width, chart.Height)
		if min(drawn.Size.X, drawn.Size.Y) < leastSide || max(drawn.Size.X, drawn.Size.Y) > mostSide {
			return toolbox.Output{}, operation.Problem("A chart can have from %d to %d pixels on a side.", leastSide, mostSide)
		}
	}
	drawn.Title = prose.OneLine(c.Text("title"))
	img, err := chart.Draw(drawn)
	switch {
	case errors.Is(err, chart.ErrNegative):
		return toolbox.Output{}, operation.Problem("A pie chart cannot show negative numbers; ask for a bar chart.")
	case errors.Is(err, chart.ErrNoNumbers):
		return toolbox.Output{}, operation.Problem("No column of the table has only numbers; say which one you mean.")
	case err != nil:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The chart cannot be drawn."), Err: err}
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "chart.png"), About: plan.Say("the chart"), Note: note}
	if words := slices.Concat(drawn.Labels, t.Columns); !canvas.Has(canvas.Regular, drawn.Title+strings.Join(words, " ")) {
		out.Note = plan.Sentences(out.Note, plan.Say("Some characters are missing from the font and appear as boxes."))
	}
	if drawn.Kind == chart.Pie && drawn.Colour.A > 0 {
		out.Note = plan.Sentences(out.Note, plan.Say("Each slice of a pie has a colour of its own."))
	}
	return out, media.EncodeImage(ctx, out.Path, img, media.PNG)
}

// charted selects the columns that the words name: "revenue and cost by month" selects two numeric
// columns and one for labels. If none is named, all numeric columns are shown. Rows with the same label are
// combined, as the note says.
func charted(t table.Table, kind chart.Kind, words string) (_ chart.Chart, note plan.Message, _ error) {
	named := t.Mentioned(words)
	label := labelColumn(t, kind, words, named)
	shown := slices.DeleteFunc(slices.Clone(named), func(i int) bool { return i == label || t.Statistics(i).Count == 0 })
	if len(shown) == 0 {
		for i := range t.Columns {
			if i != label && t.Numeric(i) {
				shown = append(shown, i)
			}
		}
	}
	if len(shown) == 0 && label >= 0 && t.Numeric(label) { // the only column of numbers
		shown, label = []int{label}, -1
	}
	if len(shown) == 0 {
		return chart.Chart{}, plan.Message{}, operation.Problem("No column of the table has only numbers; say which one you mean.")
	}
	if kind == chart.Pie && len(shown) > 1 {
		return pieOf(t, shown, average.MatchString(words))
	}
	shown = shown[:min(len(shown), chart.MostSeries)]
	if kind == chart.Histogram {
		if len(shown) > 1 {
			note = plan.Say("It shows only the column %q; a histogram shows one column.", prose.OneLine(t.Columns[shown[0]]))
		}
		shown = shown[:1]
	}
	drawn := chart.Chart{Kind: kind}
	if label >= 0 && kind != chart.Histogram && kind != chart.Scatter {
		t, note = combined(t, label, shown, average.MatchString(words))
	}
	for _, i := range shown {
		drawn.Series = append(drawn.Series, chart.Series{Name: prose.OneLine(t.Columns[i]), Values: numbersOf(t, i)})
	}
	if len(shown) == 1 {
		drawn.YName = drawn.Series[0].Name
	}
	switch {
	case kind == chart.Histogram:
		drawn.XName = drawn.Series[0].Name
	case kind == chart.Scatter:
		if label < 0 || t.Statistics(label).Count == 0 {
			return chart.Chart{}, plan.Message{}, operation.Problem("A scatter chart needs two columns of numbers; name both.")
		}
		drawn.X, drawn.XName = numbersOf(t, label), prose.OneLine(t.Columns[label])
	case label >= 0:
		drawn.XName = prose.OneLine(t.Columns[label])
	}
	for i, row := range t.Rows {
		name := figure(float64(i + 1))
		if label >= 0 {
			name = prose.OneLine(row[label])
		}
		drawn.Labels = append(drawn.Labels, name)
	}
	return drawn, note, nil
}

// pieOf is a pie with a slice for each of several columns: the sum or the average of its numbers.
func pieOf(t table.Table, columns []int, mean bool) (chart.Chart, plan.Message, error) {
	drawn := chart.Chart{Kind: chart.Pie}
	var values []float64
	for _, i := range columns {
		s := t.Statistics(i)
		if values = append(values, s.Sum); mean {
			values[len(values)-1] = s.Mean
		}
		drawn.Labels = append(drawn.Labels, prose.OneLine(t.Columns[i]))
	}
	drawn.Series = []chart.Series{{Values: values}}
	switch {
	case len(t.Rows) == 1:
		return drawn, plan.Message{}, nil
	case mean:
		return drawn, plan.Say("Each slice is the average of a column."), nil
	}
	return drawn, plan.Say("Each slice is the sum of a column."), nil
}

// average says that rows with the same label are averaged. Otherwise they are added up.
var average = lazyregexp.New(`(?i)\b(?:average|averages|averaged|avg|mean|means)\b`)

// combined is the table with one row for each label, and what a person should know of it.
func combined(t table.Table, label int, shown []int, mean bool) (table.Table, plan.Message) {
	groups := t.Groups(label)
	if len(groups) == len(t.Rows) {
		return t, plan.Message{}
	}
	all := table.Table{Columns: t.Columns}
	for _, g := range groups {
		row := slices.Clone(g.Rows[0])
		for _, i := range shown {
			s := g.Statistics(i)
			switch {
			case s.Count == 0:
				row[i] = ""
			case mean:
				row[i] = strconv.FormatFloat(s.Mean, 'f', -1, 64)
			default:
				row[i] = strconv.FormatFloat(s.Sum, 'f', -1, 64)
			}
		}
		all.Rows = append(all.Rows, row)
	}
	if mean {
		return all, plan.Say("Rows with the same %q are averaged.", prose.OneLine(t.Columns[label]))
	}
	return all, plan.Say("Rows with the same %q are added up.", prose.OneLine(t.Columns[label]))
}

// against matches the words before the label column.
var against = lazyregexp.New(`(?i)\b(?:by|per|over|against|versus|vs\.?|for each)\s`)

// labelColumn returns the column with the labels, or with the x values of a scatter chart; -1 if there is none.
func labelColumn(t table.Table, kind chart.Kind, words string, named []int) int {
	if by := groupColumn(t, words); by >= 0 {
		return by
	}
	var others []int // columns not named
	for i := range t.Columns {
		if !slices.Contains(named, i) {
			others = append(others, i)
		}
	}
	if kind == chart.Scatter {
		if len(named) > 1 {
			return named[len(named)-1]
		}
		if i := slices.IndexFunc(others, t.Numeric); i >= 0 {
			return others[i]
		}
		return -1
	}
	for _, some := range [][]int{named, others} {
		if i := slices.IndexFunc(some, func(i int) bool { return !t.Numeric(i) }); i >= 0 {
			return some[i]
		}
	}
	// Only numeric columns: the first labels the others, such as years.
	if len(t.Columns) > 1 && (!slices.Contains(named, 0) || len(named) > 1) {
		return 0
	}
	return -1
}

// numbersOf returns the numbers of a column, with NaN for other cells.
func numbersOf(t table.Table, column int) []float64 {
	values := make([]float64, len(t.Rows))
	for i, row := range t.Rows {
		v, ok := table.Number(row[column])
		if !ok {
			v = math.NaN()
		}
		values[i] = v
	}
	return values
}
