package adapterstest

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
)

func hearing() map[string]check {
	all := map[string]check{
		"texts":              {nil, texts},
		"mentions of others": {[]Feature{Company, Spellings}, mentionsOfOthers},
		"own messages":       {nil, ownMessages},
		"other bots":         {[]Feature{Bots}, otherBots},
		"admins":             {[]Feature{Admins}, admins},
		"replies to people":  {[]Feature{Replies}, repliesToPeople},
		"replies to the bot": {[]Feature{Replies}, repliesToBot},
		"channels":           {[]Feature{Channels, Mentions}, channels},
		"voice messages":     {[]Feature{Voices}, voiceMessages},
		"marks":              {[]Feature{Marks}, marks},
		"marked pictures":    {[]Feature{Pictures}, markedPictures},
	}
	for name, m := range map[string]struct {
		needs                   []Feature
		private, mention, reply bool
		want                    adapters.Address
	}{
		"a mention":                     {[]Feature{Company, Mentions}, false, true, false, adapters.Mentioned},
		"a direct message":              {[]Feature{Private}, true, false, false, adapters.Direct},
		"a reply":                       {[]Feature{Company, Replies}, false, false, true, adapters.Replied},
		"none of them":                  {[]Feature{Company, Overhearing}, false, false, false, adapters.Overheard},
		"a mention in a direct message": {[]Feature{Mentions, Private}, true, true, false, adapters.Mentioned},
		"a mention in a reply":          {[]Feature{Company, Mentions, Replies}, false, true, true, adapters.Mentioned},
		"a reply in a direct message":   {[]Feature{Private, Replies}, true, false, true, adapters.Replied},
	} {
		all["meant by "+name] = check{m.needs, func(s *scene) {
			e := s.listen()
			thread := s.place(m.private)
			p := Post{Thread: thread, By: s.ana, Text: "make it blue", Mention: m.mention}
			if m.reply {
				p.ReplyTo = s.say(thread, "Which one?")
			}
			if got := e.write(p).Message; got.For != m.want || got.Text != p.Text {
				s.Errorf("%q is for %q", got.Text, got.For)
			}
		}}
	}
	return all
}

// strange are texts that may mean something to a platform, though they mean nothing.
var strange = []string{
	"plain", "two\nlines\n\nand a paragraph", "a < b && c > d; &amp; &lt;b&gt;", "<b>bold?</b><script>alert(1)</script>", `"quoted" 'too'`,
	"日本語の文章です。", //nolint:gosmopolitan // other scripts are what is tested
	"👩‍👩‍👧‍👦 and 🇩🇪, 𝕏 and e\u0301", "\u202egnp.exe\u202c and \u200f", `C:\dir\file`, "100 % of #5, @nobody",
	"look at https://example.com/a_b?c=d&e=f", "a|b|c", "<@U0NOBODY>", "snake_case_name", "5 * 3 * 2", strings.Repeat("long ", 300) + "end",
}

// texts checks that a text is received as it was typed.
func texts(s *scene) {
	e := s.listen()
	thread := s.thread()
	for _, text := range strange {
		event := e.write(s.post(thread, text))
		if event.Message.Text != text {
			s.Errorf("%q was received as %q", text, event.Message.Text)
		}
		if s.lacks(Overhearing) && event.Message.For == adapters.Overheard {
			s.Error("a message for the bot was received as overheard")
		}
		if event.At.IsZero() || event.At.After(time.Now().Add(time.Hour)) || event.Message.ReplyTo != nil || len(event.Message.Files) > 0 {
			s.Errorf("%q was received at %v, with %+v", text, event.At, event.Message)
		}
	}
}

func mentionsOfOthers(s *scene) {
	e := s.listen()
	spell := as[Spelling](s, s.p).Spell
	bob := s.bob()
	event := e.write(s.post(s.thread(), "ask "+spell(s.T, bob)+" too"))
	if want := "ask @" + bob.Name + " too"; event.Message.Text != want {
		s.Errorf("received %q, want %q", event.Message.Text, want)
	}
}

