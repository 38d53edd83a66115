package redis

import (
	"context"
	"errors"
	"io"
	"net"
)

// tries are how often something is done whose connection breaks.
const tries = 3

// again does something that is the same however often it is done, until its connection
// does not break over it or ctx ends. The client itself tries again only where the server
// has hung up, not where it was killed; and it does not look at ctx while it waits for a
// server that stalls, so that what is done then may go on for a while after again has
// returned. It must not hold on to what belongs to others.
func again[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	if err := ctx.Err(); err != nil {
		return result{}.value, err
	}
	done := make(chan result, 1)
	go func() {
		var r result
		for range tries {
			if r.value, r.err = do(); ctx.Err() != nil || !broken(r.err) {
				break
			}
		}
		done <- r
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return result{}.value, ctx.Err()
	}
}

// broken reports whether an error is that of a connection that was there.
func broken(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Op != "dial" && !op.Timeout()
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
