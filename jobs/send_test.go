package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/storage"
)

func TestRateLimitPauseIsNoAttempt(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(n int, _ adapters.Reply) error {
		if n <= 25 { // more often than the limit of retries
			return &adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}
		}
		return nil
	}
	j := h.start()
	if r := h.ask(j, h.says("t", "ann", "blur")); r.Runs[0].Status != jobs.Done || len(h.chat.all()) != 1 {
		t.Errorf("the run is %s, sent are %d", r.Runs[0].Status, len(h.chat.all()))
	}
}

func TestDoubtfulAnswerIsSentUnderSameKey(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSent = func(n int) error {
		if n <= 3 {
			return errors.New("the connection broke")
		}
		return nil
	}
	j := h.start()
	h.ask(j, h.says("t", "ann", "blur"))
	if h.chat.sends != 4 || len(h.chat.all()) != 1 || h.planner.count("respond") != 1 {
		t.Errorf("sent %d times, %d messages, worded %d times", h.chat.sends, len(h.chat.all()), h.planner.count("respond"))
	}
}

func TestThreadContinuesAfterUnsendableAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if r.AnswerTo.ID == "m1" {
			return &adapters.Fault{Sentence: "The channel is gone.", Kind: adapters.ErrGone}
		}
		return nil
	}
	m := &endings{Metrics: jobs.NoMetrics(), all: map[jobs.Status]int{}}
	j := h.start(func(c *jobs.Config) { c.Metrics = m })
	first := h.handle(j, h.says("t", "ann", "blur"))
	second := h.handle(j, h.says("t", "ann", "sharpen"))
	if r := h.wait(j, first, 1); r.Runs[0].Problem != "The channel is gone." || !r.Runs[0].Sent.IsZero() || r.Runs[0].Status != jobs.Failed {
		t.Errorf("it is %s, the problem is %q", r.Runs[0].Status, r.Runs[0].Problem)
	}
	h.chat.untilShown(t, "m1", adapters.Seen, adapters.Failed)
	if r := h.wait(j, second, 1); h.told(r) != "Here it is." || h.chat.sends != 2 {
		t.Errorf("sent %d times", h.chat.sends)
	}
	if m.of(jobs.Failed) != 1 { // it is counted before the thread continues
		t.Error("it is not counted as failed")
	}
}

// endings counts how runs ended.
type endings struct {
	jobs.Metrics

	mu  sync.Mutex
	all map[jobs.Status]int
}

func (e *endings) Ended(_ string, s jobs.Status, _ time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all[s]++
}

func (e *endings) of(s jobs.Status) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[s]
}

// TestAlternativeCanBeChosenAgainAfterFailedSend: it can be picked again, since nobody has seen it.
func TestAlternativeCanBeChosenAgainAfterFailedSend(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(n int, _ adapters.Reply) error {
		if n == 2 {
			return &adapters.Fault{Sentence: "Not here.", Kind: adapters.ErrForbidden}
		}
		return nil
	}
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
	h.handle(j, h.reacts("bob", r.Runs[0].Sent, adapters.Digit(1), true))
	if r = h.wait(j, r.ID, 2); r.Runs[1].Status != jobs.Failed {
		t.Errorf("it is %s", r.Runs[1].Status)
	}
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
	if r = h.wait(j, r.ID, 3); r.Runs[2].Status != jobs.Done || h.planner.count("sharpen") != 1 {
		t.Errorf("it is %s, and was done %d times", r.Runs[2].Status, h.planner.count("sharpen"))
	}
}

// TestUnsentQuestionIsNotOpen, so that no message counts as its answer.
func TestUnsentQuestionIsNotOpen(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if r.AnswerTo.ID == "m1" {
			return &adapters.Fault{Sentence: "Not here.", Kind: adapters.ErrForbidden}
		}
		return nil
	}
	j := h.start()
	h.ask(j, h.says("t", "ann", "?which picture"))
	r := h.ask(j, h.says("t", "ann", "blur"))
	if q := h.planner.request(r.ID).Question; q != nil || r.Runs[0].Status != jobs.Done {
		t.Errorf("it is taken for the answer to %+v", q)
	}
}

// TestCrashingAnswerIsAbandoned, and the thread continues.
func TestCrashingAnswerIsAbandoned(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(_ int, r adapters.Reply) error {
		if r.AnswerTo.ID == "m1" {
			panic("it breaks")
		}
		return nil
	}
	j := h.start()
	first := h.handle(j, h.says("t", "ann", "blur"))
	second := h.handle(j, h.says("t", "ann", "sharpen"))
	if r := h.wait(j, first, 1); r.Runs[0].Problem == "" {
		t.Error("it has no problem")
	}
	h.wait(j, second, 1)
	if len(h.chat.all()) != 1 || h.chat.sends != 22 {
		t.Errorf("%d messages, sent %d times", len(h.chat.all()), h.chat.sends)
	}
}