// ownMessages checks that the bot does not receive its own messages.
func ownMessages(s *scene) {
	e := s.listen()
	thread := s.thread()
	asked := e.write(s.post(thread, "do it")).Message.Ref
	answer := s.send(adapters.Reply{
		Thread: thread, Text: "Done.", Files: []adapters.Attachment{s.shelf.put("a.txt", "text/plain", []byte("a"))},
		Choices: []adapters.Choice{{ID: "a", Text: "another one"}, {ID: "b", Text: "one more"}},
	})
	other := s.say(thread, "To be deleted.")
	if a, ok := s.a.(adapters.Acknowledger); ok {
		s.noError(a.Acknowledge(s.Context(), asked, adapters.Seen))
		s.noError(a.Acknowledge(s.Context(), asked, adapters.Done))
	}
	if a, ok := s.a.(adapters.Offerer); ok {
		s.noError(a.Offer(s.Context(), answer, 2))
	}
	if a, ok := s.a.(adapters.Reporter); ok {
		p := adapters.Progress{Thread: thread, Request: asked.ID, Title: "At work"}
		at, err := a.Report(s.Context(), s.key(), adapters.MessageRef{}, p)
		s.noError(err)
		p.Ended = true
		_, err = a.Report(s.Context(), s.key(), at, p)
		s.noError(err)
	}
	if _, ok := s.a.(adapters.Deleter); ok {
		s.delete(other)
	}
	e.write(s.post(thread, "and more"))
}

func (tr *trial) noError(err error) {
	tr.Helper()
	if err != nil {
		tr.Error(err)
	}
}

func otherBots(s *scene) {
	e := s.listen()
	bot := as[WithBots](s, s.p).Bot(s.T)
	thread := s.thread()
	answer := s.say(thread, "Done.")
	p := s.post(thread, "from bot to bot")
	p.By = bot
	s.p.Write(s.T, p)
	if !s.lacks(Replies) {
		p.ReplyTo = answer
		s.p.Write(s.T, p)
	}
	if r, ok := s.p.(Reacting); ok {
		r.React(s.T, bot, answer, "🔁", true)
	}
	if x, ok := s.p.(Removing); ok {
		x.Remove(s.T, bot, s.p.Write(s.T, p))
	}
	e.write(s.post(thread, "from a person"))
}

func admins(s *scene) {
	e := s.listen()
	p := s.post(s.thread(), "hello")
	e.write(p)
	p.By = as[WithAdmins](s, s.p).Admin(s.T)
	if !e.write(p).By.Admin {
		s.Error("an admin is not reported as one")
	}
}

// repliesToPeople checks that a reply comes with the message that it answers, with its files.
func repliesToPeople(s *scene) {
	e := s.listen()
	thread, bob := s.thread(), s.bob()
	p := s.post(thread, "look at this")
	p.By = bob
	p.Files = []Upload{{Name: "photo.png", Type: "image/png", Content: picture(s.T)}}
	first := e.write(p)
	reply := s.post(thread, "make it blue")
	reply.ReplyTo = first.Message.Ref
	to := e.write(reply).Message.ReplyTo
	if to == nil || to.Ref.Key() != first.Message.Ref.Key() || to.Own || to.By.ID != bob.ID || to.Text != p.Text || to.At.IsZero() || len(to.Files) != 1 {
		s.Fatalf("the reply is to %+v", to)
	}
	s.fetched(s.a, to.Files[0], p.Files[0])
}

func repliesToBot(s *scene) {
	e := s.listen()
	thread := s.thread()
	answer := s.say(thread, "Which one?")
	reply := s.post(thread, "the left one")
	reply.ReplyTo = answer
	to := e.write(reply).Message.ReplyTo
	if to == nil || to.Ref.Key() != answer.Key() || !to.Own || !strings.Contains(to.Text, "Which one?") {
		s.Errorf("the reply is to %+v", to)
	}
}

