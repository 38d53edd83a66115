package web

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"

	"atelier/adapters"
)

// markedView is a picture with what is marked on it, to be drawn over it: all in pixels of
// the picture.
type markedView struct {
	ID            string // unique in the page
	Picture, Mask string // where they are served from; Mask is "" where nothing is painted
	Width, Height int
	Points        []adapters.Point
	Boxes         []boxView
}

// boxView is a box as it is drawn.
type boxView struct{ X, Y, W, H int }

// What a picture with marks takes of the page at most, and how large its points are there,
// all in CSS pixels: message.css has the same.
const (
	markedWidth, markedHeight = 240, 160
	pointRadius               = 5
)

// Radius is that of a point.
func (m markedView) Radius() int {
	return max(1, pointRadius*m.Width/markedWidth, pointRadius*m.Height/markedHeight)
}

// mark tells and draws what somebody pointed at.
func (v viewer) mark(id string, m adapters.Mark) markView {
	out := markView{Name: m.Picture, Points: len(m.Points), Boxes: len(m.Boxes)}
	drawn := &markedView{ID: id, Width: m.Width, Height: m.Height, Points: m.Points}
	if f, ok := v.t.file(m.File); ok {
		out.Name, drawn.Picture = f.Name, fileURL(v.thread, f.ID, f.Name)
	} else {
		out.Name, drawn.Picture = v.made(m.Picture)
	}
	for _, b := range m.Boxes {
		drawn.Boxes = append(drawn.Boxes, boxView{b.XMin, b.YMin, b.XMax - b.XMin, b.YMax - b.YMin})
	}
	if m.Mask != nil {
		out.Masks = 1
		drawn.Mask = fileURL(v.thread, m.Mask.ID, m.Mask.Name)
	}
	if drawn.Picture != "" {
		out.Drawn = drawn
	}
	return out
}

// resourceOf is the name that an attachment has as a resource of the thread.
func resourceOf(a adapters.Attachment) string { return cmp.Or(a.Resource, a.Name) }

// made is what people call the resource of that name that the bot made, and where it is served
// from, "" if it is no attachment or not there any more.
func (v viewer) made(resource string) (name, url string) {
	for _, m := range slices.Backward(v.t.messages) {
		if m.said == nil || m.removed {
			continue
		}
		for i, a := range m.said.Reply.Files {
			if resourceOf(a) == resource && a.Handle != "" {
				return a.Name, mediaURL(v.thread, m.id, i, a.Name)
			}
		}
	}
	return resource, ""
}

// fileURL is where a file is served from that somebody sent.
func fileURL(thread, id, name string) string {
	return path.Join("/t", thread, "files", id) + "/" + url.PathEscape(cleanName(name))
}

// mediaURL is where a file of an answer is served from.
func mediaURL(thread, message string, n int, name string) string {
	return path.Join("/t", thread, "messages", message, "media", strconv.Itoa(n)) + "/" + url.PathEscape(cleanName(name))
}
