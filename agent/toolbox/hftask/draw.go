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
	"atelier/agent/toolbox/quantity"
)

// answerBytes is the memory reserved for a picture from the server: the largest that current image models
// make, with a copy.
const answerBytes = 2 * 4 * 4096 * 4096

// pictureTasks returns the tasks that make pictures.
func pictureTasks() map[string]task {
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

// controls are the kinds of control maps, which guide the drawing of pictures and can be made from pictures.
var controls = []plan.Type{plan.Edge, plan.Line, plan.HED, plan.Scribble, plan.Pose, plan.Depth, plan.Normal, plan.Segmentation}

// askPicture sends the picture alone.
func askPicture(ctx context.Context, j *job) (question, error) {
	f, err := j.picture(ctx)
	return question{inputs: f}, err
}

// askDrawing requests a picture of a described scene.
func askDrawing(_ context.Context, j *job) (question, error) {
	prompt := j.text()
	if prompt == "" {
		return question{}, fault(nil, "Please say what the picture should show.")
	}
	q := question{inputs: prompt, parameters: map[string]any{"seed": j.seed()}}
	if unwanted := j.unwanted(); unwanted != "" {
		q.parameters["negative_prompt"] = unwanted
	}
	canvas, err := toolbox.CanvasOf(j.call)
	if err != nil {
		return question{}, err
	}
	if canvas.Ratio > 0 {
		size := media.SizeIn(canvas.Ratio, drawnPixels, drawnStep)
		if canvas.Size != (image.Point{}) {
			pixels := canvas.Size.X * canvas.Size.Y
			size = media.SizeIn(canvas.Ratio, min(max(pixels, drawnPixels/drawnFreedom), drawnPixels*drawnFreedom), exactStep)
		}
		q.parameters["width"], q.parameters["height"] = size.X, size.Y
	}
	return q, nil
}

// unwanted returns what must not be shown, "" for nothing.
func (j *job) unwanted() string { return clean(j.call.Text(toolbox.WithoutParam)) }

// A picture with a given shape has about drawnPixels pixels, and sides that are multiples of drawnStep, as
// current image models prefer. One with a given size has sides that are multiples of exactStep, which all of them
// require, and up to drawnFreedom times fewer or more pixels; then it is scaled to the size.
const (
	drawnPixels  = 1 << 20
	drawnStep    = 64
	exactStep    = 8
	drawnFreedom = 4
)

// askControlled requests a picture that matches a description and follows a control map.
func askControlled(ctx context.Context, j *job) (question, error) {
	q, err := askDrawing(ctx, j)
	if err != nil {
		return question{}, err
	}
	v, ok := j.fileOf(plan.Type.ImageMap)
	if !ok {
		return question{}, missingFile(plan.Image)
	}
	f, _, err := j.drawn(ctx, v)
	q.parameters["control_image"], q.parameters["control_mode"] = f, string(j.task.mode)
	return q, err
}

// askEdit requests an edit of a picture, described by the prompt if there is one.
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

// askMasked requests an edit within a mask. Without a prompt, the masked object is removed.
func askMasked(ctx context.Context, j *job) (question, error) {
	q, err := askEdit(ctx, j)
	if err != nil {
		return question{}, err
	}
	q.parameters["mask_image"], err = j.mask(ctx)
	return q, err
}

// askMap requests a control map of a picture.
func askMap(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	q.parameters = map[string]any{"control_mode": string(j.task.mode)}
	return q, err
}

// pictureFrom decodes the picture in an answer. It takes memory for the picture and more bytes, which the
// returned function gives back.
func (j *job) pictureFrom(ctx context.Context, a answer, more int64, keys ...string) (media.Picture, func(), error) {
	content, err := a.content(ctx, keys...)
	if err != nil {
		return media.Picture{}, nil, err
	}
	leave, err := j.backend.config.Limits.Memory.Take(ctx, answerBytes+more)
	if err != nil {
		return media.Picture{}, nil, err
	}
	p, err := media.ReadContent(ctx, j.call.Dir, content, j.backend.config.Limits, media.ReadPicture, unreadable)
	if err != nil {
		leave()
		return media.Picture{}, nil, err
	}
	return p, leave, nil
}

// write saves a picture as an output.
func (j *job) write(ctx context.Context, img *image.NRGBA, f media.Format, about plan.Message) (toolbox.Output, error) {
	path := filepath.Join(j.call.Dir, "picture."+string(f))
	if err := media.EncodeImage(ctx, path, img, f); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: about}, nil
}

// about describes a picture by the text of the request, or else by its size.
func (j *job) about(img *image.NRGBA) plan.Message {
	if text := j.text(); text != "" {
		return plan.Quote(toolbox.Shorten(text))
	}
	return dimensions(img)
}

func dimensions(img *image.NRGBA) plan.Message {
	return plan.Say("%s × %s pixels", strconv.Itoa(img.Rect.Dx()), strconv.Itoa(img.Rect.Dy()))
}

