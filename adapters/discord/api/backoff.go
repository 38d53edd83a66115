package api

import (
	"context"
	"errors"
	"time"

	"atelier/adapters"
	"atelier/adapters/edge"
)

// Backoff are the pauses between tries: the first, then twice that, up to the longest.
type Backoff struct{ First, Longest time.Duration }

// Retry tries until it is done or the context ends. It waits longer if an error asks for it.
func (b Backoff) Retry(ctx context.Context, try func() (done bool, err error)) error {
	for wait := b.First; ; wait = min(2*wait, b.Longest) {
		done, err := try()
		if done {
			return err
		}
		if ended := edge.Sleep(ctx, max(wait, adapters.Wait(err))); ended != nil {
			return errors.Join(ended, err)
		}
	}
}

// IsTransient reports whether an error may go away. A refused token may, since the gateway ends
// where it is refused for good.
func IsTransient(err error) bool {
	return err != nil && (!adapters.Final(err) || errors.Is(err, adapters.ErrRefused))
}
