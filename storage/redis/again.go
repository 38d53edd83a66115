package redis

import (
	"context"
	"errors"
	"io"
	"net"
)

// tries is the maximum number of attempts if the connection breaks.
const tries = 3

// again runs an idempotent operation, and repeats it if its connection breaks and ctx has not
// ended. The client itself retries only if the server closed the connection, not if it was killed.
// It also ignores ctx while it waits for a server that hangs, so the operation may continue for a
// while after again has returned, and must not use data owned by the caller.
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

// broken reports whether an error comes from a connection that had been established.
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
