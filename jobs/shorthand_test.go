package jobs_test

import (
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage/storagetest"
)

// TestNumberChoosesAlternative from the latest list of the thread, once.
func TestNumberChoosesAlternative(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j, other := h.start(), h.start()
		r := h.ask(j, h.says("t", "ann", "blur|sharpen", h.chat.upload("a.png", "PNG-a")))
		h.ask(j, h.says("t", "ann", "!No. That is too bad."))
		e := h.says("t", "bob", "1.")
		h.handle(j, e)
		h.handle(other, e) // a repeated event
		r = h.wait(j, r.ID, 2)
		h.handle(other, e)
		h.chat.untilShown(h.t, e.Message.Ref.ID, adapters.Seen, adapters.Done)
		if p, _ := h.chat.post(r.Runs[1].Sent); len(r.Runs) != 2 || r.Runs[1].Status != jobs.Done || p.reply.Mention != "bob" || h.planner.count("sharpen") != 1 {
			h.t.Errorf("%d runs, the second is %s for %q", len(h.runs(j, r)), r.Runs[1].Status, p.reply.Mention)
		}
		again := h.ask(j, h.says("t", "ann", "7"))
		if asked := h.planner.request(again.ID); asked.Wish != "7" {
			h.t.Errorf("a number of no list is planned as %q", asked.Wish)
		}
	})
}

// replies is a message that replies to an answer of the bot or to a person's message.
func (h *house) replies(by string, to adapters.MessageRef, own bool, text string) adapters.Event {
	e := h.says("t", by, text)
	e.Message.ReplyTo = &adapters.Earlier{Ref: to, Own: own, By: adapters.Person{ID: "somebody"}, At: e.At}
	return e
}

// TestRepliesInPlaceOfButtons are about what they reply to, and not about the latest answer or request.
func TestRepliesInPlaceOfButtons(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	older := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	h.ask(j, h.says("t", "ann", "edge|caption"))
	h.handle(j, h.replies("bob", older.Runs[0].Sent, true, "1"))
	if r := h.wait(j, older.ID, 2); r.Runs[1].Status != jobs.Done || h.planner.count("sharpen") != 1 {
		t.Errorf("the older list's number is %s", r.Runs[1].Status)
	}
	h.handle(j, h.replies("bob", older.Runs[0].Sent, true, "again"))
	h.wait(j, older.ID, 3)
	if n := h.planner.count("blur"); n != 2 {
		t.Errorf("the older request ran %d times", n)
	}
	asked := h.asks(j)
	h.handle(j, h.replies("ann", older.Runs[0].Sent, true, "again"))
	if r := h.wait(j, older.ID, 4); r.Runs[3].Status != jobs.Done {
		t.Errorf("while a question is open, it is %s", r.Runs[3].Status)
	}
	h.handle(j, h.says("t", "ann", "again")) // the question is no answer
	if r := h.wait(j, older.ID, 5); r.Runs[4].Status != jobs.Done {
		t.Errorf("while a question is open, the latest answer again is %s", r.Runs[4].Status)
	}
	if r := h.ask(j, h.replies("ann", asked.Runs[0].Sent, true, "2")); h.planner.request(r.ID).Wish != "edge" {
		t.Errorf("a reply to the question is planned as %q", h.planner.request(r.ID).Wish)
	}

	g := h.planner.blocks("slow")
	wish := h.says("t", "ann", "slow")
	first := h.handle(j, wish)
	<-g.entered
	second := h.handle(j, h.says("t", "ann", "picture"))
	if told := h.reply(h.ask(j, h.replies("eve", wish.Message.Ref, false, "stop"))); told.Text != "Only the person who asked for this, or an admin, can stop it." || told.Answer {
		t.Errorf("eve is told %+v", told)
	}
	h.handle(j, h.replies("ann", wish.Message.Ref, false, "stop"))
	if r := h.wait(j, first, 1); r.Runs[0].Status != jobs.Cancelled {
		t.Errorf("what is replied to is %s", r.Runs[0].Status)
	}
	if r := h.wait(j, second, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("the latest is %s", r.Runs[0].Status)
	}
	if told := h.told(h.ask(j, h.replies("ann", wish.Message.Ref, false, "stop"))); told != "Nothing of yours is in progress here." {
		t.Errorf("ann is told %q", told)
	}
}

