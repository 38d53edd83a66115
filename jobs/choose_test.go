package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage"
)

func TestReactionChoosesAlternative(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		r := h.ask(j, h.says("t", "ann", "first>blur|first>sharpen|edge"))
		answer := r.Runs[0].Sent
		e := h.reacts("bob", answer, adapters.Digit(1), true)
		h.handle(j, e)
		h.handle(other, e) // a repeated event
		r = h.wait(j, r.ID, 2)
		if len(r.Runs) != 2 || fmt.Sprint(r.Runs[1].Choice) != "[1]" || h.planner.count("first") != 1 || h.planner.count("sharpen") != 1 || h.planner.count("plan") != 1 {
			h.t.Errorf("%d runs, chosen is %v, first ran %d times", len(r.Runs), r.Runs[1].Choice, h.planner.count("first"))
		}
		p, _ := h.chat.post(r.Runs[1].Sent)
		if p.reply.Mention != "bob" || len(p.reply.Choices) != 2 {
			h.t.Errorf("sent is %+v", p.reply)
		}
		button := h.reacts("ann", answer, adapters.Digit(1), true)
		button.Reaction.Number, button.Reaction.Choice = 0, r.ID+"-1-2"
		h.handle(j, button)
		if r = h.wait(j, r.ID, 3); fmt.Sprint(r.Runs[2].Choice) != "[2]" || h.planner.count("edge") != 1 {
			h.t.Errorf("chosen is %v", r.Runs[2].Choice)
		}
	})
}

func TestUnknownReaction(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	answer := r.Runs[0].Sent
	foreign := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "of somebody"}
	button := h.reacts("ann", answer, adapters.Digit(1), true)
	button.Reaction.Number, button.Reaction.Choice = 0, "unknown"
	for _, e := range []adapters.Event{
		h.reacts("ann", answer, adapters.Digit(2), true), h.reacts("ann", answer, adapters.Digit(9), true), button,
		h.reacts("ann", foreign, adapters.Digit(1), true), h.reacts("ann", foreign, "🔁", true), h.reacts("ann", foreign, "🗑", true),
		h.reacts("ann", foreign, "🛑", true), h.reacts("ann", answer, adapters.Digit(1), false), h.reacts("ann", answer, "🛑", true),
	} {
		h.handle(j, e)
	}
	r, err := j.Show(t.Context(), r.ID)
	check(t, err)
	if len(r.Runs) != 1 || len(h.chat.deleted) > 0 {
		t.Errorf("%d runs", len(r.Runs))
	}
}

// TestRequestMessageOffersNoChoices, unlike its answer: numbers on the request start nothing, and it cannot be deleted.
func TestRequestMessageOffersNoChoices(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	wish := h.says("t", "ann", "blur|sharpen")
	r := h.ask(j, wish)
	for _, e := range []adapters.Event{
		h.reacts("ann", wish.Message.Ref, adapters.Digit(1), true), h.reacts("ann", wish.Message.Ref, adapters.Digit(1), false),
		h.reacts("ann", wish.Message.Ref, "🗑", true),
	} {
		h.handle(j, e)
	}
	r, err := j.Show(t.Context(), r.ID)
	check(t, err)
	if len(r.Runs) != 1 || len(h.chat.deleted) > 0 {
		t.Errorf("%d runs, deleted are %v", len(r.Runs), h.chat.deleted)
	}
}

// TestRequestMessageShowsOnlyItsOwnStatus has a refused alternative, a failing one, and a repeat.
func TestRequestMessageShowsOnlyItsOwnStatus(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 1}))
	h.planner.fails("bad", "It is bad.", true)
	wish := h.says("t", "ann", "blur|sharpen|bad")
	r := h.ask(j, wish)
	h.chat.untilShown(t, wish.Message.Ref.ID, adapters.Seen, adapters.Done)
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, adapters.Digit(2), true))
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Failed || r.Runs[1].Stopped != "" {
		t.Errorf("bob's way is %s", r.Runs[1].Status)
	}
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, adapters.Digit(1), true))
	if r = h.wait(j, r.ID, 3); r.Runs[2].Stopped != "refused" {
		t.Errorf("bob's second way is %s", r.Runs[2].Status)
	}
	h.handle(j, h.reacts("eve", wish.Message.Ref, "🔁", true))
	h.wait(j, r.ID, 4)
	h.chat.untilShown(t, wish.Message.Ref.ID, adapters.Seen, adapters.Done, adapters.Done)
}

// hushed is a state that drops a hint once.
type hushed struct {
	storage.State

	topic string
	once  sync.Once
}

