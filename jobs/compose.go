package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// compose writes the answer of a run, once, and hands it over to be sent.
func (j *Jobs) compose(ctx context.Context, w task) error {
	r, err := j.request(ctx, w.Request)
	if err != nil {
		return err
	}
	run := r.run(w.Run)
	if run == nil || run.over {
		return nil
	}
	if run.answer == nil {
		g := r.generations[run.generation]
		if !run.settled(g.plan) && (!r.asked.Options.PlanOnly || run.n > 1) {
			return nil
		}
		a, err := j.word(ctx, r, run)
		if err != nil {
			return err
		}
		if err := j.answer(ctx, r, run.n, a); err != nil {
			return err
		}
	}
	return j.pass(ctx, r.id, task{Kind: kindSend, Request: r.id, Run: w.Run, queue: gatewayQueue(r.asked.Event.Thread.Adapter)})
}

// answer writes an answer down. One that is too large for the log gives way to a plain one,
// which always fits: people are to have an answer.
func (j *Jobs) answer(ctx context.Context, r *request, run int, a *Answer) error {
	_, err := j.logs.append(ctx, requestLog(r.id), entry{At: j.config.Now(), Run: run, Answer: a})
	if errors.Is(err, storage.ErrTooLarge) {
		plain := Answer{Status: Failed, Reply: adapters.Reply{
			Thread: a.Reply.Thread, AnswerTo: a.Reply.AnswerTo, Command: a.Reply.Command, Mention: a.Reply.Mention,
			Language: a.Reply.Language,
			Text:     j.say(r, plan.Say("There is more to say about it than I can keep. Please ask for less at once.")),
		}}
		_, err = j.logs.append(ctx, requestLog(r.id), entry{At: j.config.Now(), Run: run, Answer: &plain})
	}
	if err != nil {
		return err
	}
	j.hint(ctx, r)
	return j.leaveQuota(ctx, r, r.run(run)) // who reads the answer may ask for more at once
}

// word makes the answer of a run.
func (j *Jobs) word(ctx context.Context, r *request, run *run) (*Answer, error) {
	e := r.asked.Event
	a := &Answer{Status: Failed, Reply: adapters.Reply{Thread: e.Thread, Mention: r.askerOf(run), Language: r.language()}}
	if r.given != nil {
		a.Resources = r.given.Resources
	}
	if e.Message != nil {
		a.Reply.AnswerTo = e.Message.Ref
	}
	if e.Command != nil {
		a.Reply.Command = e.ID
	}
	p := r.generations[run.generation].plan
	switch {
	case p != nil:
		a.Thinking = p.Thinking
	case run.halted != nil:
		a.Thinking = run.halted.Thinking
	}
	var files map[string]string
	if run.route != nil {
		var err error
		if files, err = j.nameFiles(ctx, r, run); err != nil {
			return nil, err
		}
		run.route.NameFiles(files)
	}
	if run.halted != nil {
		j.haltedAnswer(a, r, run.halted)
	} else if err := j.respond(ctx, a, r, run.n, files); err != nil {
		return nil, err
	}
	if run.halted == nil && !a.Silent {
		j.offer(a, r, run, p)
	}
	if run.route == nil || a.Silent || run.halted != nil && run.halted.Why == haltCancelled {
		return a, nil
	}
	made := run.route.Made()
	a.Resources = slices.Concat(a.Resources, made)
	if a.Turn != nil {
		for _, m := range made {
			a.Turn.Made = append(a.Turn.Made, m.Name)
		}
	}
	var err error
	a.Reply.Files, err = j.attachments(ctx, e.Thread, run.route.Delivered())
	if run.halted != nil {
		return a, nil // what went wrong is said, at worst without the files
	}
	return a, err
}

// haltedAnswer says why a run came to no end.
func (j *Jobs) haltedAnswer(a *Answer, r *request, h *halted) {
	switch h.Why {
	case haltDeleted:
		a.Status, a.Silent = Cancelled, true
	case haltCancelled:
		a.Status, a.Reply.Text = Cancelled, adapters.Escape(j.say(r, h.stopped(a.Reply.Mention)))
	case haltOverdue:
		a.Reply.Text = j.say(r, plan.Say("It took too long, so I stopped. What was done until then is here."))
	default:
		a.Reply.Text = h.Problem
		if h.Problem == "" {
			a.Reply.Text = j.say(r, faultOf(errVersion))
		}
	}
}

