package jobs_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/jobs/quota"
)

// held is a process with a quota.
func held(q quota.Config) func(*jobs.Config) { return func(c *jobs.Config) { c.Quota = q } }

// denies is a list of one person.
func denies(by string) []quota.Entry {
	return []quota.Entry{{Adapter: "chat", Kind: quota.User, ID: by}}
}

// refusals counts refusals.
type refusals struct {
	jobs.Metrics

	mu  sync.Mutex
	all map[string]int
}

func (r *refusals) Refused(adapter, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[adapter+" "+why]++
}

// counted counts the refusals of a process.
func counted(to *refusals) func(*jobs.Config) {
	return func(c *jobs.Config) { c.Metrics = to }
}

func TestTooManyRequestsAreRefusedOnce(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		limits := held(quota.Config{Requests: 2})
		j, other := h.start(limits), h.start(limits)
		for _, one := range []*jobs.Jobs{j, other} {
			if r := h.ask(one, h.says("t", "ann", "!hello")); r.Runs[0].Status != jobs.Done {
				h.t.Errorf("it is %s", r.Runs[0].Status)
			}
		}
		e := h.says("t", "ann", "blur")
		r := h.ask(j, e)
		h.handle(other, e) // a repeated event
		if told := h.told(r); !strings.HasPrefix(told, "You have reached the limit of requests here, which is 2 an hour. Ask again in ") ||
			!strings.HasSuffix(told, ". If you write here again soon, I only mark your message with ⛔.") {
			h.t.Errorf("the reply is %q", told)
		}
		if r.Runs[0].Status != jobs.Failed || r.Runs[0].Stopped != "refused" || h.planner.count("plan") != 2 {
			h.t.Errorf("it is %s, %s", r.Runs[0].Status, r.Runs[0].Stopped)
		}
		h.chat.untilShown(h.t, e.Message.Ref.ID, adapters.Refused)
		for i := range 50 { // a flood, each in a thread of its own
			e := h.says(fmt.Sprint("t", i), "ann", "blur")
			h.handle([]*jobs.Jobs{j, other}[i%2], e)
			h.chat.untilShown(h.t, e.Message.Ref.ID, adapters.Refused)
		}
		if r := h.ask(j, h.says("t", "bob", "!hi")); h.told(r) != "hi" { // another person
			h.t.Errorf("bob is told %q", h.told(r))
		}
		if n := len(h.chat.all()); n != 4 {
			h.t.Errorf("%d messages", n)
		}
		again := h.reacts("bob", e.Message.Ref, "🔁", true) // on a refused request, by a person who may ask
		h.handle(j, again)
		if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Done {
			h.t.Errorf("once more it is %s", r.Runs[1].Status)
		}
	})
}

func TestRefusalIsTranslatedAndBlocksNobody(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := &refusals{Metrics: jobs.NoMetrics(), all: map[string]int{}}
	j := h.start(held(quota.Config{AtOnce: 1}), counted(m), func(c *jobs.Config) {
		c.Tell = func(language string, m plan.Message) string { return language + ": " + m.String() }
	})
	g := h.planner.blocks("slow")
	first := h.handle(j, h.says("t", "ann", "slow"))
	<-g.entered
	r := h.ask(j, h.says("t", "ann", "把图片变成黑白")) // at once, although the first one runs
	if told := h.told(r); !strings.HasPrefix(told, "zh-Hans: You already have 1 requests in progress.") {
		t.Errorf("the reply is %q", told)
	}
	if r.Runs[0].Stopped != "refused" || m.all["chat at_once"] != 1 {
		t.Errorf("counted is %v", m.all)
	}
	close(g.open)
	h.wait(j, first, 1)
	if r := h.ask(j, h.says("t2", "ann", "!hello")); r.Runs[0].Status != jobs.Done {
		t.Errorf("after the first it is %s: %s", r.Runs[0].Status, h.told(r))
	}
	if strings.Contains(h.log.String(), "ann") || strings.Contains(h.log.String(), "黑白") {
		t.Error("the log names people or wishes")
	}
}

func TestRefusedAnswerKeepsQuestionOpen(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Requests: 1}))
	asks := h.ask(j, h.says("t", "ann", "?which picture"))
	h.ask(j, h.says("t", "ann", "the first"))
	answers := h.says("t", "bob", "the second")
	answers.Message.ReplyTo = &adapters.Earlier{Ref: asks.Runs[0].Sent, Own: true, By: adapters.Person{ID: "bot"}}
	r := h.ask(j, answers)
	if q := h.planner.request(r.ID).Question; q == nil || q.Text != "which picture" {
		t.Errorf("the question is %+v", q)
	}
}

func TestDeniedPersonIsToldOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Deny: denies("eve")}))
	r := h.ask(j, h.says("t", "eve", "blur"))
	if told := h.told(r); told != "I am not allowed to work for you here. The operator can change that. If you write here again soon, I only mark your message with ⛔." || h.planner.count("plan") != 0 {
		t.Errorf("the reply is %q", told)
	}
	h.ask(j, h.says("t", "ann", "?which"))
	for i := range 20 {
		e := h.says(fmt.Sprint("t", i), "eve", "blur")
		h.handle(j, e)
	}
	h.handle(j, h.overhears("eve", "that one"))
	for _, name := range []string{adapters.HomeCommand, adapters.PromptsCommand, adapters.ToolsCommand} {
		h.handle(j, h.commands("t", "eve", name))
	}
	h.chat.until(t, "a word about the typed command only", func() bool { return len(h.chat.private) > 0 })
	if e := h.overhears("ann", "the first"); h.told(h.ask(j, e)) == "" { // whose question is still open
		t.Error("there is no reply")
	}
	if n := len(h.chat.all()); n != 3 || len(h.chat.private) != 1 {
		t.Errorf("%d messages, and in private %q", n, h.chat.private)
	}
}

// TestMarkingIsAllowedByLink even if only some people may ask, but not in a denied place.
func TestMarkingIsAllowedByLink(t *testing.T) {
	t.Parallel()
	ann := []quota.Entry{{Adapter: "chat", Kind: quota.User, ID: "ann"}}
	for name, c := range map[string]struct {
		config quota.Config
		taken  bool
	}{
		"for one person":      {quota.Config{Allow: ann}, true},
		"in a denied channel": {quota.Config{Deny: []quota.Entry{{Adapter: "chat", Kind: quota.Channel, ID: "c"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			mark := h.says("t", "pointing-link", "")
			mark.Kind, mark.Message, mark.Mark = adapters.PictureMarked, nil, &adapters.Mark{
				Picture: "a", Width: 9, Height: 9, Points: []adapters.Point{{X: 1, Y: 1}},
			}
			err := h.start(held(c.config)).Handle(t.Context(), mark)
			kept, e := h.state.Keys(t.Context(), "thread-"+jobs.ThreadID(mark.Thread))
			check(t, e)
			if c.taken && (err != nil || len(kept) == 0) || !c.taken && !errors.Is(err, adapters.ErrForbidden) {
				t.Errorf("kept are %v: %v", kept, err)
			}
		})
	}
}

func TestSignsOfDeniedPeople(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Deny: denies("eve")}))
	g := h.planner.blocks("slow")
	r := h.ask(j, h.says("t", "ann", "blur|slow"))
	on := r.Runs[0].Sent
	admin := h.reacts("eve", on, "🗑", true)
	admin.By.Admin = true
	for _, e := range []adapters.Event{h.reacts("eve", on, adapters.Digit(1), true), h.reacts("eve", on, "🔁", true), admin} {
		h.handle(j, e)
	}
	h.handle(j, h.reacts("ann", on, adapters.Digit(1), true))
	<-g.entered
	h.handle(j, h.reacts("eve", on, "🛑", true))
	close(g.open)
	if r = h.wait(j, r.ID, 2); len(r.Runs) != 2 || r.Runs[1].Status != jobs.Done || len(h.chat.deleted) != 0 {
		t.Errorf("%d runs, the last is %s", len(r.Runs), r.Runs[1].Status)
	}
}

func TestDailyMedia(t *testing.T) {
	t.Parallel()
	const limit = "You have reached your daily upload limit, which is 10 B. Send it again in "
	h := enter(t)
	j := h.start(held(quota.Config{Bytes: 10}))
	big := h.chat.upload("big.png", "PNG of eleven bytes")
	big.Size = 19
	if told := h.told(h.ask(j, h.says("t", "bob", "caption", big))); !strings.HasPrefix(told, "That is more than your daily upload limit") || h.chat.fetches != 0 {
		t.Errorf("the reply is %q, fetched %d times", told, h.chat.fetches)
	}
	six := h.chat.upload("a.png", "PNG--6")
	if r := h.ask(j, h.says("t", "ann", "caption", six)); r.Runs[0].Status != jobs.Done {
		t.Errorf("six bytes: %s", h.told(r))
	}
	for _, told := range []int64{0, 6} { // announced size
		six.Size = told
		if got := h.told(h.ask(j, h.says("t", "ann", "caption", six))); !strings.HasPrefix(got, limit) {
			t.Errorf("the reply is %q", got)
		}
	}
	if r := h.ask(j, h.says("t", "bob", "caption", six)); r.Runs[0].Status != jobs.Done {
		t.Errorf("somebody else: %s", h.told(r))
	}
}

// TestRefetchedFileCountsOnce: the first attempt fails after the file was counted.
func TestRefetchedFileCountsOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(held(quota.Config{Bytes: 10}))
	h.chat.onFetch = func(n int, _ adapters.File) error {
		if n == 2 {
			return &adapters.Fault{Sentence: "Away."}
		}
		return nil
	}
	a, b := h.chat.upload("a.png", "PNG--6"), h.chat.upload("b.png", "PNG4")
	a.Size, b.Size = 6, 4
	if r := h.ask(j, h.says("t", "ann", "caption", a, b)); r.Runs[0].Status != jobs.Done || h.chat.fetches != 4 {
		t.Errorf("it is %s, fetched %d times", r.Runs[0].Status, h.chat.fetches)
	}
}
