package hftask

import (
	"context"
	"errors"
	"image"
	"math"
	"path/filepath"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// answerBytes is the memory that is taken for a picture from the server: the largest that
// the image models of today make, with a copy.
const answerBytes = 2 * 4 * 4096 * 4096

// drawing are the tasks that make pictures.
func drawing() map[string]task {
	all := map[string]task{
		"text-to-image":       {accept: pictures, ask: askDrawing, read: readDrawing},
		"image-to-image":      {accept: pictures, media: true, ask: askEdit, read: readEdit},
		"super-resolution":    {name: "image-to-image", form: "image-to-image+size", accept: pictures, media: true, ask: askEnlarged, read: readEnlarged},
		"image-to-image+mask": {accept: pictures, media: true, ask: askMasked, read: readMasked},
		"depth-estimation":    {accept: pictures, media: true, ask: askPicture, read: readMap},
	}
	for _, m := range controls {
		all["text-to-image+"+string(m)] = task{form: "text-to-image+control", mode: m, accept: pictures, media: true, ask: askControlled, read: readDrawing}
		all["image-to-image+"+string(m)] = task{form: "image-to-image+control", mode: m, accept: pictures, media: true, ask: askMap, read: readMap}
	}
	return all
}

// controls are the maps that pictures are drawn after, and that are made of pictures.
var controls = []plan.Type{plan.Edge, plan.Line, plan.HED, plan.Scribble, plan.Pose, plan.Depth, plan.Normal, plan.Segmentation}

// askPicture sends the picture, and nothing else.
func askPicture(ctx context.Context, j *job) (question, error) {
	f, err := j.picture(ctx)
	return question{inputs: f}, err
}

// askDrawing has a picture made from words alone.
func askDrawing(_ context.Context, j *job) (question, error) {
	prompt := j.text()
	if prompt == "" {
		return question{}, fault(nil, "Please say what the picture should show.")
	}
	q := question{inputs: prompt, parameters: map[string]any{"seed": j.seed()}}
	if unwanted := j.call.Text("without"); unwanted != "" {
		q.parameters["negative_prompt"] = clean(unwanted)
	}
	if shape, ok := toolbox.Param[param.Ratio](j.call, "shape"); ok {
		size := media.SizeIn(shape.Width/shape.Height, drawnPixels, drawnStep)
		q.parameters["width"], q.parameters["height"] = size.X, size.Y
	}
	return q, nil
}

// A picture whose shape is told has about drawnPixels, and sides that are multiples of drawnStep: image models of
// today take those.
const (
	drawnPixels = 1 << 20
	drawnStep   = 64
)

// askControlled has a picture made from words and a map that it follows.
func askControlled(ctx context.Context, j *job) (question, error) {
	q, err := askDrawing(ctx, j)
	if err != nil {
		return question{}, err
	}
	v, ok := j.fileOf(plan.Type.ImageMap)
	if !ok {
		return question{}, lacks(plan.Image)
	}
	f, _, err := j.drawn(ctx, v)
	q.parameters["control_image"], q.parameters["control_mode"] = f, string(j.task.mode)
	return q, err
}

// askEdit has a picture changed as words say, or drawn in another way.
func askEdit(ctx context.Context, j *job) (question, error) {
	f, err := j.picture(ctx)
	if err != nil {
		return question{}, err
	}
	q := question{inputs: f, parameters: map[string]any{}}
	if prompt := j.text(); prompt != "" {
		q.parameters["prompt"] = prompt
	}
	return q, nil
}

// askMasked has a picture changed within a mask: as words say, or so that what is there
// vanishes.
func askMasked(ctx context.Context, j *job) (question, error) {
	q, err := askEdit(ctx, j)
	if err != nil {
		return question{}, err
	}
	q.parameters["mask_image"], err = j.mask(ctx)
	return q, err
}

// askMap has a map made of a picture.
func askMap(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	q.parameters = map[string]any{"control_mode": string(j.task.mode)}
	return q, err
}

// drawnIn is the picture in an answer, for which memory is taken, and that many bytes more.
// What it returns gives it back.
func (j *job) drawnIn(ctx context.Context, a answer, more int64, keys ...string) (media.Picture, func(), error) {
	content, err := a.content(ctx, keys...)
	if err != nil {
		return media.Picture{}, nil, err
	}
	leave, err := j.backend.config.Limits.Memory.Take(ctx, answerBytes+more)
	if err != nil {
		return media.Picture{}, nil, err
	}
	p, err := j.pictureIn(ctx, content)
	if err != nil {
		leave()
		return media.Picture{}, nil, err
	}
	return p, leave, nil
}

// write writes a picture as an output.
func (j *job) write(ctx context.Context, img *image.NRGBA, f media.Format, about plan.Message) (toolbox.Output, error) {
	path := filepath.Join(j.call.Dir, "picture."+string(f))
	if err := media.EncodeImage(ctx, path, img, f); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: about}, nil
}

// about says what a picture is: in the words of who asked for it, or by its size.
func (j *job) about(img *image.NRGBA) plan.Message {
	if text := j.text(); text != "" {
		return plan.Quote(shorten(text))
	}
	return dimensions(img)
}

func dimensions(img *image.NRGBA) plan.Message {
	return plan.Say("%s × %s pixels", strconv.Itoa(img.Rect.Dx()), strconv.Itoa(img.Rect.Dy()))
}

