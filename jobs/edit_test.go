package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage/storagetest"
)

// edits is the edit of a message some time after it was sent.
func (h *house) edits(e adapters.Event, after time.Duration, text string) adapters.Event {
	m := *e.Message
	m.Text, m.Edited = text, &adapters.Edited{Event: e.ID, At: e.At}
	e.Kind, e.Message = adapters.MessageEdited, &m
	e.ID = fmt.Sprintf("%s-%d", e.ID, after)
	e.At = e.At.Add(after)
	return e
}

// TestEditRestartsRequest edits a request at each stage: the old request gets no answer, and the new answer gives the
// reason.
func TestEditRestartsRequest(t *testing.T) {
	t.Parallel()
	stages := map[string]func(h *house, g *gate){
		"plan": func(h *house, g *gate) {
			h.planner.plan = func(ctx context.Context, r plan.Request) (*plan.Plan, error) {
				if r.Wish == "blur" {
					return read(r.Wish), g.pass(ctx)
				}
				return read(r.Wish), nil
			}
		},
		"act": func(h *house, g *gate) {
			h.planner.set("blur", func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
		},
	}
	for stage, set := range stages {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			g := newGate()
			set(h, g)
			j, other := h.start(), h.process()
			e := h.says("t", "ann", "blur", h.chat.upload("a.png", "PNG a"))
			first := h.handle(j, e)
			<-g.entered
			edit := h.edits(e, time.Second, "sharpen")
			second := h.handle(other, edit)
			h.handle(j, edit) // repeated, in another process
			r := h.wait(j, second, 1)
			if was := h.wait(j, first, 1); was.Runs[0].Status != jobs.Cancelled {
				t.Errorf("the first is %s", was.Runs[0].Status)
			}
			if n := len(h.chat.all()); n != 1 || h.told(r) != "You edited your message, so I started again.\n\nHere it is." {
				t.Errorf("%d messages, the answer is %q", n, h.told(r))
			}
			if asked := h.planner.request(second); asked.Wish != "sharpen" || len(asked.Given) != 1 || len(asked.Turns) != 0 {
				t.Errorf("asked is %+v", asked)
			}
			h.chat.until(t, "it is shown as done", func() bool { return slices.Contains(h.chat.signs[e.Message.Ref.ID], adapters.Done) })
			if signs := h.chat.signs[e.Message.Ref.ID]; slices.Contains(signs, adapters.Cancelled) {
				t.Errorf("its signs are %v", signs)
			}
			check(t, j.Handle(t.Context(), e)) // its first event is repeated
			if id, _, err := j.Find(t.Context(), e.Message.Ref); err != nil || id != second {
				t.Errorf("the message is of %s: %v", id, err)
			}
		})
	}
}

func TestEditAfterAnswerReplacesIt(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.ask(j, h.says("t", "ann", "pic", h.chat.upload("a.png", "PNG a")))
	e := h.says("t", "ann", "picred")
	h.ask(j, e)
	h.ask(j, h.says("t", "ann", "pictwo"))
	r := h.ask(j, h.edits(e, time.Minute, "picblue"))
	if got := h.told(r); got != "You edited your message. This answer replaces my earlier one.\n\nHere it is." {
		t.Errorf("the answer is %q", got)
	}
	asked := h.planner.request(r.ID)
	var wishes []string
	for _, turn := range asked.Turns {
		wishes = append(wishes, turn.Wish)
	}
	if got := strings.Join(wishes, " "); got != "pic pictwo" {
		t.Errorf("it goes on from %q", got)
	}
	for _, earlier := range asked.Earlier {
		if strings.Contains(earlier.Name, "picred") {
			t.Errorf("it works on %s, which it replaces", earlier.Name)
		}
	}
	// A stopped request and a third version belong to the same message.
	if r = h.ask(j, h.edits(e, 2*time.Minute, "picgreen")); len(h.planner.request(r.ID).Turns) != 2 {
		t.Errorf("the turns are %+v", h.planner.request(r.ID).Turns)
	}
}

