package slack

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// What Slack refuses is tried again one after another, until all of it is there.
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
		on := address(w.TeamID(), w.channel, w.Say(slacktest.Post{Channel: w.channel, By: w.zoe, Text: "x"}))
		all.Go(func() {
			if err := s.Acknowledge(t.Context(), on, adapters.Seen); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	refused, calls := 0, w.CallsOf("reactions.add")
	for _, c := range calls {
		if c.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 || len(calls) > 3*requests {
		t.Errorf("of %d calls %d are refused", len(calls), refused)
	}
}

func TestPaces(t *testing.T) {
	t.Parallel()
	var p paces
	if pause, ok := p.turn(t.Context(), "a", time.Second); pause != 0 || !ok {
		t.Error("it waits before anything is refused")
	}
	begun := time.Now()
	p.hold("a", begun, time.Hour)
	p.hold("a", begun, time.Second) // a longer pause stands
	if _, ok := p.turn(t.Context(), "a", time.Minute); ok || p.isHeld("a") {
		t.Error("the pause is not kept")
	}
	first, _ := p.turn(t.Context(), "a", 2*time.Hour)
	second, _ := p.turn(t.Context(), "a", 2*time.Hour)
	if apart := second - first; apart > firstBeat || apart <= 0 {
		t.Errorf("the turns are %v apart", apart)
	}
	for range 20 {
		p.hold("a", p.of["a"].until.Add(1), 2*time.Hour)
	}
	if every := p.of["a"].every; every != lastBeat || !p.isHeld("a") || p.isHeld("b") {
		t.Errorf("it is called every %v", every)
	}
	p.hold("b", begun, 0)
	p.of["b"].until = begun.Add(-settled)
	for range 200 {
		p.went("b")
	}
	if p.isPaced("b") || !p.isPaced("a") {
		t.Error("what is not refused any more is paced")
	}
}
