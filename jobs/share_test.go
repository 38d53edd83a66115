package jobs_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/quota"
)

// answered is a completed request with two alternatives.
func (h *house) answered(j *jobs.Jobs) jobs.Request {
	h.t.Helper()
	return h.ask(j, h.says("t", "ann", "first>blur|first>slow|edge"))
}

func (h *house) chooses(j *jobs.Jobs, by string, r jobs.Request, n int, added bool) {
	h.t.Helper()
	h.handle(j, h.reacts(by, r.Runs[0].Sent, adapters.Digit(n), added))
}

func (h *house) runs(j *jobs.Jobs, r jobs.Request) []jobs.Run {
	h.t.Helper()
	r, err := j.Show(h.t.Context(), r.ID)
	check(h.t, err)
	return r.Runs
}

func TestSharedChoiceRunsOnce(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		r := h.answered(j)
		g := h.planner.blocks("slow")
		var all sync.WaitGroup
		for i := range 12 {
			one := []*jobs.Jobs{j, other}[i%2]
			e := h.reacts(fmt.Sprint("p", i), r.Runs[0].Sent, adapters.Digit(1), true)
			all.Go(func() {
				if err := one.Handle(h.t.Context(), e); err != nil {
					h.t.Error(err)
				}
			})
		}
		all.Wait()
		<-g.entered
		h.chooses(j, "ann", r, 2, true) // another run in parallel
		if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done {
			h.t.Errorf("the other way is %s", r.Runs[2].Status)
		}
		close(g.open)
		r = h.wait(j, r.ID, 2)
		h.chooses(j, "late", r, 1, true) // completed
		h.chooses(j, "p1", r, 1, false)  // too late to take back
		h.chooses(j, "p1", r, 1, true)
		if runs := h.runs(j, r); len(runs) != 3 || runs[1].Status != jobs.Done || h.planner.count("slow") != 1 || h.planner.count("first") != 1 {
			h.t.Errorf("%d runs, the choice is %s, it ran %d times", len(runs), runs[1].Status, h.planner.count("slow"))
		}
		if n := len(h.chat.all()); n != 3 {
			h.t.Errorf("%d messages", n)
		}
	})
}

func TestLastChooserStopsSharedChoice(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		r := h.answered(j)
		g := h.planner.blocks("slow")
		h.chooses(j, "ann", r, 1, true)
		<-g.entered
		h.chooses(other, "bob", r, 1, true)
		h.chooses(other, "ann", r, 1, false)
		h.chooses(other, "eve", r, 1, false) // a person who never chose it
		if runs := h.runs(j, r); runs[1].Status != jobs.Running {
			h.t.Errorf("as long as bob wants it, it is %s", runs[1].Status)
		}
		h.chooses(j, "bob", r, 1, false)
		<-g.left
		if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Cancelled {
			h.t.Errorf("when nobody wants it, it is %s", r.Runs[1].Status)
		}
		h.chooses(j, "bob", r, 1, true) // after all
		<-g.entered
		close(g.open)
		if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done || len(r.Runs) != 3 {
			h.t.Errorf("chosen anew it is %s", r.Runs[2].Status)
		}
	})
}

func TestFailedChoiceCanBeRepeated(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.answered(j)
	h.planner.fails("slow", "It is bad.", true)
	h.chooses(j, "ann", r, 1, true)
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Failed {
		t.Fatalf("it is %s", r.Runs[1].Status)
	}
	h.planner.set("slow", nil)
	h.chooses(j, "bob", r, 1, true)
	if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done {
		t.Errorf("chosen anew it is %s", r.Runs[2].Status)
	}
}

func TestChoicesSurviveRestart(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		first := h.process(func(c *jobs.Config) { c.Grace = time.Millisecond })
		stop := h.run(first)
		r := h.answered(first)
		g := h.planner.blocks("slow")
		h.chooses(first, "ann", r, 1, true)
		<-g.entered
		stop()
		j := h.start()
		h.chooses(j, "bob", r, 1, true) // it runs according to the record
		<-g.entered
		h.chooses(j, "ann", r, 1, false)
		h.chooses(j, "ann", r, 2, true)
		if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done {
			h.t.Errorf("the other way is %s", r.Runs[2].Status)
		}
		close(g.open)
		if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done || len(r.Runs) != 3 || h.planner.count("first") != 1 {
			h.t.Errorf("%d runs, the choice is %s", len(r.Runs), r.Runs[1].Status)
		}
		for i, run := range r.Runs { // each with its own answer in the thread
			if p, ok := h.chat.post(run.Sent); !ok || p.reply.Thread.ID != "t" {
				h.t.Errorf("run %d was answered by %+v", i+1, p)
			}
		}
	})
}