// TestNumberChoosesResult of several, for the person's next message.
func TestNumberChoosesResult(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	m.seeds(h.blobs)
	j := h.start(reworking(m))
	r := h.ask(j, h.says("t", "ann", "pic"))
	h.ask(j, h.reacts("ann", r.Runs[0].Sent, "🎲", true))
	told := h.reply(h.ask(j, h.says("t", "bob", "2")))
	if told.Text != "Your next message here works on number 2, "+adapters.Escape("fox-2.png")+"." || told.Mention != "bob" {
		t.Errorf("the reply is %+v", told)
	}
	same := h.says("t", "bob", "2")
	h.handle(j, same)
	h.chat.untilShown(t, same.Message.Ref.ID, adapters.Done)
	next := h.ask(j, h.overhears("bob", "blur"))
	if got := given(h.planner.request(next.ID)); !strings.HasPrefix(got, "seed1-") {
		t.Errorf("the next message works on %q", got)
	}
}

// TestNumberChoosesAnotherGuess after somebody else picked one of the same question.
func TestNumberChoosesAnotherGuess(t *testing.T) {
	t.Parallel()
	h := enter(t)
	c := storagetest.NewClock()
	j := h.start(func(config *jobs.Config) { config.Now = c.Now })
	question := h.asks(j)
	h.chooses(j, "bob", question, 2, true)
	h.wait(j, question.ID, 2)
	r := h.ask(j, h.says("t", "ann", "1"))
	asked := h.planner.request(r.ID)
	if asked.Wish != "blur" || asked.Question != nil || len(asked.Given) != 1 || asked.Given[0].File != "a.png" || r.Runs[0].Status != jobs.Done {
		t.Errorf("planned is %+v, which is %s", asked, r.Runs[0].Status)
	}
	talk := h.overhears("eve", "well")
	h.handle(j, talk)
	edit := h.edits(talk, time.Minute, "#2")
	edit.Message.For = adapters.Mentioned
	h.handle(j, edit)
	if r = h.wait(j, jobs.RequestID(talk), 1); h.planner.request(r.ID).Wish != "edge" {
		t.Errorf("a message that becomes a number is planned as %q", h.planner.request(r.ID).Wish)
	}
	c.Pass(25 * time.Hour)
	if late := h.ask(j, h.says("t", "bob", "1")); h.planner.request(late.ID).Wish != "1" {
		t.Errorf("of an expired question it is planned as %q", h.planner.request(late.ID).Wish)
	}
}

