package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/discord/receive"
	"atelier/adapters/outbox"
)

// registered waits for the commands.
func (s *scene) registered() *scene {
	s.Helper()
	s.await(func() bool { return len(s.s.Interactions.Commands()) > 0 })
	return s
}

func slash(by discordtest.User, channel string) discordtest.SlashCommand {
	return discordtest.SlashCommand{By: by, Channel: channel, Name: "atelier", Sub: "ask", Options: map[string]string{"text": "a cat"}}
}

// If only a person has installed the bot, a command is answered with progress, files and buttons, though the bot
// can neither read, write nor react there.
func TestGuest(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*scene) (guild, channel string){
		"a server": func(s *scene) (string, string) {
			guild := s.s.World.Elsewhere("theirs")
			return guild, s.s.World.Channel(guild, "general")
		},
		"a conversation": func(s *scene) (string, string) { return "", s.s.World.Group() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen().registered()
			s.s.World.Nitro(s.ana)
			guild, channel := place(s)
			i := s.s.Interactions.Slash(slash(s.ana, channel))
			e := s.next()
			shown, _ := i.Response()
			if e.Message == nil || e.Thread != (adapters.Thread{Adapter: Name, Workspace: guild, Channel: channel, ID: shown.ID}) {
				t.Fatalf("received %+v in %+v", e.Message, e.Thread)
			}
			if got := s.d.Limits(e.Thread).File; got != 500<<20 {
				t.Errorf("a file may have %d bytes", got)
			}
			again, err := s.d.Typing(t.Context(), e.Thread, "en")
			if err := errors.Join(err, s.d.Acknowledge(t.Context(), e.Message.Ref, adapters.Seen)); err != nil || again != 0 {
				t.Errorf("what a guest cannot do fails with %v", err)
			}
			if before, err := s.d.Before(t.Context(), e.Thread, e.Message.Ref, "", 10); len(before) > 0 || err != nil {
				t.Errorf("before it there is %v, %v", before, err)
			}
			at, err := s.d.Report(t.Context(), "p", adapters.MessageRef{}, adapters.Progress{Thread: e.Thread, Title: "At work"})
			if err == nil {
				_, err = s.d.Report(t.Context(), "p", at, adapters.Progress{Thread: e.Thread, Title: "Done", Ended: true})
			}
			if err != nil {
				t.Fatal(err)
			}
			ref := s.send("a", adapters.Reply{
				Thread: e.Thread, Text: "Here.", Files: []adapters.Attachment{s.put("a.png", 21<<20)}, Answer: true,
				Choices: []adapters.Choice{{ID: "c-1", Text: "another one"}},
			})
			if err := s.d.Offer(t.Context(), ref, 1); err != nil {
				t.Errorf("numbers are offered with %v", err)
			}
			posted := i.Followups()
			if len(posted) != 2 || posted[0].Content != "Done" || posted[1].ID != ref.ID || len(posted[1].Attachments) != 1 || len(posted[1].Buttons) != 3 {
				t.Fatalf("there are %+v", posted)
			}
			s.chooseAsGuest(e.Thread, ref)
		})
	}
}

// chooseAsGuest presses the first choice after the command's answers have expired. The button's own answers are
// used for the rest.
func (s *scene) chooseAsGuest(thread adapters.Thread, ref adapters.MessageRef) {
	s.Helper()
	s.s.Advance(16 * time.Minute)
	if _, err := s.d.Send(s.Context(), "late", adapters.Reply{Thread: thread, Text: "Late."}); !errors.Is(err, adapters.ErrGone) {
		s.Errorf("after 15 minutes it fails with %v", err)
	}
	pressed := s.s.Interactions.Press(s.ana, ref.Channel, ref.ID, convert.ChooseButton+"1:c-1")
	if e := s.next(); e.Reaction == nil || e.Reaction.On.ID != ref.ID || e.Reaction.Choice != "c-1" {
		s.Fatalf("the button is heard as %+v", e)
	}
	s.send("b", adapters.Reply{Thread: thread, Text: "The other one."})
	if posted := pressed.Followups(); len(posted) != 1 || posted[0].Content != "The other one." {
		s.Errorf("the button is answered with %+v", posted)
	}
	if err := s.d.Delete(s.Context(), ref); err != nil {
		s.Errorf("it is deleted with %v", err)
	}
	if _, ok := s.s.World.Message(ref.Channel, ref.ID); ok {
		s.Error("it is not deleted")
	}
}

