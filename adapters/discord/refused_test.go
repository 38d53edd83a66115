package discord

import (
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

// Twelve files take two messages, the second of which has the text. If Discord rejects files in either, they are
// named with the reason, and the rest is sent without them.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse func(s *scene)
		most   int64 // bytes of a file
		kind   error
		files  []int
		told   string
		posted int // before that
	}{
		"one of the second message": {most: 1000, kind: adapters.ErrTooLarge, files: []int{11}, told: "larger", posted: 1},
		"the largest of them": {
			func(s *scene) { s.s.Faults.RefuseNext(1, 413, 40005, discordtest.PostMessage) }, 0, adapters.ErrTooLarge, []int{7}, "larger", 0,
		},
		"a file that is not valid": {
			func(s *scene) { s.s.Faults.RefuseNext(1, 400, 50046, discordtest.PostMessage) }, 0, adapters.ErrInvalid, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "rejected one of the files", 0,
		},
		"no permission": {
			func(s *scene) { s.s.World.Forbid(s.channel, discordtest.AttachFiles) }, 0, adapters.ErrForbidden, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "Attach Files", 0,
		},
		"no files on the server now": {
			func(s *scene) { s.s.Faults.RefuseNext(1, 403, 400001, discordtest.PostMessage) }, 0, adapters.ErrForbidden, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "does not allow files", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{MaxFile: c.most}).listen()
			s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "begin"})
			thread := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}
			r := adapters.Reply{Thread: thread, Text: "Here they are."}
			for i := range 12 {
				size := 10
				if i == 7 || i == 11 {
					size = 800 + 300*(i/11)
				}
				r.Files = append(r.Files, s.put("f"+strconv.Itoa(i)+".bin", size))
			}
			r.Files[7].Size += 400 // as it was told
			if c.refuse != nil {
				c.refuse(s)
			}
			_, err := s.d.Send(t.Context(), "a", r)
			f, ok := errors.AsType[*adapters.Fault](err)
			if !ok || !errors.Is(err, c.kind) || !slices.Equal(f.Files, c.files) || !strings.Contains(f.Text(), c.told) {
				t.Fatalf("it fails with %v of the files %v", err, f)
			}
			if n := len(s.own()); n != c.posted {
				t.Errorf("%d messages stand there", n)
			}
			var want []string
			var left []adapters.Attachment
			for i, a := range r.Files {
				if !slices.Contains(c.files, i) {
					left, want = append(left, a), append(want, a.Name)
				}
			}
			r.Files = left
			ref := s.send("a", r)
			var got []string
			own := s.own()
			for _, m := range own {
				for _, a := range m.Attachments {
					got = append(got, a.Name)
				}
			}
			if last := own[len(own)-1]; last.ID != ref.ID || last.Content != "Here they are." || !slices.Equal(got, want) || len(own) != 1+len(ref.Parts) {
				t.Errorf("it shows %q of %q, and ends with %q", got, want, last.Content)
			}
		})
	}
}

// own returns the bot's messages in the channel.
func (s *scene) own() []discordtest.Message {
	return slices.DeleteFunc(s.s.World.Messages(s.channel), func(m discordtest.Message) bool { return m.Author.ID != s.s.BotID() })
}

// The operator is told which fields of a form Discord rejects, but not Discord's text.
func TestRefusedFormIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newSceneWithLog(t, discordtest.Options{}, slog.New(slog.NewTextHandler(&log, nil)))
	s.s.Faults.RefuseForm(1, "content", "BASE_TYPE_MAX_LENGTH", discordtest.PostMessage)
	file := s.put("a.png", 10)
	file.Alt = "secret words"
	ref := s.send("a", adapters.Reply{
		Thread: adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}, Text: "secret **words**",
		Files: []adapters.Attachment{file}, Choices: []adapters.Choice{{ID: "x", Text: "other"}},
	})
	m, _ := s.s.World.Message(ref.Channel, ref.ID)
	if len(m.Buttons) != 0 || len(m.Attachments) != 1 || m.Attachments[0].Description != "" || !strings.HasPrefix(m.Content, "secret **words**") {
		t.Errorf("it is posted as %+v", m)
	}
	if got := log.String(); !strings.Contains(got, "code 50035: content BASE_TYPE_MAX_LENGTH") || strings.Contains(got, "secret") || strings.Contains(got, "should be") {
		t.Errorf("logged is %s", got)
	}
	s.s.Faults.RefuseForm(2, "content", "BASE_TYPE_MAX_LENGTH", discordtest.PostMessage)
	if _, err := s.d.Send(t.Context(), "b", adapters.Reply{Thread: adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}, Text: "x"}); !errors.Is(err, adapters.ErrInvalid) {
		t.Errorf("refused twice it fails with %v", err)
	}
}
