// Package openai runs tools with the models of an OpenAI-compatible server: they write texts, look
// at pictures, draw and edit them, speak, and transcribe speech.
//
// Guarantees:
//   - The catalogue holds the instructions to models. No tool is known here by name.
//   - Pictures, sound and video leave your network only if that is allowed. They leave without
//     metadata, and pictures no larger than a model looks at.
//   - People's texts are passed as data, fenced off from the instructions, so that an instruction
//     in them has no effect.
//   - An answer is checked before it counts. One that was cut off, refused or empty, or that is not
//     in the tool's form, is an error with a sentence ([plan.Fault]). It contains nothing of a
//     model's raw text.
//   - What the provider or the model declines is not asked of another one.
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
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// Config says which server is asked, and for which models. A run whose model is ""
// cannot run, and says what to set.
type Config struct {
	// Endpoint is the server; required. Its MaxBody bounds the pictures and the sound
	// that are answered: 64 MiB leave room for the largest. Its Timeout must have
	// patience for them: a picture takes minutes.
	Endpoint *endpoint.Endpoint

	Chat          string // writes and reads texts
	Vision        string // looks at pictures, and writes; mostly the same as Chat
	Image         string // draws and changes pictures
	Speech        string // speaks
	Voice         string // in which it speaks; "" is alloy, and the model's own with Find
	Transcription string // writes down what is said

	// Models chooses the models for which "" is set, and knows those of the server. Nil is that
	// each must be set.
	Models *family.Choice
	// Blind is that no model looks at pictures.
	Blind bool

	// Find names the model for a run for which none is set, as a server can that tells what
	// its models do; nil is that one must be set. Its error says why there is none.
	Find func(ctx context.Context, run string) (string, error)

	// TokenField is the field that bounds an answer in words: max_tokens or
	// max_completion_tokens. "" is the one that servers like this one know; where it is
	// refused, the other one is taken.
	TokenField string

	// AllowMedia lets pictures, sound and video leave for a server that is not in the
	// house.
	AllowMedia bool
	// Frames takes at most that many still pictures out of a video, into the folder dir;
	// nil if nothing here can.
	Frames func(ctx context.Context, path, dir string, most int) ([]media.Frame, error)
	// Player plays the tunes that a model writes; nil if nothing here can.
	Player Player
	// Limits bound the files that are read, those of the answers too.
	Limits media.Limits
	// Clock tells how old the list of the server's models is, where Models is nil. Nil means
	// time.Now.
	Clock func() time.Time
}

// Backend is the make of the kind openai. It is safe for concurrent use.
type Backend struct {
	config   *Config
	runs     map[string]run
	texts    *texts
	pictures *pictures
	speech   *speech
}

var (
	_ toolbox.Backend = (*Backend)(nil)
	_ toolbox.Knowing = (*Backend)(nil)
)

// run is one way to ask the server.
type run struct {
	model    string
	role     family.Role // for which a model is chosen, where none is set; "" is that one must be
	variable string      // of the environment, which sets the model
	media    bool        // files of people leave with it
	video    bool        // videos are looked into
	hears    bool        // recordings are written down
	plays    bool        // tunes are played
	found    bool        // the model is found by Config.Find, where none is set
	do       func(ctx context.Context, r run, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error)
	server   *endpoint.Endpoint
	spent    *plan.Tokens // what it took so far; one goroutine counts
	most     int          // tokens of an answer, if that is less than usual; 0 is not
}

// The variables that set models that answer in words.
const (
	chatVariable   = "OPENAI_MODEL"
	visionVariable = "OPENAI_VISION_MODEL" // where it is another one
)

