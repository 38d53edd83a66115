package jobs_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// stages are functions that make a stage of a request with the step "blur" wait.
func stages() map[string]func(h *house, g *gate) {
	return map[string]func(h *house, g *gate){
		"fetch": func(h *house, g *gate) {
			h.chat.onFetch = func(int, adapters.File) error { g.entered <- struct{}{}; return nil }
			h.chat.stall = g
		},
		"plan": func(h *house, g *gate) {
			h.planner.plan = func(ctx context.Context, r plan.Request) (*plan.Plan, error) { return read(r.Wish), g.pass(ctx) }
		},
		"act": func(h *house, g *gate) {
			h.planner.set("blur", func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
		},
		"compose": func(h *house, g *gate) {
			h.planner.respond = func(ctx context.Context, _ jobs.Account) (string, error) { return "Here it is.", g.pass(ctx) }
		},
	}
}

// TestStopAtEachStage stops requests that wait in each of their stages.
func TestStopAtEachStage(t *testing.T) {
	t.Parallel()
	for stage, set := range stages() {
		for _, deleted := range []bool{false, true} {
			name := stage
			if deleted {
				name += ", deleted"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := enter(t)
				g := newGate()
				set(h, g)
				j, other := h.start(), h.process()
				e := h.says("t", "ann", "blur>sharpen", h.chat.upload("a.png", "PNG a"))
				id := h.handle(j, e)
				<-g.entered
				if deleted {
					h.handle(other, h.deletes(e.Message.Ref))
				} else {
					check(t, other.Cancel(t.Context(), id, "ann"))
				}
				r := h.wait(j, id, 1)
				if r.Runs[0].Status != jobs.Cancelled || (h.planner.count("sharpen") != 0) != (stage == "compose") {
					t.Errorf("the run is %s", r.Runs[0].Status)
				}
				if posts := len(h.chat.all()); deleted && posts != 0 || !deleted && (posts != 1 || h.told(r) != "Stopped, as you asked.") {
					t.Errorf("%d messages", posts)
				}
				if err := j.Cancel(t.Context(), id, "ann"); !errors.Is(err, jobs.ErrOver) {
					t.Errorf("the second time it says %v", err)
				}
				h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, adapters.Cancelled)
			})
		}
	}
}

// deletes is the deletion of a message by an unknown person.
func (h *house) deletes(ref adapters.MessageRef) adapters.Event {
	return adapters.Event{
		Kind: adapters.CancelAsked, ID: "deleted-" + ref.ID, Adapter: "chat", At: h.says("", "", "").At,
		Cancel: &adapters.Cancel{On: ref, Deleted: true},
	}
}

// stalled is a body that never arrives.
type stalled struct {
	ctx  context.Context //nolint:containedctx // the context of the one Fetch
	gate *gate
}

func (s stalled) Read([]byte) (int, error) {
	select {
	case <-s.gate.open:
		return 0, io.EOF
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

func (stalled) Close() error { return nil }

func TestStopWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		h := enter(t)
		j := h.start()
		g := h.planner.blocks("first")
		first := h.handle(j, h.says("t", "ann", "first"))
		<-g.entered
		e := h.says("t", "ann", "second")
		second := h.handle(j, e)
		third := h.handle(j, h.says("t", "bob", "third"))
		if deleted {
			h.handle(j, h.deletes(e.Message.Ref))
		} else {
			h.handle(j, h.reacts("ann", e.Message.Ref, "🛑", true))
		}
		if r := h.wait(j, second, 1); r.Runs[0].Status != jobs.Cancelled { // at once
			t.Errorf("the second is %s", r.Runs[0].Status)
		}
		close(g.open)
		h.wait(j, first, 1)
		if r := h.wait(j, third, 1); r.Runs[0].Status != jobs.Done || h.planner.count("second") != 0 {
			t.Errorf("the third is %s", r.Runs[0].Status)
		}
		asked := h.planner.request(third)
		if len(asked.Turns) != 1 {
			t.Errorf("the turns are %+v", asked.Turns)
		}
	}
}

