package openai

import (
	"context"
	"image"
	"path/filepath"
	"strconv"
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