// lapsing is a state in which reading a visit fails as often as told.
type lapsing struct {
	outbox.Memory

	lapses atomic.Int32
}

func (l *lapsing) Get(ctx context.Context, key string) ([]byte, error) {
	if strings.HasPrefix(key, "discord-guest-") && l.lapses.Add(-1) >= 0 {
		return nil, errors.New("down")
	}
	return l.Memory.Get(ctx, key)
}

// A visit that cannot be read for the heading of choices does not keep an answer back.
func TestGuestsHeading(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	state := &lapsing{}
	s.d = hasty(t, Config{Token: s.s.Token(), APIURL: s.s.URL(), State: state, Open: s.open, Log: testLog(t)})
	s.listen().registered()
	i := s.s.Interactions.Slash(slash(s.ana, s.s.World.Group()))
	e := s.next()
	state.lapses.Store(1)
	s.send("a", adapters.Reply{Thread: e.Thread, Text: "Here.", Answer: true, Choices: []adapters.Choice{{ID: "1", Text: "in blue"}}})
	if posted := i.Followups(); len(posted) != 1 || state.lapses.Load() >= 0 {
		t.Errorf("there is %+v", posted)
	}
}

// If there are more messages than Discord lets a guest send for one command, the bot says so.
func TestGuestsMessages(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen().registered()
	s.s.Interactions.Slash(slash(s.ana, s.s.World.Group()))
	e := s.next()
	for n := range 5 {
		s.send(strings.Repeat("a", n+1), adapters.Reply{Thread: e.Thread, Text: "One."})
	}
	_, err := s.d.Send(t.Context(), "b", adapters.Reply{Thread: e.Thread, Text: "One more."})
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || !errors.Is(err, adapters.ErrForbidden) || !strings.Contains(f.Text(), "Please ask again") {
		t.Errorf("it fails with %v", err)
	}
}

// If Discord rejects the form of a guest's message, it is sent once, as plain text.
func TestGuestRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen().registered()
	i := s.s.Interactions.Slash(slash(s.ana, s.s.World.Group()))
	e := s.next()
	s.s.Faults.RefuseForm(1, "components", "BASE_TYPE_BAD_LENGTH", discordtest.FollowUp)
	s.send("a", adapters.Reply{Thread: e.Thread, Text: "Here.", Answer: true})
	if posted := i.Followups(); len(posted) != 1 || posted[0].Content != "Here." || len(posted[0].Buttons) != 0 {
		t.Errorf("there is %+v", posted)
	}
}

// An application that only servers may install has its commands there, and is not offered to people.
func TestServersOnly(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{ServersOnly: true}).listen().registered()
	for _, c := range s.s.Interactions.Commands() {
		if len(c.Installations)+len(c.Contexts) > 0 {
			t.Errorf("%s is for %v in %v", c.Name, c.Installations, c.Contexts)
		}
	}
	s.ask("a cat")
	if e := s.next(); e.Message == nil || e.Thread.Workspace != s.guild {
		t.Errorf("received %+v", e)
	}
	if a, err := s.d.Look(t.Context()); err != nil || a.Install != "" {
		t.Errorf("people install it at %q, %v", a.Install, err)
	}
}

// Commands are for servers, direct channels and other conversations, and are registered once.
func TestCommandsEverywhere(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen().registered()
	for _, c := range s.s.Interactions.Commands() {
		if !slices.Equal(c.Installations, []int{0, 1}) || !slices.Equal(c.Contexts, []int{0, 1, 2}) {
			t.Errorf("%s is for %v in %v", c.Name, c.Installations, c.Contexts)
		}
	}
	if err := receive.Register(t.Context(), s.d.api, adapters.English{}, s.s.ApplicationID()); err != nil || s.s.REST.Calls(discordtest.PutCommands) != 1 {
		t.Errorf("they are registered %d times, %v", s.s.REST.Calls(discordtest.PutCommands), err)
	}
	a, err := s.d.Look(t.Context())
	if err != nil || !strings.Contains(a.Install, "integration_type=1") || strings.Contains(a.Install, "bot") {
		t.Errorf("people install it at %q, %v", a.Install, err)
	}
	s.s.Interactions.Slash(slash(s.ana, s.s.World.DM(s.ana)))
	if e := s.next(); e.Message == nil || !e.Thread.Direct {
		t.Errorf("in a direct channel, received %+v", e)
	}
}
