package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"atelier/adapters"
)

// serveAct takes what somebody pressed below a message.
func (c *Channel) serveAct(w http.ResponseWriter, r *http.Request) error {
	if err := fields(w, r, 16<<10); err != nil {
		return err
	}
	thread, t, m, err := c.message(r)
	if err != nil {
		return err
	}
	if t.next > maxLength && r.PostForm.Get("sign") != "stop" {
		return refuse(http.StatusConflict, "This thread is full. Begin a new one.")
	}
	done, err := c.press(r, t, m)
	if err != nil {
		return err
	}
	status := http.StatusNoContent
	if done != nil {
		if status, err = c.record(r, thread, t, done); err != nil {
			return err
		}
	}
	w.WriteHeader(status)
	return nil
}

// record writes down what was pressed, and has it handed over.
func (c *Channel) record(r *http.Request, thread string, t snapshot, done *reacted) (status int, err error) {
	as := happening{id: done.ID, at: c.config.Now(), reacted: done}
	if err := eventOf(thread, t, as).Validate(); err != nil { // what is recorded can be handed over
		return 0, err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), patience)
	defer stop()
	// It is listed before it is there: what is listed is found again, whoever dies.
	if err := c.enlist(ctx, listed{Thread: thread, Busy: true, Waits: done.ID}); err != nil {
		return 0, err
	}
	if err := c.append(ctx, thread, entry{Reacted: done}); err != nil {
		return 0, err
	}
	c.publish(ctx, hintWrote, thread)
	if c.handed(ctx, thread) {
		return http.StatusNoContent, nil
	}
	return http.StatusAccepted, nil
}

// press reads what was pressed; it is nil where that is done already.
func (c *Channel) press(r *http.Request, t snapshot, m *message) (*reacted, error) {
	form := r.PostForm
	out := &reacted{ID: form.Get("id"), By: c.me(r), On: m.id, Back: form.Get("back") == "true"}
	unfit := refuse(http.StatusBadRequest, "The browser sent this in a way that is not understood. Reload the page.")
	if !madeUp.MatchString(out.ID) {
		return nil, unfit
	}
	sign := form.Get("sign")
	if sign == "stop" {
		if m.progress != nil { // what runs is the request
			if m = t.message(m.replyTo); m == nil {
				return nil, unknown()
			}
			out.On = m.id
		} else if m.wrote == nil || !m.open() {
			return nil, nil //nolint:nilnil // it has ended by itself
		}
		return out, nil
	}
	if m.said == nil {
		return nil, unfit
	}
	switch out.Sign = adapters.Sign(sign); out.Sign {
	case adapters.Again: // what is asked for again cannot be taken back by that
		out.Back = false
	case adapters.Remove:
		out.Back = false
		if !mayRemove(out.By, m) {
			return nil, refuse(http.StatusForbidden, "Only who asked, or an admin, can remove this.")
		}
	case adapters.Choose:
		n, err := strconv.Atoi(form.Get("number"))
		if err != nil || n < 1 || n > len(m.said.Reply.Choices) {
			return nil, unfit
		}
		if n > m.offered {
			return nil, refuse(http.StatusConflict, "This cannot be chosen yet. Try again in a moment.")
		}
		out.Number, out.Choice = n, m.said.Reply.Choices[n-1].ID
		if out.Back && !slices.Contains(m.presses, press{n, out.By.ID}) {
			return nil, nil //nolint:nilnil // it is taken back already
		}
	default:
		return nil, unfit
	}
	return out, nil
}
