package jobs_test

import (
	"testing"

	"atelier/adapters"
	"atelier/jobs"
)

// A guess that is chosen is done in the place of what was written, with the files that came with
// it, and closes the question.
func TestAGuessIsChosen(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		asking := h.ask(j, h.says("t", "ann", "?Which?|blur|sharpen", h.chat.upload("a.png", "PNG a")))
		answer := asking.Runs[0].Sent
		p, _ := h.chat.post(answer)
		if len(p.reply.Choices) != 2 || p.reply.Choices[1].Text != "sharpen" || !p.reply.Meant || asking.Runs[0].Status != jobs.Asking {
			h.t.Fatalf("asked is %+v", p.reply)
		}
		e := h.reacts("bob", answer, adapters.Digit(2), true)
		h.handle(j, e)
		h.handle(other, e) // it is told twice
		r := h.wait(j, asking.ID, 2)
		asked := h.mind.request(r.ID)
		if len(r.Runs) != 2 || r.Runs[1].Status != jobs.Done || h.mind.count("sharpen") != 1 || h.mind.count("plan") != 2 {
			h.t.Fatalf("%d runs, planned %d times, the last %s", len(r.Runs), h.mind.count("plan"), r.Runs[len(r.Runs)-1].Status)
		}
		if asked.Wish != "sharpen" || asked.Question != nil || len(asked.Given) != 1 {
			h.t.Errorf("planned is %+v", asked)
		}
		h.handle(j, h.reacts("ann", answer, adapters.Digit(2), true)) // it is done
		h.handle(j, h.reacts("ann", answer, adapters.Digit(3), true)) // there is none
		if r, err := j.Show(h.t.Context(), r.ID); err != nil || len(r.Runs) != 2 {
			h.t.Errorf("%d runs, %v", len(r.Runs), err)
		}
		next := h.ask(j, h.says("t", "ann", "edge"))
		if q := h.mind.request(next.ID).Question; q != nil {
			h.t.Errorf("the question is still open: %+v", q)
		}
		h.handle(j, h.reacts("ann", answer, adapters.Digit(1), true)) // the other one, later
		if r = h.wait(j, asking.ID, 3); h.mind.count("blur") != 1 {
			h.t.Errorf("it ran %d times", h.mind.count("blur"))
		}
		h.handle(j, h.reacts("ann", r.Runs[2].Sent, "🔁", true)) // once more is the same guess
		if h.wait(j, asking.ID, 4); h.mind.count("blur") != 2 {
			h.t.Errorf("it ran %d times", h.mind.count("blur"))
		}
	})
}

// The agent is told the guesses, since an answer may be the number of one.
func TestAnAnswerKnowsTheGuesses(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.ask(j, h.says("t", "ann", "?Which?|blur|sharpen"))
	r := h.ask(j, h.says("t", "ann", "2"))
	if q := h.mind.request(r.ID).Question; q == nil || len(q.Guesses) != 2 {
		t.Errorf("the question is %+v", q)
	}
}

func TestAGuessIsChosenByTheProgram(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	asking := h.ask(j, h.says("t", "ann", "?Which?|blur|sharpen"))
	for _, bad := range [][]int{{2}, {-1}, {0, 0}} {
		if n, err := j.Choose(t.Context(), asking.ID, 1, bad, "ann"); err == nil {
			t.Errorf("%v began run %d", bad, n)
		}
	}
	if _, err := j.Choose(t.Context(), asking.ID, 1, []int{1}, "ann"); err != nil {
		t.Fatal(err)
	}
	if h.wait(j, asking.ID, 2); h.mind.count("sharpen") != 1 {
		t.Error("it did not run")
	}
}
