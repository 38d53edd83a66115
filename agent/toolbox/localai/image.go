package localai

import (
	"context"
	"image"
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
