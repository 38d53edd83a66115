// Package collage arranges pictures in a grid.
package collage

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/lettering"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
)

// operations holds the limits for reading files.
type operations struct{ limits media.Limits }

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	o := operations{limits}
	return map[string]operation.Func{
		"collage_images": o.collage,
		"stack_pictures": o.stack,
	}
}

const (
	usualGap  = 8 // between the cells and around them
	sheetSide = 4000

	tallestSheet = 16_000
)

// collage arranges the pictures in a grid, in order. A column is as wide as its widest picture, and a row as high as its
// highest.
func (o operations) collage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	columns := columnsOf(c)
	rows := (len(c.Args["images"]) + columns - 1) / columns
	ps, err := picture.Several(ctx, c, "images", min(picture.Cell, sheetSide/columns, tallestSheet/max(rows, 1)), o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	cell := picture.Largest(ps)
	names := labels(c, c.Args["images"])
	under := 0 // height of the labels
	if len(names) > 0 {
		under = max(28, max(cell.X, cell.Y)/14)
	}
	gap, ok := toolbox.Param[int](c, "gap")
	if !ok {
		gap = usualGap
	}
	ground, ok := toolbox.Param[color.NRGBA](c, "colour")
	if !ok {
		ground = color.NRGBA{255, 255, 255, 255}
	}
	widths, heights := make([]int, columns), make([]int, rows)
	for i, size := range sizes(ps, columns, rows) {
		widths[i%columns], heights[i/columns] = max(widths[i%columns], size.X), max(heights[i/columns], size.Y)
	}
	left, top := starts(widths, gap), starts(heights, under+gap)
	sheet := image.NewNRGBA(image.Rect(0, 0, gap+left[columns], gap+top[rows]))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	photos := true
	for i, p := range ps {
		at, cell := image.Pt(gap+left[i%columns], gap+top[i/columns]), image.Pt(widths[i%columns], heights[i/columns])
		if err := picture.Place(ctx, sheet, image.Rectangle{Min: at, Max: at.Add(cell)}, p.Image); err != nil {
			return toolbox.Output{}, err
		}
		if i < len(names) {
			if err := writeUnder(sheet, at.Add(image.Pt(0, cell.Y)), cell.X, under, names[i], canvas.InkOn(ground)); err != nil {
				return toolbox.Output{}, err
			}
		}
		photos = photos && p.Info.MIME == "image/jpeg"
	}
	about := plan.Say("collage of %d pictures", len(ps))
	r := picture.Edited{Image: sheet, Format: formatOf(photos), About: about, Note: lettering.Missing(strings.Join(names, ""))}
	return picture.Save(ctx, c, 0, media.Picture{}, r)
}

// sizes returns the size at which each picture is shown. In a single row all are as high as the lowest, and in a single column
// as wide as the narrowest, unless that shows another at less than half its size.
func sizes(ps []media.Picture, columns, rows int) []image.Point {
	var all []image.Point
	for _, p := range ps {
		all = append(all, p.Image.Bounds().Size())
	}
	along := func(p image.Point) int { return p.Y }
	switch {
	case len(ps) < 2 || columns > 1 && rows > 1:
		return all
	case rows > 1:
		along = func(p image.Point) int { return p.X }
	}
	least := along(slices.MinFunc(all, func(a, b image.Point) int { return cmp.Compare(along(a), along(b)) }))
	for _, size := range all {
		if along(size) > 2*least {
			return all
		}
	}
	for i, size := range all {
		all[i] = image.Pt(max(1, (size.X*least+along(size)/2)/along(size)), max(1, (size.Y*least+along(size)/2)/along(size)))
	}
	return all
}

// formatOf returns the format of a picture that was put together.
func formatOf(photos bool) media.Format {
	if photos {
		return media.JPEG
	}
	return media.PNG
}

// starts returns where each of the lengths starts, with a gap after each, and where the last gap ends.
func starts(lengths []int, gap int) []int {
	all := []int{0}
	for i, n := range lengths {
		all = append(all, all[i]+n+gap)
	}
	return all
}

// columnsOf returns the number of columns.
func columnsOf(c toolbox.Call) int {
	all := max(1, len(c.Args["images"]))
	said, _ := toolbox.Param[string](c, "columns")
	if n, ok := map[string]int{
		"one column": 1, "two columns": 2, "three columns": 3, "four columns": 4, "five columns": 5, "six columns": 6,
		"seven columns": 7, "eight columns": 8, "nine columns": 9, "ten columns": 10, "one row": all,
	}[said]; ok {
		return min(n, all)
	}
	return int(math.Ceil(math.Sqrt(float64(all))))
}

// labels returns the label of each picture, none if there are to be none.
func labels(c toolbox.Call, pictures []toolbox.Value) []string {
	if captions := prose.OneLine(c.Text("captions")); captions != "" {
		names := strings.FieldsFunc(captions, func(r rune) bool { return r == ',' || r == ';' || r == '，' })
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		return names
	}
	kind, _ := toolbox.Param[string](c, "labels")
	if kind == "" {
		return nil
	}
	names := make([]string, len(pictures))
	for i, v := range pictures {
		switch kind {
		case "before and after":
			names[i] = []string{"Before", "After"}[min(i, 1)]
		case "file names":
			names[i] = cmp.Or(v.File, v.Name)
		case "letters":
			names[i] = string(rune('A' + i%26))
		default:
			names[i] = strconv.Itoa(i + 1)
		}
	}
	return names
}

// writeUnder writes a label in a strip below a picture.
func writeUnder(sheet *image.NRGBA, at image.Point, width, height int, label string, ink color.NRGBA) error {
	letters, err := canvas.NewLetters(canvas.Bold, float64(height)*0.6)
	if err != nil {
		return &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	canvas.Canvas{NRGBA: sheet}.Write(letters, letters.Shorten(prose.OneLine(label), float64(width)),
		float64(at.X)+float64(width)/2, float64(at.Y)+float64(height)/2, 0.5, ink)
	return nil
}
