package sheet

import (
	"context"
	"errors"
	"image/color"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/table"
)

// Limits for legible pictures of tables.
const (
	maxShownRows    = 100
	maxShownColumns = 20
	widestCell      = 420 // pixels
)

var (
	headPaper = color.NRGBA{226, 232, 240, 255}
	evenPaper = color.NRGBA{248, 250, 252, 255}
	ruleInk   = color.NRGBA{203, 213, 225, 255}
)

// tableToImage draws a table as a picture, with numbers right-aligned.
func tableToImage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	t, err := tableOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	rows := t.Rows[:min(len(t.Rows), maxShownRows)]
	columns := min(len(t.Columns), maxShownColumns)
	bold, errBold := canvas.NewLetters(canvas.Bold, 22)
	plain, errPlain := canvas.NewLetters(canvas.Regular, 22)
	if err := errors.Join(errBold, errPlain); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The table cannot be drawn."), Err: err}
	}
	const height, pad, margin = 42, 16, 24
	lefts, numeric := []float64{margin}, make([]bool, columns)
	for i := range columns {
		numeric[i] = t.Numeric(i)
		width := bold.Width(prose.OneLine(t.Columns[i]))
		for _, row := range rows {
			width = max(width, plain.Width(prose.OneLine(row[i])))
		}
		lefts = append(lefts, lefts[i]+min(width, widestCell)+2*pad)
	}
	right := lefts[columns]
	d := canvas.New(int(right)+margin, 2*margin+height*(len(rows)+1), color.White)
	cell := func(l canvas.Letters, i int, y float64, text string) {
		text = l.Shorten(prose.OneLine(text), lefts[i+1]-lefts[i]-2*pad+1)
		if numeric[i] {
			d.Write(l, text, lefts[i+1]-pad, y, 1, canvas.Ink)
			return
		}
		d.Write(l, text, lefts[i]+pad, y, 0, canvas.Ink)
	}
	d.Box(margin, margin, right, margin+height, headPaper)
	for i, name := range t.Columns[:columns] {
		cell(bold, i, margin+height/2, name)
	}
	for n, row := range rows {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		top := float64(margin + height*(n+1))
		if n%2 == 1 {
			d.Box(margin, top, right, top+height, evenPaper)
		}
		for i := range columns {
			cell(plain, i, top+height/2, row[i])
		}
		d.Line([]canvas.Point{{X: margin, Y: top}, {X: right, Y: top}}, 1, ruleInk)
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "table.png"), About: plan.Say("the table"), Note: sheetNote(t, rows)}
	return out, media.EncodeImage(ctx, out.Path, d.NRGBA, media.PNG)
}

// sheetNote says what is missing from the picture of the table.
func sheetNote(t table.Table, rows [][]string) plan.Message {
	var note plan.Message
	if len(rows) < len(t.Rows) || len(t.Columns) > maxShownColumns {
		note = plan.Say("The picture shows the first %d rows and %d columns at most.", maxShownRows, maxShownColumns)
	}
	text := strings.Join(slices.Concat(append(slices.Clone(rows), t.Columns)...), " ")
	if !canvas.Has(canvas.Regular, text) {
		note = plan.Sentences(note, plan.Say("Some characters are missing from the font and appear as boxes."))
	}
	return note
}
