package quota

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"atelier/storage"
)

// window limits what a person takes within a sliding window. Entries are stored in one list per window of
// the calendar, so two lists are read.
type window struct {
	name  string
	span  time.Duration
	limit int64 // 0 means unlimited
	state storage.State
	now   func() time.Time
}

// taken is an entry of the lists.
type taken struct {
	ID string    `json:"id"`
	N  int64     `json:"n"` // negative if refunded
	At time.Time `json:"at"`
}

// take takes n under an id. If that exceeds the limit, it returns false and how long to wait until it
// fits; 0 if it never will.
func (w window) take(ctx context.Context, group, id string, n int64) (ok bool, wait time.Duration, err error) {
	if w.limit == 0 {
		return true, 0, nil
	}
	now := w.now()
	c, err := w.read(ctx, group, now)
	if err != nil || c.has(id) {
		return err == nil, 0, err
	}
	if c.within(now)+n > w.limit { // refusals are not stored: a flood leaves nothing behind
		return false, c.wait(now, n), nil
	}
	t := taken{id, n, now}
	at, err := w.write(ctx, group, t)
	if err != nil {
		return false, 0, err
	}
	if at == c.current {
		c.add(t)
	} else if err := w.readOn(ctx, group, now, c); err != nil { // others wrote in between
		return false, 0, err
	}
	if !c.has(id) { // another process was first
		return false, c.wait(now, n), nil
	}
	return true, 0, nil
}

// giveBack refunds an id. It may be taken again.
func (w window) giveBack(ctx context.Context, group, id string) error {
	if w.limit == 0 {
		return nil
	}
	now := w.now()
	c, err := w.read(ctx, group, now)
	if err != nil || !c.has(id) {
		return err
	}
	_, err = w.write(ctx, group, taken{ID: id, N: -1, At: now})
	return err
}

func (w window) write(ctx context.Context, group string, t taken) (position int64, err error) {
	b, err := json.Marshal(t)
	if err != nil {
		return 0, fmt.Errorf("encode a count: %w", err)
	}
	if position, err = w.state.Append(ctx, w.key(group, t.At), b, 3*w.span); err != nil {
		return 0, fmt.Errorf("count: %w", err)
	}
	return position, nil
}

// left returns how much may still be taken.
func (w window) left(ctx context.Context, group string) (int64, error) {
	now := w.now()
	c, err := w.read(ctx, group, now)
	if err != nil {
		return 0, err
	}
	return max(w.limit-c.within(now), 0), nil
}

func (w window) key(group string, at time.Time) string {
	return group + "/" + w.name + "-" + strconv.FormatInt(at.UnixNano()/int64(w.span), 10)
}

// read reads the lists.
func (w window) read(ctx context.Context, group string, now time.Time) (*count, error) {
	c := &count{span: w.span, limit: w.limit, at: map[string]int{}}
	if err := w.readOn(ctx, group, now.Add(-w.span), c); err != nil {
		return nil, err
	}
	c.current = 0
	return c, w.readOn(ctx, group, now, c)
}

// readOn reads the new entries of the list of a time.
func (w window) readOn(ctx context.Context, group string, at time.Time, c *count) error {
	list, err := w.state.Read(ctx, w.key(group, at), c.current)
	if err == nil {
		err = c.fold(list)
	}
	if err != nil {
		return fmt.Errorf("read a count: %w", err)
	}
	c.current += int64(len(list))
	return nil
}

// count is the state folded from the lists of a window: the entries that were within the limit, in order,
// each id once, without refunds.
type count struct {
	span    time.Duration
	limit   int64
	all     []taken
	at      map[string]int // index of an id in all
	from    int            // index of the first entry still within the window
	sum     int64          // sum of the entries from there on
	current int64          // position up to which the current list was read
}

// fold adds further entries of the lists.
func (c *count) fold(list [][]byte) error {
	for _, b := range list {
		var t taken
		if err := json.Unmarshal(b, &t); err != nil {
			return fmt.Errorf("decode a count: %w", err)
		}
		c.add(t)
	}
	return nil
}

func (c *count) add(t taken) {
	for c.from < len(c.all) && t.At.Sub(c.all[c.from].At) >= c.span {
		c.sum -= c.all[c.from].N
		c.from++
	}
	before, there := c.at[t.ID]
	switch {
	case t.N < 0 && there:
		if before >= c.from {
			c.sum -= c.all[before].N
		}
		c.all[before].N = 0
		delete(c.at, t.ID)
	case t.N >= 0 && !there && c.sum+t.N <= c.limit:
		c.at[t.ID] = len(c.all)
		c.all = append(c.all, t)
		c.sum += t.N
	}
}

func (c *count) has(id string) bool {
	_, ok := c.at[id]
	return ok
}

// within returns how much was taken in the window before a time.
func (c *count) within(at time.Time) (n int64) {
	for _, t := range c.all {
		if at.Sub(t.At) < c.span {
			n += t.N
		}
	}
	return n
}

// wait returns how long until n fits; 0 if it fits now or never will.
func (c *count) wait(now time.Time, n int64) time.Duration {
	rest := c.limit - n
	counted := c.within(now)
	if rest < 0 || counted <= rest {
		return 0
	}
	inOrder := slices.SortedFunc(slices.Values(c.all), func(a, b taken) int { return a.At.Compare(b.At) })
	for _, t := range inOrder {
		left := c.span - now.Sub(t.At)
		if left <= 0 {
			continue
		}
		if counted -= t.N; counted <= rest {
			return left
		}
	}
	return c.span
}
