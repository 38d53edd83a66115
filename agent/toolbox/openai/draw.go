package openai

import (
	"context"
	"path/filepath"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// answerBytes is the memory that is taken for a picture from the server: the largest that
// the image models of today make, with a copy.
const answerBytes = 2 * 4 * 4096 * 4096

// draw has a picture made from words alone.
func (b *Backend) draw(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	prompt := words(backing, c)
	if oneLine(prompt) == "" {
		return toolbox.Output{}, fault(nil, "Please say what the picture should show.")
	}
	labelled := endpoint.Label(ctx, c.Request, "act."+c.Tool, 1)
	content, err := b.pictureOf(ctx, r, func(format string) (api.ImageResponse, error) {
		response, err := b.config.Endpoint.Client().CreateImage(labelled, api.ImageRequest{
			Prompt: prompt, Model: r.model, N: 1, ResponseFormat: format,
		})
		return response, r.sorted(err)
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, err := b.config.Limits.Memory.Take(ctx, answerBytes)
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	p, err := b.picture(ctx, c.Dir, content)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(c.Dir, "picture.png")
	if err := media.EncodeImage(ctx, path, p.Image, media.PNG); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: plan.Quote(shorten(prompt))}, nil
}
