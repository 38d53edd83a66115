package quota

import (
	"context"
	"time"

	"atelier/adapters"
)

const (
	// toldFor is how long a person is not told again in a channel, with its threads, why
	// something is refused, for the same reason: each mention may begin a thread of its own.
	toldFor = 3 * time.Minute
	// toldAtMost is how often a person is told in all channels within toldWithin.
	toldAtMost = 5
	toldWithin = 10 * time.Minute
	// deniedFor is how long a person is not told again in a channel that they may not ask.
	deniedFor = 24 * time.Hour
)

// Tell reports whether the person is to be told that the request of that id is refused. The
// same id is told the same.
func (q *Quota) Tell(ctx context.Context, id string, by adapters.Person, in adapters.Thread, why Why) (bool, error) {
	person := personGroup(by, in)
	span := toldFor
	if why == Denied {
		span = deniedFor
	}
	gate := seats{q.config.State, person + "/" + string(why) + "-" + channelGroup(in), 1, span, span}
	ok, err := gate.sit(ctx, id)
	if err != nil || !ok {
		return false, err
	}
	return seats{q.config.State, person + "/told", toldAtMost, toldWithin, toldWithin}.sit(ctx, id)
}
