package quota

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"atelier/storage"
)

// maxAtOnce is the most requests at once that can be set: each has a value to be looked at.
const maxAtOnce = 1000

// seats are values of which each request at work has one: nobody else can put theirs there
// before it is taken away, or its time is over. Beside it, a note tells which seat an id
// has. The note too is put there once: of several seats that were taken for an id at the
// same time, the one that is noted stays, and whoever took another gives it up.
type seats struct {
	state storage.State
	group string
	n     int           // 0 is any number
	brief time.Duration // how long a seat lasts that is not held
	lasts time.Duration // how long one lasts that is
}

func (s seats) key(i int) string      { return s.group + "/seat-" + strconv.Itoa(i) }
func (s seats) note(id string) string { return s.group + "/of-" + id }

// start is the seat at which an id begins to look for one, so that most find one at once.
func (s seats) start(id string) int {
	sum := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint16(sum[:])) % s.n
}

// noted is which seat was noted for an id; negative is none.
func (s seats) noted(ctx context.Context, id string) (int, error) {
	b, err := s.state.Get(ctx, s.note(id))
	if errors.Is(err, storage.ErrNotFound) {
		return -1, nil
	}
	if err != nil {
		return -1, fmt.Errorf("look at what is at work: %w", err)
	}
	i, err := strconv.Atoi(string(b))
	if err != nil {
		return -1, fmt.Errorf("look at what is at work: %w", err)
	}
	return i, nil
}

// has reports whether a seat is that of an id.
func (s seats) has(ctx context.Context, i int, id string) (bool, error) {
	b, err := s.state.Get(ctx, s.key(i))
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, fmt.Errorf("look at what is at work: %w", err)
	}
	return err == nil && string(b) == id, nil
}

// seated reports whether an id has the seat that is noted for it.
func (s seats) seated(ctx context.Context, id string) (bool, error) {
	i, err := s.noted(ctx, id)
	if err != nil || i < 0 {
		return false, err
	}
	return s.has(ctx, i, id)
}

// sit takes a seat for an id, once. It is not ok where none is free.
func (s seats) sit(ctx context.Context, id string) (ok bool, err error) {
	if s.n == 0 {
		return true, nil
	}
	start := s.start(id)
	if ok, err := s.claim(ctx, start, id); err != nil || ok {
		return ok, err
	}
	if ok, err := s.seated(ctx, id); err != nil || ok {
		return ok, err
	}
	there, err := s.state.Keys(ctx, storage.Group(s.group))
	if err != nil {
		return false, fmt.Errorf("look at what is at work: %w", err)
	}
	for i := range s.n - 1 {
		at := (start + 1 + i) % s.n
		if _, taken := slices.BinarySearch(there, s.key(at)); taken {
			continue
		}
		if ok, err := s.claim(ctx, at, id); err != nil || ok {
			return ok, err
		}
	}
	return s.seated(ctx, id) // somebody else may have taken the last one for it
}

// claim takes that seat for an id, if it is free.
func (s seats) claim(ctx context.Context, i int, id string) (ok bool, err error) {
	first, err := s.state.PutOnce(ctx, s.key(i), []byte(id), s.brief)
	if err != nil {
		return false, fmt.Errorf("note what is at work: %w", err)
	}
	if !first { // it may be told so, and was
		if ok, err := s.has(ctx, i, id); err != nil || !ok {
			return false, err
		}
	}
	if first, err = s.state.PutOnce(ctx, s.note(id), []byte(strconv.Itoa(i)), s.lasts); err != nil {
		return false, fmt.Errorf("note what is at work: %w", err)
	}
	if first {
		return true, nil
	}
	noted, err := s.noted(ctx, id)
	if err != nil || noted == i {
		return err == nil, err
	}
	if noted >= 0 {
		other, err := s.has(ctx, noted, id)
		if err == nil && other {
			err = s.state.Delete(ctx, s.key(i))
		}
		if err != nil || other {
			return err == nil, err
		}
	}
	// The time of the one that was noted is over.
	if err := s.state.Put(ctx, s.note(id), []byte(strconv.Itoa(i)), s.lasts); err != nil {
		return false, fmt.Errorf("note what is at work: %w", err)
	}
	return true, nil
}

// hold lets an id that has a seat keep it, until it rises.
func (s seats) hold(ctx context.Context, id string) error {
	if s.n == 0 {
		return nil
	}
	i, err := s.noted(ctx, id)
	if err != nil || i < 0 {
		return err
	}
	if err := s.state.Put(ctx, s.key(i), []byte(id), s.lasts); err != nil {
		return fmt.Errorf("note what is at work: %w", err)
	}
	return nil
}

// rise leaves the seat of an id. Where it has none, that costs one look.
func (s seats) rise(ctx context.Context, id string) error {
	if s.n == 0 {
		return nil
	}
	i, err := s.noted(ctx, id)
	if err != nil || i < 0 {
		return err
	}
	mine, err := s.has(ctx, i, id)
	if err == nil && mine {
		err = s.state.Delete(ctx, s.key(i))
	}
	if err == nil {
		err = s.state.Delete(ctx, s.note(id)) // the last: who fails before is to find it again
	}
	if err != nil {
		return fmt.Errorf("note what has ended: %w", err)
	}
	return nil
}
