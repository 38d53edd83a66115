package discord

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/discord/receive"
)

// A mention in a channel begins a thread, which is named after the request.
func TestThreadOfAMention(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	m := s.mention("draw **a cat** for me")
	e := s.next()
	if e.Thread.ID != m.ID || e.Thread.Channel != s.channel || e.Message.Text != "draw **a cat** for me" {
		t.Fatalf("received %+v in %+v", e.Message, e.Thread)
	}
	if _, err := s.d.Typing(t.Context(), e.Thread, "en"); err != nil || !s.s.World.Typing(s.channel) {
		t.Errorf("before there is a thread, it does not type in the channel: %v", err)
	}
	answer := s.send("a", adapters.Reply{Thread: e.Thread, Text: "Here.", AnswerTo: e.Message.Ref})
	if answer.Channel != m.ID || s.s.World.ThreadName(m.ID) != "draw **a cat** for me" {
		t.Errorf("it is in %q, named %q", answer.Channel, s.s.World.ThreadName(m.ID))
	}
}

// A bare mention is answered too.
func TestMentionOnly(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("")
	if e := s.next(); e.Kind != adapters.CommandGiven || e.Command.Name != "help" {
		t.Errorf("received %q", e.Kind)
	}
	photo := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Files: []discordtest.File{{Name: "a.png", Type: "image/png", Content: []byte("PNG")}}})
	s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "<@" + s.s.BotID() + ">", ReplyTo: photo.ID})
	e := s.next()
	if e.Message == nil || e.Message.ReplyTo == nil || len(e.Message.ReplyTo.Files) != 1 {
		t.Fatalf("a mention in a reply to a picture arrived as %q %+v", e.Kind, e.Message)
	}
	if got := fetched(s, e.Message.ReplyTo.Files[0]); got != "PNG" {
		t.Errorf("the file holds %q", got)
	}
}

func fetched(s *scene, f adapters.File) string {
	s.Helper()
	r, err := s.d.Fetch(s.Context(), f)
	if err != nil {
		s.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		s.Fatal(err)
	}
	return string(b)
}

// A forwarded message has its files, and a voice message is a sound.
func TestForwardedAndSpoken(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	first := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "a cat", Files: []discordtest.File{{Name: "cat.png", Type: "image/png", Content: []byte("PNG")}}})
	direct := s.s.World.DM(s.ana)
	s.s.People.Say(discordtest.Post{Channel: direct, By: s.ana, Forward: first.ID})
	if e := s.next(); e.Message == nil || len(e.Message.Files) != 1 || e.Message.Text != "a cat" || fetched(s, e.Message.Files[0]) != "PNG" {
		t.Errorf("the forwarded message arrived as %+v", e.Message)
	}
	s.s.People.Say(discordtest.Post{Channel: direct, By: s.ana, Voice: true, Files: []discordtest.File{{Name: "voice-message.ogg", Type: "audio/ogg", Content: []byte("OggS")}}})
	if e := s.next(); e.Message == nil || len(e.Message.Files) != 1 || e.Message.Files[0].Type != "audio/ogg" || !e.Message.Files[0].Voice {
		t.Errorf("a voice message arrived as %+v", e.Message)
	}
}

// A request by a command is shown, and is the message that is answered.
func TestAsk(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	i := s.s.Interactions.Slash(discordtest.SlashCommand{
		By: s.ana, Channel: s.channel, Name: "atelier", Sub: "ask", Options: map[string]string{"text": "make @everyone blue"},
		Files: map[string]discordtest.File{"file1": {Name: "cat.png", Type: "image/png", Content: []byte("PNG")}},
	})
	e := s.next()
	if e.Kind != adapters.MessageSent || e.Message.For != adapters.Mentioned || e.Message.Text != "make @everyone blue" || len(e.Message.Files) != 1 || e.By.Name != "Ana" {
		t.Fatalf("received %q %+v", e.Kind, e.Message)
	}
	if fetched(s, e.Message.Files[0]) != "PNG" {
		t.Error("the file is another one")
	}
	shown, _ := i.Response()
	if shown.ID != e.Message.Ref.ID || len(shown.Notified) != 0 || e.Thread.ID != shown.ID {
		t.Errorf("the wish is shown as %+v", shown)
	}
	answer := s.send("a", adapters.Reply{Thread: e.Thread, Text: "Here."})
	if called := s.s.World.ThreadName(shown.ID); answer.Channel != shown.ID || called != "make @everyone blue" {
		t.Errorf("it is answered in %q, called %q", answer.Channel, called)
	}
}

