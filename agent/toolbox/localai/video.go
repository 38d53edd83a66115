package localai

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// videoRequest is the request for a video (LocalAI, docs/content/features/video-generation.md).
type videoRequest struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	NegativePrompt string `json:"negative_prompt,omitempty"`
	StartImage     string `json:"start_image,omitempty"` // Base64
	Width          int    `json:"width,omitempty"`
	Height         int    `json:"height,omitempty"`
	Seed           int32  `json:"seed,omitempty"`
	// ResponseFormat is b64_json, because a URL would contain the host name that the server believes it has.
	ResponseFormat string `json:"response_format"`
}

const (
	// startSide is the longest side of a video's first frame, in pixels, and filmed about the number of
	// pixels per frame then: the size that video models were trained on.
	startSide   = 1280
	framePixels = 832 * 480
)

// videos runs the tasks that make videos.
type videos struct{ *server }

// film makes a video from a description, or from the call's picture.
func (vs *videos) film(ctx context.Context, j job) (toolbox.Output, error) {
	request := videoRequest{
		Model: j.model, Prompt: j.prompt(), NegativePrompt: j.Text(toolbox.WithoutParam), Seed: seed(j.Seed), ResponseFormat: "b64_json",
	}
	if request.Prompt == "" {
		return toolbox.Output{}, fault(nil, "Please say what the video should show.")
	}
	out := toolbox.Output{Seed: int64(request.Seed)}
	if len(j.Args["image"]) > 0 {
		s, err := vs.send(ctx, j, startSide)
		if err != nil {
			return toolbox.Output{}, err
		}
		size := shaped(s.full, framePixels)
		request.StartImage, request.Width, request.Height = s.base64(), size.X, size.Y
	} else {
		out.About = plan.Quote(toolbox.Shorten(request.Prompt))
	}
	body, err := vs.post(ctx, "/video", j, request)
	if err != nil {
		return toolbox.Output{}, err
	}
	content, err := vs.content(ctx, body)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Path, err = vs.saveFile(ctx, j, "video", content, plan.Video)
	return out, err
}

// seed converts a seed to LocalAI's range of 31 bits.
func seed(n int64) int32 { return int32(n & 0x7fffffff) }