// TestMessageInPlaceOfButtonIsCorrected by an edit, which takes back what it started, and stopped by its deletion and by a sign
// on it.
func TestMessageInPlaceOfButtonIsCorrected(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		slow := h.planner.blocks("slow")
		j := h.start(func(c *jobs.Config) { c.Quota = quota.Config{AtOnce: 1} })
		r := h.ask(j, h.says("t", "ann", "blur|slow|sharpen"))
		number := h.says("t", "ann", "1")
		h.handle(j, number)
		<-slow.entered
		h.handle(j, h.edits(number, time.Second, "1."))
		edit := h.edits(number, 2*time.Second, "2")
		h.handle(j, edit)
		h.handle(j, edit) // a repeated event
		r = h.wait(j, r.ID, 3)
		if r.Runs[1].Status != jobs.Cancelled || r.Runs[2].Status != jobs.Done || len(r.Runs) != 3 || len(h.chat.all()) != 2 {
			h.t.Fatalf("%d runs, the first number is %s, the second %s, %d messages", len(r.Runs), r.Runs[1].Status, r.Runs[2].Status, len(h.chat.all()))
		}
		h.handle(j, h.edits(number, 3*time.Second, "again")) // after the answer
		if r = h.wait(j, r.ID, 4); r.Runs[3].Status != jobs.Done || h.planner.count("sharpen") != 2 {
			h.t.Errorf("again it is %s, sharpened %d times", r.Runs[3].Status, h.planner.count("sharpen"))
		}
		for n, stop := range []func(m adapters.Event) adapters.Event{
			func(m adapters.Event) adapters.Event { return h.deletes(m.Message.Ref) },
			func(m adapters.Event) adapters.Event { return h.reacts("ann", m.Message.Ref, "🛑", true) },
			func(m adapters.Event) adapters.Event { return h.edits(m, time.Second, "stop") },
		} {
			m := h.replies("ann", r.Runs[0].Sent, true, "1")
			h.handle(j, m)
			<-slow.entered
			h.handle(j, stop(m))
			if r = h.wait(j, r.ID, 5+n); r.Runs[4+n].Status != jobs.Cancelled || (n == 0) != r.Runs[4+n].Sent.IsZero() {
				h.t.Errorf("%d: it is %s, told at %v", n, r.Runs[4+n].Status, r.Runs[4+n].Sent)
			}
		}
	})
}

// TestAgainRepeatsTheLastAnswerSeen although a run that was replaced may have ended after it.
func TestAgainRepeatsTheLastAnswerSeen(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		slow := h.planner.blocks("slow")
		j := h.start()
		r := h.ask(j, h.says("t", "ann", "blur|slow|sharpen"))
		number := h.says("t", "ann", "1")
		h.handle(j, number)
		<-slow.entered
		h.handle(j, h.edits(number, time.Second, "2"))
		h.wait(j, r.ID, 3)
		h.wait(j, r.ID, 2)
		h.handle(j, h.says("t", "ann", "again"))
		if r = h.wait(j, r.ID, 4); r.Runs[3].Status != jobs.Done || h.planner.count("sharpen") != 2 {
			h.t.Errorf("again it is %s, sharpened %d times", r.Runs[3].Status, h.planner.count("sharpen"))
		}
	})
}

// TestNumberTakenBackByOneOfTwo: an edit of a shared number stops nothing.
func TestNumberTakenBackByOneOfTwo(t *testing.T) {
	t.Parallel()
	h := enter(t)
	slow := h.planner.blocks("slow")
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|slow|sharpen"))
	h.handle(j, h.says("t", "bob", "1"))
	<-slow.entered
	number := h.says("t", "ann", "1")
	h.handle(j, number)
	h.handle(j, h.edits(number, time.Second, "2"))
	h.wait(j, r.ID, 3)
	close(slow.open)
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done || r.Runs[2].Status != jobs.Done {
		t.Errorf("bob's is %s, ann's %s", r.Runs[1].Status, r.Runs[2].Status)
	}
}

// TestNumberChosenTooOften and taken back each time is refused with a word.
func TestNumberChosenTooOften(t *testing.T) {
	t.Parallel()
	h := enter(t)
	slow := h.planner.blocks("slow")
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|slow"))
	for n := range 5 {
		h.chooses(j, "bob", r, 1, true)
		<-slow.entered
		h.chooses(j, "bob", r, 1, false)
		h.wait(j, r.ID, n+2)
	}
	if told := h.told(h.ask(j, h.says("t", "bob", "1"))); !strings.HasPrefix(told, "You chose this too often. Please send a new request.") {
		t.Errorf("bob is told %q", told)
	}
}

// TestEditedStop: a message that has stopped something is a request when its words become one, and stops nothing else.
func TestEditedStop(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start()
	h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	stop := h.says("t", "ann", "stop")
	h.handle(j, stop)
	next := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	h.handle(j, h.edits(stop, time.Second, "stop it"))
	close(g.open)
	if r := h.wait(j, next, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("the next request is %s", r.Runs[0].Status)
	}
	if r := h.ask(j, h.edits(stop, 2*time.Second, "sharpen")); h.told(r) != "Here it is." {
		t.Errorf("the edited message is answered with %q", h.told(r))
	}
}