// channels checks that a thread begins with a mention in a channel, and that nothing else there is received.
func channels(s *scene) {
	e := s.listen()
	channel := as[Channel](s, s.p).Channel(s.T)
	s.p.Write(s.T, Post{Thread: channel, By: s.ana, Text: "not for you"})
	event := e.write(Post{Thread: channel, By: s.ana, Text: "for you", Mention: true})
	if event.Message.For != adapters.Mentioned || event.Thread.Channel == "" || event.Thread.ID == "" && event.Thread.Channel == channel.Channel {
		s.Fatalf("the message is for %q in %+v", event.Message.For, event.Thread)
	}
	answer := s.say(event.Thread, "Here I am.")
	s.only(event.Thread, answer)
	if next := e.write(s.post(event.Thread, "go on")); next.Thread.Key() != event.Thread.Key() {
		s.Errorf("the thread %+v became %+v", event.Thread, next.Thread)
	}
}

// marks checks that marks come with the message.
func marks(s *scene) {
	e := s.listen()
	p := s.post(s.thread(), "remove this")
	content := picture(s.T)
	p.Files = []Upload{{Name: "other.txt", Type: "text/plain", Content: []byte("x")}, {Name: "photo.png", Type: "image/png", Content: content}}
	p.Marks = []Pointing{pointing(content)}
	p.Marks[0].File = 1
	m := e.write(p).Message
	if len(m.Marks) != 1 || len(m.Files) != 2 {
		s.Fatalf("got %d marks and %d files", len(m.Marks), len(m.Files))
	}
	if m.Marks[0].File != m.Files[1].ID {
		s.Errorf("the mark is on %+v, want the second of %+v", m.Marks[0], m.Files)
	}
	s.marks(m.Marks[0], p.Marks[0])
}

// markedPictures checks that each mark without a message is received.
func markedPictures(s *scene) {
	e := s.listen()
	thread, content := s.thread(), picture(s.T)
	photo, other := s.shelf.put("photo-3f2a.png", "image/png", content), s.shelf.put("other-1c2d.png", "image/png", content)
	s.send(adapters.Reply{Thread: thread, Text: "Which of them?", Files: []adapters.Attachment{photo, other}})
	second := pointing(nil)
	second.Boxes = nil
	for _, p := range []Pointing{pointing(content), second} {
		for _, name := range []string{other.Name, photo.Name} {
			as[Marking](s, s.p).Mark(s.T, s.ana, thread, name, p)
			event := e.next("a mark", func(e adapters.Event) bool { return e.Message == nil })
			if event.Kind != adapters.PictureMarked || event.Mark == nil || event.Thread.Key() != thread.Key() || event.By.ID != s.ana.ID || event.At.IsZero() {
				s.Fatalf("a mark was received as %q in %+v from %+v", event.Kind, event.Thread, event.By)
			}
			if event.Mark.Picture != name {
				s.Errorf("a mark on %q was received as one on %q", name, event.Mark.Picture)
			}
			s.marks(*event.Mark, p)
		}
	}
}

// pointing returns a mark on the [picture].
func pointing(mask []byte) Pointing {
	return Pointing{
		Width: 40, Height: 30, Points: []adapters.Point{{X: 0, Y: 0}, {X: 39, Y: 29, Exclude: true}},
		Boxes: []adapters.Box{{XMin: 0, YMin: 0, XMax: 40, YMax: 30}, {XMin: 3, YMin: 4, XMax: 4, YMax: 5}}, Mask: mask,
	}
}

// marks checks that a mark is the one that somebody made.
func (s *scene) marks(got adapters.Mark, want Pointing) {
	s.Helper()
	sized := got.Width == want.Width && got.Height == want.Height
	if !sized || !equal(got.Points, want.Points) || !equal(got.Boxes, want.Boxes) || (got.Mask != nil) != (want.Mask != nil) {
		s.Fatalf("the mark is %+v", got)
	}
	if got.Mask == nil {
		return
	}
	if mask := s.fetch(s.a, *got.Mask); !bytes.Equal(mask, want.Mask) {
		s.Errorf("the mask has %d bytes", len(mask))
	}
}

// picture returns a PNG of 40 by 30 pixels.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
