package discord

import (
	"errors"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/discordtest"
)

// If an answer may not be a reply, it is a normal message.
func TestReplyWithoutHistory(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	begin := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "begin"})
	thread := s.s.People.Thread(s.channel, begin.ID, "thread", s.ana)
	s.s.People.Say(discordtest.Post{Channel: thread, By: s.ana, Content: "<@" + s.s.BotID() + "> do it"})
	e := s.next()
	s.s.World.Forbid(s.channel, discordtest.ReadHistory)
	got := s.send("a", adapters.Reply{Thread: e.Thread, Text: "Here.", AnswerTo: e.Message.Ref})
	if m, ok := s.s.World.Message(got.Channel, got.ID); !ok || m.ReplyTo != "" || got.Channel != thread {
		t.Errorf("it is %+v", m)
	}
}

// If no thread can be started, the answer is posted in the channel, as a reply, and says why.
func TestWithoutThread(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse func(*scene)
		why    string
	}{
		"permission": {func(s *scene) { s.s.World.Forbid(s.channel, discordtest.CreateThreads) }, "Create Public Threads"},
		"crowded":    {func(s *scene) { s.s.World.Crowd(true) }, "does not let me start a thread"},
		"refused":    {func(s *scene) { s.s.Faults.FailNext(100, 400, discordtest.StartThread) }, "does not let me start a thread"},
		"no such call": {func(s *scene) {
			s.s.Faults.FailNext(100, 404, discordtest.StartThread)
			s.s.Faults.FailNext(100, 404, discordtest.Me)
		}, "does not let me start a thread"},
		"every title": {func(s *scene) { s.s.World.BlockTitle("") }, "does not let me start a thread"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			m := s.mention("do it")
			e := s.next()
			c.refuse(s)
			r := adapters.Reply{Thread: e.Thread, Text: "Here. " + strings.Repeat("much ", 500), AnswerTo: e.Message.Ref, Files: []adapters.Attachment{s.put("a.png", 10)}}
			got := s.send("a", r)
			if got.Channel != s.channel || len(got.Parts) != 1 {
				t.Fatalf("it is at %+v", got)
			}
			first, _ := s.s.World.Message(got.Channel, got.Parts[0])
			last, _ := s.s.World.Message(got.Channel, got.ID)
			if first.ReplyTo != m.ID || len(first.Attachments) != 1 || strings.Count(first.Content+last.Content, c.why) != 1 {
				t.Errorf("it is %+v and %+v", first, last)
			}
			if again := s.send("a", r); again.ID != got.ID || len(s.s.World.Messages(s.channel)) != 3 {
				t.Errorf("sent again it is %+v", again)
			}
			at, err := s.d.Report(t.Context(), "p", adapters.MessageRef{}, adapters.Progress{Thread: e.Thread, Request: m.ID, Title: "At work"})
			if shown, _ := s.s.World.Message(at.Channel, at.ID); err != nil || strings.Contains(shown.Content, "thread") {
				t.Errorf("the progress is %+v, %v", shown, err)
			}
		})
	}
}

// A deleted message and a rejected token are still reported.
func TestNoThreadForDeletedMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	m := s.mention("do it")
	e := s.next()
	s.s.People.Delete(s.channel, m.ID)
	if _, err := s.d.Send(t.Context(), "a", adapters.Reply{Thread: e.Thread, Text: "Here."}); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("it is sent with %v", err)
	}
	s.s.Faults.FailNext(1, 401, discordtest.StartThread)
	if _, err := s.d.Send(t.Context(), "a", adapters.Reply{Thread: e.Thread, Text: "Here."}); !errors.Is(err, adapters.ErrRefused) {
		t.Errorf("it is sent with %v", err)
	}
}

// A title that a rule of the server blocks is replaced.
func TestBlockedTitle(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.s.World.BlockTitle("damn")
	m := s.mention("draw a damn cat")
	got := s.send("a", adapters.Reply{Thread: s.next().Thread, Text: "Here."})
	if got.Channel != m.ID || s.s.World.ThreadName(m.ID) != "Atelier" {
		t.Errorf("it is in %q, named %q", got.Channel, s.s.World.ThreadName(m.ID))
	}
}

