package adapterstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"atelier/adapters"
)

func attaching() map[string]check {
	return map[string]check{
		"attachments":               {nil, attachments},
		"many attachments":          {nil, manyAttachments},
		"attachments alone":         {nil, attachmentsAlone},
		"names of attachments":      {nil, attachmentNames},
		"links":                     {nil, links},
		"links to mark by":          {[]Feature{MarkLinks}, markLinks},
		"attachments that are gone": {[]Feature{Uploads}, attachmentsGone},
		"attachments that break":    {[]Feature{Uploads}, attachmentsBreak},
		"limits":                    {[]Feature{Limits}, limits},
		"a form that is refused":    {[]Feature{Forms}, formRefused},
	}
}

// shownFiles returns the files of all messages of a reply.
func (s *scene) shownFiles(thread adapters.Thread, ref adapters.MessageRef) []ShownFile {
	s.Helper()
	var all []ShownFile
	for _, m := range s.of(thread, ref) {
		all = append(all, m.Files...)
	}
	return all
}

// attached checks that a reply's files are there, in order.
func (s *scene) attached(thread adapters.Thread, ref adapters.MessageRef, want []adapters.Attachment) {
	s.Helper()
	got := s.shownFiles(thread, ref)
	if len(got) != len(want) {
		s.Fatalf("%d files sent, %d shown", len(want), len(got))
	}
	text := letters(s.of(thread, ref))
	for i, a := range want {
		s.shelf.mu.Lock()
		content := s.shelf.things[a.Handle]
		s.shelf.mu.Unlock()
		if f := got[i]; !bytes.Equal(f.Content, content) {
			s.Errorf("file %d, %q: got %d bytes, want the other %d", i+1, f.Name, len(f.Content), len(content))
		} else if f.Alt != a.Alt {
			s.Errorf("file %d, %q: alt text %q, want %q", i+1, f.Name, f.Alt, a.Alt)
		} else if !strings.Contains(f.Note+"\n"+text, a.Note) {
			s.Errorf("file %d, %q: missing note %q", i+1, f.Name, a.Note)
		}
	}
}

func attachments(s *scene) {
	thread := s.thread()
	r := adapters.Reply{Thread: thread, Text: "Here they are.", Mention: s.ana.ID, Files: []adapters.Attachment{
		s.shelf.put("photo-3f2a.edge-91bc.png", "image/png", picture(s.T)),
		s.shelf.put("sound-1.wav", "audio/wav", noise(100_000)),
		s.shelf.put("page-1.html", "text/html", []byte("<script>alert(1)</script>")),
	}}
	r.Files[0].Alt, r.Files[0].Note = "The edges of a cat, \"drawn\" in <white> & black. 🐈", "It was made smaller, *by half*."
	ref := s.send(r)
	s.attached(thread, ref, r.Files)
	s.shows(s.of(thread, ref), r.Text)
	for i, f := range s.shownFiles(thread, ref) {
		if f.Name != r.Files[i].Name {
			s.Errorf("%q is shown as %q", r.Files[i].Name, f.Name)
		}
	}
	s.only(thread, ref)
}

// manyAttachments checks that neither files nor text are lost, within the platform's limits.
func manyAttachments(s *scene) {
	thread := s.thread()
	r := adapters.Reply{Thread: thread, Text: longText(2000)}
	for i := range s.most(25) {
		r.Files = append(r.Files, s.shelf.put(fmt.Sprintf("file-%d.txt", i), "text/plain", fmt.Appendf(nil, "content %d", i)))
	}
	ref := s.send(r)
	s.attached(thread, ref, r.Files)
	s.shows(s.of(thread, ref), r.Text)
	s.only(thread, ref)
}

// most returns how many of n files the platform accepts.
func (st *stage) most(n int) int {
	if l, ok := st.a.(adapters.Limiter); ok {
		if files := l.Limits(st.thread()).Files; files > 0 {
			return min(n, files)
		}
	}
	return n
}