// readDrawing takes a picture as it is.
func readDrawing(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	p, leave, err := j.drawnIn(ctx, a, 0, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	img := p.Image
	if shape, ok := toolbox.Param[param.Ratio](j.call, "shape"); ok {
		img = media.Shaped(img, shape.Width/shape.Height)
	}
	return j.write(ctx, img, formatOf(p), j.about(img))
}

// formatOf is the format in which a picture of the server is kept: photos as they came.
func formatOf(p media.Picture) media.Format {
	if f := media.FormatFor(p.Info.Ext); f == media.JPEG {
		return f
	}
	return media.PNG
}

// readEdit takes a picture that was changed: in the size of the one that was given, where
// it has its shape.
func readEdit(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	p, leave, err := j.drawnIn(ctx, a, j.sent.bytes(8), "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	img := p.Image
	if alike(img.Rect.Size(), j.sent.given) {
		if img, err = media.Scaled(ctx, img, j.sent.given.X, j.sent.given.Y); err != nil {
			return toolbox.Output{}, err
		}
	}
	return j.write(ctx, img, formatOf(p), j.about(img))
}

// alike reports whether two sizes are of the same shape, and near enough for the one to be
// shown in the other.
func alike(a, b image.Point) bool {
	return sameShape(a, b) && math.Abs(math.Log(float64(a.X)/float64(b.X))) < math.Log(4)
}

// sameShape reports whether a picture of the size made may be one of the shape of the other,
// whatever its scale. Models make sides in multiples of 64 or less, smaller ones for small
// pictures, so that each may be off by that many pixels.
func sameShape(made, of image.Point) bool {
	if made.X <= 0 || made.Y <= 0 || of.X <= 0 || of.Y <= 0 {
		return false
	}
	const step, share = 64, 8
	off := min(step, float64(max(made.X, made.Y))/share)
	least := max((float64(made.X)-off)/float64(of.X), (float64(made.Y)-off)/float64(of.Y))
	most := min((float64(made.X)+off)/float64(of.X), (float64(made.Y)+off)/float64(of.Y))
	return least <= most
}

// askEnlarged has a picture enlarged.
func askEnlarged(ctx context.Context, j *job) (question, error) {
	f, err := j.picture(ctx)
	if err != nil {
		return question{}, err
	}
	to, err := j.target()
	if err != nil {
		return question{}, err
	}
	return question{inputs: f, parameters: map[string]any{"target_size": map[string]int{"width": to.X, "height": to.Y}}}, nil
}

// target is how large the picture is to become.
func (j *job) target() (image.Point, error) {
	z, err := toolbox.Need[quantity.Sizing](j.call, "factor")
	if err != nil {
		return image.Point{}, err
	}
	given := j.sent.given
	w, h := z.Of(given.X, given.Y)
	most := j.backend.config.Limits.Pixels
	switch {
	case w < given.X || h < given.Y:
		return image.Point{}, final("%d × %d pixels would not be larger; to make a picture smaller, ask to resize it.", w, h)
	case int64(w) > most/int64(h):
		return image.Point{}, final("%d × %d pixels are too many; the limit is %d million.", w, h, most/1_000_000)
	}
	return image.Pt(w, h), nil
}

// readEnlarged takes a picture that was enlarged, in the size that was wanted.
func readEnlarged(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	to, err := j.target()
	if err != nil {
		return toolbox.Output{}, err
	}
	p, leave, err := j.drawnIn(ctx, a, 8*int64(to.X)*int64(to.Y), "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	if size := p.Image.Rect.Size(); size.X <= j.sent.size.X && size.Y <= j.sent.size.Y && to != j.sent.given {
		return toolbox.Output{}, down(errors.New("the picture did not become larger"), "The tool server did not make the picture larger.")
	}
	img := p.Image
	if alike(img.Rect.Size(), to) {
		if img, err = media.Scaled(ctx, img, to.X, to.Y); err != nil {
			return toolbox.Output{}, err
		}
	}
	return j.write(ctx, img, formatOf(p), dimensions(img))
}

// readMasked puts what was drawn into the picture, within the mask.
func readMasked(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	limits := j.backend.config.Limits
	v, _ := j.maskOf()
	more := media.Weigh(j.sent.path, limits).Bytes(8) + media.Weigh(v.Path, limits).Bytes(8) + j.sent.bytes(8)
	p, leave, err := j.drawnIn(ctx, a, more, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	given, err := media.ReadPicture(ctx, j.sent.path, limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	m, err := media.ReadMask(ctx, v.Path, limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	size := j.sent.given
	drawn, err := media.Scaled(ctx, p.Image, size.X, size.Y)
	if err != nil {
		return toolbox.Output{}, err
	}
	out := given.Image
	err = media.InBands(ctx, size.Y, media.BandRows(size.X), func(from, to int) {
		for y := from; y < to; y++ {
			for x := range size.X {
				if m.At(x*m.Width/size.X, y*m.Height/size.Y) != 0 {
					at := out.PixOffset(x, y)
					copy(out.Pix[at:at+4], drawn.Pix[at:at+4])
				}
			}
		}
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.write(ctx, out, media.PNG, j.about(out)) // a JPEG would change everything a little
}

// leastMap is the least longer side of a map, in pixels: models make them at 256 or more,
// unless the picture is smaller.
const leastMap = 64

// readMap takes a map of a picture, in its size. Models make maps far smaller than photos.
func readMap(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	p, leave, err := j.drawnIn(ctx, a, j.sent.bytes(8), "depth", "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	made := p.Image.Rect.Size()
	if !sameShape(made, j.sent.given) || max(made.X, made.Y) < min(leastMap, j.sent.size.X, j.sent.size.Y) {
		return toolbox.Output{}, unreadable(errors.New("the map has another shape than its picture"))
	}
	img, err := media.Scaled(ctx, p.Image, j.sent.given.X, j.sent.given.Y)
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.write(ctx, img, media.PNG, dimensions(img))
}
