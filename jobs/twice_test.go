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

func TestSameEventAtTwoProcesses(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		one, two := h.start(), h.start()
		for range 5 {
			e := h.says("t", "ann", "blur")
			var both sync.WaitGroup
			for _, j := range []*jobs.Jobs{one, two} {
				both.Go(func() {
					if err := j.Handle(h.t.Context(), e); err != nil {
						h.t.Error(err)
					}
				})
			}
			both.Wait()
			h.wait(one, jobs.RequestID(e), 1)
			h.wait(two, jobs.RequestID(e), 1)
		}
		if n := len(h.chat.all()); n != 5 || h.planner.count("blur") != 5 || h.planner.count("plan") != 5 {
			h.t.Errorf("%d answers, blurred %d times, planned %d times", n, h.planner.count("blur"), h.planner.count("plan"))
		}
		all, err := one.Requests(h.t.Context(), 100)
		check(h.t, err)
		if len(all) != 5 {
			h.t.Errorf("%d requests", len(all))
		}
	})
}

func TestRepeatedEventAfterEnd(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	e := h.says("t", "ann", "blur")
	h.ask(j, e)
	h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, adapters.Done)
	h.ask(j, e)
	other := h.says("t", "ann", "sharpen") // anything started for the other one would come first
	h.ask(j, other)
	h.chat.untilShown(t, other.Message.Ref.ID, adapters.Seen, adapters.Done)
	h.chat.untilShown(t, e.Message.Ref.ID, adapters.Seen, adapters.Done)
	if len(h.chat.all()) != 2 || h.planner.count("blur") != 1 {
		t.Errorf("%d answers, blurred %d times", len(h.chat.all()), h.planner.count("blur"))
	}
}

// cutOff fails from the nth writing call on.
type cutOff struct {
	storage.State

	mu   sync.Mutex
	left int
}

var errCut = errors.New("the process died")

func (c *cutOff) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := c.take(); err != nil {
		return 0, err
	}
	return c.State.Append(ctx, key, value, expiry)
}

func (c *cutOff) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if err := c.take(); err != nil {
		return err
	}
	return c.State.Put(ctx, key, value, expiry)
}

func (c *cutOff) take() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return errCut
	}
	return nil
}

// TestHalfRecordedEvent interrupts the recording after each of its writes. Then the event is repeated.
func TestHalfRecordedEvent(t *testing.T) {
	t.Parallel()
	for _, address := range []adapters.Address{adapters.Mentioned, adapters.Overheard} {
		whole := false
		for writes := 0; !whole; writes++ {
			if writes > 20 {
				t.Fatal("it is never whole")
			}
			t.Run(fmt.Sprint(address, writes), func(t *testing.T) { whole = cutOffAfter(t, writes, address) })
		}
	}
}

// cutOffAfter interrupts the recording of a message after a number of writes, if there are more.
func cutOffAfter(t *testing.T, writes int, address adapters.Address) (whole bool) {
	t.Helper()
	h := enter(t)
	j := h.start()
	if address == adapters.Overheard {
		h.ask(j, h.says("t", "ann", "?which one"))
		h.ask(j, h.says("t", "bob", "!hi"))
	}
	before := len(h.chat.all())
	dying := h.process(func(c *jobs.Config) { c.State = &cutOff{State: h.state, left: writes} })
	e := h.says("t", "ann", "blur")
	e.Message.For = address
	err := dying.Handle(t.Context(), e)
	if err != nil && !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	r := h.ask(j, e)
	if len(h.chat.all()) != before+1 || h.told(r) != "Here it is." {
		t.Errorf("%d answers", len(h.chat.all())-before)
	}
	return err == nil
}

func TestInvalidEvent(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.process()
	e := h.says("t", "ann", "blur")
	e.ID = ""
	if err := j.Handle(t.Context(), e); !errors.Is(err, adapters.ErrInvalid) {
		t.Errorf("it says %v", err)
	}
	if _, err := j.Submit(t.Context(), e, jobs.Options{}); !errors.Is(err, adapters.ErrInvalid) {
		t.Errorf("it says %v", err)
	}
	if _, err := j.Show(t.Context(), "unknown"); !errors.Is(err, jobs.ErrUnknown) || strings.Contains(h.log.String(), "blur") {
		t.Errorf("it says %v", err)
	}
}
