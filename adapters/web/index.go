package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// listed is an entry of a day's list: how a thread stands in the list of threads.
type listed struct {
	At     time.Time `json:"at"`
	Thread string    `json:"thread"`
	Title  string    `json:"title,omitempty"`
	Busy   bool      `json:"busy,omitempty"`
	Gone   bool      `json:"gone,omitempty"` // it was forgotten
}

// maxListed is how many threads are listed, those of which something was heard last.
const maxListed = 200

// index is the list of threads. There is one list a day, so that it ends with the threads
// that are in it. The last two days are read on, those before are read once.
type index struct {
	state     State
	hints     func() uint64 // how many came
	retention time.Duration

	reading latch            // for the two below
	read    map[string]int64 // how much of a day is read
	fresh   uint64           // all hints up to this one were there when it was read

	mu    sync.Mutex
	lines map[string]listed
}

func newIndex(state State, hints func() uint64, retention time.Duration) *index {
	return &index{state: state, hints: hints, retention: retention, reading: newLatch(), read: map[string]int64{}, lines: map[string]listed{}}
}

func dayKey(t time.Time) string { return "web-day-" + t.UTC().Format("20060102") + "/log" }

// refresh reads what is new, unless it did when all hints up to the wanted one were there.
func (x *index) refresh(ctx context.Context, at time.Time, wanted uint64) error {
	if err := x.reading.lock(ctx); err != nil {
		return err
	}
	defer x.reading.unlock()
	hints := x.hints()
	if x.fresh >= wanted && len(x.read) > 0 {
		return nil
	}
	days := int(x.retention/day) + 1
	kept := map[string]int64{}
	for back := days; back >= 0; back-- {
		key := dayKey(at.Add(-time.Duration(back) * day))
		from, before := x.read[key]
		if before && back > 1 {
			kept[key] = from
			continue
		}
		raw, err := x.state.Read(ctx, key, from)
		if err != nil {
			return fmt.Errorf("read the list of threads: %w", err)
		}
		for _, b := range raw {
			var l listed
			if json.Unmarshal(b, &l) == nil && madeUp.MatchString(l.Thread) {
				x.put(l)
			}
		}
		kept[key] = from + int64(len(raw))
		x.read[key] = kept[key] // also where a later one fails
	}
	x.read, x.fresh = kept, hints
	x.expire(at)
	return nil
}

// put takes what is said of a thread, unless something later is known.
func (x *index) put(l listed) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if known, ok := x.lines[l.Thread]; ok && l.At.Before(known.At) {
		return
	}
	x.lines[l.Thread] = l
}

// expire lets go of threads that are not there any more, and of what is not listed for long.
func (x *index) expire(at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, l := range x.lines {
		if at.Sub(l.At) > x.retention {
			delete(x.lines, id)
		}
	}
	if len(x.lines) < 8*maxListed {
		return
	}
	for _, l := range x.sorted()[4*maxListed:] {
		delete(x.lines, l.Thread)
	}
}

// sorted are all lines, the latest first.
func (x *index) sorted() []listed {
	all := make([]listed, 0, len(x.lines))
	for _, l := range x.lines {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b listed) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Thread, b.Thread)) })
	return all
}

// list gives the threads, the latest first.
func (x *index) list() []listed {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := slices.DeleteFunc(x.sorted(), func(l listed) bool { return l.Gone })
	return all[:min(len(all), maxListed)]
}

// needs tells whether a thread stands otherwise in the list than it should.
func (x *index) needs(l listed) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	known, ok := x.lines[l.Thread]
	return !ok || known.Gone != l.Gone || known.Busy != l.Busy || known.Title != l.Title || l.At.Sub(known.At) > time.Minute
}

// enlist writes down how a thread stands, where that is new.
func (c *Channel) enlist(ctx context.Context, l listed) error {
	if !c.index.needs(l) {
		return nil
	}
	b, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("list a thread: %w", err)
	}
	if _, err := c.config.State.Append(ctx, dayKey(l.At), b, c.config.Retention+2*day); err != nil {
		return fmt.Errorf("list a thread: %w", err)
	}
	c.index.put(l)
	c.publish(ctx, hintListed, "")
	return nil
}

// relist looks how a thread stands now. The list is a courtesy: nothing waits for it.
func (c *Channel) relist(ctx context.Context, thread string) {
	t, err := c.threads.read(ctx, thread, now)
	if err == nil {
		err = c.enlist(ctx, listed{At: c.config.Now(), Thread: thread, Title: t.title, Busy: t.busy})
	}
	if err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "the list of threads is not up to date", "error", forOperator(err))
	}
}
