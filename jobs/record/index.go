package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
)

// Index lists requests by day and by person. It is safe for concurrent use.
type Index struct {
	store  *Store
	config StoreConfig
}

// NewIndex returns the index of a store.
func NewIndex(s *Store) *Index { return &Index{store: s, config: s.config} }

// dayGroup returns the name of the index group for requests made on t's day in UTC.
func dayGroup(t time.Time) string { return "day-" + t.UTC().Format(time.DateOnly) }

// Add lists a request under today.
func (x *Index) Add(ctx context.Context, id string) error {
	if _, err := x.config.State.Append(ctx, dayGroup(x.config.Now())+recentKey, []byte(id), x.config.Retention); err != nil {
		return fmt.Errorf("list a request: %w", err)
	}
	return nil
}

const day = 24 * time.Hour

// On returns the requests of a day, oldest first.
func (x *Index) On(ctx context.Context, at time.Time) ([]string, error) {
	listed, err := x.config.State.Read(ctx, dayGroup(at)+recentKey, 0)
	if err != nil {
		return nil, fmt.Errorf("list the requests: %w", err)
	}
	ids := make([]string, len(listed))
	for i, id := range listed {
		ids[i] = string(id)
	}
	return ids, nil
}

// Within returns the requests of the last period, oldest first. It tolerates clocks that were ahead by a
// day.
func (x *Index) Within(ctx context.Context, within time.Duration) ([]string, error) {
	var ids []string
	now := x.config.Now()
	for age := within + day; age >= -day; age -= day {
		of, err := x.On(ctx, now.Add(-age))
		if err != nil {
			return nil, err
		}
		ids = append(ids, of...)
	}
	return ids, nil
}

// askedLately is how many of a person's last requests in a channel are considered.
const askedLately = 50

// askerKey is the key of a person's requests in a channel on a day.
func askerKey(by string, in adapters.Thread, day time.Time) string {
	return "asker-" + Hash(fmt.Sprintf("%q", []string{in.Adapter, in.Workspace, in.Channel, by})) + "/" + day.UTC().Format(time.DateOnly)
}

// AddAsker lists a request under a person who asked for it or for one of its runs.
func (x *Index) AddAsker(ctx context.Context, id, by string, in adapters.Thread) error {
	if _, err := x.config.State.Append(ctx, askerKey(by, in, x.config.Now()), []byte(id), x.unfinishedFor()+2*day); err != nil {
		return fmt.Errorf("record who asked: %w", err)
	}
	return nil
}

// Unfinished returns the requests with active runs of a person, latest first, in a thread or in a channel
// with its threads.
func (x *Index) Unfinished(ctx context.Context, by string, in adapters.Thread) ([]*Request, error) {
	ids, err := x.askedBy(ctx, by, in)
	if err != nil {
		return nil, err
	}
	var all []*Request
	for _, id := range ids {
		r, err := x.store.Request(ctx, id)
		switch {
		case errors.Is(err, ErrUnknown):
			continue
		case err != nil:
			return nil, err
		case in.ID != "" && r.Asked.Event.Thread.Key() != in.Key(), r.Asked.Aside():
			continue
		}
		if slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.By == by && !run.Over }) {
			all = append(all, r)
		}
	}
	return all, nil
}

// LanguageOf returns the BCP 47 tag of the language in which a person last asked in a channel,
// "" if that is unknown.
func (x *Index) LanguageOf(ctx context.Context, by string, in adapters.Thread) (string, error) {
	ids, err := x.askedBy(ctx, by, in)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		r, err := x.store.Request(ctx, id)
		switch {
		case errors.Is(err, ErrUnknown):
		case err != nil:
			return "", err
		case !r.Asked.Aside():
			return r.Language(), nil
		}
	}
	return "", nil
}

// unfinishedFor is how long a request usually waits and runs at most.
func (x *Index) unfinishedFor() time.Duration { return 2 * x.config.Deadline }

// askedBy returns the last requests of a person in a channel, latest first.
func (x *Index) askedBy(ctx context.Context, by string, in adapters.Thread) ([]string, error) {
	var ids []string
	now := x.config.Now()
	for age := time.Duration(0); age <= x.unfinishedFor()+day && len(ids) < askedLately; age += day {
		of, err := x.config.State.Read(ctx, askerKey(by, in, now.Add(-age)), 0)
		if err != nil {
			return nil, fmt.Errorf("look up a person's requests: %w", err)
		}
		for _, id := range slices.Backward(of) {
			if !slices.Contains(ids, string(id)) && len(ids) < askedLately {
				ids = append(ids, string(id))
			}
		}
	}
	return ids, nil
}