func (m *hushed) Publish(ctx context.Context, topic string, hint []byte) (err error) {
	if topic == m.topic {
		m.once.Do(func() { err = storage.ErrUnreachable })
	}
	if err != nil {
		return err
	}
	return m.State.Publish(ctx, topic, hint)
}

// TestChoiceTakenBackDuringCrashIsStopped when the event is repeated.
func TestChoiceTakenBackDuringCrashIsStopped(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.state = &hushed{State: h.state, topic: "stops"}
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|slow"))
	g := h.planner.blocks("slow")
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, adapters.Digit(1), true))
	<-g.entered
	back := h.reacts("bob", r.Runs[0].Sent, adapters.Digit(1), false)
	if err := j.Handle(t.Context(), back); !errors.Is(err, storage.ErrUnreachable) {
		t.Fatalf("it is %v", err)
	}
	h.handle(j, back)
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Cancelled {
		t.Errorf("it is %s", r.Runs[1].Status)
	}
}

func TestConcurrentRunsShareCommonSteps(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		r := h.ask(j, h.says("t", "ann", "x|first>blur|first>sharpen"))
		gate := h.planner.blocks("first")
		one, err := j.Choose(h.t.Context(), r.ID, 1, plan.Choice{1}, "ann")
		check(h.t, err)
		<-gate.entered
		two, err := j.Choose(h.t.Context(), r.ID, 1, plan.Choice{2}, "bob")
		check(h.t, err)
		h.handle(j, h.says("t", "ann", "!something else")) // further runs do not wait for it
		close(gate.open)
		a, b := h.wait(j, r.ID, one), h.wait(j, r.ID, two)
		if a.Runs[one-1].Status != jobs.Done || b.Runs[two-1].Status != jobs.Done || h.planner.count("first") != 1 {
			h.t.Errorf("the runs are %s and %s, first ran %d times", a.Runs[one-1].Status, b.Runs[two-1].Status, h.planner.count("first"))
		}
	})
}

// TestStoppedSharedStepsRunAgain stops one of two active runs with a step that a third one needs.
func TestStoppedSharedStepsRunAgain(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	first := h.says("t", "ann", "x|slow>blur|other>bad|slow>sharpen")
	r := h.ask(j, first)
	slow, other := h.planner.blocks("slow"), h.planner.blocks("other")
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	<-slow.entered
	two, err := j.Choose(t.Context(), r.ID, 1, plan.Choice{2}, "bob")
	check(t, err)
	<-other.entered
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), false)) // taken back
	<-slow.left
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Cancelled {
		t.Errorf("the run that was taken back is %s", r.Runs[1].Status)
	}
	three, err := j.Choose(t.Context(), r.ID, 1, plan.Choice{3}, "ann")
	check(t, err)
	<-slow.entered
	close(slow.open)
	if r = h.wait(j, r.ID, three); r.Runs[three-1].Status != jobs.Done {
		t.Errorf("the third is %s", r.Runs[three-1].Status)
	}
	h.planner.fails("bad", "It is bad.", false) // leads to the step that was stopped
	close(other.open)
	if r = h.wait(j, r.ID, two); r.Runs[two-1].Status != jobs.Done {
		t.Errorf("the second is %s", r.Runs[two-1].Status)
	}
}

func TestRepeatSharesNoSteps(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	e := h.says("t", "ann", "pic>caption")
	r := h.ask(j, e)
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, "🔁", true))
	r = h.wait(j, r.ID, 2)
	h.handle(j, h.reacts("bob", e.Message.Ref, "🔁", true)) // on the request
	r = h.wait(j, r.ID, 3)
	if h.planner.count("plan") != 3 || h.planner.count("pic") != 3 || h.planner.count("caption") != 3 {
		t.Errorf("planned %d times, drawn %d times", h.planner.count("plan"), h.planner.count("pic"))
	}
	salts, folders := map[string]bool{}, map[string]bool{}
	for _, w := range h.planner.works {
		salts[w.Salt], folders[w.Folder] = true, true
		if w.Again != (w.Salt != "") {
			t.Errorf("the work with the salt %q says again: %v", w.Salt, w.Again)
		}
	}
	if len(salts) != 3 || len(folders) != 6 || r.Runs[0].Made[0].Blob == r.Runs[1].Made[0].Blob {
		t.Errorf("the salts are %v, the folders %v", salts, folders)
	}
}

