package receive

import (
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/request"
)

// FuzzMarks checks that accepted marks are valid in an event.
func FuzzMarks(f *testing.F) {
	f.Add(`[{"file":"f","width":40,"height":30,"points":[{"x":1,"y":2,"exclude":true}],"boxes":[{"xmin":0,"ymin":0,"xmax":40,"ymax":30}],"mask":"m"}]`)
	f.Add(`[{"picture":"a","width":1e9,"height":1}]`)
	f.Add(`[null]`)
	f.Fuzz(func(t *testing.T, marks string) {
		all, err := readPointings(marks)
		if err != nil {
			if why, fault := request.RefusalOf(err); fault {
				t.Errorf("%q: no reason is given, but %v: %v", marks, why, err)
			}
			return
		}
		m := adapters.Message{Ref: chat.RefOf("thread0000000001", "m"), For: adapters.Direct, Text: "this"}
		for _, p := range all {
			if p.Width > 1<<20 || p.Height > 1<<20 || p.Picture != "" || slices.ContainsFunc(m.Files, func(f adapters.File) bool { return f.ID == p.File }) {
				return // no picture has that size, and pictures are known by their names
			}
			m.Files = append(m.Files, adapters.File{ID: p.File, Handle: "x"})
			m.Marks = append(m.Marks, adapters.Mark{File: p.File, Width: p.Width, Height: p.Height, Points: p.Points, Boxes: p.Boxes, Mask: &adapters.File{ID: "m", Handle: "m"}})
		}
		for _, f := range m.Files {
			if len(f.ID) > 255 || strings.ContainsFunc(f.ID, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\ufffd' }) {
				return // no upload has that id
			}
		}
		e := adapters.Event{Kind: adapters.MessageSent, ID: "e", Adapter: chat.Name, Thread: chat.ThreadOf("thread0000000001"), By: adapters.Person{ID: "ana"}, At: time.Unix(0, 0), Message: &m}
		if err := e.Validate(); err != nil {
			t.Errorf("%q: %v", marks, err)
		}
	})
}
