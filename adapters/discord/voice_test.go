package discord

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

const voiceFlag = 1 << 13

// spoken is an answer that is read aloud.
func (s *scene) spoken(in adapters.Thread) adapters.Reply {
	file, opus := s.put("good-morning-spoken.mp3", 10), s.put("voice.ogg", 20)
	file.Type = "audio/mpeg"
	file.Voice = &adapters.Voice{Handle: opus.Handle, Size: opus.Size, Duration: 1500 * time.Millisecond, Waveform: []byte{1, 200, 3}}
	return adapters.Reply{
		Thread: in, Text: "Here is “good morning”, read aloud.", Mention: s.ana.ID, Answer: true, Files: []adapters.Attachment{file},
		Choices: []adapters.Choice{{ID: "c-1", Text: "slower"}},
	}
}

// Two messages show what is read aloud: a voice message, and one with the text and the buttons, to which people react.
func TestVoiceMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("read it aloud")
	r := s.spoken(s.next().Thread)
	if !s.d.Limits(r.Thread).Voice {
		t.Error("voice messages are not known to be shown")
	}
	ref := s.send("a", r)
	if again := s.send("a", r); again.ID != ref.ID {
		t.Error("it is sent twice")
	}
	own := s.ownIn(ref.Channel)
	if len(own) != 2 || !slices.Equal(ref.Parts, []string{own[0].ID}) || ref.ID != own[1].ID {
		t.Fatalf("it is %+v at %v", own, ref)
	}
	if m := own[0]; m.Flags&voiceFlag == 0 || m.Content != "" || len(m.Attachments) != 1 || !bytes.Equal(m.Attachments[0].Content, make([]byte, 20)) {
		t.Errorf("the voice message is %+v", m)
	}
	if m := own[1]; !strings.Contains(m.Content, "read aloud") || len(m.Attachments) != 0 || len(m.Buttons) != 3 || !slices.Equal(m.Notified, []string{s.ana.ID}) {
		t.Errorf("the text is %+v", m)
	}
}

func (s *scene) ownIn(channel string) []discordtest.Message {
	return slices.DeleteFunc(s.s.World.Messages(channel), func(m discordtest.Message) bool { return m.Author.ID != s.s.BotID() })
}

// If Discord rejects voice messages, one message has the file, the text and the buttons, even if its confirmation
// was lost.
func TestVoiceMessageRefused(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(s *scene){
		"in this channel": func(s *scene) { s.s.World.Forbid(s.channel, discordtest.SendVoice) },
		"by its form":     func(s *scene) { s.s.Faults.RefuseNext(1, 400, 50160, discordtest.PostMessage) },
		"as unknown":      func(s *scene) { s.s.Faults.FailNext(1, 400, discordtest.PostMessage) },
		"and nothing is confirmed": func(s *scene) {
			s.s.World.Forbid(s.channel, discordtest.SendVoice)
			s.s.Faults.LoseAnswers(1, discordtest.PostMessage)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "begin"})
			r := s.spoken(adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel})
			refuse(s)
			ref, err := s.d.Send(t.Context(), "a", r)
			if err != nil { // its confirmation was lost
				ref, err = s.d.Send(t.Context(), "a", r)
			}
			if again, last := s.d.Send(t.Context(), "a", r); last != nil || again.ID != ref.ID {
				err = errors.Join(err, last)
			}
			own := s.own()
			if err != nil || len(own) != 1 || own[0].ID != ref.ID || own[0].Flags&voiceFlag != 0 || len(own[0].Attachments) != 1 ||
				own[0].Attachments[0].Name != "good-morning-spoken.mp3" || !strings.Contains(own[0].Content, "read aloud") || len(own[0].Buttons) != 3 {
				t.Errorf("it is %+v, %v", own, err)
			}
		})
	}
}

// The sound is a normal file if its voice message is too large, or if there are several files.
func TestNoVoiceMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	in := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}
	large, two := s.spoken(in), s.spoken(in)
	large.Files[0].Voice.Size = 100 << 20
	two.Files = append(two.Files, two.Files[0])
	for key, r := range map[string]adapters.Reply{"large": large, "two": two} {
		s.send(key, r)
	}
	if own := s.own(); len(own) != 2 || own[0].Flags&voiceFlag+own[1].Flags&voiceFlag != 0 {
		t.Errorf("it is %+v", own)
	}
}
