package disk

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"atelier/storage"
)

// hints delivers hints within this process.
type hints struct {
	mu     sync.Mutex
	closed bool
	topics map[string]map[*subscriber]bool
}

// subscriber is used, and its channel closed, only while holding the lock.
type subscriber struct {
	*storage.Hints

	stop func() bool // stops watching the context
}

// Publish sends a hint to all subscribers of a topic.
func (s *State) Publish(ctx context.Context, topic string, hint []byte) error {
	err := guard(ctx, storage.CheckHint(topic, hint))
	if err == nil {
		err = s.hints.publish(topic, hint)
	}
	if err != nil {
		return fmt.Errorf("publish to %s: %w", topic, err)
	}
	return nil
}

// Subscribe receives the hints of a topic.
func (s *State) Subscribe(ctx context.Context, topic string) (<-chan []byte, error) {
	err := guard(ctx, storage.CheckGroup(topic))
	if err == nil {
		var hints <-chan []byte
		if hints, err = s.hints.subscribe(ctx, topic); err == nil {
			return hints, nil
		}
	}
	return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
}

func (h *hints) publish(topic string, hint []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errClosed
	}
	for to := range h.topics[topic] {
		to.Give(bytes.Clone(hint))
	}
	return nil
}

func (h *hints) subscribe(ctx context.Context, topic string) (<-chan []byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	to := &subscriber{Hints: storage.NewHints()}
	if h.topics == nil {
		h.topics = map[string]map[*subscriber]bool{}
	}
	if h.topics[topic] == nil {
		h.topics[topic] = map[*subscriber]bool{}
	}
	h.topics[topic][to] = true
	to.stop = context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.leave(topic, to)
	})
	return to.C, nil
}

// leave ends a subscription, if it has not ended.
func (h *hints) leave(topic string, to *subscriber) {
	if !h.topics[topic][to] {
		return
	}
	delete(h.topics[topic], to)
	if len(h.topics[topic]) == 0 {
		delete(h.topics, topic)
	}
	close(to.C)
}

// close ends all subscriptions.
func (h *hints) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for topic, all := range h.topics {
		for to := range all {
			to.stop()
			h.leave(topic, to)
		}
	}
}
