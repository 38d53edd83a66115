package web

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

// answered begins a thread, and answers it with stored files.
func answered(t *testing.T, b *browser, stored *files, names ...string) (answer string) {
	t.Helper()
	b.is(b.write("message00000000001", "do it"), http.StatusAccepted)
	reply := adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Done.", AnswerTo: chat.RefOf(thread1, "message00000000001")}
	for i, name := range names {
		key := "threads/x/" + string(rune('a'+i))
		content := "\x89PNG " + name
		if err := stored.Put(t.Context(), key, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		reply.Files = append(reply.Files, adapters.Attachment{Name: name, Type: "image/png", Size: int64(len(content)), Handle: key})
	}
	reply.Files = append(reply.Files, adapters.Attachment{Name: "far.mp4", Type: "video/mp4", Link: "https://example.com/far.mp4"})
	ref, err := b.c.Send(t.Context(), "k", reply)
	if err != nil {
		t.Fatal(err)
	}
	return ref.ID
}

// TestUseResult checks that a message can work on a file of an answer, as if it were sent with it.
func TestUseResult(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	b := browse(t, newChannel(t, newMemory(), stored))
	answer := answered(t, b, stored, "cat.png", "dog.png")
	h, _ := listen(t, b.c)
	dog := chat.MadeRef(answer, 1)
	for range 2 { // trying again is the same message
		b.is(b.write("message00000000002", "turn it", "file", dog, "file", dog), http.StatusNoContent)
	}
	b.is(b.write("message00000000003", "and again", "file", dog), http.StatusNoContent)
	events := h.all()
	if len(events) != 3 {
		t.Fatalf("%d events", len(events))
	}
	for _, e := range events[1:] {
		if f := e.Message.Files; len(f) != 1 || f[0].Name != "dog.png" || f[0].Handle != "threads/x/b" {
			t.Fatalf("the message has %+v", f)
		}
	}
	used := events[2].Message.Files[0]
	b.is(b.get("/t/"+thread1), http.StatusOK, `data-use="`+dog+`"`)
	b.is(b.get("/t/"+thread1+"/files/"+used.ID+"/dog.png"), http.StatusOK, "\x89PNG dog.png")
	marks := `[{"file":"` + used.ID + `","width":40,"height":30,"points":[{"x":1,"y":1}]}]`
	b.is(b.write("message00000000004", "this", "file", used.ID, "marks", marks), http.StatusNoContent)

	for name, ref := range map[string]string{
		"a link":                     chat.MadeRef(answer, 2),
		"no such file":               chat.MadeRef(answer, 9),
		"an answer that is not here": chat.MadeRef(chat.AnswerID("other"), 0),
		"what names nothing":         answer + ".x",
	} {
		if w := b.write("message00000000009", "turn it", "file", ref); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "no longer exists") {
			t.Errorf("%s is answered by %d: %s", name, w.Code, w.Body)
		}
	}
	other := b.post("/t/thread0000000002/messages", "id", "message00000000010", "text", "x", "file", dog)
	b.is(other, http.StatusUnprocessableEntity, "no longer exists") // another thread has no such answer
	if err := stored.Delete(t.Context(), "threads/x/a"); err != nil {
		t.Fatal(err)
	}
	b.is(b.write("message00000000009", "turn it", "file", chat.MadeRef(answer, 0)), http.StatusUnprocessableEntity, "no longer exists")
	if err := b.c.Delete(t.Context(), chat.RefOf(thread1, answer)); err != nil {
		t.Fatal(err)
	}
	b.is(b.write("message00000000009", "turn it", "file", dog), http.StatusUnprocessableEntity, "no longer exists")
}

// TestSaveAll checks that all files of an answer are in one ZIP, with unique names.
func TestSaveAll(t *testing.T) {
	t.Parallel()
	stored := newFiles()
	b := browse(t, newChannel(t, newMemory(), stored))
	at := "/t/" + thread1 + "/messages/"
	answer := answered(t, b, stored, "cat.png", "../../etc/CAT.png", "日本.png")
	b.is(b.get("/t/"+thread1), http.StatusOK, at+answer+"/all.zip")
	w := b.get(at + answer + "/all.zip")
	b.is(w, http.StatusOK)
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="do it.zip"` {
		t.Error(got)
	}
	got := unzipped(t, w.Body.Bytes())
	if len(got) != 3 || got["cat.png"] != "\x89PNG cat.png" || got["CAT-2.png"] != "\x89PNG ../../etc/CAT.png" || got["日本.png"] != "\x89PNG 日本.png" {
		t.Errorf("%q", got)
	}
	b.is(b.get("/t/"+thread1+"/gallery"), http.StatusOK, `href="/t/`+thread1+`/all.zip"`)
	another := adapters.Reply{Thread: chat.ThreadOf(thread1), Text: "Another.", Files: []adapters.Attachment{{Name: "dog.png", Type: "image/png", Handle: "threads/x/a"}}}
	if _, err := b.c.Send(t.Context(), "another", another); err != nil {
		t.Fatal(err)
	}
	w = b.get("/t/" + thread1 + "/all.zip")
	b.is(w, http.StatusOK)
	if got := unzipped(t, w.Body.Bytes()); len(got) != 4 || got["dog.png"] != got["cat.png"] {
		t.Errorf("all results are %q", got)
	}
	b.is(b.get(at+"message00000000001/all.zip"), http.StatusNotFound)
	b.is(b.get(at+chat.AnswerID("other")+"/all.zip"), http.StatusNotFound)
	b.is(b.get("/t/thread0000000002/messages/"+answer+"/all.zip"), http.StatusNotFound)
	if err := stored.Delete(t.Context(), "threads/x/b"); err != nil {
		t.Fatal(err)
	}
	b.is(b.get(at+answer+"/all.zip"), http.StatusNotFound, "A file no longer exists.")
}

// unzipped returns the files of a ZIP by name.
func unzipped(t *testing.T, content []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(b)
	}
	return files
}
