package lookup

import (
	"context"
	"sync"

	"atelier/adapters/slack/api"
)

// Self identifies the bot. Site is the URL of its workspace, which ends in a slash.
type Self struct{ User, bot, Team, Site string }

// Identity knows who the bot is.
type Identity struct {
	API *api.Client

	mu   sync.Mutex
	self *Self // nil until it is known
}

// Self returns who the bot is, asking Slack only once.
func (i *Identity) Self(ctx context.Context) (Self, error) {
	i.mu.Lock()
	self := i.self
	i.mu.Unlock()
	if self != nil {
		return *self, nil
	}
	answer, err := i.API.AuthTestContext(ctx)
	if err != nil {
		return Self{}, api.Fault(err)
	}
	self = &Self{User: answer.UserID, bot: answer.BotID, Team: answer.TeamID, Site: answer.URL}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.self = self
	return *self, nil
}

// team returns the bot's workspace, "" if not known yet.
func (i *Identity) team() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.self == nil {
		return ""
	}
	return i.self.Team
}
