package point

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"atelier/adapters"
)

// Size limits of a form, in bytes.
const (
	maxMarksForm = 256 << 10
	maxMask      = 32 << 20 // more than any mask of 1 bit per pixel, however badly it compresses
	maxForm      = maxMarksForm + maxMask + 64<<10
)

// maxMarked is the maximum number of points, or boxes, of an event.
const maxMarked = 1000

// marked is what the page's script posts, without the mask.
type marked struct {
	Width  int              `json:"width"`
	Height int              `json:"height"`
	Points []adapters.Point `json:"points"`
	Boxes  []adapters.Box   `json:"boxes"`
}

// form is a posted form. Its parts must come in this order, so that the mask can be checked as it arrives.
type form struct {
	id    string // made by the browser; the same if the form is posted again
	marks *marked
	mask  *adapters.File
}

// take accepts marks, by a form with the parts id, marks and mask.
func (p *Pages) take(w http.ResponseWriter, r *http.Request, g Grant) error {
	ctx, stop := context.WithTimeout(r.Context(), patience)
	defer stop()
	r.Body = http.MaxBytesReader(w, timely{r.Body, ctx.Err}, maxForm)
	parts, err := r.MultipartReader()
	if err != nil {
		return badForm(err)
	}
	if err := p.look(ctx, &g); err != nil {
		return err
	}
	var f form
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return badForm(err)
		}
		if err := p.part(ctx, &f, part, g); err != nil {
			return err
		}
	}
	if f.marks == nil {
		return badForm(errors.New("it has no marks"))
	}
	if err := p.hand(ctx, f, g); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// look checks that the picture is still stored, and completes its size.
func (p *Pages) look(ctx context.Context, g *Grant) (err error) {
	if g.Width > 0 && g.Height > 0 {
		return p.there(ctx, *g)
	}
	if g.Width, g.Height, err = p.Look(ctx, g.Handle); err != nil {
		return fmt.Errorf("check the picture: %w", err)
	}
	return nil
}

// part reads the next part of a form.
func (p *Pages) part(ctx context.Context, f *form, part *multipart.Part, g Grant) error {
	switch name := part.FormName(); {
	case name == "id" && f.id == "":
		b, err := io.ReadAll(io.LimitReader(part, 64))
		f.id = string(b)
		if err != nil || len(b) < 16 || len(b) > 32 || strings.Trim(f.id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return badForm(errors.Join(errors.New("its id is invalid"), err))
		}
	case name == "marks" && f.id != "" && f.marks == nil:
		b, err := io.ReadAll(http.MaxBytesReader(nil, part, maxMarksForm))
		if err != nil {
			return badForm(err)
		}
		f.marks = &marked{}
		if err := json.Unmarshal(b, f.marks); err != nil {
			return badForm(err)
		}
		return f.marks.check(g.Width, g.Height)
	case name == "mask" && f.marks != nil && f.mask == nil:
		return p.keepMask(ctx, f, part, g)
	default:
		return badForm(errors.New("it has an unknown or misplaced part"))
	}
	return nil
}

func badForm(err error) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem{status: tooLarge, format: "That is too much. Mark less, or paint more simply.", err: large}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return &problem{status: tooSlow, format: "The marks took too long to arrive. Press Done again.", err: err}
	}
	return &problem{status: badRequest, format: "The marks did not arrive correctly. Press Done again.", err: err}
}

// timely is a request body with a deadline.
type timely struct {
	io.ReadCloser

	over func() error
}

func (t timely) Read(p []byte) (int, error) {
	if err := t.over(); err != nil {
		return 0, err
	}
	return t.ReadCloser.Read(p) //nolint:wrapcheck // a reader's error is what it is
}

// check reports marks outside a picture of that size.
func (m *marked) check(width, height int) error {
	if m.Width != width || m.Height != height {
		return problemf(badRequest, "The marks are on a picture of %d by %d pixels, and this one has %d by %d. Open the link again.",
			m.Width, m.Height, width, height)
	}
	if len(m.Points) > maxMarked || len(m.Boxes) > maxMarked {
		return problemf(badRequest, "There are more than %d points or boxes. Remove some.", maxMarked)
	}
	for _, at := range m.Points {
		if at.X < 0 || at.Y < 0 || at.X >= width || at.Y >= height {
			return problemf(badRequest, "A point is outside the picture, which has %d by %d pixels.", width, height)
		}
	}
	for _, b := range m.Boxes {
		if b.XMin < 0 || b.YMin < 0 || b.XMax > width || b.YMax > height || b.XMin >= b.XMax || b.YMin >= b.YMax {
			return problemf(badRequest, "A box must lie within the picture, which has %d by %d pixels.", width, height)
		}
	}
	return nil
}

// name returns the event id of a form.
func (p *Pages) name(form string, g Grant) string {
	return "marked-" + hex.EncodeToString(p.Links.id(g)) + "-" + form
}

// hand delivers the marks.
func (p *Pages) hand(ctx context.Context, f form, g Grant) error {
	if len(f.marks.Points) == 0 && len(f.marks.Boxes) == 0 && f.mask == nil {
		return problemf(badRequest, "Nothing is marked. Mark what you mean on the picture, then press Done.")
	}
	e := adapters.Event{
		Kind: adapters.PictureMarked, ID: p.name(f.id, g), Adapter: adapter, Thread: g.Thread, By: adapters.Person{ID: person}, At: p.Now(),
		Mark: &adapters.Mark{
			Picture: g.Picture, Width: f.marks.Width, Height: f.marks.Height, Points: f.marks.Points, Boxes: f.marks.Boxes, Mask: f.mask,
		},
	}
	if err := e.Validate(); err != nil {
		return badForm(err)
	}
	if err := p.Handle(ctx, e); err != nil {
		return fmt.Errorf("deliver the marks: %w", err)
	}
	return nil
}