// refusing is a state that fails a number of writes, except heartbeats.
type refusing struct {
	storage.State

	mu   sync.Mutex
	left int
}

func (r *refusing) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := r.refused(key); err != nil {
		return 0, err
	}
	return r.State.Append(ctx, key, value, expiry)
}

func (r *refusing) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if err := r.refused(key); err != nil {
		return err
	}
	return r.State.Put(ctx, key, value, expiry)
}

func (r *refusing) refuse(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = n
}

func (r *refusing) refused(key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 || strings.HasPrefix(key, "worker") {
		return nil
	}
	r.left--
	return fmt.Errorf("write: %w", storage.ErrFull)
}

// TestPostedOnceWithFullDisk has a disk that is full after the answer was posted, or before a retry.
func TestPostedOnceWithFullDisk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before error // of the first attempt
		sends  int
	}{
		"after it was posted":                                   {nil, 1},
		"before it is tried again, which the platform wants":    {&adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}, 2},
		"before it is tried again, since the connection failed": {errors.New("the connection broke"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			state := &refusing{State: h.state}
			h.state = state
			h.chat.onSend = func(n int, _ adapters.Reply) error {
				if n > 1 {
					return nil
				}
				state.refuse(7)
				return c.before
			}
			r := h.ask(h.start(), h.says("t", "ann", "blur"))
			if h.chat.sends != c.sends || len(h.chat.all()) != 1 || h.told(r) != "Here it is." || r.Runs[0].Problem != "" {
				t.Errorf("sent %d times, the problem is %q", h.chat.sends, r.Runs[0].Problem)
			}
		})
	}
}

func TestSendErrorIsShownToPersonOnly(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.chat.onSend = func(int, adapters.Reply) error {
		return &adapters.Fault{Sentence: `The file "my aunt.png" is not taken here.`, Kind: adapters.ErrInvalid, Err: errors.New("the detail")}
	}
	r := h.ask(h.start(), h.says("t", "ann", "blur"))
	h.log.until(t, 1, "run over", "problem=true")
	if log := h.log.String(); strings.Contains(log, "aunt") || !strings.Contains(log, "the detail") || !strings.Contains(r.Runs[0].Problem, "aunt") {
		t.Errorf("the problem is %q, logged is %s", r.Runs[0].Problem, log)
	}
}

// numbering is a fake platform that limits the rate of numbers, or fails.
type numbering struct {
	*chat

	mu   sync.Mutex
	fail []error
}

func (p *numbering) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.fail) > 0 {
		err := p.fail[0]
		p.fail = p.fail[1:]
		return err
	}
	return p.chat.Offer(ctx, answer, n)
}

func TestNumbersAreOnAnswer(t *testing.T) {
	t.Parallel()
	pause := &adapters.Fault{Sentence: "Wait.", Kind: adapters.ErrRateLimited, After: time.Millisecond}
	for name, c := range map[string]struct {
		fail    []error
		offered bool
	}{
		"at once":              {nil, true},
		"after pauses":         {[]error{pause, pause, pause}, true},
		"not where it fails":   {[]error{errors.New("the connection broke")}, false},
		"not where it is gone": {[]error{adapters.ErrGone}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			j := h.start(func(config *jobs.Config) {
				config.Adapters = []adapters.Adapter{&numbering{chat: h.chat, fail: c.fail}}
			})
			r := h.ask(j, h.says("t", "ann", "blur|sharpen"))
			h.chat.mu.Lock()
			defer h.chat.mu.Unlock()
			if n := h.chat.offered[r.Runs[0].Sent.ID]; (n == 1) != c.offered || h.chat.sends != 1 {
				t.Errorf("%d are offered, sent %d times", n, h.chat.sends)
			}
		})
	}
}

// silent is a state that drops hints.
type silent struct{ storage.State }

func (silent) Publish(context.Context, string, []byte) error { return storage.ErrUnreachable }

func TestFailedHintLosesNothing(t *testing.T) {
	t.Parallel()
	h := enter(t)
	heard := h.state
	h.state = silent{heard}
	j := h.start()
	e := h.says("t", "ann", "pic")
	h.handle(j, e)
	h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, adapters.Done)
	if r, err := j.Show(t.Context(), jobs.RequestID(e)); err != nil || r.Runs[0].Status != jobs.Done || h.planner.count("pic") != 1 || strings.Contains(h.log.String(), "stage failed") {
		t.Errorf("the run is %s (%v)\n%s", r.Runs[0].Status, err, h.log)
	}
}
