// Package openai runs tools with the models of an OpenAI-compatible server: they write texts, look
// at pictures, draw and edit them, speak, and transcribe speech.
//
// Guarantees:
//   - The catalogue holds the instructions to models. No tool is known here by name.
//   - Pictures, sound and video leave your network only if Config.AllowMedia is set. They leave without
//     metadata, and pictures no larger than a model looks at.
//   - People's texts are passed as data, fenced off from the instructions, so that an instruction
//     in them has no effect.
//   - An answer is checked before it counts. One that was cut off, refused or empty, or that is not
//     in the tool's form, is an error with a sentence ([plan.Fault]). It contains nothing of a
//     model's raw text.
//   - If the provider or the model refuses a request, no other one is asked.
//   - A text answer is bounded, and so is the part of a bad one that is shown again. The tokens of
//     failed runs count too.
//   - An edit within a mask changes nothing outside of it.
//   - No address that a server names is opened, unless it is on that same server.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// Config configures a Backend. A run without a model fails with an error that says what to set.
type Config struct {
	// Endpoint is the server; required. Its MaxBody limits pictures and sound in answers: 64 MiB leave room
	// for the largest. Its Timeout must be long: a picture takes minutes.
	Endpoint *endpoint.Endpoint

	Chat          string // reads and writes texts
	Vision        string // looks at pictures, and writes; usually the same as Chat
	Image         string // draws and edits pictures
	Speech        string // speaks
	Voice         string // the voice; "" means alloy, or the model's default if Find is set
	Transcription string // transcribes recordings

	// Models chooses the models that are "", and knows the server's models. If it is nil, each model must be
	// set.
	Models *family.Choice
	// Blind says that no model looks at pictures.
	Blind bool

	// Find returns the model for a run without one, for servers that say what their models do. Its error
	// says why there is none. If it is nil, the model must be set.
	Find func(ctx context.Context, run string) (string, error)

	// TokenField is the field for the token limit: max_tokens or max_completion_tokens. "" means the usual
	// one for this server. If the server rejects it, the other one is tried.
	TokenField string

	// AllowMedia permits sending pictures, sound and video to a server outside your network.
	AllowMedia bool
	// Frames extracts up to most still pictures from a video into the folder dir; nil if that is impossible
	// here.
	Frames func(ctx context.Context, path, dir string, most int) ([]media.Frame, error)
	// Player plays the tunes that a model writes; nil if that is impossible here.
	Player Player
	// Limits apply to the files of calls and of answers.
	Limits media.Limits
	// Clock measures the age of the list of models if Models is nil. Nil means time.Now.
	Clock func() time.Time
}

// Backend implements the backing kind openai. It is safe for concurrent use.
type Backend struct {
	config   *Config
	runs     map[string]run
	texts    *texts
	pictures *pictures
	speech   *speech
}

var (
	_ toolbox.Backend    = (*Backend)(nil)
	_ toolbox.ModelNamer = (*Backend)(nil)
)

// run is one kind of request to the server.
type run struct {
	model    string
	role     family.Role // the role to choose a model for; "" if the model is set or must be
	variable string      // the environment variable that sets the model
	media    bool        // people's files are sent
	video    bool        // frames of videos are sent
	hears    bool        // recordings are transcribed first
	plays    bool        // tunes are played
	found    bool        // Config.Find chooses the model
	do       func(ctx context.Context, r run, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error)
	server   *endpoint.Endpoint
	spent    *plan.Tokens // usage so far; updated by one goroutine
	most     int          // token limit of an answer, if lower than maxOutput; 0 means none
}

// The variables that set the models for answers in words.
const (
	chatVariable   = "OPENAI_MODEL"
	visionVariable = "OPENAI_VISION_MODEL" // if it differs from OPENAI_MODEL
)

