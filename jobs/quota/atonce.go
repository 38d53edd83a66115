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

// maxAtOnce is the maximum limit on concurrent requests: each has a key that may have to be read.
const maxAtOnce = 1000

// seats limits active requests. Each holds one of n keys (a seat), which nobody else can store until it is
// deleted or expires. A note under the id tells its seat. The note is also stored only once: if several
// processes take a seat for the same id at the same time, the one in the note wins and the others are
// given up.
type seats struct {
	state storage.State
	group string
	n     int           // 0 means unlimited
	brief time.Duration // lifetime of a seat that is not held
	lasts time.Duration // lifetime of a held seat
}

func (s seats) key(i int) string      { return s.group + "/seat-" + strconv.Itoa(i) }
func (s seats) note(id string) string { return s.group + "/of-" + id }

// start is the seat that an id tries first. Ids start at different seats, so that most find a free one at once.
func (s seats) start(id string) int {
	sum := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint16(sum[:])) % s.n
}

// noted returns the seat in an id's note; negative if there is none.
func (s seats) noted(ctx context.Context, id string) (int, error) {
	b, err := s.state.Get(ctx, s.note(id))
	if errors.Is(err, storage.ErrNotFound) {
		return -1, nil
	}
	if err != nil {
		return -1, fmt.Errorf("read active requests: %w", err)
	}
	i, err := strconv.Atoi(string(b))
	if err != nil {
		return -1, fmt.Errorf("read active requests: %w", err)
	}
	return i, nil
}

// has reports whether an id holds a seat.
func (s seats) has(ctx context.Context, i int, id string) (bool, error) {
	b, err := s.state.Get(ctx, s.key(i))
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, fmt.Errorf("read active requests: %w", err)
	}
	return err == nil && string(b) == id, nil
}

// seated reports whether an id holds the seat in its note.
func (s seats) seated(ctx context.Context, id string) (bool, error) {
	i, err := s.noted(ctx, id)
	if err != nil || i < 0 {
		return false, err
	}
	return s.has(ctx, i, id)
}

// sit takes a seat for an id, once. It returns false if none is free.
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
		return false, fmt.Errorf("read active requests: %w", err)
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
	return s.seated(ctx, id) // another process may have taken the last seat for the same id
}

// claim takes seat i for an id, if it is free.
func (s seats) claim(ctx context.Context, i int, id string) (ok bool, err error) {
	first, err := s.state.PutOnce(ctx, s.key(i), []byte(id), s.brief)
	if err != nil {
		return false, fmt.Errorf("store an active request: %w", err)
	}
	if !first { // another note exists
		if ok, err := s.has(ctx, i, id); err != nil || !ok {
			return false, err
		}
	}
	if first, err = s.state.PutOnce(ctx, s.note(id), []byte(strconv.Itoa(i)), s.lasts); err != nil {
		return false, fmt.Errorf("store an active request: %w", err)
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
	// The seat in the note has expired.
	if err := s.state.Put(ctx, s.note(id), []byte(strconv.Itoa(i)), s.lasts); err != nil {
		return false, fmt.Errorf("store an active request: %w", err)
	}
	return true, nil
}

// hold keeps the seat of an id until rise.
func (s seats) hold(ctx context.Context, id string) error {
	if s.n == 0 {
		return nil
	}
	i, err := s.noted(ctx, id)
	if err != nil || i < 0 {
		return err
	}
	if err := s.state.Put(ctx, s.key(i), []byte(id), s.lasts); err != nil {
		return fmt.Errorf("store an active request: %w", err)
	}
	return nil
}

// rise frees the seat of an id. Without a seat, that costs one read.
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
		err = s.state.Delete(ctx, s.note(id)) // last, so that a retry finds the seat
	}
	if err != nil {
		return fmt.Errorf("remove an active request: %w", err)
	}
	return nil
}
