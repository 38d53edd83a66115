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

// window counts what somebody takes within a span of time that slides. What was taken is
// written into a list for each span of the calendar, and so two of them are looked at.
type window struct {
	name  string
	span  time.Duration
	limit int64 // 0 is none
	state storage.State
	now   func() time.Time
}

// taken is an entry of the lists.
type taken struct {
	ID string    `json:"id"`
	N  int64     `json:"n"`
	At time.Time `json:"at"`
}

// count is what counts of the lists: what was taken as long as there was room, in that
// order, each id once.
type count []taken

// take takes n under an id. Where there is no room for it, it is not ok, and wait is how
// long until there is; 0 where there never is.
func (w window) take(ctx context.Context, group, id string, n int64) (ok bool, wait time.Duration, err error) {
	if w.limit == 0 {
		return true, 0, nil
	}
	now := w.now()
	c, err := w.read(ctx, group, now)
	if err != nil || c.has(id) {
		return err == nil, 0, err
	}
	if c.within(now, w.span)+n > w.limit { // what is refused is not written: a flood leaves nothing behind
		return false, c.wait(now, w.span, w.limit-n), nil
	}
	b, err := json.Marshal(taken{id, n, now})
	if err != nil {
		return false, 0, fmt.Errorf("encode what is counted: %w", err)
	}
	if _, err := w.state.Append(ctx, w.key(group, now), b, 3*w.span); err != nil {
		return false, 0, fmt.Errorf("count: %w", err)
	}
	if c, err = w.read(ctx, group, now); err != nil {
		return false, 0, err
	}
	if !c.has(id) { // another one was first
		return false, c.wait(now, w.span, w.limit-n), nil
	}
	return true, 0, nil
}

// left is how much there is room for.
func (w window) left(ctx context.Context, group string) (int64, error) {
	now := w.now()
	c, err := w.read(ctx, group, now)
	if err != nil {
		return 0, err
	}
	return max(w.limit-c.within(now, w.span), 0), nil
}

func (w window) key(group string, at time.Time) string {
	return group + "/" + w.name + "-" + strconv.FormatInt(at.UnixNano()/int64(w.span), 10)
}

func (w window) read(ctx context.Context, group string, now time.Time) (count, error) {
	var all count
	for _, at := range []time.Time{now.Add(-w.span), now} {
		list, err := w.state.Read(ctx, w.key(group, at), 0)
		if err != nil {
			return nil, fmt.Errorf("read what was counted: %w", err)
		}
		for _, b := range list {
			var t taken
			if err := json.Unmarshal(b, &t); err != nil {
				return nil, fmt.Errorf("read what was counted: %w", err)
			}
			if !all.has(t.ID) && all.within(t.At, w.span)+t.N <= w.limit {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

func (c count) has(id string) bool {
	return slices.ContainsFunc(c, func(t taken) bool { return t.ID == id })
}

// within is how much was taken in the span before that time.
func (c count) within(at time.Time, span time.Duration) (n int64) {
	for _, t := range c {
		if at.Sub(t.At) < span {
			n += t.N
		}
	}
	return n
}

// wait is how long it is until no more than rest counts; 0 where it is so, or never will be.
func (c count) wait(now time.Time, span time.Duration, rest int64) time.Duration {
	counted := c.within(now, span)
	if rest < 0 || counted <= rest {
		return 0
	}
	inOrder := slices.SortedFunc(slices.Values(c), func(a, b taken) int { return a.At.Compare(b.At) })
	for _, t := range inOrder {
		left := span - now.Sub(t.At)
		if left <= 0 {
			continue
		}
		if counted -= t.N; counted <= rest {
			return left
		}
	}
	return span
}
