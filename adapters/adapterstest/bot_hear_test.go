package adapterstest_test

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode"

	"atelier/adapters"
)

func (b *bot) Listen(ctx context.Context, handle adapters.Handler) error {
	var handlers sync.WaitGroup
	if !b.is("ends before its handlers") {
		defer handlers.Wait()
	}
	before := map[string]chan struct{}{} // by thread, closed when everything is delivered
	busy := map[string]bool{}
	for {
		l, err := b.connect(ctx)
		switch {
		case ctx.Err() != nil && b.is("ends with an error"):
			return ctx.Err()
		case ctx.Err() != nil:
			return nil
		case err != nil && !b.is("tries a bad token for ever"):
			return err
		case err != nil:
			<-time.After(time.Second)
			continue
		}
		for whole := true; whole; {
			news, changed := b.news(busy)
			for _, h := range news {
				e, ok := b.event(h)
				if !ok {
					b.confirm(h)
					continue
				}
				key := e.Thread.Key()
				if b.is("hears one at a time") {
					key = ""
				}
				wait, done := before[key], make(chan struct{})
				before[key] = done
				if b.is("hands all over at once") {
					wait = nil
				}
				handlers.Go(func() {
					defer close(done)
					if wait != nil {
						<-wait
					}
					b.handOver(ctx, handle, h, e)
				})
			}
			select {
			case <-changed:
			case <-l.cut:
				whole = false
			case <-ctx.Done():
				b.hangUp(l)
				whole = false
			}
		}
		if b.is("never connects again") {
			<-ctx.Done()
		}
	}
}

func (b *bot) connect(ctx context.Context) (*line, error) {
	if err := b.chat.call(ctx); err != nil {
		return nil, err
	}
	defer b.chat.mu.Unlock()
	b.chat.line = &line{cut: make(chan struct{})}
	b.chat.tell()
	return b.chat.line, nil
}

func (b *bot) hangUp(l *line) {
	b.chat.mu.Lock()
	defer b.chat.mu.Unlock()
	if b.chat.line == l {
		b.chat.line = nil
	}
}

// news are undelivered happenings, and a channel that announces more.
func (b *bot) news(busy map[string]bool) (all []*happening, changed <-chan struct{}) {
	b.chat.mu.Lock()
	defer b.chat.mu.Unlock()
	for _, h := range b.chat.untaken {
		if !busy[h.id+"/"+h.echo] {
			busy[h.id+"/"+h.echo] = true
			all = append(all, h)
		}
	}
	if b.is("turns the order around") && len(all) > 1 {
		all[0], all[len(all)-1] = all[len(all)-1], all[0]
	}
	return all, b.chat.changed
}

func (b *bot) confirm(h *happening) {
	b.chat.mu.Lock()
	defer b.chat.mu.Unlock()
	for i, other := range b.chat.untaken {
		if other == h {
			b.chat.untaken = append(b.chat.untaken[:i:i], b.chat.untaken[i+1:]...)
			return
		}
	}
}

func (b *bot) handOver(ctx context.Context, handle adapters.Handler, h *happening, e adapters.Event) {
	for wait := 200 * time.Millisecond; ctx.Err() == nil; wait *= 2 {
		err := handle(ctx, e)
		if err == nil || b.is("does not try again") {
			b.confirm(h)
			return
		}
		if b.is("tries at one pace") {
			wait = 250 * time.Millisecond
		}
		if b.is("calls it another event") {
			e.ID += "-again"
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	if b.is("sleeps through the end") {
		<-time.After(time.Hour)
	}
}

// event converts a happening to an event. It returns false if it does not concern the bot.
func (b *bot) event(h *happening) (e adapters.Event, ok bool) {
	switch {
	case h.by.ID == me && !b.is("hears itself"):
		return e, false
	case b.chat.bots[h.by.ID] && h.by.ID != me && !b.is("hears bots"):
		return e, false
	}
	e = adapters.Event{ID: h.id, Adapter: b.Name(), Thread: h.room, By: h.by, At: h.at}
	if b.is("takes an echo for another event") {
		e.ID += h.echo
	}
	if b.is("knows no admins") {
		e.By.Admin = false
	}
	on := adapters.MessageRef{Adapter: b.Name(), Channel: h.room.Channel, ID: h.on}
	switch {
	case h.message != nil:
		return b.written(e, h)
	case h.emoji != "":
		if b.is("is deaf to stops") && h.emoji == "🛑" {
			return e, false
		}
		e, ok = adapters.Reacted(e, on, h.emoji, !h.off || b.is("hears what goes as what comes"))
		if b.is("hears one part") && b.apart(h.on) {
			return e, false
		}
		if !ok && b.is("hears any emoji") {
			e.Kind, e.Reaction, ok = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Again}, true
		}
		return e, ok
	case h.deleted:
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: on, Deleted: true}
		return e, !b.is("is deaf to deletion")
	case h.marked != nil:
		e.Kind, e.Mark = adapters.PictureMarked, h.marked
		if b.is("takes one picture for another") {
			e.Mark.Picture = "photo-3f2a.png"
		}
		if b.is("marks once") {
			e.ID = "marked " + h.marked.Picture
		}
	case h.pressed != "":
		e.Kind, e.Reaction = adapters.ReactionAdded, &adapters.Reaction{On: on, Sign: adapters.Choose, Choice: h.pressed}
		if h.off {
			e.Kind = adapters.ReactionRemoved
		}
		if b.is("mixes buttons up") {
			e.Reaction.Choice = "first-1"
		}
	case h.command[0] == "stop":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
	default:
		if b.is("hears commands in the channel") {
			e.Thread.ID = ""
		}
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: strings.ToLower(h.command[0]), Text: h.command[1]}
		if b.is("keeps the letters of commands") {
			e.Command.Name = h.command[0]
		}
	}
	return e, true
}

