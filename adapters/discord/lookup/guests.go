package lookup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/recent"
)

const (
	// guestFor is how long the messages that the bot posted as a guest are remembered: longer than answers are
	// kept.
	guestFor = 30 * 24 * time.Hour
	// returnFor is how long an interaction with a message waits for the message to be recorded.
	returnFor = time.Minute

	visitKey, returnKey = "/visit", "/return"
)

// State stores small values for all processes, as outbox.State.
type State interface {
	Get(ctx context.Context, key string) ([]byte, error)
	Put(ctx context.Context, key string, value []byte, expiry time.Duration) error
}

// Guests knows where the bot is a guest: in servers and conversations of which it is not a member, but where
// somebody who has installed it used it. There the bot can only answer interactions, for 15 minutes each and with
// five messages besides the first.
type Guests struct {
	State  State
	Places *Places

	limits recent.Map[string, int64] // bytes of a file, by thread
}

// Visit says how the bot writes in a thread as a guest.
type Visit struct {
	Thread adapters.Thread `json:"thread"`
	// Webhook is the path for answering the latest interaction there. It holds a token.
	Webhook string `json:"webhook"`
	// Channel is the channel of the messages.
	Channel string `json:"channel"`
}

// Thread returns the visit to a thread, and whether the bot is a guest there.
func (g *Guests) Thread(ctx context.Context, t adapters.Thread) (Visit, bool, error) {
	if t.Direct || g.Places.isMember(t.Workspace) {
		return Visit{}, false, nil
	}
	return g.read(ctx, t.Key(), visitKey)
}

// Message returns the visit in which a message was posted or a request was made, and whether there is one.
func (g *Guests) Message(ctx context.Context, m adapters.MessageRef) (Visit, bool, error) {
	if g.Places.isMember(m.Workspace) {
		return Visit{}, false, nil
	}
	return g.read(ctx, m.Key(), visitKey)
}

// Enter records how an interaction is answered in a thread, and the message that it made.
func (g *Guests) Enter(ctx context.Context, t adapters.Thread, made adapters.MessageRef, i *convert.Interaction) error {
	v := Visit{Thread: t, Webhook: i.Webhook(), Channel: i.Channel}
	g.limits.Put(t.Key(), i.MaxFile)
	return errors.Join(g.write(ctx, t.Key(), visitKey, v, guestFor), g.write(ctx, made.Key(), visitKey, v, guestFor))
}

// Return records how an interaction with a message of the bot is answered in the message's thread. The interaction may
// come before the message is recorded.
func (g *Guests) Return(ctx context.Context, m adapters.MessageRef, i *convert.Interaction) error {
	v, ok, err := g.Message(ctx, m)
	if err == nil && !ok {
		early := Visit{Webhook: i.Webhook(), Channel: i.Channel}
		if err = g.write(ctx, m.Key(), returnKey, early, returnFor); err == nil {
			v, ok, err = g.Message(ctx, m)
		}
	}
	if err != nil || !ok {
		return err
	}
	return g.Enter(ctx, v.Thread, m, i)
}

// Posted records a message of a visit.
func (g *Guests) Posted(ctx context.Context, v Visit, m adapters.MessageRef) error {
	if err := g.write(ctx, m.Key(), visitKey, v, guestFor); err != nil {
		return err
	}
	early, ok, err := g.read(ctx, m.Key(), returnKey)
	if err != nil || !ok {
		return err
	}
	early.Thread = v.Thread
	return g.write(ctx, v.Thread.Key(), visitKey, early, guestFor)
}

// limit returns the maximum size of a file in bytes in a thread, if the bot is a guest there.
func (g *Guests) limit(t adapters.Thread) (int64, bool) {
	most, ok := g.limits.Get(t.Key())
	return most, ok && most > 0
}

func (g *Guests) read(ctx context.Context, of, what string) (v Visit, ok bool, err error) {
	b, err := g.State.Get(ctx, guestKey(of, what))
	if errors.Is(err, adapters.ErrGone) {
		return v, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		return v, false, fmt.Errorf("discord: read a guest's visit: %w", err)
	}
	return v, true, nil
}

func (g *Guests) write(ctx context.Context, of, what string, v Visit, expiry time.Duration) error {
	b, err := json.Marshal(v)
	if err == nil {
		err = g.State.Put(ctx, guestKey(of, what), b, expiry)
	}
	if err != nil {
		return fmt.Errorf("discord: record a guest's visit: %w", err)
	}
	return nil
}

// guestKey returns the state key for a guest's thread or message.
func guestKey(of, what string) string {
	sum := sha256.Sum256([]byte(of))
	return "discord-guest-" + hex.EncodeToString(sum[:]) + what
}