func TestStopWithoutTargetStopsOwnLatest(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	g := h.planner.blocks("slow")
	bobs := h.handle(j, h.says("t", "bob", "slow"))
	<-g.entered
	anns := h.handle(j, h.says("t", "ann", "slow"))
	stop := h.says("t", "ann", "")
	stop.Kind, stop.Message, stop.Cancel = adapters.CancelAsked, nil, &adapters.Cancel{}
	h.handle(j, stop)
	if r := h.wait(j, anns, 1); r.Runs[0].Status != jobs.Cancelled {
		t.Errorf("hers is %s", r.Runs[0].Status)
	}
	stop.ID, stop.By.ID = "other", "eve" // a person without requests
	h.handle(j, stop)
	close(g.open)
	if r := h.wait(j, bobs, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("his is %s", r.Runs[0].Status)
	}
	h.handle(j, func() adapters.Event { stop.ID, stop.By.ID = "late", "bob"; return stop }())
}

// TestStopWhenAnswerIsReady stops a request whose answer waits for the platform.
func TestStopWhenAnswerIsReady(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		h := enter(t)
		away := &adapters.Fault{Sentence: "Away."}
		h.chat.onSend = func(int, adapters.Reply) error { return away }
		j := h.start(func(c *jobs.Config) { c.Pools[0].Queues = map[string]int{jobs.QueuePlan: 1} })
		e := h.says("t", "ann", "blur")
		gateway := func(c *jobs.Config) { c.Pools = c.Pools[:1] }
		stop := h.run(h.process(gateway))
		id := h.handle(j, e)
		h.chat.until(t, "a try to send", func() bool { return h.chat.sends > 0 })
		stop()
		if deleted {
			h.handle(j, h.deletes(e.Message.Ref))
		} else if err := j.Cancel(t.Context(), id, "ann"); !errors.Is(err, jobs.ErrOver) {
			t.Errorf("it says %v", err)
		}
		h.chat.onSend = nil
		h.start(gateway)
		r := h.wait(j, id, 1)
		if n := len(h.chat.all()); deleted && n != 0 || !deleted && n != 1 {
			t.Errorf("%d messages; the run is %s", n, r.Runs[0].Status)
		}
	}
}

func TestRepeatAfterEarlyStop(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	g := h.planner.blocks("first")
	h.handle(j, h.says("t", "ann", "first"))
	<-g.entered
	e := h.says("t", "ann", "caption", h.chat.upload("a.png", "PNG a"))
	id := h.handle(j, e)
	h.handle(j, h.reacts("ann", e.Message.Ref, "🔁", true)) // not started, so there is nothing to repeat
	if _, err := j.Again(t.Context(), id, "ann"); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("it says %v", err)
	}
	check(t, j.Cancel(t.Context(), id, "ann"))
	r := h.wait(j, id, 1)
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🔁", true))
	if r = h.wait(j, id, 2); r.Runs[1].Status != jobs.Done || len(h.planner.request(id).Given) != 1 {
		t.Errorf("the run is %s, given is %+v", r.Runs[1].Status, h.planner.request(id).Given)
	}
	close(g.open)
}

