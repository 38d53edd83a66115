package localai

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// videoRequest is what is asked (LocalAI, docs/content/features/video-generation.md).
type videoRequest struct {
	Model      string `json:"model"`
	Prompt     string `json:"prompt"`
	StartImage string `json:"start_image,omitempty"` // Base64
	Width      int    `json:"width,omitempty"`
	Height     int    `json:"height,omitempty"`
	Seed       int32  `json:"seed,omitempty"`
	// ResponseFormat is b64_json: an address would be one that the server thinks it has.
	ResponseFormat string `json:"response_format"`
}

const (
	// startSide is the most pixels a side of a picture that a video begins with, and
	// filmed about how many pixels a frame has then: what video models are trained on.
	startSide = 1280
	filmed    = 832 * 480
)

// videos makes videos.
type videos struct{ *server }

// film has a video made from words, or from the picture of the call.
func (vs *videos) film(ctx context.Context, j job) (toolbox.Output, error) {
	request := videoRequest{Model: j.model, Prompt: j.prompt(), Seed: seed(j.Seed), ResponseFormat: "b64_json"}
	if request.Prompt == "" {
		return toolbox.Output{}, fault(nil, "Please say what the video should show.")
	}
	out := toolbox.Output{Seed: int64(request.Seed)}
	if len(j.Args["image"]) > 0 {
		s, err := vs.send(ctx, j, startSide)
		if err != nil {
			return toolbox.Output{}, err
		}
		size := shaped(s.full, filmed)
		request.StartImage, request.Width, request.Height = s.base64(), size.X, size.Y
	} else {
		out.About = plan.Quote(shorten(request.Prompt))
	}
	body, err := vs.post(ctx, "/video", j, request)
	if err != nil {
		return toolbox.Output{}, err
	}
	content, err := vs.content(ctx, body)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Path, err = vs.keep(ctx, j, "video", content, plan.Video)
	return out, err
}

// seed is a seed in the numbers that LocalAI takes.
func seed(n int64) int32 { return int32(n & 0x7fffffff) }