func attachmentsAlone(s *scene) {
	thread := s.thread()
	file := s.shelf.put("alone.png", "image/png", picture(s.T))
	ref := s.send(adapters.Reply{Thread: thread, Files: []adapters.Attachment{file}})
	s.attached(thread, ref, []adapters.Attachment{file})
}

// attachmentNames checks that names are shown literally.
func attachmentNames(s *scene) {
	thread := s.thread()
	for _, u := range uploads() {
		if strings.ContainsFunc(u.Name, unicode.IsControl) {
			continue // not valid
		}
		file := s.shelf.put(u.Name, u.Type, u.Content[:min(len(u.Content), 1000)])
		ref := s.send(adapters.Reply{Thread: thread, Text: "See.", Files: []adapters.Attachment{file}})
		s.attached(thread, ref, []adapters.Attachment{file})
		s.shows(s.of(thread, ref), "See.")
		name := s.shownFiles(thread, ref)[0].Name
		if name == "" || path.Ext(name) != path.Ext(strings.ReplaceAll(u.Name, `\`, "/")) && len(u.Name) < 100 {
			s.Errorf("%q is shown as %q", u.Name, name)
		}
	}
}

// links checks that a link replaces the file, and is not interpreted as markup.
func links(s *scene) {
	thread := s.thread()
	r := adapters.Reply{Thread: thread, Text: "They are large.", Files: []adapters.Attachment{
		s.shelf.put("large*1*.png", "image/png", noise(10)), s.shelf.put("small.txt", "text/plain", []byte("small")),
		{Name: "gone_1_.mp4", Type: "video/mp4", Size: 1 << 40, Note: "It is *too large* here."},
	}}
	r.Files[0].Link = "https://files.example.com/a_b_c/d*e*f?X-Sig=1%2F2&expires=5~6#x"
	r.Files[2].Link = "http://files.example.com/b?c=d&amp=e"
	ref := s.send(r)
	s.attached(thread, ref, r.Files[1:2])
	messages := s.of(thread, ref)
	s.shows(messages, r.Text)
	s.linked(messages, r.Files[0].Link, r.Files[2].Link)
	if !strings.Contains(letters(messages), "It is *too large* here.") {
		s.Errorf("the note is shown as %q", letters(messages))
	}
}

// linked checks that exactly these URLs are shown, each once.
func (s *scene) linked(messages []Shown, want ...string) {
	s.Helper()
	var got []string
	for _, m := range messages {
		got = append(got, m.Links...)
	}
	if !equal(got, want) {
		s.Errorf("links to %q, want %q", got, want)
	}
}

func markLinks(s *scene) {
	thread := s.thread()
	file := s.shelf.put("photo.png", "image/png", picture(s.T))
	file.MarkLink = "https://atelier.example.com/mark?of=a_b&t=1*2*"
	ref := s.send(adapters.Reply{Thread: thread, Text: "See.", Files: []adapters.Attachment{file}})
	s.attached(thread, ref, []adapters.Attachment{file})
	s.linked(s.of(thread, ref), file.MarkLink)
}

func attachmentsGone(s *scene) {
	_, err := s.a.Send(s.Context(), s.key(), adapters.Reply{Thread: s.thread(), Text: "See.", Files: []adapters.Attachment{
		s.shelf.put("a.txt", "text/plain", []byte("a")), {Name: "b.txt", Type: "text/plain", Size: 1, Handle: "threads/x/gone"},
	}})
	s.is("send a file that is gone", err, adapters.ErrGone)
}

// attachmentsBreak checks that a reply continues where it broke off, and is complete in the end.
func attachmentsBreak(s *scene) {
	thread, key := s.thread(), s.key()
	r := adapters.Reply{Thread: thread, Text: longText(1500), Mention: s.ana.ID}
	for i := range s.most(12) {
		r.Files = append(r.Files, s.shelf.put(fmt.Sprintf("file-%d.bin", i), "application/octet-stream", noise(50_000+i)))
	}
	broken := errors.New("the storage is away")
	for _, f := range r.Files {
		s.shelf.breakOff(f.Handle, broken)
		if _, err := s.a.Send(s.Context(), key, r); err == nil {
			break // the implementation retried it itself
		} else if adapters.Final(err) || errors.Is(err, context.Canceled) {
			s.Errorf("a truncated file: %v, want a retryable error", err)
		}
	}
	ref := s.sendUnder(key, r)
	s.attached(thread, ref, r.Files)
	s.shows(s.of(thread, ref), r.Text)
	s.only(thread, ref)
}

// limits checks that the announced limits are right, and that nothing is posted of a reply over them.
func limits(s *scene) {
	thread := s.thread()
	l := as[adapters.Limiter](s, s.a).Limits(thread)
	if l.File < 0 || l.Files < 0 {
		s.Fatalf("the limits are %+v", l)
	}
	file := func(size int64) adapters.Attachment {
		return s.shelf.put("large.bin", "application/octet-stream", make([]byte, size))
	}
	most := l.File
	if most == 0 || most > mostTried {
		most = 1
	}
	fits := map[string][]adapters.Attachment{"a file of the most bytes": {file(most)}}
	if l.Files > 0 {
		for range l.Files {
			fits["the most files"] = append(fits["the most files"], file(1))
		}
	}
	over := map[string][]adapters.Attachment{} // by the last file
	if l.File > 0 && l.File < mostTried {
		over["a file of a byte more"] = []adapters.Attachment{file(1), file(l.File + 1)}
	}
	if l.Files > 0 {
		over["a file more"] = append(fits["the most files"][:l.Files:l.Files], file(1))
	}
	for what, files := range fits {
		where := s.thread()
		ref := s.send(adapters.Reply{Thread: where, Text: what, Files: files})
		s.attached(where, ref, files)
	}
	for what, files := range over {
		where, key := s.thread(), s.key()
		_, err := s.a.Send(s.Context(), key, adapters.Reply{Thread: where, Text: what, Files: files})
		last := len(files) - 1
		if f, ok := errors.AsType[*adapters.Fault](err); !ok || !adapters.Final(err) || !slices.Equal(f.Files, []int{last}) {
			s.Errorf("%s: the error does not name the file: %v", what, err)
		}
		s.only(where)
		files[last].Link = "https://files.example.com/a"
		ref := s.sendUnder(key, adapters.Reply{Thread: where, Text: what, Files: files})
		s.shows(s.of(where, ref), what)
		s.attached(where, ref, files[:last])
	}
}

// formRefused checks that a message whose form the platform rejects is posted once as plain text, with its files.
func formRefused(s *scene) {
	thread, key := s.thread(), s.key()
	r := adapters.Reply{
		Thread: thread, Text: "Here they are: **bold** and `code`.", Mention: s.ana.ID, Choices: []adapters.Choice{{ID: "a", Text: "another way"}},
	}
	for i := range s.most(2) {
		r.Files = append(r.Files, s.shelf.put(fmt.Sprintf("file-%d.txt", i), "text/plain", fmt.Appendf(nil, "content %d", i)))
	}
	as[Fussy](s, s.p).RefuseForm(s.T)
	ref := s.sendUnder(key, r)
	s.same(ref, s.sendUnder(key, r))
	s.attached(thread, ref, r.Files)
	s.only(thread, ref)
	var notified []string
	for _, m := range s.of(thread, ref) {
		notified = append(notified, m.Notified...)
	}
	if !equal(notified, []string{s.ana.ID}) {
		s.Errorf("it notifies %q", notified)
	}
	s.tells(thread, ref, "Here they are: bold and code.", "another way")
}

// mostTried is the largest limit, in bytes, that is tested.
const mostTried = 64 << 20
