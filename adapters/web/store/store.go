// Package store reads and writes threads in a [State] that all processes share, lists them, and announces changes.
// Its caches are bounded.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

const (
	// maxEntry is the maximum size of an entry in bytes: State accepts 4 MiB.
	maxEntry = 4_000_000
	day      = 24 * time.Hour
)

// Store is the threads in a [State], as one process sees them.
type Store struct {
	state     State
	retention time.Duration
	now       func() time.Time
	log       *slog.Logger

	Hub     *Hub
	Threads *Threads
	Index   *Index
}

// New returns a store. It reads nothing yet.
func New(state State, retention time.Duration, now func() time.Time, log *slog.Logger) *Store {
	h := newHub(state, log)
	return &Store{
		state: state, retention: retention, now: now, log: log,
		Hub: h, Threads: newThreads(state, h.hints), Index: newIndex(state, h.hints, retention),
	}
}

// Message returns a message, or [adapters.ErrGone] if it does not exist or was deleted.
func (s *Store) Message(ctx context.Context, ref adapters.MessageRef) (*chat.Message, error) {
	if err := chat.CheckThread(adapters.Thread{Adapter: ref.Adapter, Channel: ref.Channel}); err != nil {
		return nil, err
	}
	t, err := s.Threads.Read(ctx, ref.Channel, Latest)
	if err != nil {
		return nil, err
	}
	m := t.Message(ref.ID)
	if m == nil || m.Removed {
		return nil, fmt.Errorf("%w: the message", adapters.ErrGone)
	}
	return m, nil
}

// Refresh reads the list of threads. An error means that the State cannot be read.
func (s *Store) Refresh(ctx context.Context) error { return s.Index.Refresh(ctx, s.now(), Latest) }

// Record adds a person's message or reaction. It is announced in the list first, so that no process misses it.
func (s *Store) Record(ctx context.Context, thread, id string, e chat.Entry) error {
	if _, err := s.enlist(ctx, Line{Thread: thread, Busy: true, Waits: id}); err != nil {
		return err
	}
	if err := s.append(ctx, thread, e); err != nil {
		return err
	}
	s.Hub.Publish(ctx, HintWrote, thread)
	return nil
}

// Tell adds an entry of the bot to a thread.
func (s *Store) Tell(ctx context.Context, thread string, e chat.Entry) error {
	if err := s.append(ctx, thread, e); err != nil {
		return err
	}
	s.Hub.Publish(ctx, hintChanged, thread)
	s.Relist(ctx, thread)
	return nil
}

// Rename changes a thread's title.
func (s *Store) Rename(ctx context.Context, thread string, e chat.Renamed) error {
	if err := s.append(ctx, thread, chat.Entry{Renamed: &e}); err != nil {
		return err
	}
	t, err := s.Threads.Read(ctx, thread, Latest)
	if err != nil {
		return err
	}
	_, err = s.enlist(ctx, Line{Thread: thread, Busy: t.Busy, Picture: t.Picture(), Renamed: true})
	return err
}

// Take records that the handler accepted a message or reaction.
func (s *Store) Take(ctx context.Context, thread, id string) error {
	return s.append(ctx, thread, chat.Entry{Taken: &chat.Taken{ID: id}})
}

// Forget deletes a thread. [Store.Purge] removes it from files.
func (s *Store) Forget(ctx context.Context, thread string) error {
	if err := s.delete(ctx, thread); err != nil {
		return err
	}
	s.Threads.drop(thread)
	if _, err := s.enlist(ctx, Line{Thread: thread, Gone: true}); err != nil {
		return err
	}
	s.Hub.Publish(ctx, hintChanged, thread)
	return nil
}

// Purge rewrites the files that contain deleted entries.
func (s *Store) Purge(ctx context.Context) error {
	p, ok := s.state.(purger)
	if !ok {
		return nil
	}
	if err := p.Purge(ctx); err != nil {
		return fmt.Errorf("delete a thread: %w", err)
	}
	return nil
}

// Relist writes a thread's line, and what was accepted, until nothing changed meanwhile. It logs errors.
func (s *Store) Relist(ctx context.Context, thread string, taken ...string) {
	for written := true; written; taken = nil {
		t, err := s.Threads.Read(ctx, thread, Latest)
		if gone := errors.Is(err, adapters.ErrGone); gone || err == nil {
			written, err = s.enlist(ctx, Line{Thread: thread, Busy: t.Busy, Picture: t.Picture(), Gone: gone, Taken: taken})
		}
		if err != nil {
			if ctx.Err() == nil {
				s.log.WarnContext(ctx, "the list of threads is not up to date", "error", adapters.ForOperator(err))
			}
			return
		}
	}
}

// NoteUpload adds an entry to the list of a thread's uploads.
func (s *Store) NoteUpload(ctx context.Context, thread string, u UploadEntry) error {
	u.At = s.now()
	b, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("note an upload: %w", err)
	}
	if _, err := s.state.Append(ctx, uploadsKey(thread), b, s.retention); err != nil {
		return fmt.Errorf("note an upload: %w", err)
	}
	return nil
}

// Claim marks uploads as sent, or returns false if one was withdrawn before.
func (s *Store) Claim(ctx context.Context, thread string, ids []string) (bool, error) {
	claimed := func() (bool, error) {
		all, _, err := s.Threads.Uploads(ctx, thread)
		return !slices.ContainsFunc(ids, func(id string) bool { return !all[id].Sent }), err
	}
	if done, err := claimed(); done || err != nil {
		return done, err
	}
	if err := s.NoteUpload(ctx, thread, UploadEntry{Sent: ids}); err != nil {
		return false, err
	}
	return claimed()
}

// append adds an entry to a thread, which must begin with a person's message.
func (s *Store) append(ctx context.Context, thread string, e chat.Entry) error {
	e.At = s.now()
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("store an entry: %w", err)
	}
	if len(b) > maxEntry {
		return fmt.Errorf("%w: entry of %d bytes", adapters.ErrTooLarge, len(b))
	}
	position, err := s.state.Append(ctx, logKey(thread), b, s.retention)
	if err != nil {
		return fmt.Errorf("store an entry: %w", err)
	}
	if position == 0 && e.Wrote == nil { // the thread was deleted meanwhile
		if err := s.delete(ctx, thread); err != nil {
			return err
		}
		if err := s.Purge(ctx); err != nil {
			return err
		}
		return fmt.Errorf("%w: the thread", adapters.ErrGone)
	}
	return nil
}

func (s *Store) delete(ctx context.Context, thread string) error {
	if err := s.state.DeleteAll(ctx, group(thread)); err != nil {
		return fmt.Errorf("delete a thread: %w", err)
	}
	return nil
}

// enlist writes a thread's line if it changed, and what waits or was accepted.
func (s *Store) enlist(ctx context.Context, l Line) (written bool, err error) {
	l.At = s.now()
	if err := s.Index.Refresh(ctx, l.At, Latest); err != nil {
		return false, err
	}
	changed := s.Index.needs(l)
	if !changed && l.Waits == "" && len(l.Taken) == 0 {
		return false, nil
	}
	b, err := json.Marshal(l)
	if err != nil {
		return false, fmt.Errorf("list a thread: %w", err)
	}
	if _, err := s.state.Append(ctx, dayKey(l.At), b, s.retention+2*day); err != nil {
		return false, fmt.Errorf("list a thread: %w", err)
	}
	if changed {
		s.Hub.Publish(ctx, HintListed, "")
	}
	return true, nil
}
