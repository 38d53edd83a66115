package jobs_test

import (
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage/storagetest"
)

// passedOver reports whether an event was ignored.
func (h *house) passedOver(j *jobs.Jobs, e adapters.Event) bool {
	h.t.Helper()
	id := h.handle(j, e)
	_, err := j.Show(h.t.Context(), id)
	return err != nil
}

func TestPrivateTalkNeedsNoMention(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	if !h.passedOver(j, h.overhears("ann", "blur")) {
		t.Error("a thread in which the bot has never been is taken for a talk with it")
	}
	h.ask(j, h.says("t", "ann", "blur"))
	if h.passedOver(j, h.overhears("ann", "sharpen")) {
		t.Error("the only person is ignored")
	}
	if !h.passedOver(j, h.overhears("bob", "hello ann")) {
		t.Error("somebody else is taken for the one who talks with the bot")
	}
	if !h.passedOver(j, h.overhears("ann", "hello bob")) {
		t.Error("two people are interrupted")
	}
	if h.passedOver(j, h.says("t", "bob", "blur")) {
		t.Error("a mention is ignored")
	}
	entries, err := h.state.Read(t.Context(), "thread-"+jobs.ThreadID(place1("t"))+"/log", 0)
	check(t, err)
	for _, b := range entries {
		for _, text := range []string{"hello", "Name of"} {
			if contains(b, text) {
				t.Errorf("what was not meant for the bot is kept: %s", b)
			}
		}
	}
}

// TestAnswerToQuestion asks a question in a thread of several people, who then write.
func TestAnswerToQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by      string
		replies bool          // replies to the question
		after   time.Duration // time since the question
		mention bool
		answers bool
		heard   bool
	}{
		"by who was asked":                {by: "ann", answers: true, heard: true},
		"by somebody else, to it":         {by: "bob", replies: true, answers: true, heard: true},
		"by somebody else, not to it":     {by: "bob"},
		"by somebody else, who asks":      {by: "bob", mention: true, heard: true},
		"in time":                         {by: "ann", after: 24 * time.Hour, answers: true, heard: true},
		"too late":                        {by: "ann", after: 24*time.Hour + time.Second},
		"too late, as a request":          {by: "ann", after: 25 * time.Hour, mention: true, heard: true},
		"too late, to it":                 {by: "bob", replies: true, after: 25 * time.Hour},
		"before it was asked, by a clock": {by: "ann", after: -5 * time.Hour, answers: true, heard: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			now := storagetest.NewClock()
			j := h.start(func(c *jobs.Config) { c.Now = now.Now })
			h.ask(j, h.says("t", "bob", "!hello"))
			asking := h.ask(j, h.says("t", "ann", "?Which one?", h.chat.upload("a.png", "PNG a")))
			now.Pass(c.after)
			e := h.overhears(c.by, "blur")
			if c.mention {
				e.Message.For = adapters.Mentioned
			}
			if c.replies {
				e.Message.ReplyTo = &adapters.Earlier{Ref: asking.Runs[0].Sent, Own: true, By: adapters.Person{ID: "bot"}, At: e.At}
			}
			if h.passedOver(j, e) == c.heard {
				t.Fatalf("accepted: %v", !c.heard)
			}
			if !c.heard {
				return
			}
			r := h.wait(j, jobs.RequestID(e), 1)
			asked := h.planner.request(r.ID)
			if (asked.Question != nil) != c.answers {
				t.Fatalf("the question is %+v", asked.Question)
			}
			if q := asked.Question; q != nil && (q.Text != "Which one?" || q.Wish != "?Which one?") {
				t.Errorf("the question is %+v", q)
			}
			if len(asked.Earlier) != 1 || asked.Earlier[0].File != "a.png" {
				t.Errorf("earlier are %+v", asked.Earlier)
			}
			again := h.overhears("ann", "sharpen")
			if closed := h.passedOver(j, again); closed != (c.answers || c.after > 24*time.Hour) {
				t.Errorf("the question is closed: %v", closed)
			}
		})
	}
}

func TestInsufficientAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.ask(j, h.says("t", "ann", "?Which one?"))
	h.ask(j, h.says("t", "ann", "?And how?"))
	r := h.ask(j, h.says("t", "ann", "blur"))
	q := h.planner.request(r.ID).Question
	if q == nil || q.Text != "And how?" || q.Wish != "?Which one?, ?And how?" {
		t.Errorf("the question is %+v", q)
	}
}
