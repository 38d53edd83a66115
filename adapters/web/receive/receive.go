// Package receive records the messages, marks and reactions of browsers, and then confirms them.
package receive

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/request"
	"atelier/adapters/web/store"
)

const (
	// maxForm is the maximum size of a message's form in bytes: URL encoding may triple the text.
	maxForm = 3*adapters.MaxText + 1<<20
	// MaxLength is the number of entries after which a thread accepts no more messages.
	MaxLength = 20_000
)

var (
	errFileGone    = request.Refuse(http.StatusUnprocessableEntity, "A file in the message no longer exists. Attach it again.")
	errManyFiles   = request.Refuse(http.StatusUnprocessableEntity, "At most %d files can be sent with one message.", adapters.MaxFiles)
	errMarks       = request.Refuse(http.StatusBadRequest, "The marks could not be read. Mark the picture again.")
	errPictureGone = request.Refuse(http.StatusUnprocessableEntity, "The picture that you marked no longer exists.")
	errNoPicture   = request.Refuse(http.StatusUnprocessableEntity, "Only pictures can be marked.")
)

// Receiver records the messages and reactions of browsers, and has them delivered.
type Receiver struct {
	*request.Reader

	Store *store.Store
	Media looker
	// Deliver asks to deliver a thread's events, and reports whether that was done.
	Deliver func(ctx context.Context, thread string) bool
	Now     func() time.Time
}

// ServePost accepts a message.
func (rec *Receiver) ServePost(w http.ResponseWriter, r *http.Request) error {
	thread, err := request.ThreadID(r)
	if err != nil {
		return err
	}
	if err := request.ParseForm(w, r, maxForm); err != nil {
		return err
	}
	ctx, stop := request.Detach(r)
	defer stop()
	t, err := rec.Store.Threads.Read(ctx, thread, store.Latest)
	if err != nil && !errors.Is(err, adapters.ErrGone) {
		return err
	}
	first := len(t.Messages) == 0
	id := r.PostForm.Get("id")
	if t.Message(id) == nil {
		m, err := rec.compose(ctx, r, thread, t)
		if err != nil {
			return err
		}
		if err := rec.write(ctx, thread, t, m); err != nil {
			return err
		}
	}
	status := rec.deliverStatus(ctx, thread)
	if first || t.Messages[0].ID == id { // or a retry of the first message
		w.Header().Set("Hx-Redirect", "/t/"+thread)
	}
	w.WriteHeader(status)
	return nil
}

// ServeAct accepts the press of a button below a message.
func (rec *Receiver) ServeAct(w http.ResponseWriter, r *http.Request) error {
	if err := request.ParseForm(w, r, 16<<10); err != nil {
		return err
	}
	thread, t, m, err := rec.Message(r)
	if err != nil {
		return err
	}
	if t.Next > MaxLength && r.PostForm.Get("sign") != "stop" {
		return request.ErrThreadFull
	}
	done, err := rec.press(r, m)
	if err != nil {
		return err
	}
	status := http.StatusNoContent
	if done != nil {
		as := chat.Happening{ID: done.ID, At: rec.Now(), Reacted: done}
		if err := chat.EventOf(thread, t, as).Validate(); err != nil { // only valid events are recorded
			return err
		}
		ctx, stop := request.Detach(r)
		defer stop()
		if err := rec.Store.Record(ctx, thread, done.ID, chat.Entry{Reacted: done}); err != nil {
			return err
		}
		status = rec.deliverStatus(ctx, thread)
	}
	w.WriteHeader(status)
	return nil
}

// deliverStatus has a thread's events delivered. The status is 202 if that is still pending.
func (rec *Receiver) deliverStatus(ctx context.Context, thread string) int {
	if rec.Deliver(ctx, thread) {
		return http.StatusNoContent
	}
	return http.StatusAccepted
}

// write records a message, and claims its files.
func (rec *Receiver) write(ctx context.Context, thread string, t chat.Snapshot, m *chat.Wrote) error {
	var ids []string
	for _, f := range m.Files {
		if _, sent := t.File(f.ID); !sent && !f.Made {
			ids = append(ids, f.ID)
		}
	}
	for _, mark := range m.Marks {
		if mark.Mask != nil {
			ids = append(ids, mark.Mask.ID)
		}
	}
	if ok, err := rec.Store.Claim(ctx, thread, ids); err != nil {
		return err
	} else if !ok {
		return errFileGone
	}
	if err := rec.Store.Record(ctx, thread, m.ID, chat.Entry{Wrote: m}); err != nil {
		return err
	}
	if len(t.Messages) == 0 { // the thread has a title only now
		rec.Store.Hub.Publish(ctx, store.HintListed, "")
	}
	return nil
}

