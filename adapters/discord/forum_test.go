package discord

import (
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

// stopped presses the button below the progress of a request, and returns the progress and the event.
func (s *scene) stopped(e adapters.Event) (adapters.MessageRef, adapters.Event) {
	s.Helper()
	at, err := s.d.Report(s.Context(), "p", adapters.MessageRef{}, adapters.Progress{Thread: e.Thread, Request: e.Message.Ref.ID, Title: "At work"})
	if err != nil {
		s.Fatal(err)
	}
	m, _ := s.s.World.Message(at.Channel, at.ID)
	if len(m.Buttons) != 1 {
		s.Fatalf("it is shown as %+v", m)
	}
	s.s.Interactions.Press(s.ana, at.Channel, at.ID, m.Buttons[0].CustomID)
	return at, s.next()
}

// In a forum, in a private thread and in a thread of a message, the button stops what its message shows.
func TestStopButton(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*scene) discordtest.Message{
		"mention": func(s *scene) discordtest.Message { return s.mention("edges") },
		"forum": func(s *scene) discordtest.Message {
			forum := s.s.World.Forum(s.guild, "help")
			return s.s.People.ForumPost(forum, "How?", discordtest.Post{By: s.ana, Content: "<@" + s.s.BotID() + "> edges"})
		},
		"forum, later": func(s *scene) discordtest.Message {
			forum := s.s.World.Forum(s.guild, "help")
			first := s.s.People.ForumPost(forum, "How?", discordtest.Post{By: s.ana, Content: "<@" + s.s.BotID() + "> first"})
			s.next()
			return s.s.People.Say(discordtest.Post{Channel: first.ID, By: s.ana, Content: "<@" + s.s.BotID() + "> edges"})
		},
		"private thread": func(s *scene) discordtest.Message {
			thread := s.s.People.PrivateThread(s.channel, "secret", s.ana)
			return s.s.People.Say(discordtest.Post{Channel: thread, By: s.ana, Content: "<@" + s.s.BotID() + "> edges"})
		},
		"no thread": func(s *scene) discordtest.Message {
			s.s.World.Crowd(true)
			return s.mention("edges")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			m := begin(s)
			e := s.next()
			if e.Message == nil || e.Message.Ref.ID != m.ID || e.Message.Text != "edges" {
				t.Fatalf("received %+v", e.Message)
			}
			if at, got := s.stopped(e); got.Cancel == nil || got.Cancel.On.Key() != at.Key() {
				t.Errorf("%+v is to end, and not %+v", got.Cancel, at)
			}
		})
	}
}

// A request in a forum is answered there.
func TestForum(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	forum := s.s.World.Forum(s.guild, "help")
	m := s.s.People.ForumPost(forum, "How?", discordtest.Post{By: s.ana, Content: "<@" + s.s.BotID() + "> edges"})
	e := s.next()
	if e.Thread.Channel != forum || e.Thread.ID != m.ID {
		t.Fatalf("received in %+v", e.Thread)
	}
	got := s.send("forum", adapters.Reply{Thread: e.Thread, Text: "Here.", AnswerTo: e.Message.Ref})
	if a, ok := s.s.World.Message(m.ID, got.ID); !ok || a.ReplyTo != m.ID {
		t.Errorf("it is answered by %+v", a)
	}
	if err := s.d.Acknowledge(t.Context(), e.Message.Ref, adapters.Done); err != nil {
		t.Error(err)
	}
}
