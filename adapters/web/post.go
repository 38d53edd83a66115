package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
)

const (
	// maxForm is the most bytes of a form with a message: its text may be written by three
	// bytes for one.
	maxForm = 3*adapters.MaxText + 1<<20
	// maxLength is after how many entries a thread takes no more messages.
	maxLength = 20_000
	// patience is how long it may take to record what somebody writes, and hurry how long
	// who writes waits for the hand-over then.
	patience = 30 * time.Second
	hurry    = 3 * time.Second
)

// servePost takes a message.
func (c *Channel) servePost(w http.ResponseWriter, r *http.Request) error {
	thread, err := threadID(r)
	if err != nil {
		return err
	}
	if err := fields(w, r, maxForm); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), patience) // who has gone has written nevertheless
	defer stop()
	t, err := c.threads.read(ctx, thread, now)
	if err != nil && !errors.Is(err, adapters.ErrGone) {
		return err
	}
	first := len(t.messages) == 0
	id := r.PostForm.Get("id")
	if t.message(id) == nil {
		if err := c.write(ctx, r, thread, t); err != nil {
			return err
		}
	}
	status := http.StatusNoContent
	if !c.handed(ctx, thread) {
		status = http.StatusAccepted
	}
	if first || t.messages[0].id == id { // or it was tried before
		w.Header().Set("Hx-Redirect", "/t/"+thread)
	}
	w.WriteHeader(status)
	return nil
}

// write records the message that a form says.
func (c *Channel) write(ctx context.Context, r *http.Request, thread string, t snapshot) error {
	m, err := c.compose(ctx, r, thread, t)
	if err != nil {
		return err
	}
	if err := c.claim(ctx, thread, t, m); err != nil {
		return err
	}
	// It is listed before it is there: what is listed is found again, whoever dies.
	if err := c.enlist(ctx, listed{Thread: thread, Busy: true, Waits: m.ID}); err != nil {
		return err
	}
	if err := c.append(ctx, thread, entry{Wrote: m}); err != nil {
		return err
	}
	c.publish(ctx, hintWrote, thread)
	if len(t.messages) == 0 { // only now the thread has a title
		c.publish(ctx, hintListed, "")
	}
	return nil
}

// compose makes a message of what a form says.
func (c *Channel) compose(ctx context.Context, r *http.Request, thread string, t snapshot) (*wrote, error) {
	form := r.PostForm
	m := &wrote{ID: form.Get("id"), By: c.me(r), ReplyTo: form.Get("reply_to")}
	m.Text = strings.ToValidUTF8(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"), "\uFFFD")
	switch {
	case !madeUp.MatchString(m.ID):
		return nil, refuse(http.StatusBadRequest, "The browser sent this in a way that is not understood. Reload the page.")
	case len(m.Text) > adapters.MaxText:
		return nil, refuse(http.StatusRequestEntityTooLarge, "The text is too long: at most %s are taken.", size(adapters.MaxText))
	case t.next > maxLength:
		return nil, refuse(http.StatusConflict, "This thread is full. Begin a new one.")
	case m.ReplyTo != "" && t.message(m.ReplyTo) == nil:
		return nil, refuse(http.StatusUnprocessableEntity, "The message that this replies to is not here any more.")
	}
	points, err := readPointings(form.Get("marks"))
	if err != nil {
		return nil, err
	}
	if len(form["file"]) > 0 || len(points) > 0 {
		if err := c.attach(ctx, thread, t, form["file"], points, m); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(m.Text) == "" && len(m.Files) == 0 {
		return nil, refuse(http.StatusUnprocessableEntity, "Write something, or attach a file.")
	}
	if len(m.Files) > adapters.MaxFiles {
		return nil, refuse(http.StatusUnprocessableEntity, "At most %d files can be sent with one message.", adapters.MaxFiles)
	}
	as := happening{id: m.ID, at: c.config.Now(), message: &message{id: m.ID, wrote: m, replyTo: m.ReplyTo}}
	return m, eventOf(thread, t, as).Validate() // what is recorded can be handed over
}

// attach adds files and marks to a message.
func (c *Channel) attach(ctx context.Context, thread string, t snapshot, ids []string, points []pointing, m *wrote) error {
	all, _, err := c.threads.uploads(ctx, thread)
	if err != nil {
		return err
	}
	for _, id := range ids {
		f, sent := t.file(id)
		if p, ok := all[id]; !sent {
			if !ok || p.For == forMask || p.By != m.By.ID {
				return fileGone()
			}
			f = p.upload
		}
		if !slices.ContainsFunc(m.Files, func(u upload) bool { return u.ID == id }) {
			m.Files = append(m.Files, f)
		}
	}
	for _, p := range points {
		if err := c.mark(ctx, t, all, p, m); err != nil {
			return err
		}
	}
	return nil
}
