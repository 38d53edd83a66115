package quota

import (
	"context"
	"time"

	"atelier/adapters"
)

const (
	// toldFor is how long a person is not told the same reason again in a channel, threads included:
	// each mention may start a thread of its own.
	toldFor = 3 * time.Minute
	// toldAtMost is the maximum number of refusals that a person is told in all channels within toldWithin.
	toldAtMost = 5
	toldWithin = 10 * time.Minute
	// deniedFor is how long a person without access is not told so again in a channel.
	deniedFor = 24 * time.Hour
)

// Tell reports whether to tell the person why request id is refused. A repeated id gets the same result.
func (q *Quota) Tell(ctx context.Context, id string, by adapters.Person, in adapters.Thread, why Reason) (bool, error) {
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
