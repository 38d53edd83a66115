package slack

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// another is a server with the same protocol that offers the bare minimum.
func another(lacks ...string) slacktest.Options {
	return slacktest.Options{Foreign: true, Lacks: append([]string{"users.info", "reactions.get", "conversations.replies"}, lacks...)}
}

// edges is an answer with a picture.
func edges(in adapters.Thread, text string) adapters.Reply {
	return adapters.Reply{Thread: in, Text: text, Files: []adapters.Attachment{{Name: "edges.png", Type: "image/png", Size: 5, Alt: "edges", Handle: "edges"}}}
}

func openEdges(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("edges")), nil
}

func TestAnotherServersHabits(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]slacktest.Options{
		"without files.info": another("files.info"), "without shares": another(), "shown late": {ShareAfter: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := workspaceOf(t, false, o)
			h := listenWith(t, w, openEdges)
			ts := h.say(slacktest.Post{Text: h.mention("find the edges"), Files: []slacktest.File{{Name: "a.png", Data: []byte("picture")}}})
			e := h.next(t)
			if e.Message == nil || len(e.Message.Files) != 1 {
				t.Fatalf("received %+v", e)
			}
			content, err := h.s.Fetch(t.Context(), e.Message.Files[0])
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(content); errors.Join(err, content.Close()) != nil || string(b) != "picture" {
				t.Errorf("%q came in (%v)", b, err)
			}
			for _, status := range []adapters.Status{adapters.Seen, adapters.Done} {
				if err := h.s.Acknowledge(t.Context(), e.Message.Ref, status); err != nil {
					t.Error(err)
				}
			}
			for range 2 {
				ref, err := h.s.Send(t.Context(), "a", edges(e.Thread, "Here it is."))
				if err != nil {
					t.Fatal(err)
				}
				if m, ok := h.Workspace.Message(h.channel, ref.ID); !ok || !strings.Contains(m.Text, "Here it is.") {
					t.Errorf("the message to react on is %q: %+v", ref.ID, m)
				}
			}
			if n := h.API.Calls()["files.completeUploadExternal"]; n != 1 {
				t.Errorf("files were shown %d times", n)
			}
			if m, _ := h.Workspace.Message(h.channel, ts); len(m.Reactions) != 1 || m.Reactions[0].Name != convert.Statuses[adapters.Done] {
				t.Errorf("the request carries %+v", m.Reactions)
			}
		})
	}
}

func TestFilesAreShownOnce(t *testing.T) {
	t.Parallel()
	for name, befall := range map[string]func(s *slacktest.Server){
		"where they are shown is refused": func(s *slacktest.Server) { s.Faults.FailNext("files.info", 20, slacktest.Failure{Error: "fatal"}) },
		"where they are shown fails":      func(s *slacktest.Server) { s.Faults.FailNext("files.info", 20, slacktest.Failure{Status: 500}) },
		"the answer is lost":              func(s *slacktest.Server) { s.Faults.LoseAnswers("files.completeUploadExternal", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := workspaceOf(t, false, slacktest.Options{ShareAfter: -1})
			s, ok := w.Adapter(t, openEdges).(*Slack)
			if !ok {
				t.Fatal("it is no adapter of Slack's")
			}
			befall(w.Server)
			in, sent := w.Thread(t, false), false
			for range 3 {
				if _, err := s.Send(t.Context(), "a", edges(in, "")); err == nil {
					sent = true
				}
			}
			if !sent {
				t.Error("it was not sent")
			}
			if all := w.Workspace.Messages(in.Channel, in.ID); len(all) != 2 || len(all[1].Files) != 1 {
				t.Errorf("there are %+v", all)
			}
		})
	}
}

func TestMissingIDs(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	root := h.People.Say(slacktest.Post{Channel: h.channel, By: h.ana, Text: "first"})
	press := `{"type":"block_actions","user":{"id":"` + h.ana + `"},"container":{"channel_id":"` + h.channel + `","message_ts":"` + root +
		`"},"actions":[{"action_id":"choose-1","value":"x"}]}`
	react := `{"type":"event_callback","event_id":"EvID","event_time":1700000000,"event":{"type":"reaction_added","user":"` + h.ana +
		`","reaction":"one","item":{"type":"message","channel":"` + h.channel + `","ts":"` + root + `"}}}`
	help := convert.Command{User: h.ana, Channel: h.channel, Text: "help"}
	seen := map[string]bool{}
	for name, do := range map[string]func(){
		"a button":         func() { h.s.interactions.Receive([]byte(press)) },
		"a reaction":       func() { h.s.events.Receive([]byte(strings.Replace(react, "EvID", "Ev1", 1)), func() {}) },
		"another reaction": func() { h.s.events.Receive([]byte(strings.Replace(react, "EvID", "Ev2", 1)), func() {}) },
		"a command":        func() { h.s.commands.Receive(help) },
		"the same command": func() { h.s.commands.Receive(help) },
	} {
		do()
		e := h.next(t)
		if seen[e.ID] {
			t.Errorf("%s is not distinguished from another one: %q", name, e.ID)
		}
		seen[e.ID] = true
	}
}