// New checks the configuration. It sends no requests.
func New(c Config) (*Backend, error) {
	if c.Endpoint == nil {
		return nil, errors.New("openai: Config.Endpoint is required")
	}
	if c.Find == nil {
		c.Voice = cmp.Or(c.Voice, "alloy")
	}
	c.Limits = c.Limits.OrDefault()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	b := &Backend{
		config: &c, texts: &texts{config: &c}, pictures: &pictures{config: &c, canvases: canvasSizes}, speech: &speech{config: &c},
	}
	seeing := visionVariable
	if c.Vision == c.Chat && !c.Blind {
		seeing = chatVariable
	}
	const chat, drawing, speech, transcription = chatVariable, "OPENAI_IMAGE_MODEL", "OPENAI_SPEECH_MODEL", "OPENAI_TRANSCRIPTION_MODEL"
	b.runs = map[string]run{
		"chat":               {model: c.Chat, role: family.Chat, variable: chat, do: b.texts.chat},
		"chat-vision":        {model: c.Vision, role: family.Chat, variable: seeing, media: true, do: b.texts.chat},
		"chat-video":         {model: c.Vision, role: family.Chat, variable: seeing, media: true, video: true, do: b.texts.chat},
		"chat-audio":         {model: c.Chat, role: family.Chat, variable: chat, media: true, hears: true, do: b.listen},
		"chat-music":         {model: c.Chat, role: family.Chat, variable: chat, plays: true, do: b.compose},
		"images-generations": {model: c.Image, role: family.Image, variable: drawing, do: b.pictures.draw},
		"images-edits":       {model: c.Image, role: family.Image, variable: drawing, media: true, do: b.pictures.edit},
		"audio-speech":       {model: c.Speech, role: family.Speech, variable: speech, do: b.speech.speak},
		transcriptions:       {model: c.Transcription, role: family.Transcription, variable: transcription, media: true, do: b.speech.transcribe},
	}
	for name, r := range b.runs {
		r.found = r.model == "" && c.Find != nil
		if r.model != "" || c.Models == nil || c.Blind && r.variable == visionVariable {
			r.role = ""
		}
		b.runs[name] = r
	}
	if c.Models == nil {
		var err error
		if b.config.Models, err = family.New(family.Config{Endpoint: c.Endpoint, Clock: c.Clock}); err != nil {
			return nil, fmt.Errorf("prepare the list of models: %w", err)
		}
	}
	return b, nil
}

// Probe checks that the server is up and has the model for the backing, and that the media may be sent
// there.
func (b *Backend) Probe(ctx context.Context, backing toolbox.Candidate) error {
	r, err := b.find(backing)
	if err != nil {
		return err
	}
	switch {
	case r.media && !b.outward().Allows():
		return b.outward().Refusal()
	case !r.known():
		return r.unset(nil)
	case r.video && b.config.Frames == nil:
		return &plan.Fault{
			Sentence: plan.Say("It needs a program that I do not have here."),
			Operator: plan.Say("It needs the program %s, which is not installed; on Debian: apt-get install %s.", "ffmpeg", "ffmpeg"),
		}
	}
	if r.plays {
		if err := b.playable(); err != nil {
			return err
		}
	}
	if r.hears {
		if _, err := b.transcriber(ctx); err != nil {
			return err
		}
	}
	if r.model == "" {
		if r.model, err = b.choose(ctx, backing, r); err != nil || r.found {
			return err
		}
	}
	return b.checkModel(ctx, r)
}

// ModelOf returns the model for a backing, configured or chosen; "" if there is none.
func (b *Backend) ModelOf(ctx context.Context, backing toolbox.Candidate) string {
	r, err := b.find(backing)
	if err != nil || r.model != "" || !r.known() {
		return r.model
	}
	model, err := b.choose(ctx, backing, r)
	if err != nil {
		return ""
	}
	return model
}

// Run runs the backing's task on the server.
func (b *Backend) Run(ctx context.Context, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.find(backing)
	if err != nil {
		return toolbox.Output{}, err
	}
	for _, a := range files(c) {
		switch {
		case !r.media:
			return toolbox.Output{}, fault(fmt.Errorf("%s got a file for %q", backing.Name(), a.arg),
				"The model used here does not accept files.")
		case !b.outward().Allows():
			return toolbox.Output{}, b.outward().Refusal()
		}
	}
	r.spent = new(plan.Tokens)
	for {
		if r.model == "" && r.known() {
			if r.model, err = b.choose(ctx, backing, r); err != nil {
				return toolbox.Output{}, fmt.Errorf("%s: %w", backing.Run, media.WithSentence(ctx, err))
			}
		}
		out, err := r.do(ctx, r, backing, c)
		if err == nil {
			out.Model, out.Usage = r.model, *r.spent
			return out, nil
		}
		if r.role == "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !b.config.Models.Unknown(ctx, r.role, r.model) {
			return toolbox.Output{Usage: *r.spent}, fmt.Errorf("%s: %w", backing.Run, media.WithSentence(ctx, err))
		}
		r.model = ""
	}
}

func (b *Backend) find(backing toolbox.Candidate) (run, error) {
	r, ok := b.runs[backing.Run]
	if !ok {
		return run{}, fault(fmt.Errorf("unknown run %q", backing.Run), "This version does not know how to ask a model server for that.")
	}
	r.server = b.config.Endpoint
	if backing.Model != "" {
		r.model, r.role, r.found = backing.Model, "", false
	}
	return r, nil
}

