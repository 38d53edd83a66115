package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"math"
	"mime/multipart"
	"net/textproto"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// answerBytes is the memory reserved for a picture from the server: the largest that current image models
// make, with a copy.
const answerBytes = 2 * 4 * 4096 * 4096

// pictures runs the tasks that draw and edit pictures.
type pictures struct {
	config *Config
	// canvases returns the sizes in which a model accepts pictures for editing.
	canvases       func(model string) []image.Point
	withoutB64JSON atomic.Bool // the server rejects response_format
}

// draw makes a picture of a described scene.
func (ps *pictures) draw(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	prompt := promptText(backing, c)
	if toolbox.OneLine(prompt) == "" {
		return toolbox.Output{}, fault(nil, "Please say what the picture should show.")
	}
	if unwanted := c.Text(toolbox.WithoutParam); unwanted != "" {
		prompt += "\nLeave out: " + toolbox.OneLine(unwanted) + "."
	}
	canvas, err := toolbox.CanvasOf(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	size := ""
	if canvas.Ratio > 0 {
		near := canvasFor(ps.canvases(r.model), media.SizeIn(canvas.Ratio, 1<<20, 1)).size
		size = strconv.Itoa(near.X) + "x" + strconv.Itoa(near.Y)
	}
	labelled := endpoint.Label(ctx, c.Request, "act."+c.Tool, 1)
	content, err := ps.pictureOf(ctx, r, func(format string) (api.ImageResponse, error) {
		response, err := ps.config.Endpoint.Client().CreateImage(labelled, api.ImageRequest{
			Prompt: prompt, Model: r.model, N: 1, Size: size, ResponseFormat: format,
		})
		return response, r.asFault(err)
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, err := ps.config.Limits.Memory.Take(ctx, answerBytes)
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	p, err := ps.picture(ctx, c.Dir, content)
	if err != nil {
		return toolbox.Output{}, err
	}
	img, err := media.Formed(ctx, p.Image, canvas.Ratio, canvas.Size)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(c.Dir, "picture.png")
	if err := media.EncodeImage(ctx, path, img, media.PNG); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: plan.Quote(toolbox.Shorten(promptText(backing, c)))}, nil
}

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

// canvas is a picture as it is sent for editing. Image models accept only a few sizes, so the picture is
// scaled to fit the size with the nearest aspect ratio, and its edge pixels fill the rest.
type canvas struct {
	size   image.Point
	inside image.Rectangle // where the picture is on it
}

// canvasSizes returns the sizes that a model accepts for editing (OpenAI API reference, create image edit).
func canvasSizes(model string) []image.Point {
	square := image.Pt(1024, 1024)
	if strings.HasPrefix(model, "dall-e") {
		return []image.Point{square}
	}
	return []image.Point{square, image.Pt(1536, 1024), image.Pt(1024, 1536)}
}

// canvasFor returns the canvas for a picture: the one of the sizes with the nearest aspect ratio.
func canvasFor(sizes []image.Point, picture image.Point) canvas {
	shape := func(p image.Point) float64 { return math.Log(float64(p.X) / float64(p.Y)) }
	var best image.Point
	for _, size := range sizes {
		if best == (image.Point{}) || math.Abs(shape(size)-shape(picture)) < math.Abs(shape(best)-shape(picture)) {
			best = size
		}
	}
	scale := min(float64(best.X)/float64(picture.X), float64(best.Y)/float64(picture.Y))
	side := func(n, most int) int { return min(max(int(math.Round(float64(n)*scale)), 1), most) }
	w, h := side(picture.X, best.X), side(picture.Y, best.Y)
	at := image.Pt((best.X-w)/2, (best.Y-h)/2)
	return canvas{size: best, inside: image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}}
}

// with returns the canvas with the picture on it.
func (c canvas) with(ctx context.Context, picture *image.NRGBA) (*image.NRGBA, error) {
	scaled, err := media.Scaled(ctx, picture, c.inside.Dx(), c.inside.Dy())
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rectangle{Max: c.size})
	draw.Draw(out, c.inside, scaled, image.Point{}, draw.Src)
	clamp := func(v, from, to int) int { return min(max(v, from), to-1) }
	for y := range c.size.Y {
		for x := range c.size.X {
			if p := image.Pt(x, y); !p.In(c.inside) {
				out.SetNRGBA(x, y, out.NRGBAAt(clamp(x, c.inside.Min.X, c.inside.Max.X), clamp(y, c.inside.Min.Y, c.inside.Max.Y)))
			}
		}
	}
	return out, nil
}

