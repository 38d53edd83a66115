package agent

import (
	"context"
	"maps"
	"slices"
	"strings"

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

// Respond tells what came of a request. The planner words it; where it fails, or names a
// file that is not there, the answer is a plain account instead, which says so where a
// language model was asked. The parts of the wish that no subtask does stand first. Every
// part of the wish that no live tool can do is told ([planner.Account.Missing]), with what it needs,
// and so is that another planner had to stand in: behind the answer, but before a refusal, whose cause
// it may be.
func (a *Agent) Respond(ctx context.Context, account planner.Account) (Answer, error) {
	p := account.Plan
	answer := Answer{Thinking: p.Thinking}
	answer.Thinking.Jobs = slices.Clone(p.Thinking.Jobs)
	text, err := a.word(ctx, account, &answer.Thinking)
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
func (a *Agent) Ways(p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message {
	return wording.Ways(a.config.Toolbox.Catalogue(), p, chosen, offers)
}

// Steps say what each step of an account makes or has made ([wording.Steps]).
func (a *Agent) Steps(account planner.Account) []plan.Message {
	return wording.Steps(a.config.Toolbox.Catalogue(), account)
}

// Alts describe what each step of an account made, for people who cannot see it ([wording.Alts]).
func (a *Agent) Alts(account planner.Account) []plan.Message {
	return wording.Alts(a.config.Toolbox.Catalogue(), account)
}

// word finds the words of an answer.
func (a *Agent) word(ctx context.Context, account planner.Account, thinking *plan.Thinking) (string, error) {
	p := account.Plan
	if talk := p.Question + p.Reply; talk != "" {
		if len(account.Invents(talk)) > 0 {
			return a.config.Tell.In(account.Request.Language, plan.Say("I have not done anything yet. Please say in other words what you want.")), nil
		}
		return account.Readable(talk), nil
	}
	missing, err := a.missing(ctx, account.Request, p)
	if err != nil {
		return "", err
	}
	account.Missing = slices.Concat(account.Missing, missing)
	account.Results = a.by(account)
	absent := a.absent(account)
	account.Fallbacks = slices.Clone(account.Fallbacks)
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		account.Fallbacks = append(account.Fallbacks, absent[name])
	}
	a.config.Progress(account.Request.ID, Responding)
	text, err := a.config.Planner.Respond(ctx, account, thinking)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		a.config.Log.WarnContext(ctx, "the answer was not worded by the planner", "request", account.Request.ID, "error", plan.ForOperator(err))
	}
	if err != nil || strings.TrimSpace(text) == "" || len(account.Invents(text)) > 0 {
		text = wording.Account(a.config.Toolbox.Catalogue(), account, a.config.Tell)
		if why := unworded(err, *thinking, account.Request.Operator); !why.IsZero() {
			text += "\n" + a.config.Tell.In(account.Request.Language, why)
		}
	}
	text = strings.Join(append(a.left(account), text), "\n")
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
			text += "\n" + absent[name]
		}
	}
	return account.Readable(strings.TrimSpace(text)), nil
}

// left are the lines on the parts of the wish that are not done.
func (a *Agent) left(account planner.Account) []string {
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
		lines = append(lines, a.config.Tell.In(language, m))
	}
	for _, task := range p.Tasks {
		if task.Unread != "" {
			part := strings.TrimRight(task.Subtask.Description, ".")
			lines = append(lines, a.config.Tell.In(language, plan.Say("Not done: “%s”. %s", part, task.Unread)))
		}
	}
	return lines
}

// missing says for each subtask without a solution what it would need to run, or that there
// are no tools for it.
func (a *Agent) missing(ctx context.Context, r plan.Request, p *plan.Plan) ([]string, error) {
	var sentences []string
	for _, task := range p.Tasks {
		if len(task.Solutions) > 0 || task.Unread != "" {
			continue
		}
		part := strings.TrimRight(task.Subtask.Description, ".")
		if len(task.Missing) == 0 {
			said := plan.Say("I do not know how to do “%s”.", part)
			sentences = append(sentences, a.config.Tell.In(r.Language, said))
			continue
		}
		live, err := a.config.Toolbox.Live(ctx)
		if err != nil {
			return nil, err
		}
		var whys []plan.Message
		for _, name := range task.Missing {
			status, _ := live.Status(name)
			whys = append(whys, whyNot(status, r.Operator))
		}
		said := plan.Sentences(append([]plan.Message{plan.Say("I cannot do “%s” here.", part)}, whys...)...)
		if sentence := a.config.Tell.In(r.Language, said); !slices.Contains(sentences, sentence) {
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
	asked := slices.ContainsFunc(t.Jobs, func(j plan.Job) bool { return j.Name == string(Responding) })
	if !asked || t.StoodIn != "" {
		return plan.Message{}
	}
	why := plan.Sentence(err, plan.Message{})
	if operator {
		why = plan.OperatorSentence(err, plan.Message{})
	}
	return plan.Sentences(plan.Say("The language model did not word this answer, so it is a plain summary."), why)
}