// TestStopInWords stops what the person asked for last, closes an open question, or says that nothing is in progress.
func TestStopInWords(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	j := h.start()
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	if told := h.told(h.ask(j, h.says("t", "bob", "Stop!"))); told != "Nothing of yours is in progress here." {
		t.Errorf("somebody else is told %q", told)
	}
	stop := h.says("t", "ann", "please, stop it!")
	h.handle(j, stop)
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Cancelled {
		t.Errorf("the request is %s", r.Runs[0].Status)
	}
	h.chat.untilShown(t, stop.Message.Ref.ID, adapters.Done)
	close(g.open)
	posted := len(h.chat.all())
	if h.handle(j, stop); len(h.chat.all()) != posted {
		t.Error("a repeated event is answered")
	}
	if _, err := j.Show(t.Context(), jobs.RequestID(stop)); err == nil {
		t.Error("a repeated event is a request")
	}

	h.asks(j)
	if told := h.told(h.ask(j, h.says("t", "ann", "Never mind."))); told != "All right, I will leave it as it is." {
		t.Errorf("the asker of a question is told %q", told)
	}
	next := h.ask(j, h.says("t", "ann", "sharpen"))
	if h.planner.request(next.ID).Question != nil {
		t.Error("the question is still open")
	}
}

// TestAgainInWords runs the latest request of the thread again, and without one is a request like any other.
func TestAgainInWords(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.open = true // so that refusals are notices in the thread
	j := h.start()
	if first := h.ask(j, h.says("t", "ann", "once more")); h.planner.request(first.ID).Wish != "once more" {
		t.Error("nothing was there to be run again")
	}
	r := h.ask(j, h.says("t", "ann", "pic"))
	again := h.says("t", "bob", "Do it again, please!")
	h.handle(j, again)
	h.handle(j, again) // a repeated event
	r = h.wait(j, r.ID, 2)
	h.chat.untilShown(t, again.Message.Ref.ID, adapters.Seen, adapters.Done)
	if p, _ := h.chat.post(r.Runs[1].Sent); len(r.Runs) != 2 || h.planner.count("pic") != 2 || p.reply.Mention != "bob" {
		t.Errorf("%d runs, drawn %d times, for %q", len(r.Runs), h.planner.count("pic"), p.reply.Mention)
	}
	notices := []jobs.Request{h.ask(j, h.says("t", "ann", "!You are welcome!")), h.ask(j, h.reacts("ann", r.Runs[0].Sent, "📌", true))}
	posts := len(h.chat.all())
	refusal := h.handle(j, h.reacts("eve", r.Runs[0].Sent, "🗑", true))
	h.chat.until(t, "a refusal", func() bool { return len(h.chat.posts) > posts })
	notices = append(notices, h.wait(j, refusal, 1))
	h.handle(j, h.says("t", "bob", "again"))
	if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done {
		t.Errorf("after notices it is %s", r.Runs[2].Status)
	}
	for _, notice := range notices {
		h.handle(j, h.reacts("bob", notice.Runs[0].Sent, "🔁", true))
		if n := len(h.runs(j, notice)); n != 1 {
			t.Errorf("%q is run %d times", h.told(notice), n)
		}
	}
}

// TestVaryInWords makes variations of the latest results that can be varied.
func TestVaryInWords(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	m.seeds(h.blobs)
	j := h.start(reworking(m))
	h.ask(j, h.says("t", "ann", "pic"))
	r := h.ask(j, h.says("t", "ann", "more like this"))
	if r.Runs[0].Status != jobs.Done || len(r.Runs[0].Made) < 2 || m.asked[r.ID].Wish == "more like this" {
		t.Errorf("the run is %s and made %d of %q", r.Runs[0].Status, len(r.Runs[0].Made), m.asked[r.ID].Wish)
	}
}
