package jobs

import (
	"context"
	"slices"

	"atelier/adapters"
	"atelier/jobs/quota"
)

// Standing is how somebody stands in a thread, or in a channel with its threads.
type Standing struct {
	// Requests are those of which something that they want has not ended, the earliest first.
	Requests []Request
	Left     quota.Left
}

// Standing tells how somebody stands.
func (j *Jobs) Standing(ctx context.Context, by adapters.Person, in adapters.Thread) (s Standing, err error) {
	requests, err := j.index.Unfinished(ctx, by.ID, in)
	if err != nil {
		return s, err
	}
	for _, r := range slices.Backward(requests) {
		shown, err := j.Show(ctx, r.ID)
		if err != nil {
			return s, err
		}
		s.Requests = append(s.Requests, shown)
	}
	s.Left, err = j.quota.Left(ctx, by, in)
	return s, err
}
