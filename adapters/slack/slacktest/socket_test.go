package slacktest_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"atelier/adapters/slack/slacktest"
)

// heard collects the received events.
type heard struct {
	mu     sync.Mutex
	events []socketmode.Event
}

func (h *heard) add(e socketmode.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// words returns the events by type and subtype, in order.
func (h *heard) words() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var of []string
	for _, e := range h.events {
		switch i := inner(e).(type) {
		case *slackevents.MessageEvent:
			of = append(of, "message "+i.SubType+" "+i.User)
		case *slackevents.AppMentionEvent:
			of = append(of, "app_mention "+i.User)
		case *slackevents.ReactionAddedEvent:
			of = append(of, "added "+i.Reaction+" "+i.User)
		case *slackevents.ReactionRemovedEvent:
			of = append(of, "removed "+i.Reaction+" "+i.User)
		}
	}
	return of
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	var h heard
	listen(t, s, func(_ *socketmode.Client, e socketmode.Event) bool {
		h.add(e)
		return true
	})
	ann, robot := s.Workspace.User("ann"), s.Workspace.Bot("robot")
	c, dm, foreign := s.Workspace.Channel("here", ann), s.Workspace.DM(ann), s.Workspace.Channel("foreign", ann)
	s.Workspace.NotInChannel(foreign)
	s.People.Say(slacktest.Post{Channel: foreign, By: ann, Text: slacktest.Mention(s.BotUser())})
	root := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: slacktest.Mention(s.BotUser()) + " draw"})
	s.People.Say(slacktest.Post{Channel: c, By: ann, ThreadTS: root, Files: []slacktest.File{{Name: "a.png", Data: []byte("\x89PNG\r\n\x1a\n")}}})
	s.People.Say(slacktest.Post{Channel: c, By: robot, Text: slacktest.Mention(s.BotUser())})
	s.People.Say(slacktest.Post{Channel: dm, By: ann, Text: slacktest.Mention(s.BotUser())})
	s.People.React(ann, c, root, "two", true)
	s.People.React(ann, c, root, "two", true)
	s.People.React(ann, c, root, "two", false)
	s.People.Edit(c, root, "other")
	s.People.Delete(c, root)
	if _, _, err := client(t, s).PostMessageContext(t.Context(), dm, slack.MsgOptionText("done", false)); err != nil {
		t.Fatal(err)
	}
	until(t, s, "all is heard", s.Deliveries.Idle)
	want := []string{
		"message  " + ann, "app_mention " + ann, "message file_share " + ann, "message  " + robot, "app_mention " + robot,
		"message  " + ann, "added two " + ann, "removed two " + ann, "message message_changed ", "message message_changed ",
		"message  " + s.BotUser(),
	}
	if got := h.words(); !slices.Equal(got, want) {
		t.Errorf("received\n%q, want\n%q", got, want)
	}
}

func TestOnlyGrantedEventsAreSent(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{MentionFirst: true})
	var h heard
	listen(t, s, func(_ *socketmode.Client, e socketmode.Event) bool {
		h.add(e)
		return true
	})
	ann := s.Workspace.User("ann")
	c, dm := s.Workspace.Channel("here"), s.Workspace.DM(ann)
	text := slacktest.Mention(s.BotUser())
	s.People.Say(slacktest.Post{Channel: c, By: ann, Text: text})
	s.DropScope("channels:history", "reactions:read")
	ts := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: text})
	s.People.React(ann, c, ts, "one", true)
	s.DropScope("app_mentions:read")
	s.People.Say(slacktest.Post{Channel: c, By: ann, Text: text})
	s.People.Say(slacktest.Post{Channel: dm, By: ann, Text: text})
	until(t, s, "all is heard", s.Deliveries.Idle)
	want := []string{"app_mention " + ann, "message  " + ann, "app_mention " + ann, "message  " + ann}
	if got := h.words(); !slices.Equal(got, want) {
		t.Errorf("received %q, want %q", got, want)
	}
}

func TestRedelivery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault func(*slacktest.Server)
		o     slacktest.Options
	}{
		"no answer":          {func(*slacktest.Server) {}, slacktest.Options{AckWithin: time.Millisecond, Retries: []time.Duration{0}}},
		"a broken socket":    {func(s *slacktest.Server) { s.Sockets.Disconnect("") }, slacktest.Options{}},
		"asked to go":        {func(s *slacktest.Server) { s.Sockets.Disconnect(slacktest.RefreshRequested) }, slacktest.Options{}},
		"the same once more": {nil, slacktest.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.New(t, c.o)
			ann := s.Workspace.User("ann")
			place := s.Workspace.Channel("here", ann)
			var mu sync.Mutex
			var ids []string
			var attempts []int
			first := make(chan struct{})
			listen(t, s, func(_ *socketmode.Client, e socketmode.Event) bool {
				api, ok := e.Data.(slackevents.EventsAPIEvent)
				if !ok {
					return true
				}
				callback, ok := api.Data.(*slackevents.EventsAPICallbackEvent)
				if !ok {
					t.Errorf("%T", api.Data)
					return true
				}
				mu.Lock()
				defer mu.Unlock()
				ids = append(ids, callback.EventID)
				attempts = append(attempts, e.Request.RetryAttempt)
				if len(ids) == 1 {
					close(first)
				}
				return c.fault == nil || len(ids) > 1
			})
			ts := s.People.Say(slacktest.Post{Channel: place, By: ann, Text: "hi"})
			<-first
			if c.fault == nil {
				s.Deliveries.Echo(place, ts)
			} else {
				c.fault(s)
			}
			until(t, s, "it is taken", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(ids) >= 2 && s.Deliveries.Idle()
			})
			mu.Lock()
			defer mu.Unlock()
			if len(ids) != 2 || ids[0] != ids[1] || !slices.Equal(attempts, []int{0, 1}) {
				t.Errorf("event ids %q, attempts %v", ids, attempts)
			}
		})
	}
}

func TestRevokedToken(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	sm := socketmode.New(client(t, s))
	run := make(chan error, 1)
	go func() { run <- sm.RunContext(t.Context()) }()
	told, revoked := false, false
	for !told {
		select {
		case err := <-run:
			t.Fatalf("the socket closed without the event: %v", err)
		case e := <-sm.Events:
			if e.Type == socketmode.EventTypeHello && !revoked {
				revoked = true
				s.Revoke("token_revoked")
			}
			if _, ok := inner(e).(*slackevents.TokensRevokedEvent); ok {
				told = true
				if err := sm.AckCtx(t.Context(), e.Request.EnvelopeID, nil); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if err := <-run; err == nil || err.Error() != "token_revoked" {
		t.Error(err)
	}
}

func TestSeveralSockets(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	var a, b heard
	listen(t, s, func(_ *socketmode.Client, e socketmode.Event) bool { a.add(e); return true })
	listen(t, s, func(_ *socketmode.Client, e socketmode.Event) bool { b.add(e); return true })
	until(t, s, "both", func() bool { return s.Sockets.Count() == 2 })
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	for range 10 {
		s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "x"})
	}
	until(t, s, "all is heard", s.Deliveries.Idle)
	if one, two := len(a.words()), len(b.words()); one != 5 || two != 5 {
		t.Errorf("%d and %d of 10", one, two)
	}
}
