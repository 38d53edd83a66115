package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
)

// hearing is the step by which a voice message becomes a wish. It comes before there is a
// plan, and is none of one.
const hearing = "hearing"

// maxHeard is the longest wish that is taken from a voice message, in bytes.
const maxHeard = 8 << 10

// heard is what a voice message says. The first that is written down of a generation counts:
// one that begins anew listens anew, and has another chance to understand.
type heard struct {
	Generation int    `json:"generation,omitempty"`
	Text       string `json:"text,omitempty"`
	// Approximate tells that a weaker stand-in listened.
	Approximate bool `json:"approximate,omitempty"`
	// Problem is what people are told where nothing could be made out.
	Problem string `json:"problem,omitempty"`
}

// voice is the voice message that tells what is wished: the one file that somebody spoke, with
// not a word of text. What goes with it, what it replies to, and what is marked, it is about.
func (r *request) voice() *plan.Resource {
	if r.given == nil {
		return nil
	}
	spoken, ok := spokenIn(r.message())
	if !ok {
		return nil
	}
	i := slices.IndexFunc(r.given.Resources, func(g plan.Resource) bool { return g.File == fileName(spoken) && g.Type == plan.Audio })
	if i < 0 {
		return nil
	}
	return &r.given.Resources[i]
}

// deaf tells that there is a voice message that nobody has listened to for a generation.
func (r *request) deaf(g *generation) bool {
	return g.guess == "" && g.heard == nil && g.plan == nil && r.voice() != nil
}

// apart are the given resources without the voice message that has become the wish, and
// those of before with it: it is there, and not what the wish is about.
func (r *request) apart(g *generation, earlier []plan.Resource) (given, before []plan.Resource) {
	v := r.voice()
	if v == nil || g.heard == nil && g.guess == "" {
		return r.given.Resources, earlier
	}
	given = slices.DeleteFunc(slices.Clone(r.given.Resources), func(g plan.Resource) bool { return g.Name == v.Name })
	before = slices.DeleteFunc(slices.Clone(earlier), func(e plan.Resource) bool { return e.Name == v.Name })
	return given, append(before, *v)
}

// listening is where a voice message is listened to.
func (j *Jobs) listening(ctx context.Context, r *request) string {
	if j.config.Agent != nil {
		if a, ok := j.config.Agent.Hears(ctx, *r.voice()); ok {
			return j.queueFor(ctx, a)
		}
	}
	return QueueCPU
}

// hearVoice listens to a voice message, and hands over the planning of what it says.
func (j *Jobs) hearVoice(ctx context.Context, w task) error {
	r, err := j.request(ctx, w.Request)
	if err != nil {
		return err
	}
	if !r.needs(w.Run, w.Step) {
		return j.advance(ctx, r)
	}
	h, err := j.listen(ctx, r, w)
	switch {
	case errors.Is(err, errMoved):
		return nil
	case err != nil:
		return err
	}
	h.Generation = w.Run
	return j.understood(ctx, r.id, h)
}

// listen has the best tool there is write down what is said.
func (j *Jobs) listen(ctx context.Context, r *request, w task) (*heard, error) {
	voice := *r.voice()
	action, ok := j.config.Agent.Hears(ctx, voice)
	if !ok {
		return &heard{Problem: j.say(r, plan.Say("Nothing here can listen to voice messages. Please write what you want."))}, nil
	}
	g := r.generations[w.Run]
	asked, err := j.planRequest(ctx, r, g)
	if err != nil {
		return nil, err
	}
	folder := path.Join(ThreadFolder(asked.Thread), r.id, hash(rand.Text()))
	result, err := j.have(ctx, w, Work{
		Request: asked, Steps: []plan.Step{{Key: hearing, Action: action, Final: true}}, Resources: []plan.Resource{voice}, Folder: folder, Salt: g.salt,
	})
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), j.discard(ctx, folder))
	case waiting(err), errors.Is(err, errMoved):
		return nil, err
	case passing(err):
		return nil, errors.Join(fmt.Errorf("run %s: %w", action.Tool, err), j.discard(ctx, folder))
	case err != nil:
		problem := plan.Sentence(err, plan.Say("What this needs is not here any more."))
		result = plan.Result{Status: plan.Failed, Problem: j.say(r, problem)}
	}
	j.config.Metrics.Tool(action.Tool, result)
	text := ""
	if result.Status == plan.Done && result.Output != nil {
		text = strings.TrimSpace(result.Output.Value)
	}
	switch {
	case text == "":
		said := plan.Say("I could not make out your voice message. Please write what you want.")
		if result.Problem != "" {
			said = plan.Say("I could not make out your voice message: %s Please write what you want.", result.Problem)
		}
		return &heard{Problem: j.say(r, said)}, nil
	case len(text) > maxHeard:
		return &heard{Problem: j.say(r, plan.Say("Your voice message is too long for a wish. Please say it in fewer words."))}, nil
	}
	return &heard{Text: text, Approximate: result.Approximate}, nil
}

// understood writes down what a voice message says, or that it cannot be told.
func (j *Jobs) understood(ctx context.Context, id string, h *heard) error {
	r, err := j.write(ctx, id, entry{Heard: h})
	if err != nil {
		return err
	}
	j.hint(ctx, r)
	return j.advance(ctx, r)
}

// unheard is the fault of a voice message that nobody understood; nil where it was, and
// where there is none.
func (g *generation) unheard() error {
	if g.heard == nil || g.heard.Problem == "" {
		return nil
	}
	return &plan.Fault{Sentence: plan.Quote(g.heard.Problem), Err: errors.New("a voice message was not understood")}
}

// quoted is the answer with what was understood of a voice message before it.
func (j *Jobs) quoted(r *request, g *generation, text string) string {
	if g.heard == nil || g.heard.Text == "" {
		return text
	}
	said := plan.Say("I understood: “%s”", g.heard.Text)
	if g.heard.Approximate {
		said = plan.Say("I understood, as well as I can here: “%s”", g.heard.Text)
	}
	return strings.TrimSpace(j.say(r, said) + "\n\n" + text)
}

// spokenIn is the file in which somebody says what they do not write. Of several nobody knows
// which is meant: they are files as others are.
func spokenIn(m *adapters.Message) (adapters.File, bool) {
	if m == nil || strings.TrimSpace(m.Text) != "" {
		return adapters.File{}, false
	}
	of := func(f adapters.File) bool { return f.Voice }
	i := slices.IndexFunc(m.Files, of)
	if i < 0 || slices.ContainsFunc(m.Files[i+1:], of) {
		return adapters.File{}, false
	}
	return m.Files[i], true
}
