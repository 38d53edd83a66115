package quota

import (
	"context"

	"atelier/adapters"
)

// Left is a person's remaining quota.
type Left struct {
	// Requests is how many requests remain of Limit per hour; Limit is 0 if unlimited.
	Requests, Limit int
	// Bytes is how many bytes remain of DayLimit per day; DayLimit is 0 if unlimited.
	Bytes, DayLimit int64
}

// Left returns a person's remaining quota in a place.
func (q *Quota) Left(ctx context.Context, by adapters.Person, in adapters.Thread) (l Left, err error) {
	if q.exempt(by, in) {
		return l, nil
	}
	person := personGroup(by, in)
	if q.config.Requests > 0 {
		n, err := q.requests.left(ctx, person)
		if err != nil {
			return l, err
		}
		l.Requests, l.Limit = int(n), q.config.Requests
	}
	if q.config.Bytes > 0 {
		if l.Bytes, err = q.bytes.left(ctx, person); err != nil {
			return l, err
		}
		l.DayLimit = q.config.Bytes
	}
	return l, nil
}
