package discord

import (
	"errors"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

func (s *scene) ask(text string) *discordtest.Interaction {
	return s.s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "atelier", Sub: "ask", Options: map[string]string{"text": text}})
}

// A shown request is accepted, even if something fails for a while.
func TestAskThroughFaults(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*scene){
		"nothing else is asked for": func(s *scene) { s.s.Faults.FailNext(100, 502, discordtest.GetResponse) },
		"the answer is lost":        func(s *scene) { s.s.Faults.LoseAnswers(1, discordtest.Callback) },
		"the call is lost":          func(s *scene) { s.s.Faults.FailNext(1, 502, discordtest.Callback) },
		"both fail": func(s *scene) {
			s.s.Faults.LoseAnswers(1, discordtest.Callback)
			s.s.Faults.FailNext(3, 502, discordtest.GetResponse)
			s.s.Faults.RateLimit(1, 0, false, discordtest.GetResponse)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			fail(s)
			i := s.ask("a cat")
			e := s.next()
			if shown, _ := i.Response(); e.Message == nil || e.Message.Ref.ID != shown.ID || e.Thread.ID != shown.ID || shown.ID == "" {
				t.Errorf("received %+v, the message is %+v", e.Message, shown)
			}
		})
	}
}

// A shown request that cannot be accepted says so.
func TestAskInVain(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*scene){
		"refused": func(s *scene) { s.s.Faults.FailNext(1, 403, discordtest.GetResponse) },
		"the end": func(s *scene) {
			s.s.Faults.FailNext(1_000_000, 502, discordtest.GetResponse)
			go func() {
				s.await(func() bool { return s.s.REST.Calls(discordtest.GetResponse) > 2 })
				s.stop()
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			s.s.Faults.LoseAnswers(1, discordtest.Callback)
			refuse(s)
			i := s.ask(strings.Repeat("*a cat* ", 400))
			s.await(func() bool { return s.s.REST.Calls(discordtest.EditResponse) == 1 })
			shown, _ := i.Response()
			if !strings.Contains(shown.Content, "Please ask again.") || !strings.Contains(shown.Content, "a cat") {
				t.Errorf("it is shown as %q", shown.Content)
			}
		})
	}
}

// Texts in a command are read like messages.
func TestAskWithMentions(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	i := s.ask("<@" + s.s.BotID() + "> a cat for " + s.ana.Mention() + " in <#" + s.channel + ">")
	if e := s.next(); e.Message == nil || e.Message.Text != "a cat for @Ana in #general" {
		t.Errorf("received %+v", e.Message)
	}
	if shown, _ := i.Response(); shown.Content != "> a cat for @Ana in #general" {
		t.Errorf("it is shown as %q", shown.Content)
	}
	s.ask("<@" + s.s.BotID() + ">")
	if e := s.next(); e.Command == nil || e.Command.Name != "help" {
		t.Errorf("a bare mention arrived as %+v", e)
	}
}

// A form is about the message from whose menu it was opened, even if that cannot be read.
func TestFormKeepsTheMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	photo := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "look", Files: []discordtest.File{{Name: "a.png", Type: "image/png", Content: []byte("PNG")}}})
	i := s.s.Interactions.Menu(s.ana, s.channel, photo.ID, "Use with Atelier")
	<-i.Acknowledged()
	s.s.Faults.FailNext(1, 500, discordtest.GetMessage)
	s.s.Interactions.Submit(i, map[string]string{"wish": "edges"})
	e := s.next()
	if e.Message == nil || e.Message.ReplyTo == nil || e.Message.ReplyTo.Text != "look" || fetched(s, e.Message.ReplyTo.Files[0]) != "PNG" {
		t.Errorf("received %+v", e.Message)
	}
}

// If nothing is known of the message, nothing is done without it.
func TestFormWithoutItsMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.listen()
	photo := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "look"})
	form := s.s.Interactions.Menu(s.ana, s.channel, photo.ID, "Use with Atelier")
	<-form.Acknowledged()
	s.later.Store(int64(16 * time.Minute)) // it has forgotten which message it was
	s.s.Faults.FailNext(1, 500, discordtest.GetMessage)
	i := s.s.Interactions.Submit(form, map[string]string{"wish": "edges"})
	<-i.Acknowledged()
	if said, _ := i.Response(); !strings.Contains(said.Content, "cannot read this message") {
		t.Errorf("it is answered by %q", said.Content)
	}
	form = s.s.Interactions.Menu(s.ana, s.channel, photo.ID, "Use with Atelier")
	<-form.Acknowledged()
	s.s.People.Delete(s.channel, photo.ID)
	i = s.s.Interactions.Submit(form, map[string]string{"wish": "edges"})
	<-i.Acknowledged()
	if said, _ := i.Response(); !strings.Contains(said.Content, "no longer exists") {
		t.Errorf("it is answered by %q", said.Content)
	}
}

// An expired interaction does not mean that the bot's token is rejected.
func TestInteractionOver(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	i := s.ask("a cat")
	s.next()
	s.s.Advance(280 * time.Minute)
	err := s.d.api.Get(t.Context(), "webhooks/"+s.s.ApplicationID()+"/"+i.Token+"/messages/@original", nil)
	f, ok := errors.AsType[*adapters.Fault](err)
	if !ok || !errors.Is(err, adapters.ErrGone) || errors.Is(err, adapters.ErrRefused) || strings.Contains(f.Text(), "DISCORD_TOKEN") {
		t.Errorf("it fails with %v", err)
	}
}
