// Package answer tells people the outcome of a request.
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

// Answer is what people are told.
type Answer struct {
	Text string
	// Thinking is what the whole request took: the plan's, and the answer's own.
	Thinking plan.Thinking
}

// Config is what answers are made with. All but Log and Tell are needed.
type Config struct {
	Planner planner.Planner
	Toolbox *toolbox.Toolbox
	// Book knows what people call models and servers.
	Book *naming.Book
	// Progress hears that the planner is asked.
	Progress func(request string, s plan.Stage)
	Tell     plan.Tell
	Log      *slog.Logger
}

// Responder words answers. It is safe for concurrent use.
type Responder struct{ config Config }

// New returns a responder. It starts nothing.
func New(c Config) *Responder { return &Responder{c} }

// Respond tells what came of a request. The planner words it.
// The parts of the request that no subtask does stand first. Every
// part of the request that no live tool can do is told ([planner.Account.Missing]), with what it needs,
// and so is that another planner had to stand in: behind the answer, but before a refusal, whose cause
// it may be.
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

// Ways are short labels for the offers of a plan, for people ([wording.Ways]).
func (r *Responder) Ways(p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message {
	return wording.Ways(r.config.Toolbox.Catalogue(), p, chosen, offers)
}

// Steps say what each step of an account makes or has made ([wording.Steps]).
func (r *Responder) Steps(account planner.Account) []plan.Message {
	return wording.Steps(r.config.Toolbox.Catalogue(), account)
}

// Alts describe what each step of an account made, for people who cannot see it ([wording.Alts]).
func (r *Responder) Alts(account planner.Account) []plan.Message {
	return wording.Alts(r.config.Toolbox.Catalogue(), account)
}

// word finds the words of an answer.
func (r *Responder) word(ctx context.Context, account planner.Account, thinking *plan.Thinking) (string, error) {
	p := account.Plan
	if talk := p.Question + p.Reply; talk != "" {
		if len(account.Invents(talk)) > 0 {
			return r.config.Tell.In(account.Request.Language, plan.Say("I have not done anything yet. Please say in other words what you want.")), nil
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
		r.config.Log.WarnContext(ctx, "the answer was not worded by the planner", "request", account.Request.ID, "error", plan.ForOperator(err))
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

// left are the lines on the parts of the request that are not done.
func (r *Responder) left(account planner.Account) []string {
	language, p := account.Request.Language, account.Plan
	var lines []string
	for _, l := range account.Left {
		var m plan.Message
		switch {
		case len(l.Unknown) == 0:
			m = plan.Say("Not done: “%s”. It goes on from what I did not do.", l.Part)
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

// missing says for each subtask without a solution what it would need to run, or that there
// are no tools for it.
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

// whyNot says what was missing of a tool when the plan was made. Only an operator is told the
// settings.
func whyNot(s toolbox.Status, operator bool) plan.Message {
	switch {
	case s.Live: // whoever can run it has come since
		return plan.Say("This was not possible when I planned it, but now it is. Please ask again.")
	case operator:
		return s.Lack()
	}
	return s.Needs()
}

// unworded says of an answer that a language model was asked for that it did not word it,
// and why, to an operator with the settings. It is empty where none was asked, or where who stood
// in for it is told.
func unworded(err error, t plan.Thinking, operator bool) plan.Message {
	asked := slices.ContainsFunc(t.Jobs, func(j plan.Job) bool { return j.Name == string(plan.Responding) })
	if !asked || t.StoodIn != "" {
		return plan.Message{}
	}
	why := plan.Sentence(err, plan.Message{})
	if operator {
		why = plan.OperatorSentence(err, plan.Message{})
	}
	return plan.Sentences(plan.Say("The language model did not word this answer, so it is a plain summary."), why)
}

// by are the results of an account, with what each was made by as people call it: the
// model that was asked; a program only where it is weak, or where the request names one.
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

// absent are sentences on what the request names and was not taken, by its name: it is not
// here, or something else that is named was taken.
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
