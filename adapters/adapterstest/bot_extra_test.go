package adapterstest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

// on calls the platform about a message.
func (b *bot) on(ctx context.Context, id string, do func(*message)) error {
	if err := b.chat.call(ctx); err != nil {
		return err
	}
	defer b.chat.mu.Unlock()
	_, m := b.chat.find(id)
	if m == nil {
		if b.is("calls what is gone passing") {
			return errors.New("no such message")
		}
		return adapters.ErrGone
	}
	do(m)
	return nil
}

func (b *bot) Acknowledge(ctx context.Context, request adapters.MessageRef, s adapters.Status) error {
	return b.on(ctx, request.ID, func(m *message) {
		if !b.is("piles statuses up") {
			m.Statuses = nil
		}
		m.Statuses = append(m.Statuses, s)
	})
}

func (*bot) Pace() time.Duration { return time.Second }

func (b *bot) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	if err := adapters.CheckKey(key); err != nil {
		return adapters.MessageRef{}, err
	}
	shown := adapterstest.Shown{Blocks: []adapters.Block{{Spans: []adapters.Span{{Text: p.Title}}}}}
	if b.is("reads mark-up in progress") {
		shown.Blocks = adapters.Parse(p.Title)
	}
	for _, step := range p.Steps {
		line := fmt.Sprintf("%s %s %v", step.State, step.Text, step.Took)
		shown.Blocks = append(shown.Blocks, adapters.Block{Spans: []adapters.Span{{Text: line}}})
	}
	if at.IsZero() || b.is("reports anew") {
		if b.is("reports anew") {
			key = b.nonce(key, len(p.Steps)) + strconv.Itoa(b.tries)
		}
		id, err := b.post(ctx, key+"/progress", p.Thread, shown)
		return adapters.MessageRef{Adapter: b.Name(), Channel: p.Thread.Channel, ID: id}, err
	}
	return at, b.on(ctx, at.ID, func(m *message) {
		if !b.is("reports once") {
			m.Blocks = shown.Blocks
		}
	})
}

func (b *bot) Typing(ctx context.Context, t adapters.Thread, _ string) (time.Duration, error) {
	if b.is("types a message") {
		_, err := b.post(ctx, b.nonce("typing", b.tries), t, adapterstest.Shown{})
		return 0, err
	}
	err := b.chat.call(ctx)
	if err == nil {
		b.chat.mu.Unlock()
	}
	return 0, err
}

func (b *bot) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	return b.on(ctx, answer.ID, func(m *message) {
		for i := range n {
			if !slices.Contains(m.Numbers, i+1) || b.is("piles numbers up") {
				m.Numbers = append(m.Numbers, i+1)
			}
		}
	})
}

func (b *bot) Delete(ctx context.Context, sent adapters.MessageRef) error {
	if err := b.chat.call(ctx); err != nil {
		return err
	}
	defer b.chat.mu.Unlock()
	ids := append([]string{sent.ID}, sent.Parts...)
	if b.is("deletes a part") {
		ids = ids[:1]
	}
	for _, id := range ids {
		if !b.chat.drop(id) && b.is("deletes once") {
			return adapters.ErrGone
		}
	}
	return nil
}

func (b *bot) Before(ctx context.Context, t adapters.Thread, message adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := b.chat.call(ctx); err != nil {
		return nil, err
	}
	defer b.chat.mu.Unlock()
	r := b.chat.rooms[t.Key()]
	if r == nil {
		return nil, adapters.ErrGone
	}
	var all []adapters.Earlier
	for _, m := range r.messages {
		if m.ID == message.ID {
			break
		}
		all = append(all, *b.earlier(t, m))
		if m.ID == after && !b.is("looks back too far") {
			all = nil
		}
	}
	switch {
	case b.is("looks back to the beginning"):
		return all[:min(n, len(all))], nil
	case b.is("looks back the other way"):
		slices.Reverse(all)
		return all[:min(n, len(all))], nil
	}
	return all[max(0, len(all)-n):], nil
}

func (b *bot) Check(ctx context.Context) error {
	if b.is("is always well") {
		return nil
	}
	if err := b.chat.call(ctx); err != nil {
		return err
	}
	defer b.chat.mu.Unlock()
	if b.chat.line == nil {
		return &adapters.Fault{Sentence: "The chat is not connected.", Err: errors.New("no line")}
	}
	return nil
}

func (b *bot) Forget(ctx context.Context, t adapters.Thread) error {
	if t.Adapter != b.Name() {
		return adapters.ErrInvalid
	}
	if err := b.chat.call(ctx); err != nil {
		return err
	}
	defer b.chat.mu.Unlock()
	delete(b.chat.rooms, t.Key())
	if b.is("forgets too much") {
		clear(b.chat.rooms)
	}
	return nil
}

func (b *bot) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if b.is("fetches whatever the context") {
		ctx = context.WithoutCancel(ctx)
	}
	if !strings.HasPrefix(f.Handle, "file:") {
		if b.is("fetches anything") {
			return io.NopCloser(strings.NewReader("root")), nil
		}
		return nil, adapters.ErrInvalid
	}
	if err := b.chat.call(ctx); err != nil {
		return nil, err
	}
	defer b.chat.mu.Unlock()
	content, ok := b.chat.files[f.Handle]
	switch {
	case !ok && b.is("calls what is gone passing"):
		return nil, errors.New("no such file")
	case !ok:
		return nil, adapters.ErrGone
	case b.is("fetches half"):
		content = content[:len(content)/2]
	}
	return io.NopCloser(bytes.NewReader(content)), nil
}