func TestOnlyAskerAndAdminsMayDeleteAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur"))
	answer := r.Runs[0].Sent
	h.handle(j, h.reacts("bob", answer, "🗑", true))
	if len(h.chat.deleted) != 0 {
		t.Error("anybody may delete")
	}
	h.chat.until(t, "bob is told", func() bool {
		return slices.Contains(h.chat.private, "bob: Only the person who asked for this, or an admin, can delete it.")
	})
	h.handle(j, h.reacts("ann", answer, "🗑", true))
	admin := h.reacts("eve", answer, "🗑", true)
	admin.By.Admin = true
	h.handle(j, admin)
	if strings.Join(h.chat.deleted, " ") != answer.ID+" "+answer.ID {
		t.Errorf("deleted are %v", h.chat.deleted)
	}
}

// TestRefusalWithoutPrivateMessages checks that a person is told once, in the thread, if the platform has no private messages.
func TestRefusalWithoutPrivateMessages(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.open = true
	j := h.start()
	answer := h.ask(j, h.says("t", "ann", "blur")).Runs[0].Sent
	for range 2 {
		h.handle(j, h.reacts("bob", answer, "🗑", true))
		h.chat.until(t, "bob is told", func() bool { return len(h.chat.posts) == 2 })
	}
	if told := h.chat.all()[1].reply; told.Answer || told.Mention != "bob" || told.Text != "Only the person who asked for this, or an admin, can delete it." {
		t.Errorf("told is %+v", told)
	}
}

// TestDeletedResultIsForgotten for later requests of the thread, while the person's own file and older results stay.
func TestDeletedResultIsForgotten(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		first := h.ask(j, h.says("t", "ann", "blur", h.chat.upload("a.png", "PNG-a")))
		second := h.ask(j, h.says("t", "ann", "edge"))
		h.handle(j, h.reacts("ann", second.Runs[0].Sent, "🗑", true))
		asked := h.planner.request(h.ask(j, h.says("t", "ann", "sharpen")).ID)
		var earlier []string
		for _, e := range asked.Earlier {
			earlier = append(earlier, e.Name)
		}
		if want := []string{first.Asked.Given[0].Name, first.Runs[0].Made[0].Name}; !slices.Equal(earlier, want) {
			h.t.Errorf("the thread has %q, not %q", earlier, want)
		}
		if n := len(asked.Turns); n != 2 || len(asked.Turns[0].Made) != 1 || len(asked.Turns[1].Made) != 0 {
			h.t.Errorf("the turns are %+v", asked.Turns)
		}
	})
}

// TestPressWithoutEffectIsExplained to the person who pressed only, and to the author of a message in place of a button in the
// thread.
func TestPressWithoutEffectIsExplained(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 5, Exempt: []quota.Entry{{Adapter: "chat", Kind: quota.User, ID: "bob"}}, Deny: denies("eve")}))
	r := h.ask(j, h.says("t", "ann", "blur|slow|sharpen"))
	answer := r.Runs[0].Sent
	g := h.planner.blocks("slow")
	h.chooses(j, "bob", r, 1, true)
	<-g.entered
	h.chooses(j, "bob", r, 1, true)
	close(g.open)
	h.wait(j, r.ID, 2)
	h.chooses(j, "bob", r, 1, true)
	if told := h.told(h.ask(j, h.replies("ann", answer, true, "1"))); told != "That was done already. The answer is in this thread." {
		t.Errorf("after a number, ann is told %q", told)
	}
	h.chooses(j, "eve", r, 2, true)
	h.chooses(j, "eve", r, 2, false)
	again := h.planner.blocks("blur")
	h.handle(j, h.reacts("bob", answer, "🔁", true))
	<-again.entered
	h.handle(j, h.reacts("bob", answer, "🔁", true))
	hello := h.replies("bob", answer, true, "!hello")
	h.ask(j, hello)
	for _, twice := range []adapters.Event{h.replies("bob", answer, true, "again"), h.edits(hello, time.Second, "again")} {
		if told := h.told(h.ask(j, twice)); told != "That is already in progress." {
			t.Errorf("in words, bob is told %q", told)
		}
	}
	close(again.open)
	h.wait(j, r.ID, 3)
	for range 6 { // 4 are within the limit, and the next one is refused in the thread
		h.handle(j, h.reacts("ann", answer, "🔁", true))
		if n := len(h.runs(j, r)); n < 9 {
			h.wait(j, r.ID, n)
		}
	}
	want := []string{
		"bob: That is already in progress.", "bob: That was done already. The answer is in this thread.",
		"eve: I am not allowed to work for you here. The operator can change that.", "bob: That is already in progress.",
		"ann: You have reached the limit of requests here, which is 5 an hour.",
	}
	h.chat.until(t, "all explanations", func() bool { return len(h.chat.private) >= len(want) })
	for _, one := range want {
		if !slices.ContainsFunc(h.chat.private, func(told string) bool { return strings.HasPrefix(told, one) }) {
			t.Errorf("%q is not among %q", one, h.chat.private)
		}
	}
	if len(h.chat.private) != len(want) {
		t.Errorf("told are %q", h.chat.private)
	}
}

