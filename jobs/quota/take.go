package quota

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Reason is the reason of a refusal, for metrics.
type Reason string

// Reasons.
const (
	Denied        Reason = "denied"
	Hour          Reason = "hour"
	Commands      Reason = "commands"
	AtOnce        Reason = "at_once"
	ChannelAtOnce Reason = "channel_at_once"
	Day           Reason = "day"
	NotToDelete   Reason = "not_theirs_to_delete"
	NotToStop     Reason = "not_theirs_to_stop"
	NotToPick     Reason = "picked_too_often"
)

// Refusal is the rejection of a request or file.
type Refusal struct {
	Why Reason
	// Sentence tells the person why, and when to try again.
	Sentence plan.Message
}

// Refuse is the refusal for people without access to a place.
func Refuse() *Refusal {
	return &Refusal{Denied, plan.Say("I am not allowed to work for you here. The operator can change that.")}
}

// RefuseRemove is the refusal for people who may not delete an answer to another person.
func RefuseRemove() *Refusal {
	return &Refusal{NotToDelete, plan.Say("Only the person who asked for this, or an admin, can delete it.")}
}

// RefuseStop is the refusal for people who may not stop another person's request.
func RefuseStop() *Refusal {
	return &Refusal{NotToStop, plan.Say("Only the person who asked for this, or an admin, can stop it.")}
}

// RefusePick is the refusal for people who keep picking the same offer and taking it back.
func RefusePick() *Refusal {
	return &Refusal{NotToPick, plan.Say("You chose this too often. Please send a new request.")}
}

func (q *Quota) seats(group string, n int) seats {
	return seats{q.config.State, group, n, unheld, q.config.Longest}
}

// unheld is how long a request that was never held counts as active: its process may have died before
// recording it.
const unheld = time.Minute

// Take counts a request under its id, and counts it as active for about a minute. Once it is recorded,
// call [Quota.Hold], which keeps it active until [Quota.Done]; if recording fails, call
// [Quota.Withdraw]. Take returns nil if the request is allowed.
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
			"You already have %d requests in progress. Ask again when one of them is done.",
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

// takeBeside counts a request against the limits other than the person's active requests.
func (q *Quota) takeBeside(ctx context.Context, id, person string, in adapters.Thread) (*Refusal, error) {
	ok, err := q.seats(channelGroup(in), q.config.ChannelAtOnce).sit(ctx, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return &Refusal{ChannelAtOnce, plan.Say(
			"This channel already has %d requests in progress. Ask again in a few minutes.", q.config.ChannelAtOnce)}, nil
	}
	ok, wait, err := q.requests.take(ctx, person, id, 1)
	if err != nil || ok {
		return nil, err
	}
	return &Refusal{Hour, plan.Say(
		"You have reached the limit of requests here, which is %d an hour. Ask again in %s.", q.config.Requests, plan.Wait(wait))}, nil
}

// Hold marks a taken request as recorded: it is active until [Quota.Done].
func (q *Quota) Hold(ctx context.Context, id string, by adapters.Person, in adapters.Thread) error {
	if err := q.seats(personGroup(by, in), q.config.AtOnce).hold(ctx, id); err != nil {
		return err
	}
	return q.seats(channelGroup(in), q.config.ChannelAtOnce).hold(ctx, id)
}

// Withdraw undoes Take for a request that failed to start.
func (q *Quota) Withdraw(ctx context.Context, id string, by adapters.Person, in adapters.Thread) error {
	if err := q.Done(ctx, id, by, in); err != nil || q.exempt(by, in) {
		return err
	}
	return q.requests.giveBack(ctx, personGroup(by, in), id)
}

// Done marks a request as no longer active. It may be called again.
func (q *Quota) Done(ctx context.Context, id string, by adapters.Person, in adapters.Thread) error {
	if err := q.seats(personGroup(by, in), q.config.AtOnce).rise(ctx, id); err != nil {
		return err
	}
	return q.seats(channelGroup(in), q.config.ChannelAtOnce).rise(ctx, id)
}

// Command counts a command under its id. It returns nil if the command is allowed: even cheap commands
// are rate limited.
func (q *Quota) Command(ctx context.Context, id string, by adapters.Person, in adapters.Thread) (*Refusal, error) {
	ok, wait, err := q.commands.take(ctx, personGroup(by, in), id, 1)
	if err != nil || ok {
		return nil, err
	}
	return &Refusal{Commands, plan.Say(
		"You have reached the limit of commands, which is %d an hour. Ask again in %s.", commandsAnHour, plan.Wait(wait))}, nil
}
