package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
)

// Publish sends a hint to all subscribers of a topic.
func (s *State) Publish(ctx context.Context, topic string, hint []byte) error {
	if err := storage.CheckHint(topic, hint); err != nil {
		return fmt.Errorf("publish to %s: %w", topic, err)
	}
	hint = slices.Clone(hint)
	if _, err := again(ctx, func() (int64, error) { return s.client.Publish(ctx, s.prefix+topic, hint).Result() }); err != nil {
		return fmt.Errorf("publish to %s: %w", topic, sort(ctx, err))
	}
	return nil
}

// quiet is how long a subscription waits for a message before it pings the server. The server has
// the same time to answer.
const quiet = 10 * time.Second

// Subscribe receives the hints of a topic, over its own connection.
func (s *State) Subscribe(ctx context.Context, topic string) (<-chan []byte, error) {
	if err := storage.CheckGroup(topic); err != nil {
		return nil, err
	}
	sub, err := s.subscribe(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, sort(ctx, err))
	}
	to := storage.NewHints()
	go func() {
		defer close(to.C)
		for again := time.Duration(0); ; again = min(2*again+50*time.Millisecond, 2*time.Second) {
			if sub != nil {
				again = 0
				sub.pass(ctx, to)
				sub.close()
			}
			if s.wait(ctx, again) != nil {
				return
			}
			if sub, err = s.subscribe(ctx, topic); err == nil {
				to.Lose() // hints published in between
			} else if errors.Is(err, goredis.ErrClosed) {
				return
			}
		}
	}()
	return to.C, nil
}

// subscription is a subscribed connection.
type subscription struct {
	*goredis.PubSub
	stop func() bool
}

// subscribe returns after the server has confirmed the subscription.
func (s *State) subscribe(ctx context.Context, topic string) (*subscription, error) {
	return again(ctx, func() (*subscription, error) {
		sub := &subscription{PubSub: s.client.Subscribe(ctx, s.prefix+topic)}
		sub.stop = context.AfterFunc(ctx, func() { _ = sub.Close() }) //nolint:errcheck // this ends a blocked read
		if _, err := sub.ReceiveTimeout(ctx, quiet); err != nil {
			sub.close()
			return nil, err //nolint:wrapcheck // the caller sorts it
		}
		return sub, nil
	})
}

func (s *subscription) close() {
	s.stop()
	_ = s.Close() //nolint:errcheck // it may be closed already
}

// pass forwards hints until the connection breaks or ctx ends.
func (s *subscription) pass(ctx context.Context, to *storage.Hints) {
	asked := false
	for {
		switch message, err := s.ReceiveTimeout(ctx, quiet); m := message.(type) {
		case *goredis.Message:
			asked = false
			to.Give([]byte(m.Payload))
		case nil:
			late, ok := errors.AsType[net.Error](err)
			if !ok || !late.Timeout() || asked || s.Ping(ctx) != nil {
				return
			}
			asked = true
		default: // a pong or a confirmation
			asked = false
		}
	}
}