// readDrawing saves the picture in an answer, in the requested shape and size.
func readDrawing(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	p, leave, err := j.pictureFrom(ctx, a, 0, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	canvas, err := toolbox.CanvasOf(j.call)
	if err != nil {
		return toolbox.Output{}, err
	}
	img, err := media.Formed(ctx, p.Image, canvas.Ratio, canvas.Size)
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.write(ctx, img, formatOf(p), j.about(img))
}

// formatOf returns the file format for a picture from the server: JPEG stays JPEG, all others become PNG.
func formatOf(p media.Picture) media.Format {
	if f := media.FormatFor(p.Info.Ext); f == media.JPEG {
		return f
	}
	return media.PNG
}

// readEdit saves an edited picture, scaled to the original's size if it has a similar size and the same
// shape.
func readEdit(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	p, leave, err := j.pictureFrom(ctx, a, j.sent.bytes(8), "image")
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

// alike reports whether two sizes have the same shape and differ by less than a factor of four.
func alike(a, b image.Point) bool {
	return sameShape(a, b) && math.Abs(math.Log(float64(a.X)/float64(b.X))) < math.Log(4)
}

// sameShape reports whether both sizes have the same aspect ratio, within the rounding of models. They make
// sides in multiples of 64 pixels, or less for small pictures, so each side may be off by that much.
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

// askEnlarged requests a larger version of a picture.
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

// target returns the requested size of the enlarged picture.
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
		return image.Point{}, plan.Refusal("%d × %d pixels would not be larger; to make a picture smaller, ask to resize it.", w, h)
	case int64(w) > most/int64(h):
		return image.Point{}, plan.Refusal("%d × %d pixels is too large; the limit is %d million pixels.", w, h, most/1_000_000)
	}
	return image.Pt(w, h), nil
}

// readEnlarged saves an enlarged picture, scaled to the requested size.
func readEnlarged(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	to, err := j.target()
	if err != nil {
		return toolbox.Output{}, err
	}
	p, leave, err := j.pictureFrom(ctx, a, 8*int64(to.X)*int64(to.Y), "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	if size := p.Image.Rect.Size(); size.X <= j.sent.size.X && size.Y <= j.sent.size.Y && to != j.sent.given {
		return toolbox.Output{}, down(errors.New("the picture is not larger"), "The tool server did not make the picture larger.")
	}
	img := p.Image
	if alike(img.Rect.Size(), to) {
		if img, err = media.Scaled(ctx, img, to.X, to.Y); err != nil {
			return toolbox.Output{}, err
		}
	}
	return j.write(ctx, img, formatOf(p), dimensions(img))
}

// readMasked copies the masked area of the answer into the original picture.
func readMasked(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	limits := j.backend.config.Limits
	v, _ := j.maskOf()
	more := media.Weigh(j.sent.path, limits).Bytes(8) + media.Weigh(v.Path, limits).Bytes(8) + j.sent.bytes(8)
	p, leave, err := j.pictureFrom(ctx, a, more, "image")
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

// leastMap is the minimum for the longer side of a map, in pixels. Models make maps of 256 pixels or more,
// unless the picture is smaller.
const leastMap = 64

// readMap saves a map of a picture, scaled to the picture's size. Models make maps far smaller than photos.
func readMap(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	p, leave, err := j.pictureFrom(ctx, a, j.sent.bytes(8), "depth", "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	made := p.Image.Rect.Size()
	if !sameShape(made, j.sent.given) || max(made.X, made.Y) < min(leastMap, j.sent.size.X, j.sent.size.Y) {
		return toolbox.Output{}, unreadable(errors.New("the map has a different aspect ratio than the picture"))
	}
	img, err := media.Scaled(ctx, p.Image, j.sent.given.X, j.sent.given.Y)
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.write(ctx, img, media.PNG, dimensions(img))
}

// videoTasks returns the tasks that make videos.
func videoTasks() map[string]task {
	return map[string]task{
		"text-to-video":  {accept: videos, ask: askTextToVideo, read: readVideo},
		"image-to-video": {accept: videos, media: true, ask: askImageToVideo, read: readVideo},
	}
}

// askTextToVideo requests a video of a described scene.
func askTextToVideo(_ context.Context, j *job) (question, error) {
	text := j.text()
	if text == "" {
		return question{}, fault(nil, "Please say what the video should show.")
	}
	q := question{inputs: text, parameters: map[string]any{"seed": j.seed()}}
	if unwanted := j.unwanted(); unwanted != "" {
		q.parameters["negative_prompt"] = []string{unwanted}
	}
	return q, nil
}

// askImageToVideo requests a video that animates a picture, with an optional prompt.
func askImageToVideo(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	if err != nil {
		return question{}, err
	}
	q.parameters = map[string]any{"seed": j.seed()}
	if unwanted := j.unwanted(); unwanted != "" {
		q.parameters["negative_prompt"] = unwanted
	}
	if prompt := j.text(); prompt != "" {
		q.parameters["prompt"] = prompt
	}
	return q, nil
}

// readVideo saves the video in an answer.
func readVideo(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	content, err := a.content(ctx, "video")
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.saveRecording(ctx, content, plan.Video, "video", plan.Quote(toolbox.Shorten(j.text())))
}
