package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/jobs/quota"
)

// askedLately is how many of a person's last requests in a channel are looked at.
const askedLately = 50

// askerKey is the key of the requests of a person in a channel that were made on a day.
func askerKey(by string, in adapters.Thread, day time.Time) string {
	return "asker-" + hash(fmt.Sprintf("%q", []string{in.Adapter, in.Workspace, in.Channel, by})) + "/" + day.UTC().Format(time.DateOnly)
}

// noteAsker notes that somebody wants something of a request.
func (j *Jobs) noteAsker(ctx context.Context, id, by string, in adapters.Thread) error {
	now := j.config.Now()
	if _, err := j.config.State.Append(ctx, askerKey(by, in, now), []byte(id), j.unfinishedFor()+48*time.Hour); err != nil {
		return fmt.Errorf("note who asked: %w", err)
	}
	return nil
}

// unfinishedFor is how long a request that was asked may still wait or run, as a rule.
func (j *Jobs) unfinishedFor() time.Duration { return 2 * j.config.Deadline }

// unfinished are the requests of which something that the person wants has not ended, the
// latest first: those in the thread or, where it is a channel, in all its threads too.
func (j *Jobs) unfinished(ctx context.Context, by string, in adapters.Thread) ([]*request, error) {
	ids, err := j.askedBy(ctx, by, in)
	if err != nil {
		return nil, err
	}
	var all []*request
	for _, id := range ids {
		r, err := j.request(ctx, id)
		switch {
		case errors.Is(err, ErrUnknown):
			continue
		case err != nil:
			return nil, err
		case in.ID != "" && r.asked.Event.Thread.Key() != in.Key(), r.asked.aside():
			continue
		}
		if slices.ContainsFunc(r.runs, func(run *run) bool { return run.by == by && !run.over }) {
			all = append(all, r)
		}
	}
	return all, nil
}

// askedBy are the last requests of which a person wanted something in a channel, the latest
// first.
func (j *Jobs) askedBy(ctx context.Context, by string, in adapters.Thread) ([]string, error) {
	var ids []string
	now := j.config.Now()
	for age := time.Duration(0); age <= j.unfinishedFor()+24*time.Hour && len(ids) < askedLately; age += 24 * time.Hour {
		of, err := j.config.State.Read(ctx, askerKey(by, in, now.Add(-age)), 0)
		if err != nil {
			return nil, fmt.Errorf("look what somebody asked: %w", err)
		}
		for _, id := range slices.Backward(of) {
			if !slices.Contains(ids, string(id)) && len(ids) < askedLately {
				ids = append(ids, string(id))
			}
		}
	}
	return ids, nil
}

// languageOf is the BCP 47 tag of the language of what somebody last asked for in a channel,
// "" where that is not known.
func (j *Jobs) languageOf(ctx context.Context, by string, in adapters.Thread) (string, error) {
	ids, err := j.askedBy(ctx, by, in)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		r, err := j.request(ctx, id)
		switch {
		case errors.Is(err, ErrUnknown):
		case err != nil:
			return "", err
		case !r.asked.aside():
			return r.language(), nil
		}
	}
	return "", nil
}

// Standing is how somebody stands in a thread, or in a channel with its threads.
type Standing struct {
	// Requests are those of which something that they want has not ended, the earliest first.
	Requests []Request
	Left     quota.Left
}

// Standing tells how somebody stands.
func (j *Jobs) Standing(ctx context.Context, by adapters.Person, in adapters.Thread) (s Standing, err error) {
	requests, err := j.unfinished(ctx, by.ID, in)
	if err != nil {
		return s, err
	}
	for _, r := range slices.Backward(requests) {
		shown, err := j.Show(ctx, r.id)
		if err != nil {
			return s, err
		}
		s.Requests = append(s.Requests, shown)
	}
	s.Left, err = j.quota.Left(ctx, by, in)
	return s, err
}