// respond lets the agent tell what came of a run, whose files have these readable names.
func (j *Jobs) respond(ctx context.Context, a *Answer, r *request, n int, files map[string]string) error {
	r, err := j.unpacked(ctx, r)
	if err != nil {
		return err
	}
	run := r.run(n)
	asked, err := j.planRequest(ctx, r, r.generations[run.generation])
	if err != nil {
		return err
	}
	p := r.generations[run.generation].plan
	whole := len(p.Tasks) > 0 && !slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return len(t.Solutions) == 0 })
	planOnly := r.asked.Options.PlanOnly && run.n == 1
	if planOnly && whole {
		a.Status, a.Silent = Done, true
		return nil
	}
	route := run.route
	if planOnly {
		route = nil
	}
	if route != nil {
		route.NameFiles(files)
	}
	asks := run.asks(p) && !planOnly
	thinking := p.Thinking
	var text string
	if asks {
		text = j.say(r, plan.Say("I am not sure what you want, so I have done nothing yet. Choose what fits, or say it in other words."))
	} else if text, thinking, err = j.config.Agent.Respond(ctx, Account{Request: asked, Plan: p, Route: route}); err != nil {
		return err
	}
	j.config.Metrics.Thinking(since(p.Thinking, thinking))
	a.Thinking, a.Reply.Text = thinking, text
	if r.given != nil { // a command is given nothing
		a.Reply.Text = strings.Join(append([]string{j.quoted(r, r.generations[run.generation], text)}, r.given.Without...), "\n\n")
	}
	switch {
	case asks:
		a.Status = Asking
	case p.Question != "":
		a.Status, a.Question = Asking, p.Question
	case route != nil && route.Partly():
		a.Status = Partial
	case p.Reply != "" && !p.Refused, route != nil && route.Done():
		a.Status = Done
	}
	if (!planOnly || a.Question != "") && r.asked.Event.Command == nil { // which is about the talk, and none of it
		a.Turn = &plan.Turn{Wish: asked.Wish, Reply: plan.Question{Text: text, Guesses: p.Guesses}.Listed()}
	}
	return nil
}

// since is what was thought after the plan.
func since(before, all plan.Thinking) plan.Thinking {
	all.Jobs = all.Jobs[min(len(before.Jobs), len(all.Jobs)):]
	return all
}

// attachments are the files among what was made.
func (j *Jobs) attachments(ctx context.Context, t adapters.Thread, made []plan.Resource) ([]adapters.Attachment, error) {
	var files []adapters.Attachment
	for _, m := range made {
		if m.Blob == "" || packed(m) && m.File == "" {
			continue
		}
		info, err := j.config.Blobs.Stat(ctx, m.Blob)
		if errors.Is(err, storage.ErrNotFound) {
			continue // its time had come: the text names it, and it is not there
		}
		if err != nil {
			return nil, fmt.Errorf("look at a file: %w", err)
		}
		files = append(files, adapters.Attachment{
			Name: cmp.Or(m.File, m.Name), Resource: m.Name, Size: info.Size, Type: storage.ContentOf(m.Blob).Type, Alt: m.About, Handle: m.Blob,
			MarkLink: j.markLink(ctx, t, m),
		})
	}
	return files, nil
}

// markLink is where people can point at things on a picture. An answer can do without.
func (j *Jobs) markLink(ctx context.Context, t adapters.Thread, picture plan.Resource) string {
	if j.config.MarkLink == nil || !strings.HasPrefix(storage.ContentOf(picture.Blob).Type, "image/") {
		return ""
	}
	link, err := j.config.MarkLink(ctx, t, picture)
	if err != nil {
		j.log.WarnContext(ctx, "a picture has no link to point at it", "error", plan.ForOperator(err))
		return ""
	}
	return link
}

// offer adds the other ways, and where nothing was chosen the best one too. Of a question it adds the
// guesses at what is meant.
func (j *Jobs) offer(a *Answer, r *request, run *run, p *plan.Plan) {
	var chosen plan.Choice
	if run.route != nil {
		chosen = run.route.Choice()
	}
	a.Offers = p.Offers(chosen, adapters.MaxChoices+1)
	if p.Question == "" && !run.asks(p) {
		a.Offers = a.Offers[1:] // it was run
	}
	a.Offers = a.Offers[:min(len(a.Offers), adapters.MaxChoices)]
	a.Reply.Asks = len(a.Offers) > 0 && (p.Question != "" || run.asks(p))
	var texts []plan.Message
	if p.Question != "" {
		for _, o := range a.Offers {
			texts = append(texts, plan.Quote(o.Guess))
		}
	} else {
		texts = j.config.Agent.Ways(p, chosen, a.Offers)
	}
	for i, text := range texts {
		a.Reply.Choices = append(a.Reply.Choices, adapters.Choice{
			ID: r.id + "-" + strconv.Itoa(run.n) + "-" + strconv.Itoa(i+1), Text: j.say(r, text),
		})
	}
}
