package adapterstest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

// post posts a message, once under a nonce.
func (b *bot) post(ctx context.Context, nonce string, thread adapters.Thread, p adapterstest.Shown) (string, error) {
	for {
		id, wait, err := b.postOnce(ctx, nonce, thread, p)
		switch {
		case errors.Is(err, errForm) && !b.is("insists on its form"):
			for _, text := range p.Choices {
				p.Blocks = append(p.Blocks, adapters.Block{Spans: []adapters.Span{{Text: text}}})
			}
			p.Choices = nil
			continue
		case wait == 0:
			return id, b.passing(err)
		case wait > time.Minute && !b.is("waits for ever"):
			return "", &adapters.Fault{Sentence: "The platform wants a pause.", Kind: adapters.ErrRateLimited, After: wait}
		}
		if b.is("does not wait") {
			continue
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

var errForm = &adapters.Fault{Sentence: "That has no form.", Kind: adapters.ErrInvalid}

func (b *bot) postOnce(ctx context.Context, nonce string, thread adapters.Thread, p adapterstest.Shown) (string, time.Duration, error) {
	c := b.chat
	if err := c.call(ctx); err != nil {
		return "", 0, err
	}
	defer c.mu.Unlock()
	r := c.rooms[thread.Key()]
	if b.is("mixes threads up") {
		r = c.rooms[slices.Sorted(maps.Keys(c.rooms))[0]]
	}
	_, answered := c.find(p.AnswerTo)
	switch {
	case r == nil, thread.Direct && b.is("knows no direct threads"), p.AnswerTo != "" && answered == nil && b.is("needs what it answers"):
		return "", 0, adapters.ErrGone
	case c.closed[thread.Key()]:
		return "", 0, &adapters.Fault{Sentence: "I may not write there.", Kind: adapters.ErrForbidden}
	case c.fussy && len(p.Choices) > 0:
		c.fussy = false
		return "", 0, errForm
	case c.pause > 0:
		wait := c.pause
		c.pause = 0
		return "", wait, nil
	}
	known := c.nonces
	if b.is("knows its own keys only") {
		known = b.posted
	}
	if id, ok := known[nonce]; ok {
		return id, 0, nil
	}
	if b.is("looks, then posts") {
		c.mu.Unlock()
		<-time.After(time.Millisecond)
		c.mu.Lock()
	}
	id := c.number()
	c.nonces["choices of "+id] = p.ID
	p.ID, p.Own = id, true
	if b.is("adds words") {
		p.Blocks = append([]adapters.Block{{Spans: []adapters.Span{{Text: "The bot says:"}}}}, p.Blocks...)
	}
	if b.is("leaves somebody behind") {
		go func() { <-make(chan struct{}) }()
	}
	if b.is("lets texts notify") {
		p.Notified = append(p.Notified, c.named(p)...)
	}
	m := &message{Shown: p, by: adapters.Person{ID: me, Name: "Atelier"}, at: time.Now(), order: int64(c.last), text: textOf(p.Blocks)}
	if r.messages = append(r.messages, m); b.is("posts on top") {
		slices.Reverse(r.messages)
	}
	c.happened(&happening{id: m.ID, room: r.thread, by: m.by, at: m.at, message: m})
	known[nonce] = id
	if c.lost > 0 {
		c.lost--
		if b.is("forgets what was lost") {
			delete(known, nonce)
		}
		return "", 0, errors.New("the answer is lost")
	}
	return id, 0, nil
}

// passing turns any error into a temporary one.
func (b *bot) passing(err error) error {
	if err != nil && b.is("calls all passing") {
		return errors.New("something is the matter")
	}
	return err
}

// named are the people mentioned in the texts of a message.
func (c *chat) named(p adapterstest.Shown) (ids []string) {
	texts := append(slices.Clone(p.Choices), textOf(p.Blocks))
	for _, f := range p.Files {
		texts = append(texts, f.Name, f.Alt, f.Note)
	}
	text := strings.Join(texts, "\n")
	if strings.Contains(text, "<!all>") {
		ids = append(ids, adapterstest.Everybody)
	}
	for id := range c.people {
		if strings.Contains(text, "<@"+id+">") {
			ids = append(ids, id)
		}
	}
	return ids
}

func textOf(blocks []adapters.Block) string {
	var lines []string
	for _, block := range blocks {
		var line strings.Builder
		line.WriteString(block.Code)
		for _, s := range block.Spans {
			line.WriteString(s.Text)
		}
		lines = append(lines, line.String())
	}
	return strings.ToValidUTF8(strings.Join(lines, "\n"), string(utf8.RuneError))
}
