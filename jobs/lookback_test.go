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
)

// archive is a chat with the history of its threads.
type archive struct {
	*chat

	mu     sync.Mutex
	past   []adapters.Earlier
	fail   error
	looked int
}

// Before returns the messages before a message, ordered by id.
func (a *archive) Before(_ context.Context, _ adapters.Thread, message adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.looked++
	var all []adapters.Earlier
	for _, m := range a.past {
		switch m.Ref.ID {
		case message.ID:
			return all[max(0, len(all)-n):], a.fail
		case after:
			all = nil
			continue
		}
		all = append(all, m)
	}
	return all[max(0, len(all)-n):], a.fail
}

// write adds the message of an event, or one without an event.
func (a *archive) write(e adapters.Event) adapters.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.past = append(a.past, adapters.Earlier{Ref: e.Message.Ref, By: e.By, At: e.At, Text: e.Message.Text, Files: e.Message.Files})
	return e
}

func (a *archive) calls() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.looked
}

// lookingBack starts a process that can read the history.
func lookingBack(t *testing.T, change ...func(*jobs.Config)) (*house, *jobs.Jobs, *archive) {
	t.Helper()
	h := enter(t)
	a := &archive{chat: h.chat}
	return h, h.start(append([]func(*jobs.Config){func(c *jobs.Config) { c.Adapters = []adapters.Adapter{a} }}, change...)...), a
}

// files returns the names of people's files among resources.
func files(all []plan.Resource) string {
	var names []string
	for _, r := range all {
		if r.File != "" {
			names = append(names, r.File)
		}
	}
	return strings.Join(names, " ")
}

func wishes(turns []plan.Turn) string {
	var all []string
	for _, t := range turns {
		all = append(all, t.Wish)
	}
	return strings.Join(all, " | ")
}

// TestEarlierMessagesOfThread becomes turns and resources, each once.
func TestEarlierMessagesOfThread(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t)
	a.write(h.says("t", "bob", "look at this", h.chat.upload("bob.png", "PNG b"), h.chat.upload("bad.png", "BAD")))
	a.write(h.says("t", "cid", ""))
	a.write(h.says("t", "cid", "and this", h.chat.upload("notes.txt", "notes")))
	first := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "blur"))).ID)
	if got := files(first.Earlier); got != "bob.png notes.txt" || len(first.Given) != 0 {
		t.Errorf("earlier are %q, given %+v", got, first.Given)
	}
	if got := wishes(first.Turns); got != "Name of bob: look at this ["+first.Earlier[0].Name+"] | Name of cid: and this ["+first.Earlier[1].Name+"]" {
		t.Errorf("the turns are %q", got)
	}
	if !h.passedOver(j, a.write(h.overhears("ann", "hello bob"))) {
		t.Error("people who wrote before are interrupted")
	}
	a.write(h.says("t", "bob", "one more", h.chat.upload("more.png", "PNG m")))
	second := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "sharpen", h.chat.upload("own.png", "PNG o")))).ID)
	if got := files(second.Earlier); got != "bob.png notes.txt more.png" {
		t.Errorf("earlier are then %q", got)
	}
	if got := wishes(second.Turns); !strings.HasSuffix(got, "| blur | Name of ann: hello bob | Name of bob: one more ["+second.Earlier[len(second.Earlier)-1].Name+"]") || strings.Count(got, "look at this") != 1 {
		t.Errorf("the turns are then %q", got)
	}
	third := h.planner.request(h.ask(j, a.write(h.says("t", "bob", "blur"))).ID)
	if got := files(third.Earlier); got != "bob.png notes.txt more.png own.png" {
		t.Errorf("earlier are at last %q", got)
	}
	if n := strings.Count(wishes(third.Turns), "sharpen"); n != 1 {
		t.Errorf("a request is mentioned %d times: %q", n, wishes(third.Turns))
	}
}

// TestThreadsWithoutLookback: channels, direct messages, the start of a thread, and threads without other people have no
// history.
func TestThreadsWithoutLookback(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t)
	a.write(h.says("", "bob", "in the channel", h.chat.upload("bob.png", "PNG b")))
	root := h.says("t", "ann", "blur")
	root.Message.Ref.ID = "t"
	direct := h.says("d", "ann", "blur")
	direct.Thread.Direct = true
	for name, e := range map[string]adapters.Event{"a channel": h.says("", "ann", "blur"), "a direct thread": direct, "the root": root, "alone": h.says("t", "ann", "blur")} {
		if name == "alone" {
			h.ask(j, root)
		}
		if r := h.planner.request(h.ask(j, e).ID); a.calls() > 0 || files(r.Earlier) != "" {
			t.Errorf("%s: it was looked back %d times, earlier are %+v", name, a.calls(), r.Earlier)
		}
	}
	chain := h.says("u", "ann", "blur")
	chain.Message.Ref.ID = "u"
	chain.Message.ReplyTo = &adapters.Earlier{Ref: a.past[0].Ref, By: a.past[0].By, At: chain.At, Files: a.past[0].Files}
	if r := h.planner.request(h.ask(j, chain).ID); a.calls() != 1 || files(r.Given) != "bob.png" || files(r.Earlier) != "" {
		t.Errorf("of a reply, given are %+v and earlier %+v", r.Given, r.Earlier)
	}
}

