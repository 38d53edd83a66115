package localai

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/quantity"
)

// answerBytes is the memory reserved for a picture from the server: the largest that current image models
// make, with a copy.
const answerBytes = 2 * 4 * 4096 * 4096

// drawRequest is the request for a picture (LocalAI, swagger, schema.OpenAIRequest).
type drawRequest struct {
	Model          string   `json:"model"`
	Prompt         string   `json:"prompt"`
	N              int      `json:"n"`
	Size           string   `json:"size"`
	RefImages      []string `json:"ref_images"` // Base64
	ResponseFormat string   `json:"response_format"`
	Seed           int32    `json:"seed,omitempty"`
}

// editPixels is about the number of pixels of a redrawn picture.
const editPixels = 1024 * 1024

// pictures runs the tasks that make pictures from pictures.
type pictures struct{ *server }

// redraw edits a whole picture by instruction, with a model that takes it as a reference.
func (ps *pictures) redraw(ctx context.Context, j job) (toolbox.Output, error) {
	prompt := j.prompt()
	if prompt == "" {
		return toolbox.Output{}, fault(nil, "Please say what to change.")
	}
	s, err := ps.send(ctx, j, pictureSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	size := shaped(s.full, editPixels)
	body, err := ps.post(ctx, "/v1/images/generations", j, drawRequest{
		Model: j.model, Prompt: prompt, N: 1, Size: strconv.Itoa(size.X) + "x" + strconv.Itoa(size.Y),
		RefImages: []string{s.base64()}, ResponseFormat: "b64_json", Seed: seed(j.Seed),
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, drawn, err := ps.drawn(ctx, j, body, 0)
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	about := plan.Message{}
	if text := toolbox.OneLine(j.Text("instruction")); text != "" {
		about = plan.Quote(toolbox.Shorten(text))
	}
	out, err := ps.save(ctx, j, drawn, about)
	out.Seed = int64(seed(j.Seed))
	return out, err
}

// drawn decodes the picture in an answer. It takes memory for the picture and more bytes, which leave gives
// back.
func (ps *pictures) drawn(ctx context.Context, j job, body []byte, more int64) (leave func(), _ *image.NRGBA, err error) {
	content, err := ps.content(ctx, body)
	if err != nil {
		return nil, nil, err
	}
	leave, err = ps.limits.Memory.Take(ctx, answerBytes+more)
	if err != nil {
		return nil, nil, err
	}
	p, err := media.ReadContent(ctx, j.Dir, content, ps.limits, media.ReadPicture, func(err error) error {
		return badAnswer(err, "The LocalAI server sent a picture that cannot be read.")
	})
	if err != nil {
		leave()
		return nil, nil, err
	}
	return leave, p.Image, nil
}

// save saves the result as PNG, because a JPEG would change every pixel a little.
func (ps *pictures) save(ctx context.Context, j job, img *image.NRGBA, about plan.Message) (toolbox.Output, error) {
	path := filepath.Join(j.Dir, "picture.png")
	if err := media.EncodeImage(ctx, path, img, media.PNG); err != nil {
		return toolbox.Output{}, err
	}
	if about.Equal(plan.Message{}) {
		about = plan.Say("%s × %s pixels", strconv.Itoa(img.Rect.Dx()), strconv.Itoa(img.Rect.Dy()))
	}
	return toolbox.Output{Path: path, About: about}, nil
}

// upscaleFactor is the factor of the upscaling models; they reject other factors (LocalAI,
// docs/content/features/image-generation.md).
const upscaleFactor = 4

// upscale enlarges a picture with a model, and scales it to the requested size.
func (ps *pictures) upscale(ctx context.Context, j job) (toolbox.Output, error) {
	wanted, err := toolbox.Need[quantity.Sizing](j.Call, "factor")
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := j.fileOf("image")
	if err != nil {
		return toolbox.Output{}, err
	}
	pixels := media.Weigh(path, ps.limits).Pixels() * upscaleFactor * upscaleFactor
	if pixels > ps.limits.Pixels {
		return toolbox.Output{}, fault(nil, "The picture is too large to be enlarged by a model.")
	}
	content, size, err := ps.whole(ctx, j, path)
	if err != nil {
		return toolbox.Output{}, err
	}
	w, h := wanted.Of(size.X, size.Y)
	if w*h <= size.X*size.Y || w > upscaleFactor*size.X || h > upscaleFactor*size.Y {
		return toolbox.Output{}, fault(nil, "The model can enlarge a picture up to four times, so it cannot make %d × %d pixels from this one.", w, h)
	}
	body, err := ps.postForm(ctx, "/v1/images/upscale", j, part{name: "model", value: j.model},
		part{name: "scale", value: strconv.Itoa(upscaleFactor)}, part{name: "image", content: content, ext: ".png", mime: "image/png"})
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, large, err := ps.drawn(ctx, j, body, 12*pixels)
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	out, err := media.Scaled(ctx, large, w, h)
	if err != nil {
		return toolbox.Output{}, err
	}
	return ps.save(ctx, j, out, plan.Message{})
}

// whole returns a picture as PNG in its original size, without metadata.
func (ps *pictures) whole(ctx context.Context, j job, path string) ([]byte, image.Point, error) {
	leave, err := ps.limits.Memory.Take(ctx, media.Weigh(path, ps.limits).Bytes(8))
	if err != nil {
		return nil, image.Point{}, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, ps.limits)
	if err != nil {
		return nil, image.Point{}, err
	}
	content, err := media.EncodedImage(ctx, j.Dir, p.Image, media.PNG)
	return content, p.Image.Rect.Size(), err
}

// window is the area around a mask that is sent for inpainting. LocalAI draws squares of one size
// (core/http/endpoints/openai, inpainting.go), so the area is scaled to fit one, and its edge pixels fill
// the rest.
type window struct {
	part   image.Rectangle // of the picture
	inside image.Rectangle // where the part lies in the square
}

// square is the side of the picture that is sent, in pixels.
const square = 512

// windowFor returns a square around the masked area, twice its longer side, clipped to the picture.
func windowFor(covered image.Rectangle, picture image.Point) window {
	side := max(2*max(covered.Dx(), covered.Dy()), 64)
	along := func(from, to, most int) (int, int) {
		if side >= most {
			return 0, most
		}
		low := min(max((from+to)/2-side/2, 0), most-side)
		return low, low + side
	}
	x0, x1 := along(covered.Min.X, covered.Max.X, picture.X)
	y0, y1 := along(covered.Min.Y, covered.Max.Y, picture.Y)
	part := image.Rect(x0, y0, x1, y1)
	size := media.ShrunkTo(part.Size(), square)
	if longest := max(size.X, size.Y); longest < square {
		size = image.Pt(max(1, size.X*square/longest), max(1, size.Y*square/longest))
	}
	at := image.Pt((square-size.X)/2, (square-size.Y)/2)
	return window{part: part, inside: image.Rectangle{Min: at, Max: at.Add(size)}}
}

// of returns the window of a picture as a square.
func (w window) of(ctx context.Context, picture *image.NRGBA) (*image.NRGBA, error) {
	part := image.NewNRGBA(image.Rectangle{Max: w.part.Size()})
	draw.Draw(part, part.Rect, picture, w.part.Min, draw.Src)
	scaled, err := media.Scaled(ctx, part, w.inside.Dx(), w.inside.Dy())
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, square, square))
	clamp := func(v, from, to int) int { return min(max(v, from), to-1) - from }
	for y := range square {
		for x := range square {
			out.SetNRGBA(x, y, scaled.NRGBAAt(clamp(x, w.inside.Min.X, w.inside.Max.X), clamp(y, w.inside.Min.Y, w.inside.Max.Y)))
		}
	}
	return out, nil
}

// hole returns the mask of the window as a square, white where the model draws. It rounds outwards, so that
// small areas of m do not vanish.
func (w window) hole(m *media.Mask, picture image.Point) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, square, square))
	for y := w.part.Min.Y; y < w.part.Max.Y; y++ {
		for x := w.part.Min.X; x < w.part.Max.X; x++ {
			if m.At(x*m.Width/picture.X, y*m.Height/picture.Y) == 0 {
				continue
			}
			at := scaled(image.Rect(x, y, x+1, y+1).Sub(w.part.Min), w.part.Size(), w.inside.Size()).Add(w.inside.Min)
			draw.Draw(out, at, image.White, image.Point{}, draw.Src)
		}
	}
	return out
}

