package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/adapters"
)

// listed is an entry of a day's list: how a thread stands in the list of threads, and what
// waits in it. Of what stands, the last one counts, whatever clock it was written by. What
// people wrote is not in it, since it outlives what is forgotten.
type listed struct {
	At     time.Time `json:"at"`
	Thread string    `json:"thread"`
	Busy   bool      `json:"busy,omitempty"`
	Gone   bool      `json:"gone,omitempty"` // it was forgotten

	Waits string   `json:"waits,omitempty"` // the id of what is about to be written, and handed over
	Taken []string `json:"taken,omitempty"` // the ids of what was handed over
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

	mu     sync.Mutex
	lines  map[string]listed
	titles map[string]string // of those that were listed once
	waits  waits
}

func newIndex(state State, hints func() uint64, retention time.Duration) *index {
	return &index{
		state: state, hints: hints, retention: retention, reading: newLatch(), read: map[string]int64{},
		lines: map[string]listed{}, titles: map[string]string{}, waits: waits{},
	}
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
				x.put(l, at)
			}
		}
		kept[key] = from + int64(len(raw))
		x.read[key] = kept[key] // also where a later one fails
	}
	x.read, x.fresh = kept, hints
	x.expire(at)
	return nil
}

// put takes what is said of a thread.
func (x *index) put(l listed, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waits.put(l, at)
	if l.Gone {
		delete(x.titles, l.Thread)
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
			delete(x.titles, id)
		}
	}
	x.waits.expire(at.Add(-x.retention))
	if len(x.lines) < 8*maxListed {
		return
	}
	for _, l := range x.sorted()[4*maxListed:] {
		delete(x.lines, l.Thread)
		delete(x.titles, l.Thread)
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
	return !ok || known.Gone != l.Gone || known.Busy != l.Busy || l.At.Sub(known.At) > time.Minute
}

// enlist writes down how a thread stands, where that is new, and what waits or was taken.
func (c *Channel) enlist(ctx context.Context, l listed) error {
	_, err := c.line(ctx, l)
	return err
}

// line does so, and tells whether something was written.
func (c *Channel) line(ctx context.Context, l listed) (written bool, err error) {
	l.At = c.config.Now()
	if err := c.index.refresh(ctx, l.At, now); err != nil {
		return false, err
	}
	changed := c.index.needs(l)
	if !changed && l.Waits == "" && len(l.Taken) == 0 {
		return false, nil
	}
	b, err := json.Marshal(l)
	if err != nil {
		return false, fmt.Errorf("list a thread: %w", err)
	}
	if _, err := c.config.State.Append(ctx, dayKey(l.At), b, c.config.Retention+2*day); err != nil {
		return false, fmt.Errorf("list a thread: %w", err)
	}
	if changed {
		c.publish(ctx, hintListed, "")
	}
	return true, nil
}

// relist writes down how a thread stands now, and what was taken. After that it looks again,
// since the thread may have gone on meanwhile, and who wrote that have been earlier. The list
// is a courtesy: nothing waits for it.
func (c *Channel) relist(ctx context.Context, thread string, taken ...string) {
	for written := true; written; taken = nil {
		t, err := c.threads.read(ctx, thread, now)
		if gone := errors.Is(err, adapters.ErrGone); gone || err == nil {
			written, err = c.line(ctx, listed{Thread: thread, Busy: t.busy, Gone: gone, Taken: taken})
		}
		if err != nil {
			if ctx.Err() == nil {
				c.log.WarnContext(ctx, "the list of threads is not up to date", "error", forOperator(err))
			}
			return
		}
	}
}
