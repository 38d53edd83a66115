package post

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
)

// maxStatuses is how many requests are remembered.
const maxStatuses = 10_000

// Marks puts reactions on messages: the status on a request, and the numbers of the choices on
// an answer.
type Marks struct {
	API      *api.Client
	Identity *lookup.Identity
	Numbers  *rate.Limiter // of the reactions that are numbers
	Now      func() time.Time

	mu     sync.Mutex
	status map[string]string // the short name of the emoji on a request, by the request's key
}

// Acknowledge adds the reaction of a status to a request, and removes the previous one.
func (mk *Marks) Acknowledge(ctx context.Context, request adapters.MessageRef, status adapters.Status) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name, ok := convert.Statuses[status]
	if !ok || request.Adapter != convert.Name || request.ID == "" {
		return api.Invalid("there is no such status, or no such request")
	}
	on := slack.NewRefToMessage(request.Channel, request.ID)
	mk.mu.Lock()
	before := mk.status[request.Key()]
	mk.mu.Unlock()
	if before == name {
		return nil
	}
	if err := mk.API.AddReactionContext(ctx, name, on); err != nil && !api.HasCode(err, "already_reacted") {
		return api.Fault(err)
	}
	err := mk.removeOthers(ctx, on, name, before)
	mk.mu.Lock()
	defer mk.mu.Unlock()
	if err != nil { // there are two now: the next call looks them up
		delete(mk.status, request.Key())
		return err
	}
	if mk.status == nil || len(mk.status) >= maxStatuses {
		mk.status = map[string]string{}
	}
	mk.status[request.Key()] = name
	return nil
}

// Offer adds the first numbers to an answer, as far as Slack's rate limit allows: its buttons do the same.
func (mk *Marks) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if n < 0 || n > len(convert.Digits) || answer.Adapter != convert.Name {
		return api.Invalid("so much cannot be offered there")
	}
	if mk.API.IsPaced("reactions.add") || !mk.Numbers.AllowN(mk.Now(), n) { // the rest of the limit is for the statuses of requests
		return nil
	}
	for _, digit := range convert.Digits[:n] {
		err := mk.API.AddReactionContext(ctx, digit, slack.NewRefToMessage(answer.Channel, answer.ID))
		if err == nil || api.HasCode(err, "already_reacted") {
			continue
		}
		if err = api.Fault(err); errors.Is(err, adapters.ErrRateLimited) {
			return nil
		}
		return err
	}
	return nil
}

// removeOthers removes the other statuses from a request: the one before, or those found there if
// it is not known.
func (mk *Marks) removeOthers(ctx context.Context, on slack.ItemRef, name, before string) error {
	old := []string{before}
	if before == "" {
		var err error
		if old, err = mk.shown(ctx, on, name); err != nil {
			return err
		}
	}
	for _, other := range old {
		if err := mk.API.RemoveReactionContext(ctx, other, on); err != nil && !api.HasCode(err, "no_reaction") {
			return api.Fault(err)
		}
	}
	return nil
}

// shown returns the bot's statuses on a request, except one: another process may have added them. If the server
// does not list reactions, it returns every other status.
func (mk *Marks) shown(ctx context.Context, on slack.ItemRef, but string) ([]string, error) {
	self, err := mk.Identity.Self(ctx)
	if err != nil {
		return nil, err
	}
	item, err := mk.API.GetReactionsContext(ctx, on, slack.GetReactionsParameters{Full: true})
	if api.IsUnknownMethod(err) {
		var all []string
		for _, name := range convert.Statuses {
			if name != but {
				all = append(all, name)
			}
		}
		return all, nil
	}
	if err != nil {
		return nil, api.Fault(err)
	}
	var all []string
	for _, r := range item.Reactions {
		if r.Name == but || !convert.IsStatus(r.Name) {
			continue
		}
		for _, user := range r.Users {
			if user == self.User {
				all = append(all, r.Name)
			}
		}
	}
	return all, nil
}
