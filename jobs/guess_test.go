package jobs_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage/storagetest"
)

// asks is a request about a file that leads to a question with three guesses.
func (h *house) asks(j *jobs.Jobs) jobs.Request {
	h.t.Helper()
	return h.ask(j, h.says("t", "ann", "?which|blur|edge|slow>sharpen", h.chat.upload("a.png", "PNG-a")))
}

func TestReactionChoosesGuess(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		r := h.asks(j)
		p, _ := h.chat.post(r.Runs[0].Sent)
		if p.reply.Text != "which" || !p.reply.Asks || len(p.reply.Choices) != 3 || p.reply.Choices[1].Text != "edge" || r.Runs[0].Status != jobs.Asking {
			h.t.Fatalf("asked is %+v", p.reply)
		}
		e := h.reacts("bob", r.Runs[0].Sent, adapters.Digit(2), true)
		h.handle(j, e)
		h.handle(other, e) // a repeated event
		h.handle(other, h.reacts("eve", r.Runs[0].Sent, adapters.Digit(2), true))
		r = h.wait(j, r.ID, 2)
		asked := h.planner.request(r.ID)
		if asked.Wish != "edge" || asked.Question != nil || len(asked.Given) != 1 || asked.Given[0].File != "a.png" {
			h.t.Errorf("planned is %+v", asked)
		}
		if len(r.Runs) != 2 || r.Runs[1].Status != jobs.Done || r.Runs[1].Guess != "edge" || h.planner.count("edge") != 1 || h.planner.count("plan") != 2 {
			h.t.Errorf("%d runs, the guess %q is %s", len(r.Runs), r.Runs[1].Guess, r.Runs[1].Status)
		}
		if r.Wish != "?which|blur|edge|slow>sharpen" || r.Runs[0].Status != jobs.Done {
			h.t.Errorf("the wish is %q, the question %s", r.Wish, r.Runs[0].Status)
		}
		if p, _ = h.chat.post(r.Runs[1].Sent); p.reply.Mention != "bob" || p.reply.Asks {
			h.t.Errorf("sent is %+v", p.reply)
		}
		next := h.ask(j, h.says("t", "ann", "blur"))
		if q := h.planner.request(next.ID).Question; q != nil {
			h.t.Errorf("the question is still open: %+v", q)
		}
	})
}

func TestButtonChoosesGuess(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	wish := h.says("t", "ann", "?which|blur|edge")
	r := h.ask(j, wish)
	button := h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true)
	button.Reaction.Number, button.Reaction.Choice = 0, r.ID+"-1-1"
	h.handle(j, button)
	if r = h.wait(j, r.ID, 2); r.Runs[1].Guess != "blur" || r.Runs[1].Status != jobs.Done {
		t.Errorf("the guess %q is %s", r.Runs[1].Guess, r.Runs[1].Status)
	}
	h.chat.untilShown(t, wish.Message.Ref.ID, adapters.Seen, adapters.Asking, adapters.Done)
}

func TestNumberChoosesGuess(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		question := h.asks(j)
		r := h.ask(j, h.overhears("ann", "2."))
		asked := h.planner.request(r.ID)
		if asked.Wish != "edge" || asked.Question != nil || len(asked.Given) != 1 || asked.Given[0].File != "a.png" || r.Runs[0].Status != jobs.Done {
			h.t.Errorf("planned is %+v, which is %s", asked, r.Runs[0].Status)
		}
		h.chooses(j, "bob", question, 1, true) // too late
		h.chooses(j, "bob", question, 1, false)
		h.chooses(j, "bob", question, 1, true)
		question = h.wait(j, question.ID, 2)
		p, _ := h.chat.post(question.Runs[1].Sent)
		if len(h.runs(j, question)) != 2 || !strings.HasPrefix(p.reply.Text, "That question has already been answered.") || p.reply.Mention != "bob" {
			h.t.Errorf("bob is told %+v", p.reply)
		}
		if h.planner.count("blur") != 0 || question.Runs[0].Status != jobs.Done {
			h.t.Errorf("the guess ran, the question is %s", question.Runs[0].Status)
		}
	})
}

// TestOtherNumberAnswersQuestion: other texts are planned with the question.
func TestOtherNumberAnswersQuestion(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	for _, text := range []string{"4", "0", "the second", "edge 2"} {
		h.asks(j)
		r := h.ask(j, h.says("t", "ann", text))
		asked := h.planner.request(r.ID)
		if q := asked.Question; asked.Wish != text || q == nil || q.Text != "which" || len(q.Guesses) != 3 {
			t.Errorf("%q is planned as %q, with the question %+v", text, asked.Wish, q)
		}
	}
	h.asks(j)
	r := h.ask(j, h.says("t", "ann", "2", h.chat.upload("b.png", "PNG-b")))
	if asked := h.planner.request(r.ID); asked.Wish != "2" || asked.Question == nil {
		t.Errorf("with a file of its own the number is planned as %q", asked.Wish)
	}
}