// put draws the answer into the picture, within the mask only.
func (w window) put(ctx context.Context, answer, picture *image.NRGBA, m *media.Mask) error {
	whole, err := media.Scaled(ctx, answer, square, square)
	if err != nil {
		return err
	}
	part := image.NewNRGBA(image.Rectangle{Max: w.inside.Size()})
	draw.Draw(part, part.Rect, whole, w.inside.Min, draw.Src)
	part, err = media.Scaled(ctx, part, w.part.Dx(), w.part.Dy())
	if err != nil {
		return err
	}
	size := picture.Rect.Size()
	for y := w.part.Min.Y; y < w.part.Max.Y; y++ {
		for x := w.part.Min.X; x < w.part.Max.X; x++ {
			if m.At(x*m.Width/size.X, y*m.Height/size.Y) != 0 {
				picture.SetNRGBA(x, y, part.NRGBAAt(x-w.part.Min.X, y-w.part.Min.Y))
			}
		}
	}
	return nil
}

// inpaint redraws the masked part of a picture.
func (ps *pictures) inpaint(ctx context.Context, j job) (toolbox.Output, error) {
	prompt := j.prompt()
	if prompt == "" {
		return toolbox.Output{}, fault(nil, "Please say what to draw there.")
	}
	path, err := j.fileOf("image")
	if err != nil {
		return toolbox.Output{}, err
	}
	masked, err := j.fileOf("mask")
	if err != nil {
		return toolbox.Output{}, err
	}
	m, err := ps.readMask(ctx, masked)
	if err != nil {
		return toolbox.Output{}, err
	}
	w, form, err := ps.hole(ctx, j, path, m)
	if err != nil {
		return toolbox.Output{}, err
	}
	form = append(form, part{name: "model", value: j.model}, part{name: "prompt", value: prompt})
	body, err := ps.postForm(ctx, "/v1/images/inpainting", j, form...)
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, answer, err := ps.drawn(ctx, j, body, media.Weigh(path, ps.limits).Bytes(8))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	given, err := media.ReadPicture(ctx, path, ps.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := w.put(ctx, answer, given.Image, m); err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Message{}
	if text := toolbox.OneLine(j.Text("prompt")); text != "" {
		about = plan.Quote(toolbox.Shorten(text))
	}
	out, err := ps.save(ctx, j, given.Image, about)
	if given.Info.Frames > 1 {
		out.Note = plan.Say("Only the first frame of the animation was used.")
	}
	return out, err
}

// hole returns the window around a picture's mask, and the window's picture and mask as form fields.
func (ps *pictures) hole(ctx context.Context, j job, path string, m *media.Mask) (window, []part, error) {
	covered := coveredBy(m)
	if covered.Empty() {
		return window{}, nil, fault(nil, "The mask covers nothing, so there is nothing to change.")
	}
	leave, err := ps.limits.Memory.Take(ctx, media.Weigh(path, ps.limits).Bytes(8))
	if err != nil {
		return window{}, nil, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, ps.limits)
	if err != nil {
		return window{}, nil, err
	}
	size := p.Image.Rect.Size()
	w := windowFor(scaled(covered, image.Pt(m.Width, m.Height), size), size)
	picture, err := w.of(ctx, p.Image)
	if err != nil {
		return window{}, nil, err
	}
	form := []part{{name: "image"}, {name: "mask"}}
	for i, img := range []image.Image{picture, w.hole(m, size)} {
		form[i].ext, form[i].mime = ".png", "image/png"
		if form[i].content, err = media.EncodedImage(ctx, j.Dir, img, media.PNG); err != nil {
			return window{}, nil, err
		}
	}
	return w, form, nil
}

// depthRequest is the request for a depth map (LocalAI, swagger, schema.DepthRequest).
type depthRequest struct {
	Model        string `json:"model"`
	Image        string `json:"image"`
	IncludeDepth bool   `json:"include_depth"`
}

// depthSide is the longest side of a picture for depth estimation, in pixels: the answer has a JSON number
// for each pixel, and the models look at fewer.
const depthSide = 1024

// depth draws the depth map of a picture; near is bright.
func (ps *pictures) depth(ctx context.Context, j job) (toolbox.Output, error) {
	s, err := ps.send(ctx, j, depthSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	body, err := ps.post(ctx, "/v1/depth", j, depthRequest{Model: j.model, Image: s.dataURI(), IncludeDepth: true})
	if err != nil {
		return toolbox.Output{}, err
	}
	small, err := readDepth(body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if !sameShape(small.Bounds().Size(), s.full) {
		return toolbox.Output{}, unreadable(fmt.Errorf("the depth map has size %v, but the picture has %v", small.Bounds().Size(), s.full))
	}
	leave, err := ps.limits.Memory.Take(ctx, 12*int64(s.full.X)*int64(s.full.Y))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	picture, err := media.Scaled(ctx, small, s.full.X, s.full.Y)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(j.Dir, "depth.png")
	if err := media.EncodeImage(ctx, path, picture, media.PNG); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: plan.Say("bright is near")}, nil
}

// sameShape reports whether a map has the shape of the picture, within the 64-pixel steps of models.
func sameShape(size, full image.Point) bool {
	const step = 64
	across, down := float64(full.X)/float64(size.X), float64(full.Y)/float64(size.Y)
	return math.Abs(across-down)*float64(size.X) <= step*across || math.Abs(across-down)*float64(size.Y) <= step*down
}

// readDepth parses a map of distances, row by row (LocalAI, swagger, schema.DepthResponse), and draws it.
func readDepth(body []byte) (*image.NRGBA, error) {
	var answer struct {
		Width  int       `json:"width"`
		Height int       `json:"height"`
		Depth  []float64 `json:"depth"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, unreadable(err)
	}
	w, h, n := answer.Width, answer.Height, len(answer.Depth)
	if w < 1 || h < 1 || w > n || h > n || w*h != n {
		return nil, unreadable(fmt.Errorf("the depth map has %d values for %d × %d pixels", n, w, h))
	}
	near := nearness(answer.Depth)
	least, most := slices.Min(near), slices.Max(near)
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range near {
		grey := uint8(127)
		if most > least {
			grey = uint8((v - least) / (most - least) * 255)
		}
		img.SetNRGBA(i%w, i/w, color.NRGBA{grey, grey, grey, 255})
	}
	return img, nil
}

// nearness inverts distances so that near is high, as drawing models expect: 1/distance, or a linear scale
// if a distance is not positive. The nearest and farthest percent are clamped, since single pixels are often
// outliers.
func nearness(distances []float64) []float64 {
	order := slices.Sorted(slices.Values(distances))
	low, high := order[len(order)/100], order[len(order)-1-len(order)/100]
	near := make([]float64, len(distances))
	for i, d := range distances {
		d = min(max(d, low), high)
		if low > 1e-6 {
			near[i] = 1 / d
		} else {
			near[i] = high/2 - d/2 // halved, so that the difference cannot overflow
		}
	}
	return near
}
