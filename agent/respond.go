package agent

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Answer is what people are told.
type Answer struct {
	Text string
	// Thinking is what the whole request took: the plan's, and the answer's own.
	Thinking plan.Thinking
}

// Respond tells what came of a request. The mind words it; where it fails, or names a
// file that is not there, the answer is a plain account instead, which says so where a
// language model was asked. The parts of the wish that no subtask does stand first. Every
// part of the wish that no live tool can do is told
// ([mind.Account.Missing]), with the tool that is missing and what it needs, and so is
// that another mind had to stand in: behind the answer, but before a refusal, whose cause
// it may be.
func (a *Agent) Respond(ctx context.Context, account mind.Account) (Answer, error) {
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

// word finds the words of an answer.
func (a *Agent) word(ctx context.Context, account mind.Account, thinking *plan.Thinking) (string, error) {
	p := account.Plan
	if talk := p.Question + p.Reply; talk != "" {
		if len(account.Invents(talk)) > 0 {
			return a.config.Tell.In(account.Request.Language, plan.Say("Nothing was done yet. Please say in other words what you wish.")), nil
		}
		return talk, nil
	}
	lacks, err := a.missing(ctx, account.Request, p)
	if err != nil {
		return "", err
	}
	for _, l := range lacks {
		account.Missing = append(account.Missing, l.sentence)
	}
	account.Results = a.by(account)
	absent := a.absent(account)
	account.Fallbacks = slices.Clone(account.Fallbacks)
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		account.Fallbacks = append(account.Fallbacks, absent[name])
	}
	a.config.Progress(account.Request.ID, Responding)
	text, err := a.config.Mind.Respond(ctx, account, thinking)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		a.config.Log.WarnContext(ctx, "the answer was not worded by the mind", "request", account.Request.ID, "error", plan.ForOperator(err))
	}
	if err != nil || strings.TrimSpace(text) == "" || len(account.Invents(text)) > 0 {
		text = a.plainly(account)
		if why := unworded(err, *thinking); !why.IsZero() {
			text += "\n" + a.config.Tell.In(account.Request.Language, why)
		}
	}
	text = strings.Join(append(a.left(account.Request.Language, p), text), "\n")
	for _, l := range lacks {
		if l.tool != "" && !names(text, l.tool) {
			text += "\n" + l.sentence
		}
	}
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
			text += "\n" + absent[name]
		}
	}
	return strings.TrimSpace(text), nil
}

// left are the lines on the parts of the wish that no subtask does.
func (a *Agent) left(language string, p *plan.Plan) []string {
	var lines []string
	for _, l := range p.Left {
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
	return lines
}

// lack is what stands in the way of a part of a wish.
type lack struct {
	// tool is the one that is missing: an answer in any language that names it tells of
	// the lack. Where there is no such tool, that is left to the mind's promise.
	tool     string
	sentence string
}

// names tells whether a text holds the name of a tool, as a word of its own.
func names(text, tool string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}), tool)
}

// missing says for each subtask without a solution which tools it would need and what
// they need to run, or that there are none.
func (a *Agent) missing(ctx context.Context, r plan.Request, p *plan.Plan) ([]lack, error) {
	tell := func(m plan.Message) string { return a.config.Tell.In(r.Language, m) }
	var lacks []lack
	for _, task := range p.Tasks {
		if len(task.Solutions) > 0 {
			continue
		}
		if len(task.Missing) == 0 {
			d := task.Subtask.Description
			lacks = append(lacks, lack{"", tell(plan.Say("I know no way to get %s for %q.", article(task.Subtask.Returns), d))})
			continue
		}
		live, err := a.config.Toolbox.Live(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range task.Missing {
			if slices.ContainsFunc(lacks, func(l lack) bool { return l.tool == name }) {
				continue
			}
			status, _ := live.Status(name)
			lacks = append(lacks, lack{name, tell(whyNot(status, name, r.Operator))})
		}
	}
	return lacks, nil
}

// whyNot says what people should know of a tool that was missing when the plan was made. Only an
// operator is told the settings.
func whyNot(s toolbox.Status, name string, operator bool) plan.Message {
	if s.Live { // whoever can run it has come since
		return plan.Say("The tool %s could not run when I planned this. It can now: please ask again.", name)
	}
	why := s.Needs()
	if operator {
		why = s.Lack()
	}
	return plan.Say("The tool %s cannot run here. %s", name, why)
}

// unworded says of an answer that a language model was asked for that it did not word it,
// and why. It is empty where none was asked, or where who stood in for it is told.
func unworded(err error, t plan.Thinking) plan.Message {
	asked := slices.ContainsFunc(t.Jobs, func(j plan.Job) bool { return j.Name == string(Responding) })
	if !asked || t.StoodIn != "" {
		return plan.Message{}
	}
	return plan.Sentences(plan.Say("The language model did not word this answer, so it is a plain account."), plan.Sentence(err, plan.Message{}))
}

// plainly is the account without a mind's words. It names the tools, and the models that
// they asked.
func (a *Agent) plainly(account mind.Account) string {
	say := func(m plan.Message) string { return a.config.Tell.In(account.Request.Language, m) }
	var lines []string
	for i, s := range account.Steps {
		switch result := account.Results[i]; result.Status {
		case plan.Done:
			if !s.Final {
				continue
			}
			for _, r := range result.Outputs() {
				lines = append(lines, say(told(r, with(s.Action.Tool, result.Model))))
			}
			if result.Approximate {
				lines = append(lines, say(plan.Say("It is only approximate.")))
			}
			if result.Note != "" {
				lines = append(lines, result.Note)
			}
		case plan.Failed:
			lines = append(lines, result.Problem)
		default:
			lines = append(lines, say(plan.Say("%s was not tried, since what it needs is not there.", s.Action.Tool)))
		}
	}
	return strings.Join(slices.Concat(lines, account.Fallbacks, account.Missing), "\n")
}

// told is a line on a result and on what made it.
func told(r plan.Resource, by plan.Message) plan.Message {
	if r.Type.Media() {
		return plan.Say("I made %s with %s: %s.", article(r.Type), by, r.Name)
	}
	return plan.Say("%s: %s", by, r.Value)
}

// with names a tool for people, and the model that it asked, if it asked one.
func with(tool, model string) plan.Message {
	if model == "" {
		return plan.Quote(tool)
	}
	return plan.Say("%s (model %s)", tool, model)
}