func TestExpiredQuestion(t *testing.T) {
	t.Parallel()
	h := enter(t)
	c := storagetest.NewClock()
	j := h.start(func(config *jobs.Config) { config.Now = c.Now })
	r := h.asks(j)
	c.Pass(25 * time.Hour)
	for range 3 {
		h.chooses(j, "bob", r, 1, true)
	}
	r = h.wait(j, r.ID, 2)
	p, _ := h.chat.post(r.Runs[1].Sent)
	if len(h.runs(j, r)) != 2 || p.reply.Text != "That question has expired. Please ask again." || h.planner.count("plan") != 1 {
		t.Errorf("the reply is %q", p.reply.Text)
	}
	if r := h.ask(j, h.says("t", "ann", "1")); h.planner.request(r.ID).Wish != "1" {
		t.Errorf("the number is planned as %q", h.planner.request(r.ID).Wish)
	}
}

// TestSecondGuessAfterFailedOne, by any person.
func TestSecondGuessAfterFailedOne(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.asks(j)
	g := h.planner.blocks("slow")
	h.chooses(j, "ann", r, 3, true)
	<-g.entered
	h.chooses(j, "bob", r, 2, true) // one is active
	if r = h.wait(j, r.ID, 3); r.Runs[2].Stopped != "refused" {
		t.Errorf("the second guess is %s", r.Runs[2].Status)
	}
	h.chooses(j, "ann", r, 3, false)
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Cancelled {
		t.Errorf("the guess that is taken back is %s", r.Runs[1].Status)
	}
	h.planner.fails("edge", "It is bad.", true)
	h.chooses(j, "ann", r, 2, true)
	if r = h.wait(j, r.ID, 4); r.Runs[3].Guess != "edge" || r.Runs[3].Status != jobs.Failed {
		t.Errorf("run 4 is of %q, and %s", r.Runs[3].Guess, r.Runs[3].Status)
	}
	h.chooses(j, "bob", r, 1, true)
	if r = h.wait(j, r.ID, 5); r.Runs[4].Guess != "blur" || r.Runs[4].Status != jobs.Done {
		t.Errorf("run 5 is of %q, and %s", r.Runs[4].Guess, r.Runs[4].Status)
	}
}

// TestRefusedGuessKeepsQuestionOpen, whether by the quota or by access.
func TestRefusedGuessKeepsQuestionOpen(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 1, Deny: denies("eve")}))
	r := h.asks(j)
	h.chooses(j, "eve", r, 1, true)
	h.chooses(j, "ann", r, 1, true) // her second
	if r = h.wait(j, r.ID, 2); r.Runs[1].Stopped != "refused" || len(r.Runs) != 2 {
		t.Errorf("%d runs, hers is %s", len(r.Runs), r.Runs[1].Status)
	}
	h.chooses(j, "bob", r, 1, true)
	if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done {
		t.Errorf("his is %s", r.Runs[2].Status)
	}
}

// TestGuessContinuesConversation like a written request: it can lead to a question, and be repeated.
func TestGuessContinuesConversation(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "?which|?again and which|blur"))
	h.chooses(j, "ann", r, 1, true)
	r = h.wait(j, r.ID, 2)
	if r.Runs[1].Status != jobs.Asking || r.Runs[1].Answer.Question != "again and which" {
		t.Fatalf("the guess is %s", r.Runs[1].Status)
	}
	answer := h.ask(j, h.says("t", "ann", "that one"))
	if q := h.planner.request(answer.ID).Question; q == nil || q.Text != "again and which" || q.Wish != "?again and which" {
		t.Errorf("the open question is %+v", q)
	}
	other := h.ask(j, h.says("t2", "ann", "?which|blur"))
	h.chooses(j, "ann", other, 1, true)
	other = h.wait(j, other.ID, 2)
	h.handle(j, h.reacts("ann", other.Runs[1].Sent, "🔁", true))
	if other = h.wait(j, other.ID, 3); other.Runs[2].Guess != "blur" || h.planner.count("blur") != 2 || h.planner.count("plan") != 6 {
		t.Errorf("once more it is %q, planned %d times", other.Runs[2].Guess, h.planner.count("plan"))
	}
}

func TestPlanOnlyGuessThenRun(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	id, err := j.Submit(t.Context(), h.says("t", "ann", "?which|blur|edge"), jobs.Options{PlanOnly: true})
	check(t, err)
	r := h.wait(j, id, 1)
	if r.Runs[0].Status != jobs.Asking || len(r.Runs[0].Plan.Guesses) != 2 {
		t.Fatalf("the run is %s, %+v", r.Runs[0].Status, r.Runs[0].Plan)
	}
	for _, c := range []struct{ of, guess int }{{1, 0}, {1, 3}, {1, -1}, {2, 1}, {0, 1}} {
		if _, err := j.ChooseGuess(t.Context(), id, c.of, c.guess, "ann"); !errors.Is(err, jobs.ErrUnknown) {
			t.Errorf("guess %d of run %d: %v", c.guess, c.of, err)
		}
	}
	if _, err := j.ChooseGuess(t.Context(), "unknown", 1, 1, "ann"); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("the request: %v", err)
	}
	n, err := j.ChooseGuess(t.Context(), id, 1, 2, "ann")
	check(t, err)
	if r = h.wait(j, id, n); r.Runs[n-1].Status != jobs.Done || r.Runs[n-1].Guess != "edge" || h.planner.count("edge") != 1 {
		t.Errorf("the guess is %s", r.Runs[n-1].Status)
	}
}
