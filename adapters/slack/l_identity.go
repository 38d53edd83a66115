package slack

import (
	"context"
	"sync"
)

// Self is who the bot is.
type Self struct{ user, bot, team string }

// Identity knows who the bot is.
type Identity struct {
	API *Client

	mu   sync.Mutex
	self *Self // nil until Slack has told
}

// Self is who the bot is. It asks Slack once.
func (i *Identity) Self(ctx context.Context) (Self, error) {
	i.mu.Lock()
	self := i.self
	i.mu.Unlock()
	if self != nil {
		return *self, nil
	}
	answer, err := i.API.AuthTestContext(ctx)
	if err != nil {
		return Self{}, fault(err)
	}
	self = &Self{user: answer.UserID, bot: answer.BotID, team: answer.TeamID}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.self = self
	return *self, nil
}

// team is the bot's workspace, "" where that is not known yet.
func (i *Identity) team() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.self == nil {
		return ""
	}
	return i.self.team
}
