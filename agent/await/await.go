// Package await lets goroutines wait until something has become true.
package await

import (
	"context"
	"sync"
)

// Changes notifies waiters of changes. The zero value is ready, and safe for concurrent use.
type Changes struct {
	mu   sync.Mutex
	next chan struct{} // closed at the next change; nil while nobody waits
}

// Notify wakes the waiters. It may be called while holding the lock that guards the changed data.
func (c *Changes) Notify() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Until blocks until the condition holds. It checks at once and after each change, and returns the
// context's error if that ends first. The condition takes the locks that it needs.
func (c *Changes) Until(ctx context.Context, condition func() bool) error {
	for {
		next := c.wait() // before the condition, so that no change is missed
		if condition() {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *Changes) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}
