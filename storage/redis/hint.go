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
	if err := storage.CheckGroup(topic); err != nil {
		return err
	}
	if len(hint) == 0 {
		return fmt.Errorf("publish to %s: the hint is empty", topic)
	}
	if len(hint) > storage.MaxHint {
		return fmt.Errorf("publish to %s: %w: %d bytes, the limit is %d", topic, storage.ErrTooLarge, len(hint), storage.MaxHint)
	}
	hint = slices.Clone(hint)
	if _, err := again(ctx, func() (int64, error) { return s.client.Publish(ctx, s.prefix+topic, hint).Result() }); err != nil {
		return fmt.Errorf("publish to %s: %w", topic, sort(ctx, err))
	}
	return nil
}

const (
	// quiet is how long a subscription waits for a message before it pings the server. The server
	// has the same time to answer.
	quiet = 10 * time.Second
	// waiting is the maximum number of unread hints, including the nil for lost ones.
	waiting = 64
)

// Subscribe receives the hints of a topic, over its own connection.
func (s *State) Subscribe(ctx context.Context, topic string) (<-chan []byte, error) {
	if err := storage.CheckGroup(topic); err != nil {
		return nil, err
	}
	sub, err := s.subscribe(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, sort(ctx, err))
	}
	to := subscriber{hints: make(chan []byte, waiting)}
	go func() {
		defer close(to.hints)
		for again := time.Duration(0); ; again = min(2*again+50*time.Millisecond, 2*time.Second) {
			if sub != nil {
				again = 0
				sub.pass(ctx, &to)
				sub.close()
			}
			if s.wait(ctx, again) != nil {
				return
			}
			if sub, err = s.subscribe(ctx, topic); err == nil {
				to.lose() // hints published in between
			} else if errors.Is(err, goredis.ErrClosed) {
				return
			}
		}
	}()
	return to.hints, nil
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
func (s *subscription) pass(ctx context.Context, to *subscriber) {
	asked := false
	for {
		switch message, err := s.ReceiveTimeout(ctx, quiet); m := message.(type) {
		case *goredis.Message:
			asked = false
			to.give([]byte(m.Payload))
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

// subscriber never blocks the connection. Only its own goroutine sends.
type subscriber struct {
	hints chan []byte
	lost  bool // whether the last element of the channel is the nil
}

func (s *subscriber) give(hint []byte) {
	if len(s.hints) < waiting-1 { // the last place is reserved for the nil
		s.hints <- hint
		s.lost = false
	} else if !s.lost {
		s.lose()
	}
}

// lose reports lost hints. There is always room for that: either the last place is free, or it
// holds an unread nil, which means the same.
func (s *subscriber) lose() {
	select {
	case s.hints <- nil:
		s.lost = true
	default:
	}
}