// The entry of a message's menu asks for a request.
func TestUseWith(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	photo := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "look", Files: []discordtest.File{{Name: "a.png", Type: "image/png", Content: []byte("PNG")}}})
	i := s.s.Interactions.Menu(s.ana, s.channel, photo.ID, "Use with Atelier")
	<-i.Acknowledged()
	s.s.Interactions.Submit(i, map[string]string{"wish": "make it blue"})
	e := s.next()
	if e.Message == nil || e.Message.Text != "make it blue" || e.Message.ReplyTo == nil || e.Message.ReplyTo.Text != "look" || fetched(s, e.Message.ReplyTo.Files[0]) != "PNG" {
		t.Fatalf("received %+v", e.Message)
	}
}

// Commands are only registered if they differ.
func TestCommandsOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	if err := receive.Register(t.Context(), s.d.api, adapters.English{}, s.s.ApplicationID()); err != nil {
		t.Fatal(err)
	}
	if n := s.s.REST.Calls(discordtest.PutCommands); n != 1 {
		t.Errorf("they are registered %d times", n)
	}
}

// Without the intent to read content, the bot receives messages that mention it.
func TestWithoutContent(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.s.Gateway.MissingIntent()
	s.listen()
	thread := s.s.People.Thread(s.channel, s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "begin"}).ID, "thread", s.ana)
	s.s.People.Say(discordtest.Post{Channel: thread, By: s.ana, Content: "not for you"})
	s.mention("for you")
	if e := s.next(); e.Message == nil || e.Message.Text != "for you" {
		t.Errorf("received %q %+v", e.Kind, e.Message)
	}
	if s.s.Gateway.Intents()&int(discordgo.IntentMessageContent) != 0 {
		t.Error("it asks for the content of messages")
	}
	if a, err := s.d.Look(t.Context()); err != nil || a.Content || a.ID != s.s.BotID() || !strings.Contains(a.Invite, "client_id="+s.s.ApplicationID()) {
		t.Errorf("it looks like %+v, %v", a, err)
	}
}

// After each documented close code the bot reconnects or ends.
func TestCloseCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{1000, 1001, 1006, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009} {
		s := newScene(t, discordtest.Options{}).listen()
		sessions := s.s.Gateway.Identifies() + s.s.Gateway.Resumes()
		s.s.Gateway.Drop(code)
		s.await(func() bool {
			return s.s.Gateway.Connections() == 1 && s.s.Gateway.Identifies()+s.s.Gateway.Resumes() > sessions
		})
		s.mention("still there?")
		if e := s.next(); e.Message == nil || e.Message.Text != "still there?" {
			t.Errorf("after %d, received %+v", code, e.Message)
		}
	}
	for _, code := range []int{4004, 4010, 4011, 4012, 4013} {
		s := newScene(t, discordtest.Options{}).listen()
		s.s.Gateway.Drop(code)
		err := <-s.over
		s.over <- err
		f, ok := errors.AsType[*adapters.Fault](err)
		if !ok || !errors.Is(err, adapters.ErrRefused) || f.Sentence == "" {
			t.Errorf("after %d, Listen ends with %v", code, err)
		}
	}
}

