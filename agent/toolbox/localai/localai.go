// Package localai runs tools on a LocalAI server (version 4): it detects and cuts out objects,
// estimates depth, repairs, edits and enlarges pictures, makes music, videos and sounds, and
// classifies sounds.
//
// Guarantees:
//   - The server says which model does what: by its list of capabilities (GET
//     /v1/models/capabilities), and by the names of families in LocalAI's gallery. A
//     [toolbox.Candidate] that names a model gets that one. The list is read once for all callers
//     within a few seconds.
//   - Pictures and sound leave your network only if Config.AllowMedia is set. They leave without metadata
//     and file names, and pictures no larger than a model looks at.
//   - An answer is checked before it counts: boxes are clipped to the picture, masks have its size,
//     and anything but a picture, sound or video of the right kind is an error with a sentence
//     ([plan.Fault]). It contains nothing of the server's raw text.
//   - The server's own errors are [toolbox.ErrDown], and [toolbox.ErrLoading] while a model loads.
//   - An edit within a mask changes nothing outside of it.
//   - No address that the server names is opened, unless it is on that same server.
//   - A call ends with its context, and LocalAI stops working when the connection closes.
//
// Requests follow LocalAI's swagger and its documentation of each feature (https://localai.io/features/).
package localai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// Config configures a Backend.
type Config struct {
	// Endpoint is the server; required. Its base URL is LocalAI's own, without /v1. Its MaxBody limits
	// answers: 256 MiB leave room for a video in Base64. Its Timeout must be long: a video takes many
	// minutes.
	Endpoint *endpoint.Endpoint
	// AllowMedia permits sending pictures and sound to a server outside your network.
	AllowMedia bool
	// Limits apply to the files of calls and of answers.
	Limits media.Limits
	// Clock measures the age of the list of models. Nil means time.Now.
	Clock func() time.Time
}

// Backend implements the backing kind localai. It is safe for concurrent use.
type Backend struct {
	config   Config
	endpoint *endpoint.Endpoint
	runs     map[string]run
	models   *listing
}

var (
	_ toolbox.Backend    = (*Backend)(nil)
	_ toolbox.ModelNamer = (*Backend)(nil)
)

// run is one kind of request to the server.
type run struct {
	need  need
	media bool // people's files are sent
	do    func(ctx context.Context, j job) (toolbox.Output, error)
}

// job is one call of a run.
type job struct {
	toolbox.Call

	how   toolbox.Candidate
	model string
}

// prompt returns the candidate's prompt with the call's texts filled in.
func (j job) prompt() string { return toolbox.OneLine(toolbox.Expand(j.how.Prompt, j.Text)) }

// New checks the configuration. It sends no requests.
func New(c Config) (*Backend, error) {
	if c.Endpoint == nil {
		return nil, errors.New("localai: Config.Endpoint is required")
	}
	c.Limits = c.Limits.OrDefault()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	b := &Backend{config: c, endpoint: c.Endpoint, models: newListing(c.Endpoint, c.Clock)}
	srv := &server{endpoint: c.Endpoint, limits: c.Limits}
	objects, pictures, sounds, videos := &objects{srv}, &pictures{srv}, &sounds{srv}, &videos{srv}
	b.runs = map[string]run{
		"detection":              {need: detector, media: true, do: objects.detect},
		"grounding":              {need: grounder, media: true, do: objects.ground},
		"segmentation":           {need: segmenter, media: true, do: objects.segment},
		"segmentation-by-points": {need: pointed, media: true, do: objects.segmentByPoints},
		"segmentation-by-mask":   {need: pointed, media: true, do: objects.segmentByMask},
		"depth":                  {need: depth, media: true, do: pictures.depth},
		"sound-generation":       {need: composer, do: sounds.compose},
		"audio-classification":   {need: listener, media: true, do: sounds.classify},
		"audio-transform":        {need: transformer, media: true, do: sounds.transform},
		"audio-denoise":          {need: denoiser, media: true, do: sounds.transform},
		"video":                  {need: filmer, do: videos.film},
		"video-from-image":       {need: animator, media: true, do: videos.film},
		"images-inpainting":      {need: mender, media: true, do: pictures.inpaint},
		"images-reference":       {need: editor, media: true, do: pictures.redraw},
		"images-upscale":         {need: enlarger, media: true, do: pictures.upscale},
	}
	return b, nil
}