// The error of a locked thread does not say that a permission to write is missing.
func TestLockedAndArchived(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	got := s.send("a", adapters.Reply{Thread: s.next().Thread, Text: "Here."})
	s.s.People.Archive(got.Channel, true)
	s.s.World.Forbid(s.channel, discordtest.SendInThreads)
	err := s.d.Delete(t.Context(), got)
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || !strings.Contains(f.Text(), "Send Messages in Threads") {
		t.Errorf("without the permission: %v", err)
	}
	s.s.World.Allow(s.channel, discordtest.SendInThreads)
	s.s.People.Lock(got.Channel, true)
	err = s.d.Delete(t.Context(), got)
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || !errors.Is(err, adapters.ErrForbidden) || !strings.Contains(f.Text(), "Manage Threads") {
		t.Errorf("it fails with %v", err)
	}
}

// Earlier messages are looked up in a limited number of calls, whoever wrote them.
func TestBeforeEnds(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	bot := s.s.World.BotUser("bridge")
	begin := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "begin"})
	id := s.s.People.Thread(s.channel, begin.ID, "thread", s.ana)
	thread := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel, ID: id}
	for range 1000 {
		s.s.People.Say(discordtest.Post{Channel: id, By: bot, Content: "noise"})
	}
	m := s.s.People.Say(discordtest.Post{Channel: id, By: s.ana, Content: "last"})
	calls := s.s.REST.Calls(discordtest.GetMessages)
	if _, err := s.d.Before(t.Context(), thread, convert.Ref(s.guild, id, m.ID), "", 5); err != nil {
		t.Fatal(err)
	}
	if n := s.s.REST.Calls(discordtest.GetMessages) - calls; n != 5 {
		t.Errorf("it took %d calls", n)
	}
}

// For a message in a channel that replies to others, these are looked up, and nothing else of the channel.
func TestBeforeInAChannel(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	bob := s.s.World.User("Bob")
	photo := s.s.People.Say(discordtest.Post{Channel: s.channel, By: bob, Content: "look", Files: []discordtest.File{{Name: "a.png", Type: "image/png", Content: []byte("PNG")}}})
	s.s.People.Say(discordtest.Post{Channel: s.channel, By: bob, Content: "something else"})
	nice := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "nice", ReplyTo: photo.ID})
	s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "<@" + s.s.BotID() + "> make it grey", ReplyTo: nice.ID})
	e := s.next()
	got, err := s.d.Before(t.Context(), e.Thread, e.Message.Ref, "", 50)
	if err != nil || len(got) != 2 || got[0].Text != "look" || got[0].By.ID != bob.ID || len(got[0].Files) != 1 || got[1].Ref.ID != nice.ID {
		t.Fatalf("it looks back at %+v: %v", got, err)
	}
	if got[0].Ref.Key() != convert.Ref(s.guild, s.channel, photo.ID).Key() || fetched(s, got[0].Files[0]) != "PNG" {
		t.Errorf("the first is %+v", got[0])
	}
	s.mention("alone")
	e = s.next()
	if got, err := s.d.Before(t.Context(), e.Thread, e.Message.Ref, "", 50); err != nil || len(got) != 0 {
		t.Errorf("of a channel it reads %+v: %v", got, err)
	}
}

// A link that is too long for a message is reported, and everything else is posted.
func TestLongLink(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	long, short, marked := s.put("long.mp4", 10), s.put("short.mp4", 10), s.put("marked.png", 10)
	long.Link, long.Note = "https://files.example.com/a?token="+strings.Repeat("A", 2000), strings.Repeat("noted 😀", 500)
	short.Link = "https://files.example.com/b"
	marked.MarkLink = long.Link
	got := s.send("links", adapters.Reply{Thread: s.next().Thread, Text: "Here.", Files: []adapters.Attachment{long, short, marked}})
	var all strings.Builder
	for _, id := range append(got.Parts, got.ID) {
		m, _ := s.s.World.Message(got.Channel, id)
		if adapters.UTF16Len(m.Content) > 2000 {
			t.Errorf("%d characters are posted", adapters.UTF16Len(m.Content))
		}
		all.WriteString(m.Content)
	}
	for _, want := range []string{"Here.", "long.mp4: The link to this file is too long for Discord.", "noted", "https://files.example.com/b"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is missing in %q", want, all.String())
		}
	}
}
