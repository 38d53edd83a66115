package download

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Again is a request with its body rewound, to be made again.
func Again(r *http.Request) (*http.Request, error) {
	if r.GetBody == nil {
		return r, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, errors.New("a request cannot be made again")
	}
	again := r.Clone(r.Context())
	again.Body = body
	return again, nil
}

// Sleep waits, unless the context ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
