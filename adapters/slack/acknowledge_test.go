package slack

import (
	"sync"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// Rejected reactions are retried one after another, until all are there.
func TestSignsAtSlacksPace(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, false, slacktest.Options{Tiers: 20})
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	if _, err := s.identity.Self(t.Context()); err != nil {
		t.Fatal(err)
	}
	const requests = 40
	var all sync.WaitGroup
	for range requests {
		on := convert.Ref(w.TeamID(), w.channel, w.People.Say(slacktest.Post{Channel: w.channel, By: w.zoe, Text: "x"}))
		all.Go(func() {
			if err := s.Acknowledge(t.Context(), on, adapters.Seen); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	refused, calls := w.API.Limited("reactions.add"), w.API.Calls()["reactions.add"]
	if refused == 0 || calls > 3*requests {
		t.Errorf("of %d calls %d are refused", calls, refused)
	}
}