// TestAnswerSaysWhoStopped in the answer and in the progress, which then stays.
func TestAnswerSaysWhoStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stop func(h *house, j *jobs.Jobs, e adapters.Event)
		told string // "" means nothing
		last string
	}{
		"the asker": {
			func(h *house, j *jobs.Jobs, e adapters.Event) {
				h.handle(j, h.reacts("ann", e.Message.Ref, "🛑", true))
			},
			"Stopped, as you asked.", "Stopped, as you asked.",
		},
		"an admin": {
			func(h *house, j *jobs.Jobs, e adapters.Event) {
				stop := h.reacts("bob", e.Message.Ref, "🛑", true)
				stop.By.Name, stop.By.Admin = "Bob *the* @here", true
				h.handle(j, stop)
			},
			`Stopped by Bob \*the\* @here.`, "Stopped by Bob *the* @here.",
		},
		"an admin without a name": {
			func(h *house, j *jobs.Jobs, e adapters.Event) {
				stop := h.reacts("bob", e.Message.Ref, "🛑", true)
				stop.By.Admin = true
				h.handle(j, stop)
			},
			"Stopped by somebody else.", "Stopped by somebody else.",
		},
		"the operator": {
			func(h *house, j *jobs.Jobs, e adapters.Event) {
				check(h.t, j.Cancel(h.t.Context(), jobs.RequestID(e), ""))
			},
			"Stopped by the operator.", "Stopped by the operator.",
		},
		"a deletion": {
			func(h *house, j *jobs.Jobs, e adapters.Event) { h.handle(j, h.deletes(e.Message.Ref)) },
			"", "Stopped: the message was deleted.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			platform := &reporting{chat: h.chat, shown: make(chan struct{}, 100), fails: func(adapters.Progress) bool { return false }}
			g := h.planner.blocks("blur")
			j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
			e := h.says("t", "ann", "blur>sharpen")
			id := h.handle(j, e)
			<-g.entered
			platform.until(func(p adapters.Progress) bool { return len(p.Steps) == 2 && p.Steps[0].State == adapters.StepRunning })
			c.stop(h, j, e)
			r := h.wait(j, id, 1)
			last := platform.until(func(p adapters.Progress) bool { return p.Ended })
			if last.Title != c.last {
				t.Errorf("the progress is %q", last.Title)
			}
			for _, s := range last.Steps {
				if s.State != adapters.StepSkipped {
					t.Errorf("the step %s is %s", s.Text, s.State)
				}
			}
			if p, ok := h.chat.post(r.Runs[0].Sent); ok != (c.told != "") || p.reply.Text != c.told || ok && p.reply.Mention != "ann" {
				t.Errorf("the reply is %q, to %q", p.reply.Text, p.reply.Mention)
			}
		})
	}
}

// TestEachRefusedStopIsReported: who may not delete an answer is also told that they may not stop a request.
func TestEachRefusedStopIsReported(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	answer := h.ask(j, h.says("t", "bob", "blur")).Runs[0].Sent
	h.handle(j, h.reacts("eve", answer, "🗑", true))
	g := h.planner.blocks("slow")
	asked := h.says("t", "bob", "slow")
	h.handle(j, asked)
	<-g.entered
	h.handle(j, h.reacts("eve", asked.Message.Ref, "🛑", true))
	h.chat.until(t, "two refusals", func() bool { return len(h.chat.private) == 2 })
	close(g.open)
}

// TestOnlyAskerAndAdminsMayStop: others are told in private. A person who picked an alternative stops only that.
func TestOnlyAskerAndAdminsMayStop(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	on := func(by string, e adapters.Event) adapters.Event {
		stop := h.stops("t", by)
		stop.Cancel.On = e.Message.Ref
		return stop
	}
	g := h.planner.blocks("slow")
	asked := h.says("t", "bob", "slow")
	id := h.handle(j, asked)
	<-g.entered
	for range 2 {
		h.handle(j, on("eve", asked))
	}
	h.chat.until(t, "two answers to eve", func() bool { return len(h.chat.private) == 2 })
	for _, told := range h.chat.private {
		if told != "eve: Only the person who asked for this, or an admin, can stop it." {
			t.Errorf("told is %q", told)
		}
	}
	admin := on("root", asked)
	admin.By.Admin = true
	h.handle(j, admin)
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Cancelled {
		t.Errorf("after the admin's stop it is %s", r.Runs[0].Status)
	}
	h.handle(j, on("dora", asked)) // ended: nothing to tell
	close(g.open)
	if n := len(h.chat.all()); n != 1 {
		t.Errorf("%d messages", n)
	}
}