// apart reports whether a message exists that is not the part of an answer with the choices.
func (b *bot) apart(id string) bool {
	b.chat.mu.Lock()
	defer b.chat.mu.Unlock()
	_, m := b.chat.find(id)
	return m != nil && b.chat.nonces["choices of "+m.ID] == ""
}

func (b *bot) written(e adapters.Event, h *happening) (adapters.Event, bool) {
	b.chat.mu.Lock()
	defer b.chat.mu.Unlock()
	m := h.message
	if m.text == "" && b.is("is deaf to silence") {
		return e, false
	}
	e.Kind = adapters.MessageSent
	e.Message = &adapters.Message{
		Ref: adapters.MessageRef{Adapter: b.Name(), Channel: h.room.Channel, ID: m.ID}, Order: m.order, Text: b.text(m.text), Files: b.sent(m.files), Marks: h.marks,
	}
	if h.edited != "" {
		e.Kind, e.Message.Edited = adapters.MessageEdited, &adapters.Edited{Event: h.edited, At: m.at}
		if b.is("takes edits for the message") {
			e.ID = h.edited
		}
	}
	if b.is("orders nothing") {
		e.Message.Order = 1
	}
	if b.is("loses marks") {
		e.Message.Marks = nil
	}
	mentioned := strings.Contains(m.text, "<@"+me+">") && !b.is("takes mentions for nothing")
	_, to := b.chat.find(m.reply)
	switch {
	case mentioned, b.is("takes all for its own"):
		e.Message.For = adapters.Mentioned
	case to != nil && to.Own && !b.is("takes replies for nothing"):
		e.Message.For = adapters.Replied
	case h.room.Direct:
		e.Message.For = adapters.Direct
	case h.room.ID == m.ID && !b.is("hears channels"):
		return e, false // outside of threads
	default:
		e.Message.For = adapters.Overheard
	}
	if to != nil && !b.is("drops what is replied to") {
		e.Message.ReplyTo = b.earlier(h.room, to)
	}
	return e, true
}

func (b *bot) earlier(room adapters.Thread, m *message) *adapters.Earlier {
	return &adapters.Earlier{
		Ref: adapters.MessageRef{Adapter: b.Name(), Channel: room.Channel, ID: m.ID}, By: m.by, Own: m.Own, At: m.at, Text: b.text(m.text), Files: b.sent(m.files),
	}
}

// text returns what people see of typed text.
func (b *bot) text(typed string) string {
	if b.is("leaves the mention") {
		return typed
	}
	typed = strings.TrimSpace(strings.ReplaceAll(typed, "<@"+me+">", ""))
	for id, p := range b.chat.people {
		if !b.is("spells others") {
			typed = strings.ReplaceAll(typed, "<@"+id+">", "@"+p.Name)
		}
	}
	if b.is("reads entities") {
		typed = strings.NewReplacer("&amp;", "&", "&lt;", "<").Replace(typed)
	}
	return typed
}

func (b *bot) sent(files []adapters.File) (all []adapters.File) {
	for _, f := range files {
		if !b.is("trusts names") {
			f.Name = strings.Map(func(r rune) rune {
				if unicode.IsControl(r) {
					return '_'
				}
				return r
			}, f.Name)
		}
		if b.is("drops what files show") {
			f.Alt = ""
		}
		if b.is("takes voices for files") {
			f.Voice = false
		}
		if b.is("takes files for voices") {
			f.Voice = true
		}
		all = append(all, f)
	}
	if b.is("hears of one file") && len(all) > 1 {
		all = all[:1]
	}
	return all
}
