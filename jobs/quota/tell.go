package quota

import (
	"context"
	"time"

	"atelier/adapters"
)

const (
	// toldFor is how long a person is not told again in a thread that something is refused.
	toldFor = 3 * time.Minute
	// toldAtMost is how often a person is told in all threads within toldWithin.
	toldAtMost = 5
	toldWithin = 10 * time.Minute
	// deniedFor is how long a person is not told again in a channel that they may not ask.
	deniedFor = 24 * time.Hour
)

// Tell tells whether the person is to be told that the request of that id is refused. The
// same id is told the same.
func (q *Quota) Tell(ctx context.Context, id string, by adapters.Person, in adapters.Thread, why Why) (bool, error) {
	person := personGroup(by, in)
	gate := seats{q.config.State, person + "/told-" + group("thread", in.Key()), 1, toldFor}
	if why == Denied {
		gate = seats{q.config.State, person + "/denied-" + channelGroup(in), 1, deniedFor}
	}
	ok, err := gate.sit(ctx, id)
	if err != nil || !ok {
		return false, err
	}
	return seats{q.config.State, person + "/told", toldAtMost, toldWithin}.sit(ctx, id)
}