func TestManyEditsAreOneRequest(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start(func(c *jobs.Config) { c.Quota = quota.Config{Requests: 3, AtOnce: 1} })
	e := h.says("t", "ann", "blur")
	ids := []string{h.handle(j, e)}
	<-g.entered
	for i := range 10 {
		if i < 9 { // it must not be answered before the next edit
			h.planner.set(fmt.Sprintf("pic%d", i), func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
		}
		ids = append(ids, h.handle(j, h.edits(e, time.Duration(i+1)*time.Second, fmt.Sprintf("pic%d", i))))
	}
	h.handle(j, h.edits(e, 3*time.Second, "pic late")) // delayed
	last := h.wait(j, ids[10], 1)
	if h.told(last) == "" || last.Runs[0].Status != jobs.Done {
		t.Errorf("the last is %s", last.Runs[0].Status)
	}
	for _, id := range ids[:10] {
		if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Cancelled {
			t.Errorf("%q is %s", r.Wish, r.Runs[0].Status)
		}
	}
	if n := len(h.chat.all()); n != 1 {
		t.Errorf("%d answers", n)
	}
	if r := h.ask(j, h.says("t", "ann", "picmore")); r.Runs[0].Status != jobs.Done { // they counted once
		t.Errorf("the next is %s", r.Runs[0].Status)
	}
}

// TestEditAtQuota: a later edit that the quota forbids leaves the request at work, and one that needs only its place takes it.
func TestEditAtQuota(t *testing.T) {
	t.Parallel()
	for _, limit := range []quota.Config{{Requests: 1}, {AtOnce: 1}, {ChannelAtOnce: 1}} {
		h := enter(t)
		now := storagetest.NewClock()
		g := h.planner.blocks("blur")
		j := h.start(func(c *jobs.Config) { c.Now, c.Quota = now.Now, limit })
		e := h.says("t", "ann", "blur")
		first := h.handle(j, e)
		<-g.entered
		now.Pass(2 * time.Minute)
		edit := h.edits(e, 2*time.Minute, "sharpen")
		r := h.ask(j, edit)
		if limit.Requests == 0 {
			if r.Runs[0].Status != jobs.Done || h.wait(j, first, 1).Runs[0].Status != jobs.Cancelled {
				t.Errorf("within %+v, the edit is %s: %s", limit, r.Runs[0].Status, h.told(r))
			}
			continue
		}
		if told := h.told(r); !strings.HasPrefix(told, "You have reached the limit") || !strings.HasSuffix(told, "I continue with your message as it was before the edit.") {
			t.Errorf("ann is told %q", told)
		}
		close(g.open)
		if r := h.wait(j, first, 1); r.Runs[0].Status != jobs.Done {
			t.Errorf("the request is %s", r.Runs[0].Status)
		}
		if id, _, err := j.Find(t.Context(), e.Message.Ref); err != nil || id != first {
			t.Errorf("the message is of %s: %v", id, err)
		}
	}
}

// TestEditTakesFirstCountedPlace: a run that counts for nobody has no place in the quota for the edit.
func TestEditTakesFirstCountedPlace(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 2}))
	e := h.says("t", "ann", "x|slow|other")
	r := h.ask(j, e)
	slow, other := h.planner.blocks("slow"), h.planner.blocks("other")
	_, err := j.Choose(t.Context(), r.ID, 1, plan.Choice{1}, "ann")
	check(t, err)
	<-slow.entered
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(2), true))
	<-other.entered
	edited := h.ask(j, h.edits(e, time.Second, "sharpen"))
	if edited.Runs[0].Status != jobs.Done {
		t.Errorf("the edit is %s: %s", edited.Runs[0].Status, h.told(edited))
	}
	for _, run := range h.wait(j, r.ID, 3).Runs[1:] {
		if run.Status != jobs.Cancelled {
			t.Errorf("run %d is %s", run.N, run.Status)
		}
	}
}

// TestEditOfFilesOnly begins a request anew while it runs.
func TestEditOfFilesOnly(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start()
	e := h.says("t", "ann", "blur", h.chat.upload("a.png", "PNG a"), h.chat.upload("b.png", "PNG b"))
	first := h.handle(j, e)
	<-g.entered
	edit := h.edits(e, time.Second, "blur")
	edit.Message.Files = edit.Message.Files[:1]
	second := h.handle(j, edit)
	if was := h.wait(j, first, 1); was.Runs[0].Status != jobs.Cancelled {
		t.Errorf("the first is %s", was.Runs[0].Status)
	}
	<-g.entered
	close(g.open)
	r := h.wait(j, second, 1)
	if asked := h.planner.request(second); len(asked.Given) != 1 || asked.Given[0].File != "a.png" || r.Runs[0].Status != jobs.Done {
		t.Errorf("it is %s, of %+v", r.Runs[0].Status, asked.Given)
	}
}

// TestEditOfFilesAfterAnswer answers again with the files, marks and reply that are left.
func TestEditOfFilesAfterAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	a, b := h.chat.upload("a.png", "PNG a"), h.chat.upload("b.png", "PNG b")
	e := h.says("t", "ann", "blur", a)
	h.ask(j, e)
	exchanged := h.edits(e, time.Second, "blur")
	exchanged.Message.Files = []adapters.File{b}
	mark := adapters.Mark{File: b.ID, Width: 8, Height: 8, Points: []adapters.Point{{X: 1, Y: 1}}}
	marked := h.edits(e, 2*time.Second, "blur")
	marked.Message.Files, marked.Message.Marks = exchanged.Message.Files, []adapters.Mark{mark}
	mark.Points = []adapters.Point{{X: 2, Y: 2}}
	moved := h.edits(e, 3*time.Second, "blur")
	moved.Message.Files, moved.Message.Marks = exchanged.Message.Files, []adapters.Mark{mark}
	for i, edit := range []adapters.Event{exchanged, marked, moved} {
		r := h.ask(j, edit)
		asked := h.planner.request(r.ID)
		if !strings.HasPrefix(h.told(r), "You edited your message. This answer replaces my earlier one.") || asked.Given[0].File != "b.png" || (len(asked.Given) > 1) != (i > 0) {
			t.Errorf("%d: told is %q, of %+v", i, h.told(r), asked.Given)
		}
	}
}