// New checks the configuration. It asks the server nothing.
func New(c Config) (*Backend, error) {
	if c.Endpoint == nil {
		return nil, errors.New("a server with models needs an endpoint")
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

// Probe reports whether the server is there and has the model that the backing needs, and
// whether what it needs may leave.
func (b *Backend) Probe(ctx context.Context, backing toolbox.Candidate) error {
	r, err := b.find(backing)
	if err != nil {
		return err
	}
	switch {
	case r.media && !b.outward().May():
		return b.outward().Refusal()
	case !r.known():
		return r.unset(nil)
	case r.video && b.config.Frames == nil:
		return fault(nil, "It needs the program %s, which is not installed; on Debian: apt-get install ffmpeg.", "ffmpeg")
	}
	if r.plays {
		if err := b.playable(); err != nil {
			return err
		}
	}
	if r.hears {
		if _, err := b.writer(ctx); err != nil {
			return err
		}
	}
	if r.model == "" {
		if r.model, err = b.choose(ctx, backing, r); err != nil || r.found {
			return err
		}
	}
	return b.served(ctx, r)
}

// ModelOf is the model that is set for the run of a backing, or that is chosen for it.
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

// Run asks the server for what the backing says.
func (b *Backend) Run(ctx context.Context, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.find(backing)
	if err != nil {
		return toolbox.Output{}, err
	}
	for _, a := range files(c) {
		switch {
		case !r.media:
			return toolbox.Output{}, fault(fmt.Errorf("%s was given the file of %q", backing.Name(), a.arg),
				"The model used here does not accept files.")
		case !b.outward().May():
			return toolbox.Output{}, b.outward().Refusal()
		}
	}
	r.spent = new(plan.Tokens)
	for {
		if r.model == "" && r.known() {
			if r.model, err = b.choose(ctx, backing, r); err != nil {
				return toolbox.Output{}, fmt.Errorf("%s: %w", backing.Run, told(ctx, err))
			}
		}
		out, err := r.do(ctx, r, backing, c)
		if err == nil {
			out.Model, out.Usage = r.model, *r.spent
			return out, nil
		}
		if r.role == "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !b.config.Models.Unknown(ctx, r.role, r.model) {
			return toolbox.Output{Usage: *r.spent}, fmt.Errorf("%s: %w", backing.Run, told(ctx, err))
		}
		r.model = ""
	}
}

func (b *Backend) find(backing toolbox.Candidate) (run, error) {
	r, ok := b.runs[backing.Run]
	if !ok {
		return run{}, fault(fmt.Errorf("no run is called %q", backing.Run), "This version does not know how to ask a model server for that.")
	}
	r.server = b.config.Endpoint
	if backing.Model != "" {
		r.model, r.role, r.found = backing.Model, "", false
	}
	return r, nil
}

// outward decides whether media may go to the server.
func (b *Backend) outward() toolbox.Outward {
	return toolbox.Outward{Allowed: b.config.AllowMedia, Private: b.config.Endpoint.Private(), Host: b.config.Endpoint.Host()}
}

// known reports whether the model is set, or can be chosen or found.
func (r run) known() bool { return r.model != "" || r.role != "" || r.found }

// talks reports whether the model is one that answers in words.
func (r run) talks() bool { return r.variable == chatVariable || r.variable == visionVariable }

// unset is the failure of a run that has no model.
func (r run) unset(err error) error {
	return &plan.Fault{
		Sentence: plan.Say("It needs a model, and none is set up here."), Err: err,
		Operator: plan.Say("It needs a model: set %s to one that the model server has.", r.variable),
	}
}

// sorted is what a call of the server failed with, with its sentence.
func (r run) sorted(err error) error {
	err = r.server.Sort(err, r.model)
	if endpoint.Declined(err) {
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Say("The model's provider declined this.")), Err: err, Final: true}
	}
	switch endpoint.KindOf(err) {
	case "", endpoint.Rejected, endpoint.TooLong: // of what it was given
		return err
	case endpoint.ModelUnknown: // by the name that sets it, and it may be the server that cannot
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

// down tells that an error lies with the server, or that the model is on its way.
func down(err error) error {
	if endpoint.Loading(err) {
		return fmt.Errorf("%w: %w", toolbox.ErrLoading, err)
	}
	return fmt.Errorf("%w: %w", toolbox.ErrDown, err)
}

// told makes sure that an error carries a sentence.
func told(ctx context.Context, err error) error {
	if stopped := media.Stopped(ctx); stopped != nil {
		return stopped
	}
	if _, ok := errors.AsType[*plan.Fault](err); !ok {
		return fault(err, "It could not be done, because a file could not be read or written here.")
	}
	return err
}

// final is a fault after which no other backing may do what this one declines.
func final(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err, Final: true}
}

// fault is an error with a sentence for people and a detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}
