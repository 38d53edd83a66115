package point

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
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

// keepMask stores a valid mask. It is checked after it was received completely, so that slow senders block nobody.
func (p *Pages) keepMask(ctx context.Context, f *form, part io.Reader, g Grant) (err error) {
	come, size, err := arrived(part, p.Scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, come.Close(), os.Remove(come.Name())) }()
	giveBack, err := p.Memory(ctx, int64(g.Width)*int64(g.Height)) // one byte per pixel
	if err != nil {
		return fmt.Errorf("check the mask: %w", err)
	}
	defer giveBack()
	key := p.MaskFolder(g.Thread) + "/" + p.name(f.id, g) + ".png"
	content := newChecked(come, g.Width, g.Height)
	defer content.Close()
	if err := p.Put(ctx, key, content); err != nil {
		if why := content.why(); why != nil {
			err = why // the original error, not its consequence
		}
		return fmt.Errorf("store the mask: %w", err)
	}
	f.mask = &adapters.File{ID: "mask", Name: "mask.png", Size: size, Type: "image/png", Handle: key}
	return nil
}

// arrived stores the upload in a temporary file, which the caller closes and removes.
func arrived(part io.Reader, folder string) (_ *os.File, size int64, err error) {
	to, err := os.CreateTemp(folder, "atelier-mask-")
	if err != nil {
		return nil, 0, fmt.Errorf("make a temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.Close(), os.Remove(to.Name()))
		}
	}()
	from := &told{Reader: http.MaxBytesReader(nil, io.NopCloser(part), maxMask)}
	if size, err = io.Copy(to, from); from.err != nil {
		return nil, 0, badForm(from.err)
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("buffer the mask: %w", err)
	}
	return to, size, nil
}

// told remembers a read error, to tell it from a write error.
type told struct {
	io.Reader

	err error
}

func (t *told) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err //nolint:wrapcheck // a reader's error is what it is
}

// Marks reports whether pictures of a type can be marked: browsers show them, and they cannot run code.
func Marks(contentType string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"}, contentType)
}

// sniffed is how many bytes of a file are used to detect its type.
const sniffed = 512

// there fails if the picture is no longer stored.
func (p *Pages) there(ctx context.Context, g Grant) error {
	file, err := p.Open(ctx, g.Handle)
	if err != nil {
		return fmt.Errorf("open the picture: %w", err)
	}
	_ = file.Close() //nolint:errcheck // nothing was read
	return nil
}

// picture serves the picture: whoever has the link also sees it in the thread.
func (p *Pages) picture(w http.ResponseWriter, r *http.Request, g Grant) error {
	file, err := p.Open(r.Context(), g.Handle)
	if err != nil {
		return fmt.Errorf("open the picture: %w", err)
	}
	defer func() { _ = file.Close() }() //nolint:errcheck // it was only read
	content := bufio.NewReaderSize(file, sniffed)
	head, err := content.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the picture: %w", err)
	}
	kind := http.DetectContentType(head)
	if !Marks(kind) {
		return problemf(notSupported, "A picture of this kind cannot be marked here.")
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	h.Set("Content-Disposition", "inline")
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(w, content); err != nil && r.Context().Err() == nil {
		p.Log.WarnContext(r.Context(), "a picture was not sent completely", "error", adapters.ForOperator(err))
		panic(http.ErrAbortHandler) // so that the browser notices that it is incomplete
	}
	return nil
}
