package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"atelier/storage"
)

// errOther is returned if a key holds a list instead of a value, or a value instead of a list.
var errOther = errors.New("the key holds the wrong kind of value")

// Get returns a value.
func (s *State) Get(ctx context.Context, key string) ([]byte, error) {
	e, err := s.look(ctx, key)
	switch {
	case err != nil:
	case e == nil:
		err = storage.ErrNotFound
	case e.list != nil:
		err = errOther
	default:
		return append([]byte{}, e.value...), nil
	}
	return nil, fmt.Errorf("get %s: %w", key, err)
}

// Put writes a value.
func (s *State) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	if err := guard(ctx, checkValue(key, value, expiry)); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	value = bytes.Clone(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.do(change{put, key, s.until(expiry), value}); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}

// PutOnce writes a value if there is none.
func (s *State) PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (bool, error) {
	if err := guard(ctx, checkValue(key, value, expiry)); err != nil {
		return false, fmt.Errorf("put %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(key)
	switch {
	case err != nil:
	case e == nil:
		err = s.do(change{put, key, s.until(expiry), bytes.Clone(value)})
	case e.list != nil:
		err = errOther
	default:
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("put %s: %w", key, err)
	}
	return true, nil
}

// Delete removes a value or a list.
func (s *State) Delete(ctx context.Context, key string) error {
	if err := guard(ctx, storage.CheckStateKey(key)); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.alive()
	if s.memory.find(key) != nil { // even if it has expired
		err = s.do(change{kind: remove, key: key})
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// Append adds a value to a list.
func (s *State) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := guard(ctx, checkValue(key, value, expiry)); err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	value = bytes.Clone(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(key)
	c, at := change{begin, key, s.until(expiry), value}, 0
	if e != nil {
		c.kind, c.until, at = add, later(e.until, c.until), len(e.list)
	}
	switch {
	case err != nil:
	case e != nil && e.list == nil:
		err = errOther
	default:
		err = s.do(c)
	}
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	return int64(at), nil
}

// Read returns the values of a list.
func (s *State) Read(ctx context.Context, key string, from int64) ([][]byte, error) {
	e, err := s.look(ctx, key)
	switch {
	case err != nil:
	case from < 0:
		err = fmt.Errorf("the position %d is negative", from)
	case e == nil:
		return nil, nil
	case e.list == nil:
		err = errOther
	default:
		list := e.list[min(from, int64(len(e.list))):]
		all := make([][]byte, len(list))
		for i, value := range list {
			all[i] = append([]byte{}, value...)
		}
		return all, nil
	}
	return nil, fmt.Errorf("read %s: %w", key, err)
}

// Keys returns the keys of a group.
func (s *State) Keys(ctx context.Context, group string) ([]string, error) {
	if err := guard(ctx, storage.CheckGroup(group)); err != nil {
		return nil, fmt.Errorf("list the keys of %s: %w", group, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.alive(); err != nil {
		return nil, fmt.Errorf("list the keys of %s: %w", group, err)
	}
	now := s.now().UnixMilli()
	keys := slices.Collect(maps.Keys(s.memory.groups[group]))
	keys = slices.DeleteFunc(keys, func(key string) bool { return s.memory.find(key).expired(now) })
	slices.Sort(keys)
	return keys, nil
}

// DeleteAll removes a group.
func (s *State) DeleteAll(ctx context.Context, group string) error {
	if err := guard(ctx, storage.CheckGroup(group)); err != nil {
		return fmt.Errorf("delete everything of %s: %w", group, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.alive()
	if s.memory.groups[group] != nil {
		err = s.do(change{kind: removeAll, key: group})
	}
	if err != nil {
		return fmt.Errorf("delete everything of %s: %w", group, err)
	}
	return nil
}

// look returns a copy of the entry of a key, nil if there is none.
func (s *State) look(ctx context.Context, key string) (*entry, error) {
	if err := guard(ctx, storage.CheckStateKey(key)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(key)
	if e == nil {
		return nil, err
	}
	seen := *e // a list may grow while it is being read
	return &seen, err
}

// find returns the unexpired entry of a key. The caller holds the lock.
func (s *State) find(key string) (*entry, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	e := s.memory.find(key)
	if e == nil || e.expired(s.now().UnixMilli()) {
		return nil, nil //nolint:nilnil // nil means none
	}
	return e, nil
}

func checkValue(key string, value []byte, expiry time.Duration) error {
	if err := storage.CheckStateKey(key); err != nil {
		return err
	}
	if len(value) > storage.MaxValue {
		return fmt.Errorf("%w: %d bytes, the limit is %d", storage.ErrTooLarge, len(value), storage.MaxValue)
	}
	if expiry < 0 {
		return fmt.Errorf("the expiry %v is negative", expiry)
	}
	return nil
}
