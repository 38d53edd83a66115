package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"atelier/adapters"
)

// look tells why an attachment cannot be read.
func (c *Channel) look(ctx context.Context, f adapters.Attachment) error {
	if f.Link != "" {
		return nil
	}
	r, err := c.config.Media.GetRange(ctx, f.Handle, 0, 1)
	if err != nil {
		return fmt.Errorf("look at an attachment: %w", err)
	}
	_, err = io.Copy(io.Discard, r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("look at an attachment: %w", err)
	}
	return nil
}

// own refuses threads that cannot be this channel's.
func own(t adapters.Thread) error {
	if t.Adapter != Name || !madeUp.MatchString(t.Channel) {
		return fmt.Errorf("%w: a thread of another adapter", adapters.ErrInvalid)
	}
	return nil
}

// find gives a message that is there.
func (c *Channel) find(ctx context.Context, ref adapters.MessageRef) (*message, error) {
	if err := own(adapters.Thread{Adapter: ref.Adapter, Channel: ref.Channel}); err != nil {
		return nil, err
	}
	t, err := c.threads.read(ctx, ref.Channel, now)
	if err != nil {
		return nil, err
	}
	m := t.message(ref.ID)
	if m == nil || m.removed {
		return nil, fmt.Errorf("%w: the message", adapters.ErrGone)
	}
	return m, nil
}

// maxEntry is the most bytes of an entry: State takes 4 MiB.
const maxEntry = 4_000_000

// tell adds an entry of the bot's to a thread, and says so to all.
func (c *Channel) tell(ctx context.Context, thread string, e entry) error {
	if err := c.append(ctx, thread, e); err != nil {
		return err
	}
	c.publish(ctx, hintChanged, thread)
	c.relist(ctx, thread)
	return nil
}

// append adds an entry to the list of a thread, which begins with what a person wrote.
func (c *Channel) append(ctx context.Context, thread string, e entry) error {
	e.At = c.config.Now()
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write down an entry: %w", err)
	}
	if len(b) > maxEntry {
		return fmt.Errorf("%w: an entry of %d bytes", adapters.ErrTooLarge, len(b))
	}
	position, err := c.config.State.Append(ctx, logKey(thread), b, c.config.Retention)
	if err != nil {
		return fmt.Errorf("write down an entry: %w", err)
	}
	if position == 0 && e.Wrote == nil { // the thread was forgotten meanwhile
		if err := c.config.State.DeleteAll(ctx, group(thread)); err != nil {
			return fmt.Errorf("forget a thread: %w", err)
		}
		if err := c.purge(ctx); err != nil {
			return err
		}
		return fmt.Errorf("%w: the thread", adapters.ErrGone)
	}
	return nil
}

// same tells whether two reports show the same.
func same(a, b adapters.Progress) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	return err == nil && other == nil && string(x) == string(y)
}