// TestIgnoredEdits: edits without changes, late edits, and edits by others.
func TestIgnoredEdits(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	file := h.chat.upload("a.png", "PNG a")
	e := h.says("t", "ann", "blur", file)
	h.ask(j, e)
	bob, late := h.edits(e, time.Second, "sharpen"), h.edits(e, 48*time.Hour, "sharpen")
	bob.By = adapters.Person{ID: "bob"}
	fresh := h.says("t", "ann", "")
	unknown, empty := h.edits(h.says("t", "ann", "x"), 25*time.Hour, "pic"), h.edits(fresh, time.Second, "")
	none := h.edits(h.says("t", "ann", "x"), time.Second, "pic")
	none.Message.For = adapters.Overheard
	for what, edit := range map[string]adapters.Event{
		"the same text": h.edits(e, time.Second, " blur "), "of another person": bob, "too late": late, "too late to begin": unknown,
		"empty": empty, "for nobody": none,
	} {
		if r, err := j.Show(t.Context(), h.handle(j, edit)); err == nil {
			t.Errorf("%s: it begins %q", what, r.Wish)
		}
	}
	if n := len(h.chat.all()); n != 1 {
		t.Errorf("%d answers", n)
	}
	if r := h.ask(j, h.says("t", "ann", "picmore")); r.Runs[0].Status != jobs.Done {
		t.Error("it does not go on")
	}
}

func TestRemovingMentionStopsRequest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"blur it, somebody", ""} {
		h := enter(t)
		g := h.planner.blocks("blur")
		j := h.start()
		e := h.says("t", "ann", "blur")
		id := h.handle(j, e)
		<-g.entered
		edit := h.edits(e, time.Second, text)
		if text != "" {
			edit.Message.For = adapters.Overheard
		}
		h.handle(j, edit)
		if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Cancelled || h.told(r) != "Stopped, as you asked." {
			t.Errorf("it is %s: %s", r.Runs[0].Status, h.told(r))
		}
		check(t, j.Handle(t.Context(), h.edits(e, 2*time.Second, "blur"))) // and it is back, in the same words
		<-g.entered
		r := h.ask(j, h.edits(e, 3*time.Second, "sharpen"))
		if r.Runs[0].Status != jobs.Done || !strings.HasPrefix(h.told(r), "You edited your message, so I started again.") {
			t.Errorf("then it is %s: %s", r.Runs[0].Status, h.told(r))
		}
	}
}

// TestAddingMentionStartsRequest once, whichever of its events is first.
func TestAddingMentionStartsRequest(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{false, true} {
		h := enter(t)
		j := h.start()
		e := h.says("t", "ann", "blur")
		edit := h.edits(e, time.Second, "blur")
		if first {
			h.handle(j, e)
		}
		h.handle(j, edit)
		h.handle(j, e)
		if r := h.wait(j, jobs.RequestID(e), 1); r.Runs[0].Status != jobs.Done || h.told(r) != "Here it is." || len(h.chat.all()) != 1 {
			t.Errorf("%d answers, %q", len(h.chat.all()), h.told(r))
		}
	}
	h := enter(t) // a mention without a word was answered with the help
	j := h.start()
	e := h.says("t", "ann", "blur")
	help := e
	help.Kind, help.Message, help.Command = adapters.CommandGiven, nil, &adapters.Command{Name: "help"}
	h.ask(j, help)
	if r := h.ask(j, h.edits(e, time.Second, "blur")); r.Runs[0].Status != jobs.Done {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
}

func TestEditClosesQuestion(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	e := h.says("t", "ann", "?Which one?|left|right")
	h.ask(j, e)
	r := h.ask(j, h.edits(e, time.Second, "blur"))
	if h.planner.request(r.ID).Question != nil || r.Runs[0].Status != jobs.Done {
		t.Errorf("it answers %+v", h.planner.request(r.ID).Question)
	}
	if r := h.ask(j, h.says("t", "ann", "sharpen")); h.planner.request(r.ID).Question != nil {
		t.Error("the question is still open")
	}
	// The answer to a question is edited: it answers the same one.
	h.ask(j, h.says("u", "ann", "?Which one?|picleft|picright"))
	answer := h.says("u", "ann", "1")
	h.ask(j, answer)
	if r := h.ask(j, h.edits(answer, time.Second, "2")); h.planner.request(r.ID).Wish != "picright" {
		t.Errorf("the wish is %q", h.planner.request(r.ID).Wish)
	}
}
