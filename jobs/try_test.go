package jobs_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/jobs/quota"
)

// shelf has two samples, one of which needs a picture, and an unavailable one.
type shelf struct{}

func (shelf) Sample(_ context.Context, key string) (plan.Sample, error) {
	switch key {
	case "grey":
		return plan.Sample{Key: key, Wish: "picgrey", Needs: plan.Image}, nil
	case "fox":
		return plan.Sample{Key: key, Wish: "picfox"}, nil
	}
	return plan.Sample{}, &plan.Fault{Sentence: plan.Say("There is no %s.", key)}
}

func (shelf) File(t plan.Type) adapters.File {
	return adapters.File{ID: string(t), Name: "harbour.jpg", Handle: string(t)}
}

func (shelf) Fetch(_ context.Context, f adapters.File) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("PNG sample of " + f.Handle)), nil
}

// withHelp is a process with a command that offers examples.
func withHelp(c *jobs.Config) {
	c.Samples = shelf{}
	c.Command = func(context.Context, adapters.Event, string) (string, []plan.Sample, error) {
		return "Say it.", []plan.Sample{{Key: "grey", Wish: "picgrey", Needs: plan.Image}, {Key: "fox", Wish: "picfox"}}, nil
	}
}

// tries presses the button of an example.
func (h *house) tries(by string, on adapters.MessageRef, key string) adapters.Event {
	e := h.says("t", by, "")
	e.Kind, e.Message, e.Thread = adapters.ReactionAdded, nil, adapters.Thread{}
	e.Reaction = &adapters.Reaction{On: on, Sign: adapters.Try, Choice: key}
	return e
}

// TestExamplesAreTried by the person who presses them, in the thread of the help, with a sample file.
func TestExamplesAreTried(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start(withHelp, func(c *jobs.Config) {
			c.Quota = quota.Config{Deny: []quota.Entry{{Adapter: "chat", Kind: "user", ID: "eve"}}}
		})
		help := h.ask(j, h.commands("t", "ann", "help"))
		offered := h.reply(help)
		if offered.Text != "Say it.\n\nYou can try:" || offered.Listed() != offered.Text+"\n- picgrey\n- picfox" || offered.Examples[0].Needs != "image" {
			h.t.Errorf("help is %+v", offered)
		}
		grey := h.ask(j, h.tries("bob", help.Runs[0].Sent, "grey"))
		answer := h.reply(grey)
		if answer.Thread != offered.Thread || answer.Mention != "bob" || len(answer.Files) != 1 ||
			!strings.HasPrefix(answer.Text, "You tried “picgrey” with a sample file.\n\n") {
			h.t.Errorf("the answer is %+v", answer)
		}
		if r := h.planner.request(grey.ID); len(r.Given) != 1 || r.Given[0].File != "harbour.jpg" || r.Given[0].Type != plan.Image {
			h.t.Errorf("it works on %+v", r.Given)
		}
		fox := h.ask(j, h.tries("ann", help.Runs[0].Sent, "fox"))
		if text := h.reply(fox).Text; !strings.HasPrefix(text, "You tried “picfox”.\n\n") || given(h.planner.request(fox.ID)) != "" {
			h.t.Errorf("the reply is %q", text)
		}
		gone := h.reply(h.ask(j, h.tries("bob", help.Runs[0].Sent, "gone")))
		if gone.Text != "There is no gone." || gone.Mention != "bob" || gone.Answer {
			h.t.Errorf("an example that cannot be done is answered with %+v", gone)
		}
		if !h.passedOver(j, h.tries("eve", help.Runs[0].Sent, "fox")) {
			h.t.Error("who may not ask tries an example")
		}
		if !h.passedOver(j, h.tries("bob", adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "unknown"}, "fox")) {
			h.t.Error("a message that nobody knows has examples")
		}
	})
}

// TestGreetingsOfferExamples, and an example can be run again and stopped.
func TestGreetingsOfferExamples(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		p := read(r.Wish)
		if r.Wish == "!hello" || r.Wish == "?what" {
			p.Samples = []plan.Sample{{Key: "fox", Wish: "picfox"}}
		}
		return p, nil
	}
	j := h.start(withHelp, func(c *jobs.Config) { c.Deadline = time.Minute })
	for _, wish := range []string{"!hello", "?what"} {
		r := h.ask(j, h.says(wish, "ann", wish))
		if got := h.reply(r); len(got.Examples) != 1 || got.Examples[0].Key != "fox" || !strings.HasSuffix(got.Text, "\n\nYou can try:") {
			h.t.Errorf("%s is answered with %+v", wish, got)
		}
		tried := h.ask(j, h.tries("ann", r.Runs[0].Sent, "fox"))
		h.handle(j, h.reacts("ann", tried.Runs[0].Sent, "🔁", true))
		if again := h.wait(j, tried.ID, 2); len(again.Runs[1].Answer.Reply.Files) != 1 {
			h.t.Errorf("again it is %+v", again.Runs[1].Answer)
		}
		g := h.planner.blocks("picfox")
		second := h.handle(j, h.tries("ann", r.Runs[0].Sent, "fox"))
		<-g.entered
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🛑", true))
		if stopped := h.wait(j, second, 1); stopped.Runs[0].Status != jobs.Cancelled {
			h.t.Errorf("it is %s", stopped.Runs[0].Status)
		}
		close(g.open)
		h.planner.set("picfox", nil)
	}
}