// TestLongThread is read up to the limits: the latest messages and their latest files.
func TestLongThread(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t, func(c *jobs.Config) { c.MaxFile = 1000 })
	for n := range 200 {
		f := h.chat.upload(fmt.Sprintf("%d.png", n), fmt.Sprintf("PNG %d", n))
		f.Size = 45
		a.write(h.says("t", "bob", fmt.Sprintf("message %d", n), f))
	}
	large := h.chat.upload("large.png", "PNG large")
	large.Size = 999
	a.write(h.says("t", "bob", strings.Repeat("long ", 1000), large))
	r := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "blur"))).ID)
	if len(r.Turns) != 50 || !strings.Contains(r.Turns[0].Wish, "message 151") || len(r.Turns[49].Wish) > 2100 {
		t.Errorf("there are %d turns, the first is %q", len(r.Turns), r.Turns[0].Wish)
	}
	if got := files(r.Earlier); got != "large.png" {
		t.Errorf("where one file takes the room, earlier are %q", got)
	}
	for n := range 30 {
		a.write(h.says("t", "bob", "", h.chat.upload(fmt.Sprintf("new%d.png", n), fmt.Sprintf("PNG new %d", n))))
	}
	r = h.planner.request(h.ask(j, a.write(h.says("t", "bob", "blur"))).ID)
	if got := strings.Fields(files(r.Earlier)); len(got) != 21 || got[1] != "new10.png" || got[20] != "new29.png" {
		t.Errorf("earlier are then %q", got)
	}
}

// TestEarlierFilesWithoutSize count by their content.
func TestEarlierFilesWithoutSize(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t, func(c *jobs.Config) { c.MaxFile = 1000 })
	for n := range 5 {
		a.write(h.says("t", "bob", "", h.chat.upload(fmt.Sprintf("%d.png", n), fmt.Sprintf("PNG %d%600d", n, n))))
	}
	r := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "blur"))).ID)
	if got := files(r.Earlier); got != "3.png 4.png" {
		t.Errorf("earlier are %q", got)
	}
}

// TestRefusedLookback: requests continue, and the operator is told once.
func TestRefusedLookback(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t)
	a.fail = &adapters.Fault{Sentence: "The app lacks the scope %s.", Args: []any{"channels:history"}, Kind: adapters.ErrForbidden, Err: errors.New("slack says missing_scope")}
	for range 3 {
		if r := h.ask(j, h.says("t", "ann", "blur")); r.Runs[0].Status != jobs.Done {
			t.Errorf("it is %s", r.Runs[0].Status)
		}
		h.ask(j, h.says("t", "bob", "blur"))
	}
	if n := strings.Count(h.log.String(), "The app lacks the scope channels:history."); n != 1 || a.calls() < 3 {
		t.Errorf("after %d looks it is reported %d times\n%s", a.calls(), n, h.log)
	}
	a.write(h.says("t", "cid", "look", h.chat.upload("cid.png", "PNG c")))
	a.mu.Lock()
	a.fail = nil
	a.mu.Unlock()
	if r := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "blur"))).ID); files(r.Earlier) != "cid.png" {
		t.Errorf("after the report, Earlier is %+v", r.Earlier)
	}
}

// TestEarlierFilesThatFail are left out, and the request continues.
func TestEarlierFilesThatFail(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t)
	h.chat.onFetch = func(_ int, f adapters.File) error {
		switch f.Name {
		case "gone.png":
			return adapters.ErrGone
		case "away.png":
			return errors.New("it does not answer")
		case "limited.png":
			return &adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Hour}
		}
		return nil
	}
	for _, name := range []string{"gone.png", "away.png", "limited.png", "good.png"} {
		a.write(h.says("t", "bob", "look", h.chat.upload(name, "PNG "+name)))
	}
	r := h.ask(j, a.write(h.says("t", "ann", "blur")))
	if asked := h.planner.request(r.ID); r.Runs[0].Status != jobs.Done || files(asked.Earlier) != "good.png" || len(asked.Turns) != 4 {
		t.Errorf("it is %s with %q", r.Runs[0].Status, files(asked.Earlier))
	}
}

// TestEarlierMessagesOfDeniedPeople is read like that of others, since a person with access asked.
func TestEarlierMessagesOfDeniedPeople(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t, func(c *jobs.Config) {
		entries, err := quota.ParseEntries("chat/user/bob")
		check(t, err)
		c.Quota.Deny = entries
	})
	refused := a.write(h.says("t", "bob", "blur this", h.chat.upload("bob.png", "PNG b")))
	h.ask(j, refused)
	if r := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "blur"))).ID); files(r.Earlier) != "bob.png" {
		t.Errorf("earlier are %+v", r.Earlier)
	}
}

// TestLookbackHappensOncePerRequest although its files are fetched again.
func TestLookbackHappensOncePerRequest(t *testing.T) {
	t.Parallel()
	h, j, a := lookingBack(t)
	a.write(h.says("t", "bob", "look", h.chat.upload("bob.png", "PNG b")))
	failed := false
	h.chat.onFetch = func(_ int, f adapters.File) error {
		if f.Name == "own.png" && !failed {
			failed = true
			return errors.New("it does not answer")
		}
		return nil
	}
	r := h.planner.request(h.ask(j, a.write(h.says("t", "ann", "blur", h.chat.upload("own.png", "PNG o")))).ID)
	if !failed || a.calls() != 1 || files(r.Earlier) != "bob.png" || len(r.Turns) != 1 {
		t.Errorf("after %d looks earlier are %+v, the turns %+v", a.calls(), r.Earlier, r.Turns)
	}
	if names := slices.Compact(slices.Sorted(slices.Values([]string{r.Earlier[0].Name, r.Given[0].Name}))); len(names) != 2 {
		t.Errorf("two files have one name: %q", names)
	}
}