// compose builds a message from a form.
func (rec *Receiver) compose(ctx context.Context, r *http.Request, thread string, t chat.Snapshot) (*chat.Wrote, error) {
	form := r.PostForm
	m := &chat.Wrote{ID: form.Get("id"), By: rec.Me(r), ReplyTo: form.Get("reply_to"), Edits: form.Get("edits")}
	m.Text = strings.ToValidUTF8(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"), "\uFFFD")
	switch {
	case !chat.ValidID.MatchString(m.ID):
		return nil, request.ErrUnreadable
	case len(m.Text) > adapters.MaxText:
		return nil, request.Refuse(http.StatusRequestEntityTooLarge, "The text is too long: the limit is %s.", markup.Size(adapters.MaxText))
	case t.Next > MaxLength:
		return nil, request.ErrThreadFull
	case m.ReplyTo != "" && t.Message(m.ReplyTo) == nil:
		return nil, request.Refuse(http.StatusUnprocessableEntity, "The message that you replied to no longer exists.")
	}
	if len(form["file"]) > adapters.MaxFiles {
		return nil, errManyFiles
	}
	if m.Edits != "" {
		if err := rec.mayEdit(t, m); err != nil {
			return nil, err
		}
	}
	points, err := readPointings(form.Get("marks"))
	if err != nil {
		return nil, err
	}
	if len(form["file"]) > 0 || len(points) > 0 {
		if err := rec.attach(ctx, thread, t, form["file"], points, m); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(m.Text) == "" && len(m.Files) == 0 {
		return nil, request.Refuse(http.StatusUnprocessableEntity, "Write something, or attach a file.")
	}
	if len(m.Files) > adapters.MaxFiles { // with the marked ones
		return nil, errManyFiles
	}
	as := chat.Happening{ID: m.ID, At: rec.Now(), Message: &chat.Message{ID: m.ID, Wrote: m, ReplyTo: m.ReplyTo}}
	if m.Edits != "" {
		as.Message.ID, as.Message.At = m.Edits, t.Message(m.Edits).At
	}
	return m, chat.EventOf(thread, t, as).Validate() // only valid events are recorded
}

// attach adds files and marks to a message.
func (rec *Receiver) attach(ctx context.Context, thread string, t chat.Snapshot, ids []string, points []Pointing, m *chat.Wrote) error {
	all, _, err := rec.Store.Threads.Uploads(ctx, thread)
	if err != nil {
		return err
	}
	for _, id := range ids {
		f, sent := t.File(id)
		if chat.IsMadeRef(id) {
			if f, err = rec.use(ctx, t, id); err != nil {
				return err
			}
		} else if p, ok := all[id]; !sent {
			if !ok || p.For == store.ForMask || p.By != m.By.ID {
				return errFileGone
			}
			f = p.Upload
		}
		if !slices.ContainsFunc(m.Files, func(u chat.Upload) bool { return u.ID == f.ID }) {
			m.Files = append(m.Files, f)
		}
	}
	for _, p := range points {
		if err := rec.mark(ctx, t, all, p, m); err != nil {
			return err
		}
	}
	return nil
}

// press parses which button was pressed. It returns nil if there is nothing left to do.
func (rec *Receiver) press(r *http.Request, m *chat.Message) (*chat.Reacted, error) {
	form := r.PostForm
	out := &chat.Reacted{ID: form.Get("id"), By: rec.Me(r), On: m.ID, Back: form.Get("back") == "true"}
	if !chat.ValidID.MatchString(out.ID) {
		return nil, request.ErrUnreadable
	}
	sign := form.Get("sign")
	if sign == "stop" {
		working := m.Progress != nil && !m.Progress.Progress.Ended || m.Wrote != nil && m.Open()
		if !working {
			return nil, nil //nolint:nilnil // it has ended by itself
		}
		return out, nil
	}
	if m.Said == nil {
		return nil, request.ErrUnreadable
	}
	switch out.Sign = adapters.Sign(sign); out.Sign {
	case adapters.Again, adapters.Use, adapters.Vary, adapters.Larger, adapters.Smaller: // these are stopped rather than undone
		out.Back = false
	case adapters.Remove:
		out.Back = false
		if !m.MayRemove(out.By) {
			return nil, request.Refuse(http.StatusForbidden, "Only the person who asked, or an admin, can remove this.")
		}
	case adapters.Choose:
		n, err := strconv.Atoi(form.Get("number"))
		if err != nil || n < 1 || n > len(m.Said.Reply.Choices) {
			return nil, request.ErrUnreadable
		}
		if n > m.Offered {
			return nil, request.Refuse(http.StatusConflict, "This cannot be chosen yet. Try again in a moment.")
		}
		out.Number, out.Choice = n, m.Said.Reply.Choices[n-1].ID
		if out.Back && !slices.Contains(m.Presses, chat.Press{Number: n, By: out.By.ID}) {
			return nil, nil //nolint:nilnil // it is taken back already
		}
	default:
		return nil, request.ErrUnreadable
	}
	return out, nil
}
