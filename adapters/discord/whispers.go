package discord

import (
	"context"
	"net/http"
	"sync"
	"time"

	"atelier/adapters"
)

// openFor is how long an interaction can be answered (Discord's "Interactions: Responding"),
// less a while to do it in.
const openFor = 14 * time.Minute

// whispers are the commands whose answers only those see who gave them, by the ids of their
// events. They are known to the process that heard of them alone: an answer that another one
// sends, or that comes too late, is posted for all.
type whispers struct {
	mu   sync.Mutex
	open map[string]whispered
}

// whispered is where the answer to a command goes.
type whispered struct {
	webhook string // the path of the interaction's webhook, which holds its token
	until   time.Time
}

func (w *whispers) keep(event string, i *interaction, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[string]whispered{}
	}
	for id, one := range w.open {
		if now.After(one.until) {
			delete(w.open, id)
		}
	}
	w.open[event] = whispered{"webhooks/" + i.Application + "/" + i.Token, now.Add(openFor)}
}

func (w *whispers) of(event string, now time.Time) (whispered, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.open[event]
	return one, ok && event != "" && now.Before(one.until)
}

// answerCommand answers a command where only who gave it sees it. It is not ok where that
// cannot be, and then nothing stands there but what says that an answer comes. Sent again,
// the first part takes the place of what was there; further ones may stand there twice.
func (d *Discord) answerCommand(ctx context.Context, r adapters.Reply) (at adapters.MessageRef, ok bool) {
	to, ok := d.whispers.of(r.Command, d.config.Now())
	if !ok || len(r.Files) > 0 {
		return at, false
	}
	r.Mention, r.AnswerTo = "", adapters.MessageRef{}
	for n, p := range d.compose(r) {
		method, path := http.MethodPost, to.webhook
		if n == 0 {
			method, path = http.MethodPatch, to.webhook+"/messages/@original"
		}
		p.body.Flags |= flagEphemeral
		var posted object
		err := d.api.call(ctx, method, path, p.body, &posted)
		if malformed(err) {
			err = d.api.call(ctx, method, path, p.body.plain(), &posted)
		}
		if err != nil {
			d.log.WarnContext(ctx, "the answer to a command is given to all", "error", err)
			return adapters.MessageRef{}, false
		}
		one := ref(r.Thread.Workspace, r.Thread.Channel, posted.ID)
		if n == 0 {
			at = one
		} else {
			at.Parts = append(at.Parts, one.ID)
		}
	}
	return at, true
}