// mask returns the mask on the canvas, transparent where the model draws, and whether it covers anything. It
// maxRounds outwards, so that small areas of m do not vanish.
func (c canvas) mask(m *media.Mask) (out *image.NRGBA, covered bool) {
	out = image.NewNRGBA(image.Rectangle{Max: c.size})
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xFF
	}
	w, h := c.inside.Dx(), c.inside.Dy()
	for y := range h {
		for x := range w {
			if m.Width > 0 && m.Height > 0 && coversAny(m, image.Rect(
				x*m.Width/w, y*m.Height/h, max((x+1)*m.Width/w, x*m.Width/w+1), max((y+1)*m.Height/h, y*m.Height/h+1))) {
				out.Pix[out.PixOffset(c.inside.Min.X+x, c.inside.Min.Y+y)+3] = 0
				covered = true
			}
		}
	}
	return out, covered
}

func coversAny(m *media.Mask, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.At(x, y) != 0 {
				return true
			}
		}
	}
	return false
}

// cut crops an answer of any size to the area of the picture.
func (c canvas) cut(answer *image.NRGBA) *image.NRGBA {
	size := answer.Rect.Size()
	at := func(p image.Point) image.Point {
		return image.Pt((p.X*size.X+c.size.X/2)/c.size.X, (p.Y*size.Y+c.size.Y/2)/c.size.Y)
	}
	part := image.Rectangle{Min: at(c.inside.Min), Max: at(c.inside.Max)}
	if part.Empty() || part == answer.Rect {
		return answer
	}
	return media.ToNRGBA(answer.SubImage(part))
}

// wantsB64JSON reports whether to request b64_json. The GPT image models always return it and reject the parameter;
// other models may return a URL without it (OpenAI API reference, create image).
func (ps *pictures) wantsB64JSON(model string) bool {
	return !strings.Contains(model, "gpt-image") && !ps.withoutB64JSON.Load()
}

// pictureOf requests a picture, as b64_json if the server accepts the parameter, and returns its content.
// The caller has reserved the memory.
func (ps *pictures) pictureOf(ctx context.Context, r run, ask func(format string) (api.ImageResponse, error)) ([]byte, error) {
	format := ""
	if ps.wantsB64JSON(r.model) {
		format = api.CreateImageResponseFormatB64JSON
	}
	response, err := ask(format)
	if refused, ok := errors.AsType[*endpoint.Error](err); ok && format != "" && refused.Kind == endpoint.Rejected && isAbout(refused, "response_format") {
		if response, err = ask(""); err == nil {
			ps.withoutB64JSON.Store(true)
		}
	}
	if err != nil {
		return nil, err
	}
	r.spent.Calls++
	r.spent.Input += response.Usage.InputTokens
	r.spent.Output += response.Usage.OutputTokens
	if len(response.Data) == 0 {
		return nil, fault(down(errors.New("the answer has no data")), "The model made no picture; please try again.")
	}
	return ps.content(ctx, response.Data[0])
}

// isAbout reports whether an error is about a parameter.
func isAbout(e *endpoint.Error, param string) bool {
	return e.Param == param || strings.Contains(e.Error(), param)
}

// content returns the file in an answer: Base64, or a link to the same server.
func (ps *pictures) content(ctx context.Context, d api.ImageResponseDataInner) ([]byte, error) {
	spelled := d.B64JSON
	if spelled == "" && strings.HasPrefix(d.URL, "data:") {
		spelled = d.URL
	}
	if spelled == "" && d.URL != "" {
		content, err := ps.config.Endpoint.Fetch(ctx, d.URL)
		if err != nil {
			return nil, fault(down(err), "The model server did not send the picture, only a link to it.")
		}
		return content, nil
	}
	if strings.HasPrefix(spelled, "data:") {
		_, spelled, _ = strings.Cut(spelled, ",")
	}
	content, err := base64.StdEncoding.DecodeString(spelled)
	if err != nil || len(content) == 0 {
		return nil, fault(down(fmt.Errorf("decode %d characters of Base64: %w", len(spelled), err)), "The model server sent a picture that cannot be read.")
	}
	return content, nil
}

// picture decodes a picture from the server.
func (ps *pictures) picture(ctx context.Context, dir string, content []byte) (media.Picture, error) {
	return media.ReadContent(ctx, dir, content, ps.config.Limits, media.ReadPicture, func(err error) error {
		return fault(down(err), "The model server sent a picture that cannot be read.")
	})
}
