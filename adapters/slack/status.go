package slack

import (
	"context"
	"errors"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// Acknowledge puts a sign on a request in the place of the one before.
func (s *Slack) Acknowledge(ctx context.Context, request adapters.MessageRef, status adapters.Status) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name, ok := statuses[status]
	if !ok || request.Adapter != Name || request.ID == "" {
		return invalid("there is no such status, or no such request")
	}
	on := slack.NewRefToMessage(request.Channel, request.ID)
	s.mu.Lock()
	before := s.status[request.Key()]
	s.mu.Unlock()
	if before == name {
		return nil
	}
	if err := s.api.AddReactionContext(ctx, name, on); err != nil && !isCode(err, "already_reacted") {
		return fault(err)
	}
	err := s.removeOthers(ctx, on, name, before)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil { // two stand there: the next time they are looked for
		delete(s.status, request.Key())
		return err
	}
	if len(s.status) >= manyPeople {
		clear(s.status)
	}
	s.status[request.Key()] = name
	return nil
}

// removeOthers leaves one status on a request, where the one before is before, or is not
// known.
func (s *Slack) removeOthers(ctx context.Context, on slack.ItemRef, name, before string) error {
	old := []string{before}
	if before == "" {
		var err error
		if old, err = s.shown(ctx, on, name); err != nil {
			return err
		}
	}
	for _, other := range old {
		if err := s.api.RemoveReactionContext(ctx, other, on); err != nil && !isCode(err, "no_reaction") {
			return fault(err)
		}
	}
	return nil
}

// shown are the statuses that stand on a request by the bot, but for one: another process
// may have put them there. Of a server that does not tell, it is all that there are.
func (s *Slack) shown(ctx context.Context, on slack.ItemRef, but string) ([]string, error) {
	self, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	item, err := s.api.GetReactionsContext(ctx, on, slack.GetReactionsParameters{Full: true})
	if lacks(err) {
		var all []string
		for _, name := range statuses {
			if name != but {
				all = append(all, name)
			}
		}
		return all, nil
	}
	if err != nil {
		return nil, fault(err)
	}
	var all []string
	for _, r := range item.Reactions {
		if r.Name == but || !isStatus(r.Name) {
			continue
		}
		for _, user := range r.Users {
			if user == self.user {
				all = append(all, r.Name)
			}
		}
	}
	return all, nil
}

func isStatus(name string) bool {
	for _, status := range statuses {
		if name == status {
			return true
		}
	}
	return false
}

// Offer puts the first numbers on an answer, as far as Slack bears that: its buttons say
// the same.
func (s *Slack) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if n < 0 || n > len(digits) || answer.Adapter != Name {
		return invalid("so much cannot be offered there")
	}
	if s.gate.paces.isPaced("reactions.add") || !s.seeds.AllowN(s.config.Now(), n) { // what remains is for the signs on requests
		return nil
	}
	for _, digit := range digits[:n] {
		err := s.api.AddReactionContext(ctx, digit, slack.NewRefToMessage(answer.Channel, answer.ID))
		if err == nil || isCode(err, "already_reacted") {
			continue
		}
		if err = fault(err); errors.Is(err, adapters.ErrRateLimited) {
			return nil
		}
		return err
	}
	return nil
}

// Delete takes back what was sent, the files too.
func (s *Slack) Delete(ctx context.Context, sent adapters.MessageRef) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if sent.Adapter != Name || sent.ID == "" {
		return invalid("the message is not one of Slack's")
	}
	for _, id := range append([]string{sent.ID}, sent.Parts...) {
		if strings.HasPrefix(id, unseen) {
			continue
		}
		if isID(id) { // a file of which the message was not known
			if err := s.removeFile(ctx, id); err != nil {
				return err
			}
			continue
		}
		if err := s.remove(ctx, sent.Channel, id); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a message, and the files that were shared by it.
func (s *Slack) remove(ctx context.Context, channel, ts string) error {
	m, err := s.message(ctx, channel, ts, ts)
	if err != nil && !adapters.Final(err) { // else its files would be left
		return err
	}
	if _, _, err := s.api.DeleteMessageContext(ctx, channel, ts); err != nil && !isCode(err, "message_not_found", "channel_not_found") {
		return fault(err)
	}
	if m == nil {
		return nil
	}
	for _, f := range m.Files {
		if err := s.removeFile(ctx, f.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *Slack) removeFile(ctx context.Context, id string) error {
	err := s.api.DeleteFileContext(ctx, id)
	if isCode(err, "file_not_found", "file_deleted") {
		return nil
	}
	return fault(err)
}
