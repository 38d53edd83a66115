package discord

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

func (s *scene) command(sub string) (*discordtest.Interaction, adapters.Event) {
	s.Helper()
	i := s.s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "atelier", Sub: sub})
	return i, s.next()
}

// A command is answered to the person who gave it, and nothing appears in the channel.
func TestCommandIsAnsweredToOne(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	i, e := s.command("tools")
	if waits, _ := i.Response(); !waits.Thinking || !waits.Ephemeral {
		t.Errorf("until then it shows %+v", waits)
	}
	long := strings.Repeat("- a tool\n", 400)
	ref := s.send("a", adapters.Reply{Thread: e.Thread, Command: e.ID, Mention: s.ana.ID, Text: "**Tools**\n" + long})
	shown, _ := i.Response()
	if shown.Thinking || !shown.Ephemeral || !strings.HasPrefix(shown.Content, "**Tools**") || ref.ID != shown.ID {
		t.Errorf("it shows %+v", shown)
	}
	more := i.Followups()
	if len(more) != len(ref.Parts) || len(more) == 0 || !more[0].Ephemeral {
		t.Errorf("further parts are %+v", more)
	}
	if all := s.s.World.Messages(s.channel); len(all) != 0 {
		t.Errorf("the channel has %+v", all)
	}
}

// An answer whose form Discord rejects is sent as plain text, to the same person only.
func TestRejectedFormStaysPrivate(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	i, e := s.command("tools")
	s.s.Faults.RefuseForm(1, "components", "BASE_TYPE_BAD_LENGTH")
	s.send("a", adapters.Reply{Thread: e.Thread, Command: e.ID, Text: "**Tools**", Choices: []adapters.Choice{{ID: "x", Text: "other"}}})
	if shown, _ := i.Response(); shown.Thinking || !shown.Ephemeral || !strings.HasPrefix(shown.Content, "**Tools**") || len(shown.Buttons) != 0 {
		t.Errorf("it shows %+v", shown)
	}
	if all := s.s.World.Messages(s.channel); len(all) != 0 {
		t.Errorf("the channel has %+v", all)
	}
}

// TestCommandIsAnsweredToAll checks that a command that cannot be answered privately is answered in the channel.
func TestCommandIsAnsweredToAll(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]func(s *scene){
		"too late":           func(s *scene) { s.later.Store(int64(15 * time.Minute)) },
		"the token has gone": func(s *scene) { s.s.Advance(16 * time.Minute) },
		"Discord fails":      func(s *scene) { s.s.Faults.FailNext(1, http.StatusNotFound) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			_, e := s.command("help")
			late(s)
			s.send("a", adapters.Reply{Thread: e.Thread, Command: e.ID, Text: "Help yourself."})
			if all := s.s.World.Messages(s.channel); len(all) != 1 || all[0].Content != "Help yourself." {
				t.Errorf("the channel has %+v", all)
			}
		})
	}
}

// A person who pressed a button is told something that nobody else sees. After another event, that fails.
func TestWhisper(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	e := s.next()
	ref := s.send("a", adapters.Reply{Thread: e.Thread, Text: "Done.", AnswerTo: e.Message.Ref, Answer: true})
	pressed := s.s.Interactions.Press(s.ana, ref.Channel, ref.ID, adapters.Again.ButtonID())
	if err := s.d.Whisper(t.Context(), s.next(), e.Thread, "That is *already* in progress."); err != nil {
		t.Fatal(err)
	}
	if err := s.d.Whisper(t.Context(), e, e.Thread, "That is *already* in progress."); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("after a message, it fails with %v", err)
	}
	if all := pressed.Followups(); len(all) != 1 || !all[0].Ephemeral || !strings.Contains(all[0].Content, "already") {
		t.Errorf("Ana is told %+v", all)
	}
	if n := len(s.s.World.Messages(ref.Channel)); n != 1 {
		t.Errorf("everybody sees %d messages", n)
	}
}
