package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// reporting is a fake platform that shows progress, and fails as configured.
type reporting struct {
	*chat

	fails func(p adapters.Progress) bool
	shown chan struct{}

	mu   sync.Mutex
	last int // number of reports of an end
	now  adapters.Progress
	at   map[string]adapters.MessageRef // the messages, by the text of the first step
}

func (*reporting) Pace() time.Duration { return 0 }

func (r *reporting) Report(_ context.Context, key string, _ adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Ended {
		r.last++
	}
	if r.fails(p) {
		return adapters.MessageRef{}, errors.New("not just now")
	}
	r.now = p
	ref := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "progress-" + key}
	if len(p.Steps) > 0 {
		if r.at == nil {
			r.at = map[string]adapters.MessageRef{}
		}
		r.at[p.Steps[0].Text] = ref
	}
	select {
	case r.shown <- struct{}{}:
	default: // nobody waits for it
	}
	return ref, nil
}

// messageOf waits for the progress of a run with this first step, and returns its message.
func (r *reporting) messageOf(step string) (at adapters.MessageRef) {
	r.until(func(adapters.Progress) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		at = r.at[step]
		return !at.IsZero()
	})
	return at
}

// until waits until the shown progress meets a condition, and returns it.
func (r *reporting) until(is func(adapters.Progress) bool) adapters.Progress {
	for {
		r.mu.Lock()
		now := r.now
		r.mu.Unlock()
		if is(now) {
			return now
		}
		<-r.shown
	}
}

func TestFailedProgressBacksOff(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	left := 8
	platform := &reporting{chat: h.chat, shown: make(chan struct{}, 1), fails: func(adapters.Progress) bool {
		left--
		return left >= 0
	}}
	var mu sync.Mutex
	var retries []int
	j := h.start(func(c *jobs.Config) {
		c.Adapters = []adapters.Adapter{platform}
		c.Retry = func(n int) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			retries = append(retries, n)
			return time.Millisecond
		}
	})
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-platform.shown
	close(g.open)
	h.wait(j, id, 1)
	mu.Lock()
	defer mu.Unlock()
	if got := fmt.Sprint(retries); got != "[0 1 2 3 4 5 6 7]" {
		t.Errorf("the retries are %s", got)
	}
}

func TestProgressStopsAfterAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	platform := &reporting{chat: h.chat, shown: make(chan struct{}, 1), fails: func(p adapters.Progress) bool { return p.Ended }}
	g := h.planner.blocks("blur")
	j := h.process(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	stop := h.run(j)
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	<-platform.shown
	close(g.open)
	h.wait(j, id, 1)
	h.log.until(t, 5, "cannot show progress", id)
	stop()
	if platform.last != 5 {
		t.Errorf("the last word was said %d times", platform.last)
	}
}

// typing is a fake platform with a typing indicator.
type typing struct {
	*reporting

	typed chan adapters.Thread
	again time.Duration // after which to show it again
	rests chan adapters.Thread

	language string
}

func (p *typing) EndTyping(_ context.Context, in adapters.Thread) error {
	if p.rests != nil {
		p.rests <- in
	}
	return nil
}

func (p *typing) Typing(_ context.Context, in adapters.Thread, language string) (time.Duration, error) {
	p.language = language
	p.typed <- in
	return p.again, nil
}

// TestTyping while it plans, before there is any progress, and not after the answer; in the language of the request.
func TestTyping(t *testing.T) {
	t.Parallel()
	h := enter(t)
	platform := &typing{
		&reporting{chat: h.chat, shown: make(chan struct{}, 100), fails: func(adapters.Progress) bool { return false }}, make(chan adapters.Thread, 100), 0, nil, "",
	}
	j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	const wish = "把图片变成黑白"
	g := h.planner.blocks(wish)
	id := h.handle(j, h.says("t", "ann", wish))
	if in := <-platform.typed; in != place1("t") || platform.language != "zh-Hans" {
		t.Errorf("it types in %+v, in %q", in, platform.language)
	}
	<-g.entered
	close(g.open)
	h.wait(j, id, 1)
	if p := platform.until(func(p adapters.Progress) bool { return p.Ended }); p.Asker != "ann" {
		t.Errorf("the progress is that of %q", p.Asker)
	}
	h.ask(j, h.commands("t", "ann", "help")) // the platform itself shows that it works on commands
	if n := len(platform.typed); n != 0 {
		t.Errorf("it types %d times more", n)
	}
}