// TestFloodOfReactions adds and removes a sign a thousand times, each time as a new event.
func TestFloodOfReactions(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.answered(j)
	h.planner.blocks("slow")
	for i := range 1000 {
		h.chooses(j, "eve", r, 1, i%2 == 0)
	}
	runs := h.runs(j, r)
	if len(runs) > 6 {
		t.Errorf("%d runs", len(runs))
	}
	for n := 2; n <= len(runs); n++ {
		if r = h.wait(j, r.ID, n); r.Runs[n-1].Status != jobs.Cancelled {
			t.Errorf("run %d is %s", n, r.Runs[n-1].Status)
		}
	}
	log, err := h.state.Read(t.Context(), "request-"+r.ID+"/log", 0)
	check(t, err)
	h.chooses(j, "eve", r, 1, true)
	after, err := h.state.Read(t.Context(), "request-"+r.ID+"/log", 0)
	check(t, err)
	if len(after) != len(log) {
		t.Error("what is not obeyed leaves something behind")
	}
	h.chooses(j, "ann", r, 2, true) // others are not held up
	if r = h.wait(j, r.ID, len(runs)+1); r.Runs[len(runs)].Status != jobs.Done {
		t.Errorf("hers is %s", r.Runs[len(runs)].Status)
	}
}

func TestRepeatAfterEachEnd(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur"))
	g := h.planner.blocks("blur")
	for range 100 {
		h.handle(j, h.reacts("eve", r.Runs[0].Sent, "🔁", true))
	}
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, "🔁", true))
	close(g.open)
	if r = h.wait(j, r.ID, 3); len(h.runs(j, r)) != 3 {
		t.Errorf("%d runs", len(r.Runs))
	}
	r = h.wait(j, r.ID, 2)
	h.handle(j, h.reacts("eve", r.Runs[0].Sent, "🔁", true))
	h.wait(j, r.ID, 4)
}

func TestChoicesCountButResultsAreFree(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 2, AtOnce: 1}))
	r := h.answered(j)
	g := h.planner.blocks("slow")
	h.chooses(j, "bob", r, 1, true) // his first
	<-g.entered
	h.chooses(j, "bob", r, 2, true) // a second concurrent one
	if r = h.wait(j, r.ID, 3); r.Runs[2].Stopped != "refused" {
		t.Errorf("the second at once is %s", r.Runs[2].Status)
	}
	p, _ := h.chat.post(r.Runs[2].Sent)
	if !strings.HasPrefix(p.reply.Text, "You already have 1 requests in progress. ") || p.reply.Mention != "bob" || len(p.reply.Choices) != 0 {
		t.Errorf("sent is %+v", p.reply)
	}
	for range 20 {
		h.chooses(j, "bob", r, 2, true)
	}
	h.chooses(j, "ann", r, 1, true) // already running
	h.handle(j, h.says("t2", "ann", "!her second"))
	close(g.open)
	r = h.wait(j, r.ID, 2)
	h.chooses(j, "ann", r, 1, true)
	h.chooses(j, "bob", r, 2, true) // his second
	if r = h.wait(j, r.ID, 4); r.Runs[3].Status != jobs.Done || len(r.Runs) != 4 {
		t.Errorf("%d runs, the last is %s", len(r.Runs), r.Runs[3].Status)
	}
}

// TestChoiceBeforeAllNumbersAreShown picks as soon as the answer is posted.
func TestChoiceBeforeAllNumbersAreShown(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	stands := make(chan struct{})
	h.chat.onSent = func(n int) error {
		if n == 1 {
			close(stands)
			return &adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}
		}
		return nil
	}
	id := h.handle(j, h.says("t", "ann", "blur|edge"))
	<-stands
	r := h.wait(j, id, 1)
	h.chooses(j, "ann", r, 1, true)
	if r = h.wait(j, id, 2); r.Runs[1].Status != jobs.Done || len(h.chat.all()) != 2 {
		t.Errorf("it is %s", r.Runs[1].Status)
	}
}

func TestChooserMayDeleteAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.answered(j)
	h.chooses(j, "bob", r, 2, true)
	r = h.wait(j, r.ID, 2)
	for _, by := range []string{"eve", "bob"} {
		h.handle(j, h.reacts(by, r.Runs[1].Sent, "🗑", true))
	}
	if strings.Join(h.chat.deleted, " ") != r.Runs[1].Sent.ID {
		t.Errorf("deleted are %v", h.chat.deleted)
	}
}
