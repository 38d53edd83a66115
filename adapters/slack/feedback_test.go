package slack

import (
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// TestFeedback checks that votes are received from answers with and without files, and from nothing else.
func TestFeedback(t *testing.T) {
	t.Parallel()
	h := listenWith(t, newWorkspace(t, false), openEdges)
	in := h.Thread(t, false)
	text := h.answered(in)
	text.Files = nil
	for key, r := range map[string]adapters.Reply{"files": h.answered(in), "text": text} {
		ref, err := h.s.Send(t.Context(), key, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, good := range []bool{true, false} {
			h.pressed(t, h.Interactions.Rate(h.ana, in.Channel, ref.ID, convert.RateAction, good))
			want := adapters.Bad
			if good {
				want = adapters.Good
			}
			if e := h.next(t); e.Reaction == nil || e.Reaction.Sign != want || e.Reaction.On.Key() != ref.Key() || e.By.ID != h.ana || e.Thread.ID != in.ID {
				t.Errorf("%s: received %+v", key, e)
			}
		}
	}
	if _, err := h.s.Send(t.Context(), "other", adapters.Reply{Thread: in, Text: "Which one?"}); err != nil {
		t.Fatal(err)
	}
	if all := h.own(in); strings.Contains(string(all[len(all)-1].Blocks), convert.RateAction) {
		t.Error("what is no answer can be rated")
	}
}

// A server without feedback buttons gets everything else, and is asked only once.
func TestFeedbackRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  bool
		method string
	}{"text": {false, "chat.postMessage"}, "files": {true, showFiles}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := workspaceOf(t, false, slacktest.Options{LacksFeedback: true})
			s, in := w.Adapter(t, openEdges), w.Thread(t, false)
			for _, key := range []string{"a", "b"} {
				r := w.answered(in)
				if !c.files {
					r.Files = nil
				}
				if _, err := s.Send(t.Context(), key, r); err != nil {
					t.Fatal(err)
				}
			}
			all := w.own(in)
			if len(all) != 2 || w.API.Calls()[c.method] != 3 {
				t.Fatalf("%d messages take %d calls", len(all), w.API.Calls()[c.method])
			}
			for _, m := range all {
				if blocks := string(m.Blocks); strings.Contains(blocks, convert.RateAction) || !strings.Contains(blocks, `"action_id":"`+adapters.Again.ButtonID()+`"`) || (len(m.Files) > 0) != c.files {
					t.Errorf("the message is %+v", m)
				}
			}
		})
	}
}
