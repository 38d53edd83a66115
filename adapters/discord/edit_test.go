package discord

import (
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

// TestEdits checks that an edit is received with the whole current message, however little Discord sends of it.
// Previews, and edits of messages that are not for the bot, are ignored.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, partly := range []bool{false, true} {
		s := newScene(t, discordtest.Options{}).listen()
		to := "<@" + s.s.BotID() + "> "
		m := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: to + "red", Files: []discordtest.File{{Name: "a.png", Type: "image/png", Content: []byte("PNG")}}})
		sent := s.next()
		s.s.People.Edit(s.channel, m.ID, to+"green", partly)
		e := s.next()
		if e.Kind != adapters.MessageEdited || e.ID == sent.ID || e.Message.Edited.Event != sent.ID || !e.Message.Edited.At.Equal(sent.At) || !e.At.After(sent.At) ||
			e.Message.Text != "green" || e.Message.For != adapters.Mentioned || len(e.Message.Files) != 1 || e.By.ID != s.ana.ID || e.Thread.Key() != sent.Thread.Key() {
			t.Errorf("partly %v: received %+v with %+v", partly, e, e.Message)
		}
		s.s.People.Unfurl(s.channel, m.ID)
		s.s.People.Edit(s.channel, m.ID, "nobody", partly)
		if e := s.next(); e.Kind != adapters.MessageEdited || e.Message.For != adapters.Overheard || e.Message.Text != "nobody" {
			t.Errorf("partly %v: without the mention it is %+v", partly, e.Message)
		}
		other := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "not for you"})
		s.s.People.Edit(s.channel, other.ID, "nor is this", partly)
		s.s.People.Edit(s.channel, other.ID, to+"make it blue", partly)
		e = s.next()
		if e.Kind != adapters.MessageEdited || e.Message.For != adapters.Mentioned || e.Message.Text != "make it blue" || e.Message.Edited.Event != "m"+other.ID {
			t.Errorf("partly %v: what mentions the bot by an edit is %+v", partly, e.Message)
		}
		s.s.People.Delete(s.channel, other.ID)
		gone := s.next()
		for gone.ID == e.ID { // what is fetched for the first edit may hold the second one: one event, heard twice
			gone = s.next()
		}
		if gone.Cancel == nil || !gone.Cancel.Deleted {
			t.Errorf("partly %v: the deletion arrived as %+v", partly, gone)
		}
	}
}

// TestEditOfTheFilesOnly checks that after a file is deleted the message is received with the remaining files.
func TestEditOfTheFilesOnly(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	file := func(name string) discordtest.File {
		return discordtest.File{Name: name, Type: "image/png", Content: []byte("PNG")}
	}
	m := s.s.People.Say(discordtest.Post{
		Channel: s.channel, By: s.ana, Content: "<@" + s.s.BotID() + "> make it blue", Files: []discordtest.File{file("a.png"), file("b.png")},
	})
	if e := s.next(); len(e.Message.Files) != 2 {
		t.Fatalf("received %+v", e.Message)
	}
	s.s.People.Detach(s.channel, m.ID)
	if e := s.next(); e.Kind != adapters.MessageEdited || e.Message.Text != "make it blue" || len(e.Message.Files) != 1 || e.Message.Files[0].Name != "a.png" {
		t.Errorf("received %+v with %+v", e, e.Message)
	}
}
