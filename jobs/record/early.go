package record

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"atelier/adapters"
)

// HeldFor is how long an event waits for its message to be recorded. The work of a process that dies is taken over
// within half a minute.
const HeldFor = 10 * time.Minute

func earlyKey(message string) string { return MessageGroup(message) + "/early" }

// HoldBack stores an event about a message that is not recorded yet.
func (s *Store) HoldBack(ctx context.Context, on adapters.MessageRef, e adapters.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an early event: %w", err)
	}
	if _, err := s.config.State.Append(ctx, earlyKey(on.Key()), b, HeldFor); err != nil {
		return fmt.Errorf("hold back an event: %w", err)
	}
	return nil
}

// HeldBack returns the events held back for a message and its parts, those of one part in their order.
func (s *Store) HeldBack(ctx context.Context, ref adapters.MessageRef) ([]adapters.Event, error) {
	var events []adapters.Event
	for _, key := range ref.Keys() {
		held, err := s.config.State.Read(ctx, earlyKey(key), 0)
		if err != nil {
			return nil, fmt.Errorf("read early events: %w", err)
		}
		for _, b := range held {
			var e adapters.Event
			if err := json.Unmarshal(b, &e); err != nil {
				return nil, fmt.Errorf("read an early event: %w", err)
			}
			events = append(events, e)
		}
	}
	return events, nil
}

// DropHeldBack deletes the events held back for a message.
func (s *Store) DropHeldBack(ctx context.Context, ref adapters.MessageRef) error {
	for _, key := range ref.Keys() {
		if err := s.config.State.Delete(ctx, earlyKey(key)); err != nil {
			return fmt.Errorf("delete early events: %w", err)
		}
	}
	return nil
}