// outward decides whether media may go to the server.
func (b *Backend) outward() toolbox.MediaPolicy {
	return toolbox.MediaPolicy{Allowed: b.config.AllowMedia, Private: b.config.Endpoint.Private(), Host: b.config.Endpoint.Host()}
}

// known reports whether the model is configured, or can be chosen.
func (r run) known() bool { return r.model != "" || r.role != "" || r.found }

// talks reports whether the run's model answers in words.
func (r run) talks() bool { return r.variable == chatVariable || r.variable == visionVariable }

// unset returns the fault of a run without a model.
func (r run) unset(err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs an AI model that is not connected to me."), Err: err,
		Operator: plan.Say("It needs a model: set %s to one that the model server has.", r.variable),
	}
}

// asFault turns the error of a request into a fault with a sentence. A refusal by the provider is final: no
// other backing is tried.
func (r run) asFault(err error) error {
	err = r.server.Explain(err, r.model)
	if endpoint.Declined(err) {
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Say("The model's provider declined this.")), Err: err, Final: true}
	}
	switch endpoint.KindOf(err) {
	case "", endpoint.Rejected, endpoint.TooLong: // the input's fault
		return err
	case endpoint.ModelUnknown: // name the variable to set; the server may lack the feature
		if !r.found {
			return &plan.Fault{
				Sentence: plan.Say("The model server has no model that does this."), Err: down(err),
				Operator: plan.Say("The model server has no model %q that does this; set %s to one that it has.", r.model, r.variable),
			}
		}
	case endpoint.KeyRefused, endpoint.Forbidden, endpoint.Limited, endpoint.Quota, endpoint.Down, endpoint.TimedOut, endpoint.Malformed:
	}
	return &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: down(err)}
}

// down marks an error as the server's own, or as a model that is still loading.
func down(err error) error {
	if endpoint.Loading(err) {
		return fmt.Errorf("%w: %w", toolbox.ErrLoading, err)
	}
	return fmt.Errorf("%w: %w", toolbox.ErrDown, err)
}

// final returns a fault that ends the call: no other backing may do what this one refuses.
func final(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err, Final: true}
}

// fault returns an error with a sentence for people; err is the detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}

// unusable returns the fault if a failure to list the models affects every run. It returns nil if it may
// affect the list alone: some keys may use a model but not list models.
func (b *Backend) unusable(err error) error {
	switch endpoint.KindOf(err) {
	case endpoint.KeyRefused, endpoint.Quota, endpoint.Down, endpoint.TimedOut, endpoint.Malformed:
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: down(err)}
	case endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.TooLong, endpoint.Rejected:
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault(down(err), "The model server at %s does not answer.", b.config.Endpoint.Host())
	}
	return err
}

// choose returns the model for a run without a configured one.
func (b *Backend) choose(ctx context.Context, backing toolbox.Candidate, r run) (string, error) {
	if r.found {
		return b.config.Find(ctx, backing.Run)
	}
	model, err := b.config.Models.Model(ctx, r.role)
	if endpoint.KindOf(err) == endpoint.ModelUnknown {
		return "", r.unset(err)
	}
	return model, err
}

// checkModel returns why the server does not have the model of a run, or nil.
func (b *Backend) checkModel(ctx context.Context, r run) error {
	listed, err := b.config.Models.List(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return b.unusable(err)
	}
	if len(listed) == 0 || r.talks() && anyName(listed) || slices.ContainsFunc(listed, func(m endpoint.Model) bool { return m.Serves(r.model) }) {
		return nil
	}
	host := b.config.Endpoint.Host()
	why := &plan.Fault{Sentence: plan.Say("The model server has no model that does this.")}
	why.Operator = plan.Say("The model server at %s has no model called %q: set %s to one that it has.", host, r.model, r.variable)
	if some := family.Examples(listed); some != "" {
		why.Operator = plan.Say("The model server at %s has no model called %q: set %s to one that it has, such as %s.", host, r.model, r.variable, some)
	}
	return why
}

// anyName reports whether the server accepts any model name. A server started with a single file lists that
// file and ignores the name in requests (llama.cpp, tools/server).
func anyName(listed []endpoint.Model) bool {
	if len(listed) != 1 {
		return false
	}
	name := listed[0].Name
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") || strings.Contains(name, `\`) ||
		strings.Contains(strings.ToLower(name), "gguf")
}
