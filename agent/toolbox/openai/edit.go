package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"mime/multipart"
	"net/textproto"
	"path/filepath"
	"slices"
	"strconv"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// editInput are the input files of an edit.
type editInput struct {
	image string
	mask  string // "" without one
}

// bytes returns the memory for both, with a copy of the picture.
func (e editInput) bytes(l media.Limits) int64 {
	return media.Weigh(e.image, l).Bytes(12) + media.Weigh(e.mask, l).Bytes(8)
}

// edit changes a picture by instruction, within the mask only if there is one.
func (ps *pictures) edit(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	in, err := editInputOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	prompt := promptText(backing, c)
	canvas, form, err := ps.prepare(ctx, r, in, c.Dir, prompt)
	if err != nil {
		return toolbox.Output{}, err
	}
	labelled := endpoint.Label(ctx, c.Request, "act."+c.Tool, 1)
	content, err := ps.pictureOf(ctx, r, func(format string) (api.ImageResponse, error) {
		return ps.postEdit(labelled, r, form, format)
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, err := ps.config.Limits.Memory.Take(ctx, answerBytes+in.bytes(ps.config.Limits))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	answer, err := ps.picture(ctx, c.Dir, content)
	if err != nil {
		return toolbox.Output{}, err
	}
	given, err := media.ReadPicture(ctx, in.image, ps.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	out, format, err := ps.put(ctx, canvas.cut(answer.Image), given, in.mask)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(c.Dir, "picture."+string(format))
	if err := media.EncodeImage(ctx, path, out, format); err != nil {
		return toolbox.Output{}, err
	}
	o := toolbox.Output{Path: path, About: about(c, out)}
	if given.Info.Frames > 1 {
		o.Note = plan.Say("Only the first frame of the animation was used.")
	}
	return o, nil
}

// about describes the result by the text of the request, or else by its size.
func about(c toolbox.Call, img *image.NRGBA) plan.Message {
	for _, a := range arguments("", c) {
		if !a.isFile() && toolbox.OneLine(a.Value.Value) != "" {
			return plan.Quote(toolbox.Shorten(a.Value.Value))
		}
	}
	return plan.Say("%s × %s pixels", strconv.Itoa(img.Rect.Dx()), strconv.Itoa(img.Rect.Dy()))
}

// editInputOf returns the picture and the mask of a call. The mask is the argument of that name, or else the
// one of that type if there are several files.
func editInputOf(c toolbox.Call) (editInput, error) {
	all := files(c)
	at := slices.IndexFunc(all, func(a argument) bool { return a.arg == "mask" })
	if at < 0 {
		at = slices.IndexFunc(all, func(a argument) bool { return a.Type == plan.Mask })
	}
	var e editInput
	if at >= 0 && len(all) > 1 { // a mask on its own is the picture to edit
		e.mask = all[at].Path
		all = slices.Delete(all, at, at+1)
	}
	if len(all) == 0 || all[0].Path == "" {
		return editInput{}, fault(errors.New("the call has no picture"), "The picture to work on is missing.")
	}
	e.image = all[0].Path
	return e, nil
}

// editForm is the content of an edit request.
type editForm struct {
	prompt, size string
	image, mask  []byte // PNG; mask may be nil
}

// prepare places the picture and its mask on a canvas.
func (ps *pictures) prepare(ctx context.Context, r run, in editInput, dir, prompt string) (canvas, editForm, error) {
	leave, err := ps.config.Limits.Memory.Take(ctx, in.bytes(ps.config.Limits))
	if err != nil {
		return canvas{}, editForm{}, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, in.image, ps.config.Limits)
	if err != nil {
		return canvas{}, editForm{}, err
	}
	c := canvasFor(ps.canvases(r.model), p.Image.Rect.Size())
	on, err := c.with(ctx, p.Image)
	if err != nil {
		return canvas{}, editForm{}, err
	}
	form := editForm{prompt: prompt, size: fmt.Sprintf("%dx%d", c.size.X, c.size.Y)}
	if form.image, err = media.EncodedImage(ctx, dir, on, media.PNG); err != nil {
		return canvas{}, editForm{}, err
	}
	if in.mask == "" {
		return c, form, nil
	}
	m, err := media.ReadMask(ctx, in.mask, ps.config.Limits)
	if err != nil {
		return canvas{}, editForm{}, err
	}
	hole, covered := c.mask(m)
	if !covered {
		return canvas{}, editForm{}, fault(nil, "The mask covers nothing, so there is nothing to change.")
	}
	if form.mask, err = media.EncodedImage(ctx, dir, hole, media.PNG); err != nil {
		return canvas{}, editForm{}, err
	}
	return c, form, nil
}

// postEdit sends the edit request (OpenAI API reference, create image edit).
func (ps *pictures) postEdit(ctx context.Context, r run, f editForm, format string) (api.ImageResponse, error) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	var errs []error
	for _, field := range [][2]string{{"model", r.model}, {"prompt", f.prompt}, {"n", "1"}, {"size", f.size}, {"response_format", format}} {
		if field[1] != "" { // servers reject unknown fields even if they are empty
			errs = append(errs, w.WriteField(field[0], field[1]))
		}
	}
	errs = append(errs, writeFile(w, "image", f.image))
	if f.mask != nil {
		errs = append(errs, writeFile(w, "mask", f.mask))
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		return api.ImageResponse{}, fmt.Errorf("encode a form: %w", err)
	}
	answer, err := ps.config.Endpoint.Post(ctx, "/images/edits", r.model, w.FormDataContentType(), body.Bytes())
	if err != nil {
		return api.ImageResponse{}, r.asFault(err)
	}
	var response api.ImageResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		return api.ImageResponse{}, r.asFault(err)
	}
	return response, nil
}

// writeFile adds a PNG file to a form.
func writeFile(w *multipart.Writer, name string, content []byte) error {
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename="%s.png"`, name, name)},
		"Content-Type":        {"image/png"},
	})
	if err != nil {
		return err //nolint:wrapcheck // the caller adds context
	}
	_, err = part.Write(content)
	return err //nolint:wrapcheck // as above
}

// put returns the result of an edit. With a mask, the masked area of the given picture is replaced. Without
// one, the result is what the model drew, no larger than the given picture.
func (ps *pictures) put(ctx context.Context, drawn *image.NRGBA, given media.Picture, mask string) (*image.NRGBA, media.Format, error) {
	size := given.Image.Rect.Size()
	if mask == "" {
		drawn, err := withShape(ctx, drawn, size)
		if err != nil {
			return nil, "", err
		}
		format := media.FormatFor(given.Info.Ext)
		if format.Opaque() && !drawn.Opaque() || format == media.GIF {
			format = media.PNG
		}
		return drawn, format, nil
	}
	m, err := media.ReadMask(ctx, mask, ps.config.Limits)
	if err != nil {
		return nil, "", err
	}
	drawn, err = media.Scaled(ctx, drawn, size.X, size.Y)
	if err != nil {
		return nil, "", err
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
	return out, media.PNG, err // a JPEG would change everything a little
}

// withShape scales what was drawn to the aspect ratio of size, never up. It tolerates one pixel of difference,
// since every scaling blurs.
func withShape(ctx context.Context, drawn *image.NRGBA, size image.Point) (*image.NRGBA, error) {
	is := drawn.Rect.Size()
	scale := min(1, max(float64(is.X)/float64(size.X), float64(is.Y)/float64(size.Y)))
	to := image.Pt(max(1, int(math.Round(float64(size.X)*scale))), max(1, int(math.Round(float64(size.Y)*scale))))
	if off := to.Sub(is); max(off.X, -off.X) <= 1 && max(off.Y, -off.Y) <= 1 && scale < 1 {
		return drawn, nil
	}
	return media.Scaled(ctx, drawn, to.X, to.Y)
}
