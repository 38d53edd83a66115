package slack

import (
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// withoutSessions is a workspace whose apps have no sessions.
var withoutSessions = slacktest.Options{Lacks: []string{"agents.sessions.setStatus"}}

// If Slack rejects sessions, the status is a text for as long as the process lives. Temporary errors are retried.
func TestSessionRefused(t *testing.T) {
	t.Parallel()
	for code, texts := range map[string]int{"unknown_method": 3, "not_allowed": 3, "not_an_agent_app": 3, "internal_error": 0} {
		w := newWorkspace(t, false)
		s := w.Adapter(t, nothing).(adapters.Typer) //nolint:errcheck,forcetypeassert // it is one of Slack's
		w.Faults.FailNext("agents.sessions.setStatus", 3, slacktest.Failure{Error: code})
		for range 3 {
			if again, err := s.Typing(t.Context(), w.Thread(t, false), "en"); err != nil || again == 0 {
				t.Errorf("%s: it is shown again after %s: %v", code, again, err)
			}
		}
		if n := w.API.Calls()["assistant.threads.setStatus"]; n != texts {
			t.Errorf("%s: %d texts", code, n)
		}
		if n := w.API.Calls()["agents.sessions.setStatus"]; (n == 1) != (texts > 0) {
			t.Errorf("%s: sessions are tried %d times", code, n)
		}
	}
}

// If the working status is rejected in one channel, others still have it.
func TestWorkingStatusWhereItMayStand(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, false, withoutSessions)
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	without := w.Channel(t)
	without.ID = w.People.Say(slacktest.Post{Channel: without.Channel, By: w.zoe, Text: "x"})
	w.Workspace.NotInChannel(without.Channel)
	with := w.Thread(t, false)
	for _, in := range []adapters.Thread{without, without, with} {
		if _, err := s.Typing(t.Context(), in, "en"); err != nil {
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
		if _, err := s.Typing(t.Context(), with, "en"); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.API.Calls()["assistant.threads.setStatus"]; n != 3 {
		t.Errorf("without the scope it is tried %d times", n-2)
	}
}

// Whatever the workspace's error, the working status is tried once. Temporary errors are retried.
func TestWorkingStatusRefused(t *testing.T) {
	t.Parallel()
	for code, calls := range map[string]int{
		"unknown_method": 1, "missing_scope": 1, "not_allowed_token_type": 1, "not_allowed": 1, "feature_not_enabled": 1, "internal_error": 3,
	} {
		w := workspaceOf(t, false, withoutSessions)
		s := w.Adapter(t, nothing).(adapters.Typer) //nolint:errcheck,forcetypeassert // it is one of Slack's
		w.Faults.FailNext("assistant.threads.setStatus", 3, slacktest.Failure{Error: code})
		for range 3 {
			again, err := s.Typing(t.Context(), w.Thread(t, false), "en")
			if err != nil || (again > 0) != (calls > 1) {
				t.Errorf("%s: it is shown again after %s: %v", code, again, err)
			}
		}
		if n := w.API.Calls()["assistant.threads.setStatus"]; n != calls {
			t.Errorf("%s: it is tried %d times", code, n)
		}
	}
}

// The working status outlives the message that shows the progress, and ends with the work or the answer.
func TestWorkingStatusUntilTheAnswer(t *testing.T) {
	t.Parallel()
	n := 0
	for _, answers := range []bool{false, true, false, true} {
		w := newWorkspace(t, false)
		if n++; n > 2 {
			w = workspaceOf(t, false, withoutSessions)
		}
		s, ok := w.Adapter(t, openEdges).(*Slack)
		if !ok {
			t.Fatal("it is no adapter of Slack's")
		}
		in := w.Thread(t, false)
		again, err := s.Typing(t.Context(), in, "en")
		if err != nil || again <= 0 || again >= 2*time.Minute {
			t.Fatalf("it is shown again after %s: %v", again, err)
		}
		p := adapters.Progress{Thread: in, Title: "at work"}
		at, err := s.Report(t.Context(), "p", adapters.MessageRef{}, p)
		if err != nil || w.Workspace.Status(in.Channel, in.ID) == "" {
			t.Errorf("with the progress there is no status: %v", err)
		}
		if answers {
			_, err = s.Send(t.Context(), "a", edges(in, "Here it is."))
		} else {
			p.Ended = true
			_, err = s.Report(t.Context(), "p", at, p)
		}
		if status := w.Workspace.Status(in.Channel, in.ID); err != nil || status != "" {
			t.Errorf("at the end it %q: %v", status, err)
		}
	}
}

// A label of many wide letters is accepted.
func TestLongLabel(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	reply := adapters.Reply{Thread: w.Thread(t, false), Text: "Done.", Choices: []adapters.Choice{{ID: "a", Text: strings.Repeat("🦊", 100)}}}
	if _, err := w.Adapter(t, nothing).Send(t.Context(), "key", reply); err != nil {
		t.Error(err)
	}
}
