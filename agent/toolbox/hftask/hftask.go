// Package hftask runs tools on servers that speak Hugging Face's task API: your own tool server,
// or the hub's router to the providers of its models.
//
// On the wire:
//
//   - POST /models/{org/model}, followed by /pipeline/{task} if the model does several tasks, or
//     /pipeline/{task} if no model is named. The body is a file's bytes if there is nothing else to
//     say, or {"inputs", "parameters"} with files in Base64, as in the hub's schemas (npm:
//     @huggingface/tasks, tasks/*/spec). Our extension adds parameters, which only your own server
//     knows: mask_image, control_image, control_mode, points, labels, prompt, and for speech
//     language and voice. A run with "+" in its name needs it.
//   - 503 with estimated_time means that a model is loading: the call waits. 202 starts a long job:
//     its Location, or /jobs/{id}, is polled until it is done, and its result fetched from there. Its
//     status may hold a preview: a PNG or JPEG in Base64, of at most 64 KiB and 1024 pixels a side.
//     DELETE cancels it if the call ends first.
//   - GET /capabilities lists a server's models by task, in one answer for all candidates. A server
//     without it has a default for each task, and reports on a named model at
//     /status/{org/model}.
//   - Of the hub's providers only hf-inference speaks the task API. Language models are called by
//     chat completion, whoever serves them. Other providers have forms of their own for pictures,
//     sound and video, which are not supported: such a model is not live.
//
// Guarantees:
//
//   - The task and the types of the call decide what is asked and how the answer is read. No tool
//     is known here by name.
//   - Pictures, sound and video leave your network only if Config.AllowMedia is set. Pictures leave as PNG
//     or JPEG, upright, without metadata and no larger than models look at. Coordinates in an answer
//     are converted to the pixels of the given picture.
//   - Only a probe asks what a server has. A call uses the last known list, so that a busy server,
//     which answers late, is not taken for down. After a server does not answer at all, it is not
//     asked about models for half a minute.
//   - A request is sent again only if nothing was made yet (see [endpoint.Request]), and may take as
//     long as the call.
//   - An answer is read in bounded memory: at most 8 MiB without a file, 64 MiB with masks, and at
//     most 2000 entries.
//   - If a model fails on this particular input, that is not the server's fault and not an ErrDown.
//   - An answer is checked before it counts. One that does not have its task's form is an error with
//     a sentence ([plan.Fault]) and [toolbox.ErrDown], and contains nothing of the raw text. Boxes
//     are inside the picture, and masks have its size.
//   - An edit within a mask changes nothing outside of it.
//   - No address that a server names is opened, unless it is on that same server.
//   - A call ends soon after its context. Cancelling a job takes at most a few more seconds.
package hftask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/sleep"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// Config configures a Backend.
type Config struct {
	// Endpoint is the server; required. For the hub it is https://router.huggingface.co. Its MaxBody
	// limits answers: 128 MiB leave room for videos. Its Timeout applies to calls without a deadline
	// and to all requests but the work itself. Its Names are the settings that errors tell the operator to check.
	Endpoint *endpoint.Endpoint
	// Hub is set if the server is the hub's router; nil means your own tool server.
	Hub *Hub
	// AllowMedia permits sending pictures, sound and video to a server outside your network.
	AllowMedia bool
	// Limits apply to the files of calls and of answers.
	Limits media.Limits
	// Clock measures the age of cached probes. Nil means time.Now.
	Clock func() time.Time
	// Wait returns after d, or earlier with an error when ctx ends. Nil waits in real time.
	Wait func(ctx context.Context, d time.Duration) error
}

// Hub holds the settings for the hub alone.
type Hub struct {
	// Models is the hub's API about models, https://huggingface.co; required.
	Models *endpoint.Endpoint
	// BillTo is the organisation that pays; "" means the owner of the token.
	BillTo string
}

