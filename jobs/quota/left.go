package quota

import (
	"context"

	"atelier/adapters"
)

// Left is what a person has left.
type Left struct {
	// Requests are how many of Limit may still be made within the hour; Limit is 0 where
	// they are not counted.
	Requests, Limit int
	// Bytes are how many of DayLimit may still be taken in within the day; DayLimit is 0
	// where they are not counted.
	Bytes, DayLimit int64
}

// Left tells what a person has left in a place.
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
