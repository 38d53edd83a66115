package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/receive"
)

// marked is what a browser sends for a picture of 40 by 30 pixels.
func marked(t *testing.T, change func(*receive.Pointing)) string {
	t.Helper()
	p := receive.Pointing{Width: 40, Height: 30, Points: []adapters.Point{{X: 39, Y: 29, Exclude: true}}}
	change(&p)
	b, err := json.Marshal([]receive.Pointing{p})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMarks checks that people can mark pictures that they are sending, that were sent before, and that the bot
// made.
func TestMarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, media := newMemory(), newFiles()
		c := newChannel(t, state, media)
		h, _ := listen(t, c)
		b := browse(t, c)
		cat, mask := b.upload("name=cat.png", "\x89PNG cat"), b.upload("name=mask.png&for=mask", "\x89PNG mask")
		of := func(p *receive.Pointing) { p.File = cat.ID }
		b.is(b.write("message00000000001", "remove this", "file", cat.ID, "marks", marked(t, func(p *receive.Pointing) { of(p); p.Mask = mask.ID })), http.StatusNoContent)
		b.is(b.of("bob").write("message00000000002", "and this", "marks", marked(t, of)), http.StatusNoContent)
		if err := media.Put(t.Context(), "threads/x/made.png", strings.NewReader("\x89PNG made")); err != nil {
			t.Fatal(err)
		}
		reply := adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", Files: []adapters.Attachment{{Name: "made-1.png", Type: "image/png", Size: 9, Handle: "threads/x/made.png"}}}
		if _, err := c.Send(t.Context(), "k", reply); err != nil {
			t.Fatal(err)
		}
		picture := func(p *receive.Pointing) {
			p.Picture, p.Boxes = "made-1.png", []adapters.Box{{XMax: 40, YMax: 30}}
		}
		b.is(b.write("message00000000003", "crop to this", "marks", marked(t, picture)), http.StatusNoContent)
		synctest.Wait()
		all := h.all()
		if len(all) != 3 {
			t.Fatalf("received %d events", len(all))
		}
		for i, want := range []adapters.Mark{{File: cat.ID}, {File: cat.ID}, {Picture: "made-1.png"}} {
			m := all[i].Message
			if len(m.Marks) != 1 || m.Marks[0].File != want.File || m.Marks[0].Picture != want.Picture || (m.Marks[0].Mask != nil) != (i == 0) {
				t.Errorf("message %d points at %+v", i+1, m.Marks)
			}
			if files := len(m.Files); files != 1 && i < 2 || files != 0 && i == 2 {
				t.Errorf("message %d has %d files", i+1, files)
			}
		}
		if all[0].Message.Files[0].ID != all[1].Message.Files[0].ID {
			t.Error("a file that is sent again is another one")
		}
		if n := strings.Count(b.get("/t/"+thread1).Body.String(), `<img src="`+cat.URL); n != 1 {
			t.Errorf("the picture is shown %d times", n)
		}
		b.is(b.do(http.MethodDelete, files1+"/"+mask.ID, http.NoBody), http.StatusConflict)
	})
}

func TestBadMarks(t *testing.T) {
	t.Parallel()
	state, media := newMemory(), newFiles()
	c := newChannel(t, state, media)
	b := browse(t, c)
	cat, text := b.upload("name=cat.png", "\x89PNG cat"), b.upload("name=a.txt", "text")
	small, others := b.upload("name=mask.png&for=mask", "SMALL"), b.of("bob").upload("name=mask.png&for=mask", "\x89PNG")
	for name, x := range map[string]struct {
		change func(*receive.Pointing)
		status int
		says   string
	}{
		"a point outside":        {func(p *receive.Pointing) { p.Points = []adapters.Point{{X: 40}} }, http.StatusUnprocessableEntity, "outside the picture"},
		"a point before":         {func(p *receive.Pointing) { p.Points = []adapters.Point{{Y: -1}} }, http.StatusUnprocessableEntity, "outside the picture"},
		"a box outside":          {func(p *receive.Pointing) { p.Boxes = []adapters.Box{{XMax: 41, YMax: 1}} }, http.StatusUnprocessableEntity, "outside the picture"},
		"an empty box":           {func(p *receive.Pointing) { p.Boxes = []adapters.Box{{XMin: 3, XMax: 3, YMax: 1}} }, http.StatusUnprocessableEntity, "A box is empty"},
		"a larger picture":       {func(p *receive.Pointing) { p.Width = 4000 }, http.StatusUnprocessableEntity, "another size"},
		"a picture of no size":   {func(p *receive.Pointing) { p.Width = 0 }, http.StatusBadRequest, "could not be read"},
		"nothing":                {func(p *receive.Pointing) { p.Points = nil }, http.StatusBadRequest, "Nothing is marked"},
		"many points":            {func(p *receive.Pointing) { p.Points = make([]adapters.Point, receive.MaxMarks+1) }, http.StatusBadRequest, "At most 1,000"},
		"two pictures":           {func(p *receive.Pointing) { p.Picture = "x" }, http.StatusBadRequest, "could not be read"},
		"a text":                 {func(p *receive.Pointing) { p.File = text.ID }, http.StatusUnprocessableEntity, "Only pictures"},
		"no file":                {func(p *receive.Pointing) { p.File = "file000000000001" }, http.StatusUnprocessableEntity, "no longer exists"},
		"no picture":             {func(p *receive.Pointing) { p.File, p.Picture = "", "made.png" }, http.StatusUnprocessableEntity, "no longer exists"},
		"no mask":                {func(p *receive.Pointing) { p.Mask = "file000000000001" }, http.StatusUnprocessableEntity, "mask no longer exists"},
		"a mask of another size": {func(p *receive.Pointing) { p.Mask = small.ID }, http.StatusUnprocessableEntity, "does not have the size"},
		"another one's mask":     {func(p *receive.Pointing) { p.Mask = others.ID }, http.StatusUnprocessableEntity, "mask no longer exists"},
		"a picture as a mask":    {func(p *receive.Pointing) { p.Mask = cat.ID }, http.StatusUnprocessableEntity, "mask no longer exists"},
		"of what is not sent":    {func(p *receive.Pointing) { p.File = small.ID }, http.StatusUnprocessableEntity, "not attached to"},
	} {
		t.Run(name, func(t *testing.T) {
			b := browse(t, c)
			marks := marked(t, func(p *receive.Pointing) {
				p.File = cat.ID
				x.change(p)
			})
			b.is(b.write("message00000000001", "this", "file", cat.ID, "file", text.ID, "marks", marks), x.status, `role="alert"`, x.says)
		})
	}
	if n := len(state.lists[logKey(thread1)]); n != 0 {
		t.Errorf("the thread has %d entries", n)
	}
}
