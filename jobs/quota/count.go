package quota

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

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