// Probe checks that the server is up and has a model for the run, and that the run's media may be sent
// there.
func (b *Backend) Probe(ctx context.Context, how toolbox.Candidate) error {
	r, err := b.find(how)
	if err != nil {
		return err
	}
	if r.media && !b.outward().Allows() {
		return b.outward().Refusal()
	}
	_, err = b.models.choose(ctx, r.need, how.Model)
	return err
}

// ModelOf returns the model for a candidate, "" if there is none.
func (b *Backend) ModelOf(ctx context.Context, how toolbox.Candidate) string {
	r, err := b.find(how)
	if err != nil {
		return ""
	}
	model, err := b.models.choose(ctx, r.need, how.Model)
	if err != nil {
		return ""
	}
	return model
}

// Run runs the candidate's task on the server.
func (b *Backend) Run(ctx context.Context, how toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.find(how)
	if err != nil {
		return toolbox.Output{}, err
	}
	if r.media && !b.outward().Allows() {
		return toolbox.Output{}, b.outward().Refusal()
	}
	out, err := b.run(ctx, r, job{Call: c, how: how})
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("%s: %w", how.Run, media.WithSentence(ctx, err))
	}
	return out, nil
}

// Find returns the server's model for a run of the kind openai, since LocalAI serves that API too: chat,
// chat-vision, chat-video, chat-audio, images-generations, audio-speech and audio-transcriptions. Other runs
// are rejected: LocalAI edits pictures through its own API.
func (b *Backend) Find(ctx context.Context, run string) (string, error) {
	n, ok := openAI[run]
	if !ok {
		return "", fault(fmt.Errorf("unknown run %q", run), "A LocalAI server does not support this through OpenAI's API.")
	}
	return b.models.choose(ctx, n, "")
}

func (b *Backend) run(ctx context.Context, r run, j job) (toolbox.Output, error) {
	var err error
	if j.model, err = b.models.choose(ctx, r.need, j.how.Model); err != nil {
		return toolbox.Output{}, err
	}
	out, err := r.do(ctx, j)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Model = j.model
	out.Usage = plan.Tokens{Calls: 1}
	return out, nil
}

func (b *Backend) find(how toolbox.Candidate) (run, error) {
	r, ok := b.runs[how.Run]
	if !ok {
		return run{}, fault(fmt.Errorf("unknown run %q", how.Run), "This version does not know how to ask a LocalAI server for that.")
	}
	return r, nil
}

// outward decides whether media may go to the server.
func (b *Backend) outward() toolbox.MediaPolicy {
	return toolbox.MediaPolicy{Allowed: b.config.AllowMedia, Private: b.endpoint.Private(), Host: b.endpoint.Host()}
}

// asFault marks the server's own failures as [toolbox.ErrDown] or [toolbox.ErrLoading]. Rejections of the
// input stay as they are.
func asFault(err error) error {
	if err == nil || endpoint.KindOf(err) == "" || errors.Is(err, toolbox.ErrDown) || errors.Is(err, toolbox.ErrLoading) {
		return err
	}
	switch endpoint.KindOf(err) {
	case endpoint.Rejected, endpoint.TooLong:
		return err
	case endpoint.KeyRefused, endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.Quota,
		endpoint.Down, endpoint.TimedOut, endpoint.Malformed:
	}
	if isLoading(err) {
		return fault(fmt.Errorf("%w: %w", toolbox.ErrLoading, err), "The model is loading; please try again in a minute.")
	}
	return &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: fmt.Errorf("%w: %w", toolbox.ErrDown, err)}
}

// isLoading reports whether a model is still loading: status 503 with its progress under "loading" (LocalAI,
// core/schema/model_loading.go).
func isLoading(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return endpoint.Loading(err) || ok && e.Status == http.StatusServiceUnavailable && strings.Contains(strings.ToLower(e.Code+" "+e.Err.Error()), "loading")
}

// badAnswer returns an error for an unusable response, attributed to the server.
func badAnswer(err error, format string, args ...any) error {
	return fault(fmt.Errorf("%w: %w", toolbox.ErrDown, err), format, args...)
}

// unreadable returns the fault of an answer that does not have the documented form.
func unreadable(err error) error {
	return badAnswer(err, "The LocalAI server's answer could not be read.")
}

// fault returns an error with a sentence for people; err is the detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}
