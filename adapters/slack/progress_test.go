package slack

import (
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// One channel in which the working status is refused leaves it to the others.
func TestWorkingStatusWhereItMayStand(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	without := w.Channel(t)
	without.ID = w.People.Say(slacktest.Post{Channel: without.Channel, By: w.zoe, Text: "x"})
	w.Workspace.NotInChannel(without.Channel)
	with := w.Thread(t, false)
	for _, in := range []adapters.Thread{without, without, with} {
		if err := s.Typing(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if w.Workspace.Status(with.Channel, with.ID) == "" {
		t.Error("there is none where it may be")
	}
	if n := w.API.Calls()["assistant.threads.setStatus"]; n != 2 {
		t.Errorf("it is tried %d times", n)
	}
	w.DropScope("chat:write", "assistant:write")
	for range 2 {
		if err := s.Typing(t.Context(), with); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.API.Calls()["assistant.threads.setStatus"]; n != 3 {
		t.Errorf("without the scope it is tried %d times", n-2)
	}
}

// A label of many wide letters is not refused.
func TestLongLabel(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	reply := adapters.Reply{Thread: w.Thread(t, false), Text: "Done.", Choices: []adapters.Choice{{ID: "a", Text: strings.Repeat("🦊", 100)}}}
	if _, err := w.Adapter(t, nothing).Send(t.Context(), "key", reply); err != nil {
		t.Error(err)
	}
}
