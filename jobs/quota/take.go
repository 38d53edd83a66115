package quota

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Why is why somebody was refused, for whoever counts it.
type Why string

// The reasons.
const (
	Denied        Why = "denied"
	Hour          Why = "hour"
	Commands      Why = "commands"
	AtOnce        Why = "at_once"
	ChannelAtOnce Why = "channel_at_once"
	Day           Why = "day"
	NotToDelete   Why = "not_theirs_to_delete"
	NotToStop     Why = "not_theirs_to_stop"
)

// Refusal is that something is not taken.
type Refusal struct {
	Why Why
	// Sentence tells the person, and when to come back.
	Sentence plan.Message
}

// Refuse is the refusal of who may not ask in a place.
func Refuse() *Refusal {
	return &Refusal{Denied, plan.Say("I am not allowed to work for you here. The operator can change that.")}
}

// RefuseRemove is the refusal of who may not delete the answer to somebody else.
func RefuseRemove() *Refusal {
	return &Refusal{NotToDelete, plan.Say("Only the person who asked for this, or an admin, can delete it.")}
}

// RefuseStop is the refusal of who may not stop a request of somebody else.
func RefuseStop() *Refusal {
	return &Refusal{NotToStop, plan.Say("Only the person who asked for this, or an admin, can stop it.")}
}

func (q *Quota) seats(group string, n int) seats {
	return seats{q.config.State, group, n, unheld, q.config.Longest}
}

// unheld is how long a request counts as being at work that nobody holds: whoever took it
// died before it was recorded.
const unheld = time.Minute

// Take counts a request under its id, and that it is at work, for about a minute. Whoever
// has recorded it tells [Quota.Hold]; it is at work until [Quota.Done] then. Who could not
// record it tells [Quota.Withdraw]. Take gives why it is refused, nil where it is taken.
func (q *Quota) Take(ctx context.Context, id string, by adapters.Person, in adapters.Thread) (*Refusal, error) {
	if q.exempt(by, in) {
		return nil, nil //nolint:nilnil // nothing is refused
	}
	person := personGroup(by, in)
	ok, err := q.seats(person, q.config.AtOnce).sit(ctx, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return &Refusal{AtOnce, plan.Say(
			"You have reached the limit of requests in progress, which is %d. Ask again in a few minutes, when one of them is done.",
			q.config.AtOnce)}, nil
	}
	refused, err := q.takeBeside(ctx, id, person, in)
	if err != nil || refused != nil {
		if e := q.Done(ctx, id, by, in); err == nil {
			err = e
		}
	}
	return refused, err
}

// takeBeside takes what a request needs besides a seat of its person's.
func (q *Quota) takeBeside(ctx context.Context, id, person string, in adapters.Thread) (*Refusal, error) {
	ok, err := q.seats(channelGroup(in), q.config.ChannelAtOnce).sit(ctx, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return &Refusal{ChannelAtOnce, plan.Say(
			"This channel has reached its limit of requests in progress, which is %d. Ask again in a few minutes.", q.config.ChannelAtOnce)}, nil
	}
	ok, wait, err := q.requests.take(ctx, person, id, 1)
	if err != nil || ok {
		return nil, err
	}
	return &Refusal{Hour, plan.Say(
		"You have reached the limit of requests here, which is %d an hour. Ask again in %s.", q.config.Requests, plan.Wait(wait))}, nil
}

// Hold tells that a request that was taken is recorded: whoever works on it will tell of its
// end.
func (q *Quota) Hold(ctx context.Context, id string, by adapters.Person, in adapters.Thread) error {
	if err := q.seats(personGroup(by, in), q.config.AtOnce).hold(ctx, id); err != nil {
		return err
	}
	return q.seats(channelGroup(in), q.config.ChannelAtOnce).hold(ctx, id)
}

// Withdraw tells that nothing came of a request that was taken: it is not at work, and does
// not count.
func (q *Quota) Withdraw(ctx context.Context, id string, by adapters.Person, in adapters.Thread) error {
	if err := q.Done(ctx, id, by, in); err != nil || q.exempt(by, in) {
		return err
	}
	return q.requests.giveBack(ctx, personGroup(by, in), id)
}

// Done tells that a request is not at work any more. It may be told again.
func (q *Quota) Done(ctx context.Context, id string, by adapters.Person, in adapters.Thread) error {
	if err := q.seats(personGroup(by, in), q.config.AtOnce).rise(ctx, id); err != nil {
		return err
	}
	return q.seats(channelGroup(in), q.config.ChannelAtOnce).rise(ctx, id)
}

// Command counts a command under its id, and gives why it is refused, nil where it may be
// answered: there are limits to what costs next to nothing too.
func (q *Quota) Command(ctx context.Context, id string, by adapters.Person, in adapters.Thread) (*Refusal, error) {
	ok, wait, err := q.commands.take(ctx, personGroup(by, in), id, 1)
	if err != nil || ok {
		return nil, err
	}
	return &Refusal{Commands, plan.Say(
		"You have reached the limit of commands, which is %d an hour. Ask again in %s.", commandsAnHour, plan.Wait(wait))}, nil
}
