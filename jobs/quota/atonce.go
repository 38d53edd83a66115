package quota

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"atelier/storage"
)

// maxAtOnce is the most requests at once that can be set: each has a value to be looked at.
const maxAtOnce = 1000

// seats are values of which each request at work has one: nobody else can put theirs there
// before it is taken away, or its time is over.
type seats struct {
	state storage.State
	group string
	n     int // 0 is any number
	lasts time.Duration
}

func (s seats) key(i int) string { return s.group + "/seat-" + strconv.Itoa(i) }

// at is which seat an id has, and which ones nobody has.
func (s seats) at(ctx context.Context, id string) (mine int, free []int, err error) {
	mine = -1
	for i := range s.n {
		b, err := s.state.Get(ctx, s.key(i))
		switch {
		case errors.Is(err, storage.ErrNotFound):
			free = append(free, i)
		case err != nil:
			return mine, nil, fmt.Errorf("look at what is at work: %w", err)
		case string(b) == id:
			return i, nil, nil
		}
	}
	return mine, free, nil
}

// sit takes a seat for an id, once. It is not ok where none is free.
func (s seats) sit(ctx context.Context, id string) (ok bool, err error) {
	mine, free, err := s.at(ctx, id)
	if err != nil || mine >= 0 || s.n == 0 {
		return err == nil, err
	}
	for _, i := range free {
		first, err := s.state.PutOnce(ctx, s.key(i), []byte(id), s.lasts)
		if err != nil {
			return false, fmt.Errorf("note what is at work: %w", err)
		}
		if first {
			return true, nil
		}
	}
	mine, _, err = s.at(ctx, id) // it may have been told that it was not first, and was
	return mine >= 0, err
}

// rise leaves the seat of an id.
func (s seats) rise(ctx context.Context, id string) error {
	mine, _, err := s.at(ctx, id)
	if err != nil || mine < 0 {
		return err
	}
	if err := s.state.Delete(ctx, s.key(mine)); err != nil {
		return fmt.Errorf("note what has ended: %w", err)
	}
	return nil
}