// Backend implements the backing kind hftask. It is safe for concurrent use.
type Backend struct {
	config Config
	tasks  map[string]task // by the name of the run
	own    *capabilities   // of your own server; nil for the hub
	hub    *directory      // of the hub; nil for your own server
	sent   int             // the most pixels of a picture to send
}

var (
	_ toolbox.Backend = (*Backend)(nil)
	_ toolbox.Sized   = (*Backend)(nil)
)

// New checks the configuration. It sends no requests.
func New(c Config) (*Backend, error) {
	switch {
	case c.Endpoint == nil:
		return nil, errors.New("hftask: Config.Endpoint is required")
	case c.Hub != nil && c.Hub.Models == nil:
		return nil, errors.New("hftask: Hub.Models is required")
	}
	c.Limits = c.Limits.OrDefault()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Wait == nil {
		c.Wait = sleep.For
	}
	b := &Backend{config: c, tasks: tasks(), sent: maxSentPixels}
	if c.Hub != nil {
		b.hub = newDirectory(c.Hub.Models, c.Clock)
	} else {
		b.own = newCapabilities(c.Endpoint, c.Clock)
	}
	return b, nil
}

// Probe checks that the server has a model for the candidate, and that the task's media may be sent there. A
// model that is loading, or can be loaded, counts.
func (b *Backend) Probe(ctx context.Context, c toolbox.Candidate) error {
	t, err := b.find(c)
	if err != nil {
		return err
	}
	if t.media && !b.outward().Allows() {
		return b.outward().Refusal()
	}
	if t.named && c.Model == "" {
		return fault(nil, "It needs its own model, because the tool server's model for that task does something else.")
	}
	_, err = b.route(ctx, t, c, refresh)
	return err
}

// Run runs the candidate's task on the server.
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	t, err := b.find(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := b.outward().Check(call); err != nil {
		return toolbox.Output{}, err
	}
	out, err := b.run(ctx, t, c, call)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("%s: %w", c.Run, media.WithSentence(ctx, err))
	}
	return out, nil
}

// maxCapacity is the limit for the capacity that a server claims.
const maxCapacity = 64

// Capacity returns how many calls your own server works on at a time; 0 if it does not say, as the hub.
func (b *Backend) Capacity(ctx context.Context) int {
	if b.hub != nil {
		return 0
	}
	known, err := b.own.known(ctx)
	if err != nil {
		return 0
	}
	return min(max(known.Concurrency, 0), maxCapacity)
}

func (b *Backend) run(ctx context.Context, t task, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	r, err := b.route(ctx, t, c, useCached)
	if err != nil {
		return toolbox.Output{}, err
	}
	j := &job{backend: b, task: t, candidate: c, call: call}
	q, err := t.ask(ctx, j)
	if err != nil {
		return toolbox.Output{}, err
	}
	q.progress = call.Progress
	labelled := endpoint.Label(ctx, call.Request, "act."+call.Tool, 1)
	answer, err := b.send(labelled, r, t, q)
	if err != nil {
		return toolbox.Output{}, err
	}
	out, err := t.read(ctx, j, answer)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Seed, _ = q.parameters["seed"].(int64) //nolint:errcheck // most tasks have no seed
	out.Model = cmp.Or(c.Model, modelName(answer.header.Get("X-Model")), r.model)
	if j.animated && out.Note.IsZero() {
		out.Note = plan.Say("Only the first frame of the animation was used.")
	}
	return out, nil
}

func (b *Backend) find(c toolbox.Candidate) (task, error) {
	t, ok := b.tasks[c.Run]
	if !ok {
		return task{}, fault(fmt.Errorf("unknown run %q", c.Run), "This version does not know how to ask a tool server for that.")
	}
	return t, nil
}

// outward decides whether media may go to the server.
func (b *Backend) outward() toolbox.MediaPolicy {
	return toolbox.MediaPolicy{Allowed: b.config.AllowMedia, Private: b.config.Endpoint.Private(), Host: b.config.Endpoint.Host()}
}

// route is the path of a request, and the model that answers it, "" if unknown.
type route struct{ path, model string }

