package jobs_test

import (
	"context"
	"io"
	"slices"
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

// beginning is a fake platform on which the bot can begin threads.
type beginning struct{ *chat }

func (b beginning) Begin(ctx context.Context, key string, in adapters.Thread, text string) (adapters.MessageRef, error) {
	return b.Send(ctx, key, adapters.Reply{Thread: in, Text: text})
}

// TestExampleOfCommandBeginsThread, in which the person who tries it goes on without a mention.
func TestExampleOfCommandBeginsThread(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(withHelp, func(c *jobs.Config) { c.Adapters = []adapters.Adapter{beginning{h.chat}} })
	help := h.ask(j, h.commands("", "ann", "help"))
	press := h.tries("ann", help.Runs[0].Sent, "grey")
	press.By.Name = "Ann"
	tried := h.ask(j, press)
	h.handle(j, press) // a repeated event
	posts := h.chat.all()
	answer := h.reply(tried)
	if len(posts) != 3 || posts[1].reply.Text != "Ann tries “picgrey”." || posts[1].reply.Thread.ID != "" || answer.Thread.ID != posts[1].ref.ID || answer.AnswerTo.ID != posts[1].ref.ID {
		t.Fatalf("posted is %+v", posts)
	}
	h.ask(j, h.reacts("ann", tried.Runs[0].Sent, "📌", true))
	next := h.says(answer.Thread.ID, "ann", "blur")
	next.Message.For = adapters.Overheard
	if made := tried.Runs[0].Answer.Resources; given(h.planner.request(h.ask(j, next).ID)) != made[len(made)-1].Name {
		t.Errorf("the next message works on %q", given(h.planner.request(jobs.RequestID(next))))
	}
	again := h.says(answer.Thread.ID, "ann", "again")
	again.Message.For = adapters.Overheard
	h.handle(j, again)
	if r := h.wait(j, jobs.RequestID(next), 2); r.Runs[1].Status != jobs.Done {
		t.Errorf("again it is %s", r.Runs[1].Status)
	}

	h.chat.onSend = func(int, adapters.Reply) error {
		return &adapters.Fault{Sentence: "Invite me.", Kind: adapters.ErrForbidden}
	}
	h.handle(j, h.tries("bob", help.Runs[0].Sent, "fox"))
	h.chat.until(t, "a word", func() bool { return slices.Contains(h.chat.private, "bob: Invite me.") })
	if n := h.planner.count("picfox"); n != 0 {
		t.Errorf("what cannot be shown is drawn %d times", n)
	}
}

// TestRefusedExampleBeginsNoThread, and a thread that cannot begin does not count.
func TestRefusedExampleBeginsNoThread(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(withHelp, held(quota.Config{Requests: 1}), func(c *jobs.Config) { c.Adapters = []adapters.Adapter{beginning{h.chat}} })
	help := h.ask(j, h.commands("", "ann", "help"))
	h.chat.onSend = func(int, adapters.Reply) error {
		return &adapters.Fault{Sentence: "Invite me.", Kind: adapters.ErrForbidden}
	}
	h.handle(j, h.tries("ann", help.Runs[0].Sent, "fox"))
	h.chat.onSend = nil
	if tried := h.ask(j, h.tries("ann", help.Runs[0].Sent, "fox")); tried.Runs[0].Status != jobs.Done {
		t.Errorf("after one that could not begin it is %s", tried.Runs[0].Status)
	}
	press := h.tries("ann", help.Runs[0].Sent, "grey")
	refused := h.ask(j, press)
	h.handle(j, press) // a repeated event
	if told := h.reply(refused); told.Thread.ID != "" || !strings.HasPrefix(told.Text, "You have reached the limit") {
		t.Errorf("ann is told %+v", told)
	}
	if posts := h.chat.all(); len(posts) != 4 { // the help, the thread, its answer, and the refusal
		t.Errorf("posted is %+v", posts)
	}
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
