package page

import (
	"bytes"
	"html/template"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

// Marks are drawn if their picture still exists, and are listed in any case.
func TestMarkedView(t *testing.T) {
	t.Parallel()
	painted := &adapters.File{ID: "mask000000000001", Name: "mask.png"}
	made := &chat.Message{ID: "a1", Said: &chat.Said{Reply: adapters.Reply{Files: []adapters.Attachment{{Name: "cat-1.png", Handle: "x/y"}}}}}
	sent := &chat.Message{ID: "m1", Files: []chat.Upload{{ID: "file000000000001", Name: "my cat.png"}}}
	v := Viewer{Thread: "thread0000000001", Snapshot: chat.Snapshot{Messages: []*chat.Message{sent, made}}}
	mark := adapters.Mark{Picture: "cat-1.png", Width: 480, Height: 80, Points: []adapters.Point{{X: 1, Y: 2}}, Boxes: []adapters.Box{{XMin: 10, YMin: 20, XMax: 40, YMax: 30}}, Mask: painted}
	got := v.mark("m2-0", mark)
	if d := got.Drawn; d == nil || d.Picture != "/t/thread0000000001/messages/a1/media/0/cat-1.png" || d.Mask != "/t/thread0000000001/files/mask000000000001/mask.png" ||
		d.Boxes[0] != (Box{10, 20, 30, 10}) || d.Radius() != 10 || got.Masks != 1 {
		t.Errorf("%+v %+v", got, got.Drawn)
	}
	mark.Picture, mark.File = "", "file000000000001"
	if got := v.mark("m2-0", mark); got.Name != "my cat.png" || got.Drawn == nil || got.Drawn.Picture != "/t/thread0000000001/files/file000000000001/my%20cat.png" {
		t.Errorf("%+v %+v", got, got.Drawn)
	}
	made.Removed = true
	mark.Picture, mark.File = "cat-1.png", ""
	if got := v.mark("m2-0", mark); got.Drawn != nil || got.Name != "cat-1.png" || got.Points != 1 {
		t.Errorf("%+v %+v", got, got.Drawn)
	}
}

// A notice cannot be run again, and shows no work, unlike an answer.
func TestNoticeHasNoWork(t *testing.T) {
	t.Parallel()
	for _, answers := range []bool{false, true} {
		said := &chat.Message{ID: "a1", ReplyTo: "m1", Text: func() template.HTML { return "" }, Said: &chat.Said{Reply: adapters.Reply{Answer: answers}}}
		v := Viewer{Thread: "thread0000000001", Snapshot: chat.Snapshot{Messages: []*chat.Message{{ID: "m1", Wrote: &chat.Wrote{ID: "m1"}}, said}}}
		if got := v.Message(said); got.HasWork != answers || got.CanAgain != answers || (got.WorkURL != "") != answers {
			t.Errorf("an answer: %t; it is %+v", answers, got)
		}
	}
}

// FuzzViewer checks that no list of entries breaks a page.
func FuzzViewer(f *testing.F) {
	f.Add([]byte("{\"wrote\":{\"id\":\"a\"}}\n{\"said\":{\"key\":\"k\"}}\n{\"reported\":{\"key\":\"k\"}}"))
	f.Add([]byte(`{"offered":{"id":"x","n":-9}}`))
	f.Fuzz(func(_ *testing.T, lines []byte) {
		c := chat.NewConversation()
		c.Fold(bytes.Split(lines, []byte("\n")))
		Viewer{Thread: "thread0000000001", Snapshot: c.Snapshot(), Me: adapters.Person{ID: "ana"}}.Messages(-1)
	})
}

// TestBefore checks that a result is compared with the picture that it was made from, and not with an unrelated
// one.
func TestBefore(t *testing.T) {
	t.Parallel()
	said := func(id, of, name string, order int64) *chat.Message {
		return &chat.Message{ID: id, ReplyTo: of, Order: order, Text: func() template.HTML { return "" }, Said: &chat.Said{Reply: adapters.Reply{
			Files: []adapters.Attachment{{Name: name, Type: "image/png", Handle: "x/" + id}},
		}}}
	}
	wrote := func(id, reply string, order int64, files ...chat.Upload) *chat.Message {
		return &chat.Message{ID: id, ReplyTo: reply, Order: order, Wrote: &chat.Wrote{ID: id}, Files: files}
	}
	cat := chat.Upload{ID: "file000000000001", Name: "cat.png", Type: "image/png"}
	v := Viewer{Thread: "thread0000000001", Snapshot: chat.Snapshot{Messages: []*chat.Message{
		wrote("m1", "", 0, cat), said("a1", "m1", "cat-blurred.png", 1),
		wrote("m2", "", 2), said("a2", "m2", "cat-blurred-rotated.png", 3), // "rotate it"
		wrote("m3", "", 4), said("a3", "m3", "fox.png", 5), // "draw a fox"
		wrote("m4", "a1", 6), said("a4", "m4", "grey.png", 7), // in reply to the first result
	}}}
	const made = "/t/thread0000000001/messages/a1/media/0/cat-blurred.png"
	for i, want := range map[int]string{1: "/t/thread0000000001/files/file000000000001/cat.png", 3: made, 5: "", 7: made} {
		if got := v.Message(v.Snapshot.Messages[i]).Files[0].Before; got != want {
			t.Errorf("message %d has %q before it, and not %q", i, got, want)
		}
	}
}
