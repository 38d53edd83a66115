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
//     its Location, or /jobs/{id}, is polled until it is done, and its result fetched from there.
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
//   - Pictures, sound and video leave your network only if that is allowed. Pictures leave as PNG
//     or JPEG, upright, without metadata and no larger than models look at. Coordinates in an answer
//     are converted to the pixels of the given picture.
//   - Only a probe asks what a server has. A call uses the last known list, so that a busy server,
//     which answers late, is not taken for down. After a server does not answer at all, it is not
//     asked about models for half a minute.
//   - A request is sent again only if nothing was made yet (see [endpoint.Request]), and may take as
//     long as the call.
//   - An answer is read in bounded memory: at most 8 MiB without a file, 64 MiB with masks, and at
//     most 2000 entries.
//   - If a model fails on this particular input, that is not the server's fault and no ErrDown.
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
	"time"

	"atelier/agent/sleep"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// Config says which server is asked.
type Config struct {
	// Endpoint is the server; required. Of the hub it is https://router.huggingface.co. Its
	// MaxBody bounds what is answered: 128 MiB leave room for videos. Its Timeout is for calls
	// without a deadline, and for all but the work itself. Its Names are what sentences tell the operator to check.
	Endpoint *endpoint.Endpoint
	// Hub tells that the server is the hub's router; nil is a tool server of one's own.
	Hub *Hub
	// AllowMedia lets pictures, sound and video leave for a server that is not in the
	// house.
	AllowMedia bool
	// Limits bound the files that are read, those of the answers too.
	Limits media.Limits
	// Clock tells how old the answers of probes are. Nil means time.Now.
	Clock func() time.Time
	// Wait returns after d, or with an error before, when ctx ends; nil waits by the clock.
	Wait func(ctx context.Context, d time.Duration) error
}

// Hub is what is special about the hub.
type Hub struct {
	// Models is where it tells of its models: https://huggingface.co; required.
	Models *endpoint.Endpoint
	// BillTo is the organisation that pays; "" is the owner of the token.
	BillTo string
}

// Backend is the make of the kind hftask. It is safe for concurrent use.
type Backend struct {
	config Config
	tasks  map[string]task // by the name of the run
	own    *capabilities   // of a server of one's own
	hub    *directory      // of the hub
	sent   int             // the most pixels of a picture that is sent
}

var (
	_ toolbox.Backend = (*Backend)(nil)
	_ toolbox.Sized   = (*Backend)(nil)
)

// New checks the configuration. It asks the server nothing.
func New(c Config) (*Backend, error) {
	switch {
	case c.Endpoint == nil:
		return nil, errors.New("a tool server needs an endpoint")
	case c.Hub != nil && c.Hub.Models == nil:
		return nil, errors.New("the hub needs the endpoint that tells of its models")
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

// Probe reports whether the server has a model for the candidate, and whether what it needs
// may leave. A model that can be loaded, or is being loaded, is there.
func (b *Backend) Probe(ctx context.Context, c toolbox.Candidate) error {
	t, err := b.find(c)
	if err != nil {
		return err
	}
	if t.media && !b.outward().May() {
		return b.outward().Refusal()
	}
	if t.named && c.Model == "" {
		return fault(nil, "It needs its own model, because the tool server's model for that task does something else.")
	}
	_, err = b.route(ctx, t, c, anew)
	return err
}

// Run asks the server for what the candidate says.
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
		return toolbox.Output{}, fmt.Errorf("%s: %w", c.Run, told(ctx, err))
	}
	return out, nil
}

// maxCapacity is what is believed of a server at most.
const maxCapacity = 64

// Capacity is how many calls a server of one's own works on at a time, 0 where it does not
// tell; the hub does not.
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
	r, err := b.route(ctx, t, c, asTold)
	if err != nil {
		return toolbox.Output{}, err
	}
	j := &job{backend: b, task: t, candidate: c, call: call}
	q, err := t.ask(ctx, j)
	if err != nil {
		return toolbox.Output{}, err
	}
	labelled := endpoint.Label(ctx, call.Request, "act."+call.Tool, 1)
	answer, err := b.send(labelled, r, t, q)
	if err != nil {
		return toolbox.Output{}, err
	}
	out, err := t.read(ctx, j, answer)
	if err != nil {
		return toolbox.Output{}, err
	}
	out.Seed, _ = q.parameters["seed"].(int64) //nolint:errcheck // most tasks take none
	out.Model = cmp.Or(c.Model, modelName(answer.header.Get("X-Model")), r.model)
	if j.animated && out.Note.IsZero() {
		out.Note = plan.Say("Only the first frame of the animation was used.")
	}
	return out, nil
}

func (b *Backend) find(c toolbox.Candidate) (task, error) {
	t, ok := b.tasks[c.Run]
	if !ok {
		return task{}, fault(fmt.Errorf("no run is called %q", c.Run), "This version does not know how to ask a tool server for that.")
	}
	return t, nil
}

// outward decides whether media may go to the server.
func (b *Backend) outward() toolbox.Outward {
	return toolbox.Outward{Allowed: b.config.AllowMedia, Private: b.config.Endpoint.Private(), Host: b.config.Endpoint.Host()}
}