// Messages written while the session was lost are read.
func TestLostSession(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("first")
	s.next()
	other := s.s.World.Channel(s.guild, "other")
	s.s.Gateway.Refuse(true)
	s.s.Gateway.InvalidSession(false)
	s.s.Gateway.CutOff()
	s.mention("second")
	s.s.People.Say(discordtest.Post{Channel: other, By: s.ana, Content: "<@" + s.s.BotID() + "> third"})
	s.s.Gateway.Refuse(false)
	var got []string
	for range 2 {
		got = append(got, s.next().Message.Text)
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"second", "third"}) {
		t.Errorf("received %q", got)
	}
}

// An archived thread is reopened for an edit.
func TestArchived(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	e := s.next()
	p := adapters.Progress{Thread: e.Thread, Request: e.Message.Ref.ID, Title: "At work"}
	at, err := s.d.Report(t.Context(), "p", adapters.MessageRef{}, p)
	if err != nil {
		t.Fatal(err)
	}
	s.s.People.Archive(at.Channel, true)
	p.Title = "Nearly there"
	if _, err := s.d.Report(t.Context(), "p", at, p); err != nil {
		t.Errorf("edit in a thread that was put away: %v", err)
	}
	s.s.People.Archive(at.Channel, true)
	s.s.People.Lock(at.Channel, true)
	_, err = s.d.Send(t.Context(), "a", adapters.Reply{Thread: e.Thread, Text: "Done."})
	if !errors.Is(err, adapters.ErrForbidden) {
		t.Errorf("send in a thread that is locked: %v", err)
	}
}

// A reply that is too large for Discord is not posted, not even in part, and is then sent as a link.
func TestTooLargeForDiscord(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{MaxFile: 1000}).listen()
	s.mention("do it")
	e := s.next()
	r := adapters.Reply{Thread: e.Thread, Text: strings.Repeat("long ", 1000), Files: []adapters.Attachment{s.put("a.png", 2000)}}
	if _, err := s.d.Send(t.Context(), "a", r); !errors.Is(err, adapters.ErrTooLarge) || len(s.s.World.Messages(e.Thread.ID)) != 0 {
		t.Fatalf("it is sent with %v", err)
	}
	r.Files[0].Link = "https://files.example.com/a"
	if got := s.send("a", r); len(s.s.World.Messages(e.Thread.ID)) != 1+len(got.Parts) {
		t.Error("not all is there")
	}
}

// A missing permission is named.
func TestMissingPermissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forbid discordtest.Permission
		want   string
	}{
		"writing":   {discordtest.SendInThreads, "Send Messages in Threads"},
		"files":     {discordtest.AttachFiles, "Attach Files"},
		"reactions": {discordtest.AddReactions, "Add Reactions"},
		"history":   {discordtest.ReadHistory, "Read Message History"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			m := s.mention("do it")
			e := s.next()
			s.s.World.Forbid(s.channel, c.forbid)
			_, err := s.d.Send(t.Context(), "a", adapters.Reply{Thread: e.Thread, Text: "x", Files: []adapters.Attachment{s.put("a.png", 10)}})
			if err == nil {
				err = s.d.Acknowledge(t.Context(), convert.Ref(s.guild, s.channel, m.ID), adapters.Seen)
			}
			f, ok := errors.AsType[*adapters.Fault](err)
			if !ok || !errors.Is(err, adapters.ErrForbidden) || !strings.Contains(f.Text(), c.want) {
				t.Errorf("it fails with %v", err)
			}
		})
	}
}

// Errors do not contain the token.
func TestNoTokenInErrors(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	token := s.s.Token()
	s.s.Faults.FailNext(1, 500, discordtest.Me)
	_, failed := s.d.Look(t.Context())
	s.s.Revoke()
	_, refused := s.d.Look(t.Context())
	s.s.Close()
	_, unreachable := s.d.Look(t.Context())
	for _, err := range []error{failed, refused, unreachable} {
		if err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%v", err)
		}
	}
}
