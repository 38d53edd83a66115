package web

import (
	"context"
	"fmt"
	"net/http"

	"atelier/adapters"
)

// serveForget deletes a thread, and all that is known of it.
func (c *Channel) serveForget(w http.ResponseWriter, r *http.Request) error {
	id, t, err := c.thread(r)
	if err != nil {
		return err
	}
	if !mayForget(c.me(r), t) {
		return refuse(http.StatusForbidden, "Only who began the thread, or an admin, can delete it.")
	}
	ctx := r.Context()
	if err := c.config.Workshop.Forget(ctx, threadOf(id)); err != nil {
		return err
	}
	if err := c.Forget(ctx, threadOf(id)); err != nil { // where the bot knew nothing of it
		return err
	}
	if err := c.purge(ctx); err != nil {
		return err
	}
	w.Header().Set("Hx-Redirect", "/")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// purger is a [State] whose files hold what was deleted until they are rewritten.
type purger interface {
	Purge(ctx context.Context) error
}

// purge sees to it that what was deleted is in no file any more.
func (c *Channel) purge(ctx context.Context) error {
	p, ok := c.config.State.(purger)
	if !ok {
		return nil
	}
	if err := p.Purge(ctx); err != nil {
		return fmt.Errorf("forget a thread: %w", err)
	}
	return nil
}

// Forget deletes what was written in a thread.
func (c *Channel) Forget(ctx context.Context, t adapters.Thread) error {
	if err := own(t); err != nil {
		return err
	}
	id := t.Channel
	if err := c.config.State.DeleteAll(ctx, group(id)); err != nil {
		return fmt.Errorf("forget a thread: %w", err)
	}
	c.threads.drop(id)
	if err := c.enlist(ctx, listed{At: c.config.Now(), Thread: id, Gone: true}); err != nil {
		return err
	}
	c.publish(ctx, hintChanged, id)
	return nil
}

// mayForget tells whether somebody may delete a thread.
func mayForget(by adapters.Person, t snapshot) bool {
	return by.Admin || t.messages[0].wrote.By.ID == by.ID
}
