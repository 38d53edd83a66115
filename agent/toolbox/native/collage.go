package native

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"math"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/quantity"
)

const (
	maxMany   = 100 // the most pictures that are put together
	cellSide  = 800 // the longer side of a collage's cell, in pixels
	cellGap   = 8   // between the cells and around them
	sheetSide = 4000

	tallestSheet = 16_000
	frameSide    = 640 // the longer side of an animation's frame
	slowFrame    = 80  // hundredths of a second that a frame stays, if there are few
	quickFrame   = 12  // and if there are many
	fewFrames    = 10
	loopForever  = 0
)

// pictures reads all pictures of an argument, each no larger than side.
func (n *Native) pictures(ctx context.Context, c toolbox.Call, arg string, side int) ([]media.Picture, error) {
	vs := c.Args[arg]
	switch {
	case len(vs) < 2:
		return nil, problem("It takes at least two pictures; send all that belong together.")
	case len(vs) > maxMany:
		return nil, tooManyPictures(len(vs))
	}
	all := make([]media.Picture, len(vs))
	for i, v := range vs {
		if err := media.Stopped(ctx); err != nil {
			return nil, err
		}
		p, err := media.ReadPicture(ctx, v.Path, n.limits)
		if err != nil {
			return nil, err
		}
		f := min(1, float64(side)/float64(max(p.Info.Width, p.Info.Height)))
		w, h := quantity.Sizing{Factor: f}.Of(p.Info.Width, p.Info.Height)
		if p.Image, err = media.Scaled(ctx, p.Image, w, h); err != nil {
			return nil, err
		}
		all[i] = p
	}
	return all, nil
}

func tooManyPictures(n int) error {
	return problem("%d pictures are too many; at most %d can be put together.", n, maxMany)
}

// collage puts the pictures into a grid of even cells, in their order, each as large as
// its cell allows and on white.
func (n *Native) collage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	columns := columnsOf(c)
	rows := (len(c.Args["images"]) + columns - 1) / columns
	ps, err := n.pictures(ctx, c, "images", min(cellSide, sheetSide/columns, tallestSheet/max(rows, 1)))
	if err != nil {
		return toolbox.Output{}, err
	}
	cell := largest(ps)
	names := collageLabels(c)
	under := 0 // the height of the labels
	if len(names) > 0 {
		under = max(28, max(cell.X, cell.Y)/14)
	}
	sheet := image.NewNRGBA(image.Rect(0, 0, columns*(cell.X+cellGap)+cellGap, rows*(cell.Y+under+cellGap)+cellGap))
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	photos := true
	for i, p := range ps {
		at := image.Pt(cellGap+i%columns*(cell.X+cellGap), cellGap+i/columns*(cell.Y+under+cellGap))
		if err := place(ctx, sheet, image.Rectangle{Min: at, Max: at.Add(cell)}, p.Image); err != nil {
			return toolbox.Output{}, err
		}
		if i < len(names) {
			if err := writeUnder(sheet, at.Add(image.Pt(0, cell.Y)), cell.X, under, names[i]); err != nil {
				return toolbox.Output{}, err
			}
		}
		photos = photos && p.Info.MIME == "image/jpeg"
	}
	r := edited{img: sheet, format: media.PNG, about: plan.Say("collage of %d pictures", len(ps))}
	if photos {
		r.format = media.JPEG
	}
	if !canvas.Has(canvas.Bold, strings.Join(names, "")) {
		r.note = plan.Say("Some of the letters are not in the font at hand and appear as boxes.")
	}
	return save(ctx, c, 0, media.Picture{}, r)
}

// columnsOf returns how many pictures stand side by side.
func columnsOf(c toolbox.Call) int {
	all := max(1, len(c.Args["images"]))
	said, _ := toolbox.Param[string](c, "columns")
	if n, ok := map[string]int{
		"one column": 1, "two columns": 2, "three columns": 3, "four columns": 4, "five columns": 5, "six columns": 6, "one row": all,
	}[said]; ok {
		return min(n, all)
	}
	return int(math.Ceil(math.Sqrt(float64(all))))
}

// collageLabels returns what is written below each picture.
func collageLabels(c toolbox.Call) []string {
	if captions := oneLine(c.Text("captions")); captions != "" {
		names := strings.FieldsFunc(captions, func(r rune) bool { return r == ',' || r == ';' || r == '，' })
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		return names
	}
	labels, _ := toolbox.Param[string](c, "labels")
	if labels == "" {
		return nil
	}
	names := make([]string, len(c.Args["images"]))
	for i, v := range c.Args["images"] {
		switch labels {
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

// writeUnder writes a label into a strip below a picture.
func writeUnder(sheet *image.NRGBA, at image.Point, width, height int, label string) error {
	letters, err := canvas.NewLetters(canvas.Bold, float64(height)*0.6)
	if err != nil {
		return &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	canvas.Canvas{NRGBA: sheet}.Write(letters, letters.Shorten(oneLine(label), float64(width)),
		float64(at.X)+float64(width)/2, float64(at.Y)+float64(height)/2, 0.5, paperInk)
	return nil
}

// largest is the smallest size into which each of the pictures fits.
func largest(ps []media.Picture) image.Point {
	var size image.Point
	for _, p := range ps {
		size.X, size.Y = max(size.X, p.Image.Rect.Dx()), max(size.Y, p.Image.Rect.Dy())
	}
	return size
}

// place puts a picture into the middle of a cell, as large as it allows.
func place(ctx context.Context, dst *image.NRGBA, cell image.Rectangle, img *image.NRGBA) error {
	f := min(float64(cell.Dx())/float64(img.Rect.Dx()), float64(cell.Dy())/float64(img.Rect.Dy()))
	w, h := quantity.Sizing{Factor: f}.Of(img.Rect.Dx(), img.Rect.Dy())
	img, err := media.Scaled(ctx, img, min(w, cell.Dx()), min(h, cell.Dy()))
	if err != nil {
		return err
	}
	draw.Draw(dst, quantity.Anchor{}.In(cell, img.Rect.Dx(), img.Rect.Dy()), img, image.Point{}, draw.Over)
	return nil
}

// imagesToGIF shows the pictures one after the other, for ever, in the size of the
// largest one and on white.
func (n *Native) imagesToGIF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	ps, err := n.pictures(ctx, c, "images", frameSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	size := image.Rectangle{Max: largest(ps)}
	delay := quickFrame
	if len(ps) < fewFrames {
		delay = slowFrame
	}
	animation := &gif.GIF{LoopCount: loopForever}
	for _, p := range ps {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		frame := image.NewNRGBA(size)
		draw.Draw(frame, size, image.NewUniform(color.White), image.Point{}, draw.Src)
		if err := place(ctx, frame, size, p.Image); err != nil {
			return toolbox.Output{}, err
		}
		shown, err := media.Quantise(ctx, frame)
		if err != nil {
			return toolbox.Output{}, err
		}
		animation.Image = append(animation.Image, shown)
		animation.Delay = append(animation.Delay, delay)
	}
	path := outputPath(c, 0, media.GIF)
	if err := media.WriteGIF(ctx, path, animation); err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Say("animation of %d pictures", len(ps))
	return toolbox.Output{Path: path, About: about}, nil
}
