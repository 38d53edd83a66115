// Package answer tells people the outcome of a request. It chooses between the planner's answer and the plain account
// of package wording, and checks the planner's.
//
// Guarantees:
//   - An answer names no file that does not exist. If the planner fails, or names such a file, a
//     plain account replaces its answer, and says so if a language model was asked.
//   - It says what was not done, what is missing, and what replaced something that was asked for.
package answer

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
	"atelier/agent/wording"
)

// Answer is the answer to a request.
type Answer struct {
	Text string
	// Thinking is the cost of the whole request: of planning and of answering.
	Thinking plan.Thinking
}

// Config configures a Responder. All fields but Log and Tell are required.
type Config struct {
	Planner planner.Planner
	Toolbox *toolbox.Toolbox
	// Book knows what people call models and servers.
	Book *naming.Book
	// Progress is called before the planner is asked.
	Progress func(request string, s plan.Stage)
	Tell     plan.Translate
	Log      *slog.Logger
}

// Responder words answers. It is safe for concurrent use.
type Responder struct{ config Config }

// New returns a responder. It starts nothing.
func New(c Config) *Responder { return &Responder{c} }

// Respond words the outcome of a request, with the planner's help. It begins with the parts of the
// request that no subtask covers, and mentions every part that no live tool can do
// ([planner.Account.Missing]) and what that needs. If another planner stood in, it says so at the
// end, or before a refusal, since the substitution may be the cause.
func (r *Responder) Respond(ctx context.Context, account planner.Account) (Answer, error) {
	p := account.Plan
	answer := Answer{Thinking: p.Thinking}
	answer.Thinking.Jobs = slices.Clone(p.Thinking.Jobs)
	text, err := r.word(ctx, account, &answer.Thinking)
	if err != nil {
		return Answer{}, err
	}
	switch s := answer.Thinking.StoodIn; {
	case s == "" || strings.Contains(text, s):
	case p.Refused:
		text = s + "\n" + text
	default:
		text += "\n" + s
	}
	answer.Text = strings.TrimSpace(text)
	return answer, nil
}

// Ways returns short labels for the offers of a plan ([wording.Ways]).
func (r *Responder) Ways(p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message {
	return wording.Ways(r.config.Toolbox.Catalogue(), p, chosen, offers)
}

// Steps describes what each step makes or has made ([wording.Steps]).
func (r *Responder) Steps(account planner.Account) []plan.Message {
	return wording.Steps(r.config.Toolbox.Catalogue(), account)
}

// Alts returns alternative texts for the results of the steps ([wording.Alts]).
func (r *Responder) Alts(account planner.Account) []plan.Message {
	return wording.Alts(r.config.Toolbox.Catalogue(), account)
}

// word words an answer.
func (r *Responder) word(ctx context.Context, account planner.Account, thinking *plan.Thinking) (string, error) {
	p := account.Plan
	if talk := p.Question + p.Reply; talk != "" {
		if len(account.Invents(talk)) > 0 {
			said := plan.Say("I did not do anything for this message. Please rephrase your request.")
			return r.config.Tell.In(account.Request.Language, said), nil
		}
		return account.Readable(talk), nil
	}
	missing, err := r.missing(ctx, account.Request, p)
	if err != nil {
		return "", err
	}
	account.Missing = slices.Concat(account.Missing, missing)
	account.Results = r.by(account)
	absent := r.absent(account)
	account.Fallbacks = slices.Clone(account.Fallbacks)
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		account.Fallbacks = append(account.Fallbacks, absent[name])
	}
	r.config.Progress(account.Request.ID, plan.Responding)
	text, err := r.config.Planner.Respond(ctx, account, thinking)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		r.config.Log.WarnContext(ctx, "the planner failed to word the answer", "request", account.Request.ID, "error", plan.ForOperator(err))
	}
	if err != nil || strings.TrimSpace(text) == "" || len(account.Invents(text)) > 0 {
		text = wording.Account(r.config.Toolbox.Catalogue(), account, r.config.Tell)
		if why := unworded(err, *thinking, account.Request.Operator); !why.IsZero() {
			text += "\n" + r.config.Tell.In(account.Request.Language, why)
		}
	}
	text = strings.Join(append(r.left(account), text), "\n")
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
			text += "\n" + absent[name]
		}
	}
	return account.Readable(strings.TrimSpace(text)), nil
}

