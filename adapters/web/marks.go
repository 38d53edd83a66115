package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"atelier/adapters"
)

// pointing is a mark as a browser sends it.
type pointing struct {
	Picture string           `json:"picture"`
	File    string           `json:"file"`
	Width   int              `json:"width"`
	Height  int              `json:"height"`
	Points  []adapters.Point `json:"points"`
	Boxes   []adapters.Box   `json:"boxes"`
	Mask    string           `json:"mask"` // the id of an upload
}

// The most that is pointed at with a message.
const (
	maxMarks    = 1000 // points or boxes of a picture
	maxPictures = 16
)

// readPointings reads what a form says was pointed at.
func readPointings(s string) ([]pointing, error) {
	if s == "" {
		return nil, nil
	}
	var all []pointing
	if err := json.Unmarshal([]byte(s), &all); err != nil {
		return nil, refuse(http.StatusBadRequest, "What was marked could not be read. Mark it again.")
	}
	if len(all) > maxPictures {
		return nil, refuse(http.StatusBadRequest, "At most %d pictures can be marked in one message.", maxPictures)
	}
	for _, p := range all {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// check refuses what no picture can be marked by.
func (p pointing) check() error {
	switch {
	case (p.Picture == "") == (p.File == "") || p.Width < 1 || p.Height < 1:
		return refuse(http.StatusBadRequest, "What was marked could not be read. Mark it again.")
	case len(p.Points) == 0 && len(p.Boxes) == 0 && p.Mask == "":
		return refuse(http.StatusBadRequest, "Nothing is marked on the picture.")
	case len(p.Points) > maxMarks || len(p.Boxes) > maxMarks:
		return refuse(http.StatusBadRequest, "At most %d points or boxes can be marked on a picture.", maxMarks)
	}
	outside := slices.ContainsFunc(p.Points, func(at adapters.Point) bool {
		return at.X < 0 || at.Y < 0 || at.X >= p.Width || at.Y >= p.Height
	}) || slices.ContainsFunc(p.Boxes, func(b adapters.Box) bool {
		return b.XMin < 0 || b.YMin < 0 || b.XMax > p.Width || b.YMax > p.Height
	})
	empty := slices.ContainsFunc(p.Boxes, func(b adapters.Box) bool { return b.XMin >= b.XMax || b.YMin >= b.YMax })
	switch {
	case outside:
		return refuse(http.StatusUnprocessableEntity, "A mark lies outside of the picture. Mark it again.")
	case empty:
		return refuse(http.StatusUnprocessableEntity, "A box holds nothing. Draw it again.")
	}
	return nil
}

// mark makes a message's mark of it. A file of an earlier message is added to the message's
// own.
func (c *Channel) mark(ctx context.Context, t snapshot, all map[string]pending, p pointing, w *wrote) error {
	out := adapters.Mark{Picture: p.Picture, File: p.File, Width: p.Width, Height: p.Height, Points: p.Points, Boxes: p.Boxes}
	width, height, err := c.marked(ctx, t, all, p, w)
	if err != nil {
		return err
	}
	if width != p.Width || height != p.Height {
		return refuse(http.StatusUnprocessableEntity, "The marks are for a picture of another size. Reload the page, and mark it again.")
	}
	if p.Mask != "" {
		mask, ok := all[p.Mask]
		switch {
		case !ok || mask.For != forMask || mask.By != w.By.ID:
			return refuse(http.StatusUnprocessableEntity, "The painted mask is not here any more. Paint it again.")
		case mask.Width != width || mask.Height != height:
			return refuse(http.StatusUnprocessableEntity, "The painted mask has another size than the picture. Paint it again.")
		}
		f := mask.file()
		out.Mask = &f
	}
	w.Marks = append(w.Marks, out)
	return nil
}

// marked gives the size of the picture that is pointed at.
func (c *Channel) marked(ctx context.Context, t snapshot, all map[string]pending, p pointing, w *wrote) (width, height int, err error) {
	if p.File != "" {
		return markedFile(t, all, p.File, w)
	}
	return c.markedPicture(ctx, t, p.Picture)
}

// markedFile gives the size of a file that is sent with the message, or was sent before.
func markedFile(t snapshot, all map[string]pending, id string, w *wrote) (width, height int, err error) {
	f, sent := t.file(id)
	here := slices.IndexFunc(w.Files, func(u upload) bool { return u.ID == id })
	if here >= 0 {
		f = w.Files[here]
	}
	_, waits := all[id]
	switch {
	case here < 0 && !sent && waits:
		return 0, 0, refuse(http.StatusUnprocessableEntity, "The picture that was marked does not come with the message.")
	case here < 0 && !sent:
		return 0, 0, refuse(http.StatusUnprocessableEntity, "The picture that was marked is not here any more.")
	case f.Width == 0 || kindOf(f.Type, false) != kindImage:
		return 0, 0, refuse(http.StatusUnprocessableEntity, "Only pictures can be marked.")
	case here < 0:
		w.Files = append(w.Files, f)
	}
	return f.Width, f.Height, nil
}

// markedPicture gives the size of a picture that the bot made.
func (c *Channel) markedPicture(ctx context.Context, t snapshot, name string) (width, height int, err error) {
	for _, m := range slices.Backward(t.messages) {
		if m.said == nil || m.removed {
			continue
		}
		for _, a := range m.said.Reply.Files {
			if resourceOf(a) != name || a.Handle == "" {
				continue
			}
			found, err := c.config.Media.Look(ctx, a.Handle, a.Name, "")
			if errors.Is(err, adapters.ErrGone) {
				return 0, 0, refuse(http.StatusUnprocessableEntity, "The picture that was marked is not here any more.")
			}
			if err == nil && found.Width == 0 {
				return 0, 0, refuse(http.StatusUnprocessableEntity, "Only pictures can be marked.")
			}
			return found.Width, found.Height, err
		}
	}
	return 0, 0, refuse(http.StatusUnprocessableEntity, "The picture that was marked is not here any more.")
}