// lookup says whether to ask the server again what it has. Only probes do: a busy server answers late, and a
// call must not take that for an outage.
type lookup bool

const (
	refresh   lookup = true
	useCached lookup = false // use the last known list, if there is one
)

// route returns where the server does a task for a candidate. The error says why it cannot.
func (b *Backend) route(ctx context.Context, t task, c toolbox.Candidate, how lookup) (route, error) {
	if c.Model != "" && !isModel(c.Model) {
		return route{}, fault(errors.New("the model name must have the form org/model"),
			"%q is not the name of a model on Hugging Face; names look like org/model.", toolbox.Shorten(c.Model))
	}
	if b.hub != nil {
		return b.onHub(ctx, t, c, how)
	}
	known, remembered := b.own.remembered()
	if !remembered || how == refresh {
		var err error
		if known, err = b.own.known(ctx); err != nil {
			return route{}, b.asFault(err, c.Model)
		}
	}
	if c.Model != "" {
		return b.byModel(ctx, known, t, c.Model, how)
	}
	if known.bare {
		return route{path: "/pipeline/" + t.name}, nil
	}
	usual, ok := known.serves(t)
	switch {
	case !ok && t.mode != "":
		return route{}, fault(nil, "The tool server at %s has no model for %s with maps of the kind %s.", b.config.Endpoint.Host(), t.name, string(t.mode))
	case !ok:
		return route{}, fault(nil, "The tool server at %s has no model for %s.", b.config.Endpoint.Host(), t.form)
	case known.Models[usual].State == unavailable:
		return route{}, down(nil, "The tool server at %s cannot run %s at the moment.", b.config.Endpoint.Host(), modelName(usual))
	}
	return route{path: "/pipeline/" + t.name, model: modelName(usual)}, nil
}

// byModel returns the route to a model that the candidate names.
func (b *Backend) byModel(ctx context.Context, known manifest, t task, model string, how lookup) (route, error) {
	to := route{path: "/models/" + model, model: model}
	host := b.config.Endpoint.Host()
	if known.bare {
		state, remembered := b.own.states.remembered(model)
		if !remembered || how == refresh {
			var err error
			if state, err = b.own.states.look(ctx, model); err != nil {
				return route{}, b.asFault(err, model)
			}
		}
		if state == "" || state == unavailable {
			return route{}, fault(nil, "The tool server at %s does not have the model %s.", host, model)
		}
		return to, nil
	}
	switch does, state := known.does(t, model); {
	case !does:
		return route{}, fault(nil, "The tool server at %s does not have the model %s for %s.", host, model, t.name)
	case state == unavailable:
		return route{}, down(nil, "The tool server at %s cannot run %s at the moment.", host, model)
	}
	if len(known.Models[model].Tasks) > 1 {
		to.path += "/pipeline/" + t.name
	}
	return to, nil
}

// model matches model names as on the hub. Other names are neither requested nor repeated to anybody.
var model = lazyregexp.New(`^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}$`)

func isModel(name string) bool {
	return model.MatchString(name) && !strings.Contains(name, "..")
}

// modelName returns the name that a server gives for a model, "" if it does not look like one.
func modelName(name string) string {
	if isModel(name) {
		return name
	}
	return ""
}

// missing reports whether the error is a status 404, 405 or 501.
func missing(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}

// fault returns an error with a sentence for people; err is the detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}

// down returns a fault of the server ([toolbox.ErrDown]).
func down(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: wrapAs(toolbox.ErrDown, err)}
}

