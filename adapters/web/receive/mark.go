package receive

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/request"
	"atelier/adapters/web/store"
)

// looker detects the type of a file.
type looker interface {
	Look(ctx context.Context, key, name, language string) (media.Found, error)
}

// Pointing is a mark as a browser sends it.
type Pointing struct {
	Picture string           `json:"picture"`
	File    string           `json:"file"`
	Width   int              `json:"width"`
	Height  int              `json:"height"`
	Points  []adapters.Point `json:"points"`
	Boxes   []adapters.Box   `json:"boxes"`
	Mask    string           `json:"mask"` // the id of an upload
}

// Limits on the marks of a message.
const (
	MaxMarks    = 1000 // points or boxes of a picture
	maxPictures = 16
)

// readPointings parses the marks of a form.
func readPointings(s string) ([]Pointing, error) {
	if s == "" {
		return nil, nil
	}
	var all []Pointing
	if err := json.Unmarshal([]byte(s), &all); err != nil {
		return nil, errMarks
	}
	if len(all) > maxPictures {
		return nil, request.Refuse(http.StatusBadRequest, "At most %d pictures can be marked in one message.", maxPictures)
	}
	for _, p := range all {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// check rejects invalid marks.
func (p Pointing) check() error {
	switch {
	case (p.Picture == "") == (p.File == "") || p.Width < 1 || p.Height < 1:
		return errMarks
	case len(p.Points) == 0 && len(p.Boxes) == 0 && p.Mask == "":
		return request.Refuse(http.StatusBadRequest, "Nothing is marked on the picture.")
	case len(p.Points) > MaxMarks || len(p.Boxes) > MaxMarks:
		return request.Refuse(http.StatusBadRequest, "At most %d points or boxes can be marked on a picture.", MaxMarks)
	}
	outside := slices.ContainsFunc(p.Points, func(at adapters.Point) bool {
		return at.X < 0 || at.Y < 0 || at.X >= p.Width || at.Y >= p.Height
	}) || slices.ContainsFunc(p.Boxes, func(b adapters.Box) bool {
		return b.XMin < 0 || b.YMin < 0 || b.XMax > p.Width || b.YMax > p.Height
	})
	empty := slices.ContainsFunc(p.Boxes, func(b adapters.Box) bool { return b.XMin >= b.XMax || b.YMin >= b.YMax })
	switch {
	case outside:
		return request.Refuse(http.StatusUnprocessableEntity, "A mark is outside the picture. Mark it again.")
	case empty:
		return request.Refuse(http.StatusUnprocessableEntity, "A box is empty. Draw it again.")
	}
	return nil
}

// mark adds a mark to a message. A marked file of an earlier message is attached to this one.
func (rec *Receiver) mark(ctx context.Context, t chat.Snapshot, all map[string]store.Pending, p Pointing, w *chat.Wrote) error {
	out := adapters.Mark{Picture: p.Picture, File: p.File, Width: p.Width, Height: p.Height, Points: p.Points, Boxes: p.Boxes}
	width, height, err := rec.marked(ctx, t, all, p, w)
	if err != nil {
		return err
	}
	if width != p.Width || height != p.Height {
		return request.Refuse(http.StatusUnprocessableEntity, "The marks are for a picture of another size. Reload the page, and mark it again.")
	}
	if p.Mask != "" {
		mask, ok := all[p.Mask]
		switch {
		case !ok || mask.For != store.ForMask || mask.By != w.By.ID:
			return request.Refuse(http.StatusUnprocessableEntity, "The painted mask no longer exists. Paint it again.")
		case mask.Width != width || mask.Height != height:
			return request.Refuse(http.StatusUnprocessableEntity, "The painted mask does not have the size of the picture. Paint it again.")
		}
		f := mask.File()
		out.Mask = &f
	}
	w.Marks = append(w.Marks, out)
	return nil
}

// marked returns the size of the marked picture.
func (rec *Receiver) marked(ctx context.Context, t chat.Snapshot, all map[string]store.Pending, p Pointing, w *chat.Wrote) (width, height int, err error) {
	if p.File != "" {
		return markedFile(t, all, p.File, w)
	}
	m, i := t.Made(p.Picture)
	if m == nil {
		return 0, 0, errPictureGone
	}
	a := m.Said.Reply.Files[i]
	found, err := rec.Media.Look(ctx, a.Handle, a.Name, "")
	if errors.Is(err, adapters.ErrGone) {
		return 0, 0, errPictureGone
	}
	if err == nil && found.Width == 0 {
		return 0, 0, errNoPicture
	}
	return found.Width, found.Height, err
}

// markedFile returns the size of a file that is attached to the message or was sent before.
func markedFile(t chat.Snapshot, all map[string]store.Pending, id string, w *chat.Wrote) (width, height int, err error) {
	f, sent := t.File(id)
	here := slices.IndexFunc(w.Files, func(u chat.Upload) bool { return u.ID == id })
	if here >= 0 {
		f = w.Files[here]
	}
	_, waits := all[id]
	switch {
	case here < 0 && !sent && waits:
		return 0, 0, request.Refuse(http.StatusUnprocessableEntity, "The picture that you marked is not attached to the message.")
	case here < 0 && !sent:
		return 0, 0, errPictureGone
	case f.Width == 0 || media.KindOf(f.Type, false) != media.KindImage:
		return 0, 0, errNoPicture
	case here < 0:
		w.Files = append(w.Files, f)
	}
	return f.Width, f.Height, nil
}
