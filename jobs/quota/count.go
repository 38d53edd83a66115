package quota

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// count is what counts of the lists of a window: what was taken as long as there was room,
// in that order, each id once, until it is given back.
type count struct {
	span    time.Duration
	limit   int64
	all     []taken
	at      map[string]int // where an id stands among all
	from    int            // those before it are over for what is folded next
	sum     int64          // of those from there
	current int64          // up to where the list of now was read
}

// fold takes in what is written further down in the lists.
func (c *count) fold(list [][]byte) error {
	for _, b := range list {
		var t taken
		if err := json.Unmarshal(b, &t); err != nil {
			return fmt.Errorf("decode what was counted: %w", err)
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

// within is how much was taken in the span before that time.
func (c *count) within(at time.Time) (n int64) {
	for _, t := range c.all {
		if at.Sub(t.At) < c.span {
			n += t.N
		}
	}
	return n
}

// wait is how long it is until there is room for n; 0 where there is, or never will be.
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