// wrapAs joins err and its kind, so that errors.Is finds both. For a nil err it returns the kind.
func wrapAs(kind, err error) error {
	if err == nil {
		return kind
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// unreadable returns the fault of an answer that does not have its task's form.
func unreadable(err error) error {
	return down(err, "The tool server sent an answer that cannot be read.")
}

// asFault turns the error of a request into a fault: its sentence, and whether the server or the input is to
// blame. A refusal by the provider is final: no other model is tried.
func (b *Backend) asFault(err error, model string) error {
	if err == nil {
		return nil
	}
	if endpoint.Declined(err) {
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Say("The model's provider declined this.")), Err: err, Final: true}
	}
	if endpoint.Loading(err) {
		return &plan.Fault{Sentence: plan.Say("The model is still loading; please try again in a few minutes."), Err: wrapAs(toolbox.ErrLoading, err)}
	}
	if known := b.byCode(codeOf(err), err, model); known != nil {
		return known
	}
	switch endpoint.KindOf(err) {
	case endpoint.Rejected, endpoint.TooLong:
		return fault(err, "The tool server rejected this input; please try another one.")
	case endpoint.ModelUnknown:
		return b.unknown(err, model)
	case endpoint.KeyRefused:
		if b.hub != nil {
			return &plan.Fault{
				Sentence: plan.Say("Hugging Face refused the key. Please ask the operator to look into it."), Err: wrapAs(toolbox.ErrDown, err),
				Operator: plan.Say("Hugging Face refused the token: it is wrong or has expired. Set HF_TOKEN to a new one."),
			}
		}
	case endpoint.Forbidden:
		if b.hub != nil {
			return &plan.Fault{
				Sentence: plan.Say("Hugging Face does not allow this with the key that is set. Please ask the operator to look into it."),
				Err:      wrapAs(toolbox.ErrDown, err),
				Operator: plan.Say("Hugging Face does not allow this with the token that is set. Give HF_TOKEN the right to call inference providers."),
			}
		}
	case endpoint.Quota:
		if b.hub != nil {
			return &plan.Fault{
				Sentence: plan.Say("The credits at Hugging Face are used up. Please ask the operator to look into it."), Err: wrapAs(toolbox.ErrDown, err),
				Operator: plan.Say("The credits at Hugging Face are used up. Buy some for the account of HF_TOKEN."),
			}
		}
	case endpoint.Down:
		switch e, ok := errors.AsType[*endpoint.Error](err); {
		case !ok || e.Status != http.StatusInternalServerError:
		case blamesInput.MatchString(e.Err.Error()):
			return fault(err, "The model failed on this; please try again, or try another input.")
		default:
			return down(err, "The tool server failed on this; please try again later.")
		}
	case endpoint.Malformed:
		if redirected(err) {
			return down(err, "The tool server redirects to another address, which is not followed; its address may be wrong.")
		}
	case endpoint.Limited, endpoint.TimedOut:
	default:
		return err // the context's error
	}
	return &plan.Fault{Sentence: plan.Sentence(err, plan.Say("The tool server does not answer.")), Err: wrapAs(toolbox.ErrDown, err)}
}

// blamesInput matches messages of a failed request (500) that blame the input, in the words of the libraries
// that run models (Pillow, librosa, torch, transformers). All other failures of this kind are the server's
// own.
var blamesInput = lazyregexp.New(`(?i)` + strings.Join([]string{
	`\b(invalid|unsupported|unknown|bad|corrupt(ed)?|damaged|empty|truncated) (input|image|picture|audio|sound|video|file|text|mask|format)`,
	`\b(input|image|picture|audio|video|file|text|mask|sequence)( \w+)? (is|was) (too|not|empty|invalid|corrupt|truncated)`,
	`cannot (identify|decode|read|open)`,
	`could not (decode|read|open)`,
	`\btoo (small|short|long)\b`,
	`sizes? of tensors?`,
	`shape mismatch`,
	`\bshapes? .{0,40}(incompatible|cannot be|invalid)`,
}, "|"))

// redirected reports whether the server answered with a redirect.
func redirected(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && e.Status >= 300 && e.Status < 400
}

// unknown returns the fault of a server that does not have the model, or none for the task if model is "".
func (b *Backend) unknown(err error, model string) error {
	host := b.config.Endpoint.Host()
	if model == "" {
		return down(err, "The tool server at %s has no model for that.", host)
	}
	return down(err, "The tool server at %s does not have the model %s.", host, model)
}
