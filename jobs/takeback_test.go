package jobs_test

import (
	"testing"

	"atelier/adapters"
	"atelier/jobs"
)

// TestRepeatTakenBackIsStopped for the person who started it.
func TestRepeatTakenBackIsStopped(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		r := h.ask(j, h.says("t", "ann", "blur|slow"))
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
		r = h.wait(j, r.ID, 2)
		for n, answer := range []adapters.MessageRef{r.Runs[0].Sent, r.Runs[1].Sent} { // for the second, its alternative is repeated
			tool := []string{"blur", "slow"}[n]
			g := h.planner.blocks(tool)
			h.handle(j, h.reacts("ann", answer, "🔁", true))
			<-g.entered
			h.handle(j, h.reacts("bob", answer, "🔁", false)) // a person without a repeat
			back := h.reacts("ann", answer, "🔁", false)
			h.handle(j, back)
			h.handle(j, back) // a repeated event
			<-g.left
			if r = h.wait(j, r.ID, 3+n); r.Runs[2+n].Status != jobs.Cancelled {
				h.t.Errorf("the repeat of %s is %s", tool, r.Runs[2+n].Status)
			}
		}
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🔁", false)) // nothing is in progress
		if r, err := j.Show(h.t.Context(), r.ID); err != nil || len(r.Runs) != 4 || len(h.chat.all()) != 4 {
			h.t.Errorf("%d runs, %d messages, %v", len(r.Runs), len(h.chat.all()), err)
		}
	})
}

// TestReworkTakenBackIsStopped for the person who asked for it; so is a rework of a rework.
func TestReworkTakenBackIsStopped(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(reworking(newReworker(h.planner)))
	answer := h.ask(j, h.says("t", "ann", "pic1")).Runs[0].Sent
	for range 2 {
		g := h.planner.blocks("piclarger")
		working := h.handle(j, h.reacts("bob", answer, "🔍", true))
		<-g.entered
		h.handle(j, h.reacts("ann", answer, "🔍", false))
		h.handle(j, h.reacts("bob", answer, "🎲", false))
		if r, err := j.Show(t.Context(), working); err != nil || r.Runs[0].Status != jobs.Running {
			t.Errorf("it is %s, %v", r.Runs[0].Status, err)
		}
		h.handle(j, h.reacts("bob", answer, "🔍", false))
		if r := h.wait(j, working, 1); r.Runs[0].Status != jobs.Cancelled {
			t.Errorf("it is %s", r.Runs[0].Status)
		}
		h.planner.set("piclarger", nil)
		answer = h.ask(j, h.reacts("ann", answer, "🔍", true)).Runs[0].Sent
	}
}

// TestSelectionTakenBackEnds, but later ones stay.
func TestSelectionTakenBackEnds(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	m.seeds(h.blobs)
	j := h.start(reworking(m))
	first, second := h.ask(j, h.says("t", "ann", "pic1")), h.ask(j, h.says("t", "bob", "pic2"))
	h.ask(j, h.reacts("ann", first.Runs[0].Sent, "📌", true))
	h.handle(j, h.reacts("ann", second.Runs[0].Sent, "📌", false)) // not selected
	if !h.passedOver(j, h.overhears("bob", "blur")) {
		t.Error("bob has selected nothing")
	}
	h.ask(j, h.reacts("ann", second.Runs[0].Sent, "📌", true))
	h.handle(j, h.reacts("ann", second.Runs[0].Sent, "📌", false))
	if !h.passedOver(j, h.overhears("ann", "blur")) {
		t.Error("a message is taken for what is not selected any more")
	}
	next := h.ask(j, h.says("t", "ann", "blur"))
	if got := given(h.planner.request(next.ID)); got != "" {
		t.Errorf("it works on %q", got)
	}
	varied := h.ask(j, h.reacts("ann", first.Runs[0].Sent, "🎲", true))
	h.ask(j, h.reacts("ann", varied.Runs[0].Sent, adapters.Digit(2), true))
	h.handle(j, h.reacts("ann", varied.Runs[0].Sent, adapters.Digit(2), false))
	if !h.passedOver(j, h.overhears("ann", "blur")) {
		t.Error("a message is taken for a variation that is not selected any more")
	}
}