// left returns the lines about parts of the request that are not done.
func (r *Responder) left(account planner.Account) []string {
	language, p := account.Request.Language, account.Plan
	var lines []string
	for _, l := range account.Left {
		var m plan.Message
		switch {
		case len(l.Unknown) == 0:
			m = plan.Say("Not done: “%s”. It builds on something that I did not do.", l.Part)
		case l.Unknown[0] == l.Part:
			m = plan.Say("Not done: “%s”. I do not know how.", l.Part)
		default:
			m = plan.Say("Not done: “%s”. I do not know what to do with “%s”.", l.Part, strings.Join(l.Unknown, ", "))
		}
		lines = append(lines, r.config.Tell.In(language, m))
	}
	for _, task := range p.Tasks {
		if task.Unread != "" {
			part := strings.TrimRight(task.Subtask.Description, ".")
			lines = append(lines, r.config.Tell.In(language, plan.Say("Not done: “%s”. %s", part, task.Unread)))
		}
	}
	return lines
}

// missing says for each subtask without a solution what it would need to run, or that no tool can
// do it.
func (r *Responder) missing(ctx context.Context, request plan.Request, p *plan.Plan) ([]string, error) {
	var sentences []string
	for _, task := range p.Tasks {
		if len(task.Solutions) > 0 || task.Unread != "" {
			continue
		}
		part := strings.TrimRight(task.Subtask.Description, ".")
		if len(task.Missing) == 0 {
			said := plan.Say("I do not know how to do “%s”.", part)
			sentences = append(sentences, r.config.Tell.In(request.Language, said))
			continue
		}
		live, err := r.config.Toolbox.Live(ctx)
		if err != nil {
			return nil, err
		}
		var whys []plan.Message
		for _, name := range task.Missing {
			status, _ := live.Status(name)
			whys = append(whys, whyNot(status, request.Operator))
		}
		said := plan.Sentences(append([]plan.Message{plan.Say("I cannot do “%s” here.", part)}, whys...)...)
		if sentence := r.config.Tell.In(request.Language, said); !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences, nil
}

// whyNot says what a tool lacked when the plan was made. Only operators see the names of settings.
func whyNot(s toolbox.Status, operator bool) plan.Message {
	switch {
	case s.Live: // a process that can run it has appeared since
		return plan.Say("This was not possible when I planned it, but now it is. Please ask again.")
	case operator:
		return s.Lack()
	}
	return s.Needs()
}

// unworded says that the language model did not word the answer, and why; operators also see the
// settings. It is empty if no model was asked, or if the answer already mentions a stand-in.
func unworded(err error, t plan.Thinking, operator bool) plan.Message {
	asked := slices.ContainsFunc(t.Jobs, func(j plan.Job) bool { return j.Name == string(plan.Responding) })
	if !asked || t.StoodIn != "" {
		return plan.Message{}
	}
	why := plan.Sentence(err, plan.Message{})
	if operator {
		why = plan.OperatorSentence(err, plan.Message{})
	}
	return plan.Sentences(plan.Say("The language model did not write this answer, so it is a plain summary."), why)
}

// by adds to each result the name of its model. A program is named only if it is weak or the request asks for one.
func (r *Responder) by(account planner.Account) []plan.Result {
	results := slices.Clone(account.Results)
	for i := range results {
		result := &results[i]
		if result.Status != plan.Done {
			continue
		}
		step := account.Steps[i]
		tool, _ := r.config.Toolbox.Catalogue().Tool(step.Action.Tool)
		ran := naming.Ran(tool, result.Candidate)
		asked := step.Task < len(account.Plan.Tasks) && len(account.Plan.Tasks[step.Task].Asked) > 0
		switch {
		case result.Model != "":
			result.Model = r.config.Book.Model(result.Model)
		case naming.Programmed(tool, ran) && (result.Approximate || asked):
			result.Model = r.config.Tell.In(account.Request.Language, r.config.Book.Called(tool, ran))
		}
	}
	return results
}

// absent returns a sentence for each thing that the request names but that was not used, by name:
// it is unavailable, or another named one was used.
func (r *Responder) absent(account planner.Account) map[string]string {
	sentences := map[string]string{}
	for t, task := range account.Plan.Tasks {
		var instead []string
		for i, s := range account.Steps {
			mine := s.Task == t || slices.Contains(s.Also, t)
			if model := account.Results[i].Model; mine && model != "" && !slices.Contains(instead, model) {
				instead = append(instead, model)
			}
		}
		for _, name := range task.Absent {
			said := plan.Say("%s is not available here.", name)
			if len(instead) > 0 {
				said = plan.Say("%s is not available here; I used %s instead.", name, plan.And(instead...))
			}
			sentences[name] = r.config.Tell.In(account.Request.Language, said)
		}
		for _, name := range task.Besides {
			said := plan.Say("The same with %s is among the alternatives.", name)
			if len(instead) > 0 {
				said = plan.Say("I used only %s; the same with %s is among the alternatives.", plan.And(instead...), name)
			}
			sentences[name] = r.config.Tell.In(account.Request.Language, said)
		}
	}
	return sentences
}