// TestTypingEnds when a request ends without progress and without an answer.
func TestTypingEnds(t *testing.T) {
	t.Parallel()
	h := enter(t)
	platform := &typing{
		&reporting{chat: h.chat, shown: make(chan struct{}, 100), fails: func(adapters.Progress) bool { return false }}, make(chan adapters.Thread, 100), 0,
		make(chan adapters.Thread, 100), "",
	}
	j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	g := newGate()
	h.planner.plan = func(ctx context.Context, r plan.Request) (*plan.Plan, error) { return read(r.Wish), g.pass(ctx) }
	e := h.says("t", "ann", "slow")
	id := h.handle(j, e)
	<-g.entered
	<-platform.typed
	h.handle(j, h.deletes(e.Message.Ref))
	if r := h.wait(j, id, 1); !r.Runs[0].Sent.IsZero() {
		t.Errorf("it is answered at %v", r.Runs[0].Sent)
	}
	if in := <-platform.rests; in != place1("t") {
		t.Errorf("it rests in %+v", in)
	}
}

// TestTypingIsRepeated while a step runs, even without progress, and not after the answer.
func TestTypingIsRepeated(t *testing.T) {
	t.Parallel()
	h := enter(t)
	platform := &typing{
		&reporting{chat: h.chat, shown: make(chan struct{}, 100), fails: func(adapters.Progress) bool { return false }}, make(chan adapters.Thread), time.Millisecond, nil, "",
	}
	j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	g := h.planner.blocks("blur")
	id := h.handle(j, h.says("t", "ann", "blur"))
	<-g.entered
	for range 5 {
		<-platform.typed
	}
	close(g.open)
	go func() {
		for range platform.typed { // until it is enough
		}
	}()
	h.wait(j, id, 1)
	platform.until(func(p adapters.Progress) bool { return p.Ended })
	close(platform.typed) // typing panics from now on
	h.ask(j, h.commands("t", "ann", "help"))
}

// TestPreview: what a running step has made so far is stored and shown, the newest only, and is gone when the step ends. That of a
// process that died is gone when the request ends.
func TestPreview(t *testing.T) {
	t.Parallel()
	h := enter(t)
	ask, carryOn := make(chan jobs.Work), make(chan struct{})
	h.planner.set("blur", func(_ context.Context, w jobs.Work) (plan.Result, error) {
		ask <- w
		<-carryOn
		return plan.Result{}, nil
	})
	platform := &reporting{chat: h.chat, shown: make(chan struct{}, 100), fails: func(adapters.Progress) bool { return false }}
	j := h.start(func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	png := "\x89PNG\r\n\x1a\n"
	var keys []string
	h.planner.respond = func(ctx context.Context, _ jobs.Account) (string, error) {
		if _, err := h.blobs.Stat(ctx, keys[0]); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("after the step, the preview is still stored: %v", err)
		}
		return "Here it is.", h.blobs.Put(ctx, keys[0]+"left", strings.NewReader(png)) // by a process that died
	}
	id := h.handle(j, h.says("t", "ann", "blur"))
	w := <-ask
	for i, content := range []string{png + "one", png + "two"} {
		w.Progress(0.5, []byte(content))
		p := platform.until(func(p adapters.Progress) bool { return len(p.Steps) == 1 && p.Steps[0].Preview.Version == i+1 }).Steps[0].Preview
		r, err := h.blobs.Get(t.Context(), p.Handle)
		check(t, err)
		stored, err := io.ReadAll(r)
		check(t, errors.Join(err, r.Close()))
		if string(stored) != content || p.Type != "image/png" || p.Size != int64(len(content)) {
			t.Errorf("the preview is %+v of %q", p, stored)
		}
		keys = append(keys, p.Handle)
	}
	w.Progress(0.5, []byte(png+"two")) // the same is no new one
	w.Progress(0.7, nil)
	if p := platform.until(func(p adapters.Progress) bool { return strings.Contains(p.Steps[0].Text, "70") }); p.Steps[0].Preview.Version != 2 {
		t.Errorf("the preview is %+v", p.Steps[0].Preview)
	}
	close(carryOn)
	if p := platform.until(func(p adapters.Progress) bool { return p.Ended }); !p.Steps[0].Preview.IsZero() {
		t.Errorf("a preview is left: %+v", p.Steps[0].Preview)
	}
	h.wait(j, id, 1)
	for _, key := range []string{keys[0], keys[0] + "left"} {
		if _, err := h.blobs.Stat(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("the preview is still stored: %v", err)
		}
	}
}
