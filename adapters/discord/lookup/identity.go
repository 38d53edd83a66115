package lookup

import (
	"context"
	"sync/atomic"

	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

// Identity knows who the bot is.
type Identity struct {
	API *api.Client

	id atomic.Pointer[string] // nil until it is known
}

// Self asks Discord who the bot is.
func (i *Identity) Self(ctx context.Context) (convert.User, error) {
	var u convert.User
	if err := i.API.Get(ctx, "users/@me", &u); err != nil {
		return convert.User{}, err
	}
	i.Learn(u.ID)
	return u, nil
}

// ID returns the bot's id, asking Discord only once.
func (i *Identity) ID(ctx context.Context) (string, error) {
	if id := i.id.Load(); id != nil {
		return *id, nil
	}
	u, err := i.Self(ctx)
	return u.ID, err
}

// Learn records the bot's id.
func (i *Identity) Learn(id string) { i.id.Store(&id) }

// Known returns the bot's id, "" if not known yet.
func (i *Identity) Known() string {
	if id := i.id.Load(); id != nil {
		return *id
	}
	return ""
}