// TestDeletedAnswerIsRecorded: picking the number of a deleted answer runs it again, and the deleted answer's own numbers say
// that they are gone. An answer of several messages is deleted with the one that has the numbers.
func TestDeletedAnswerIsRecorded(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"by its sign", "on the platform"} {
		h := enter(t)
		h.chat.parts = 2
		j := h.start()
		r := h.ask(j, h.says("t", "ann", "blur|sharpen|caption"))
		first := r.Runs[0].Sent
		h.handle(j, h.reacts("ann", first, adapters.Digit(1), true))
		second := h.wait(j, r.ID, 2).Runs[1].Sent
		for _, id := range second.Parts {
			h.handle(j, h.deletes(adapters.MessageRef{Adapter: "chat", Channel: "c", ID: id}))
		}
		h.handle(j, h.reacts("ann", first, adapters.Digit(1), true))
		if how == "by its sign" {
			h.handle(j, h.reacts("ann", second, "🗑", true))
		}
		h.handle(j, h.deletes(second)) // the platform reports both deletions
		h.handle(j, h.reacts("ann", first, adapters.Digit(1), true))
		if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done || h.planner.count("sharpen") != 1 {
			t.Errorf("%s: then it is %s", how, r.Runs[2].Status)
		}
		h.handle(j, h.reacts("ann", second, adapters.Digit(2), true))
		h.handle(j, h.reacts("ann", second, adapters.Digit(2), true))
		r = h.wait(j, r.ID, 4)
		if p, _ := h.chat.post(r.Runs[3].Sent); p.reply.Text != "That answer was deleted, and its numbers with it. Please send your request again." || len(r.Runs) != 4 {
			t.Errorf("%s: its numbers say %q, %d runs", how, p.reply.Text, len(r.Runs))
		}
	}
}

// TestDeletingAnswerStopsNothing: other runs of the request continue.
func TestDeletingAnswerStopsNothing(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("sharpen")
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	<-g.entered
	h.handle(j, h.deletes(r.Runs[0].Sent))
	close(g.open)
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done {
		t.Errorf("it is %s", r.Runs[1].Status)
	}
}

func TestInvalidChoice(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	ctx := t.Context()
	for what, err := range map[string]error{
		"the request": second(j.Choose(ctx, "unknown", 1, plan.Choice{0}, "ann")), "the run": second(j.Choose(ctx, r.ID, 2, plan.Choice{0}, "ann")),
		"once more": second(j.Again(ctx, "unknown", "ann")),
	} {
		if !errors.Is(err, jobs.ErrUnknown) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, c := range []plan.Choice{{2}, {}, {0, 0}} {
		if _, err := j.Choose(ctx, r.ID, 1, c, "ann"); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestPlanOnlyThenRun(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	id, err := j.Submit(t.Context(), h.says("t", "ann", "blur|sharpen"), jobs.Options{PlanOnly: true})
	check(t, err)
	r := h.wait(j, id, 1)
	if r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 0 || h.planner.count("blur") != 0 {
		t.Errorf("the run is %s, sent are %d", r.Runs[0].Status, len(h.chat.all()))
	}
	n, err := j.Choose(t.Context(), id, 1, plan.Choice{1}, "ann")
	check(t, err)
	if r = h.wait(j, id, n); r.Runs[1].Status != jobs.Done || len(h.chat.all()) != 1 || h.planner.count("sharpen") != 1 {
		t.Errorf("the run is %s", r.Runs[1].Status)
	}
	id, err = j.Submit(t.Context(), h.says("t", "ann", "?which"), jobs.Options{PlanOnly: true})
	check(t, err)
	if r = h.wait(j, id, 1); r.Runs[0].Status != jobs.Asking || h.told(r) != "which" {
		t.Errorf("the run is %s", r.Runs[0].Status)
	}
}

// TestRepeatHasItsOwnTime: a repeat has its own time, which matters for "what time is it".
func TestRepeatHasItsOwnTime(t *testing.T) {
	t.Parallel()
	h := enter(t)
	var planned []time.Time
	h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		planned = append(planned, r.At) // one plan after another
		return read("blur"), nil
	}
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur"))
	n, err := j.Again(t.Context(), r.ID, "ann")
	check(t, err)
	if r = h.wait(j, r.ID, n); len(planned) != 2 || !planned[0].Equal(r.At) || !planned[1].Equal(r.Runs[1].At) || !planned[1].After(planned[0]) {
		t.Errorf("planned for %v, asked at %v and %v", planned, r.At, r.Runs[1].At)
	}
}
