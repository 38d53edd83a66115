package slacktest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
	"go.uber.org/goleak"

	"atelier/adapters/slack/slacktest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// client returns slack-go's client of s, which keeps no connection open after the test.
func client(t *testing.T, s *slacktest.Server) *slack.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return slack.New(s.BotToken(), slack.OptionAPIURL(s.URL()), slack.OptionAppLevelToken(s.AppToken()),
		slack.OptionHTTPClient(&http.Client{Transport: transport, Timeout: time.Minute}))
}

// wants fails unless err is Slack's error of that code.
func wants(t *testing.T, err error, code string) {
	t.Helper()
	said, ok := errors.AsType[slack.SlackErrorResponse](err)
	if !ok || said.Err != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// until waits until ok is true.
func until(t *testing.T, s *slacktest.Server, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Until(ctx, ok); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// listen connects slack-go's Socket Mode and delivers events to hear. An event is acknowledged if hear returns true.
func listen(t *testing.T, s *slacktest.Server, hear func(*socketmode.Client, socketmode.Event) bool) {
	t.Helper()
	sm := socketmode.New(client(t, s), socketmode.OptionReadLimit(1<<20))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for { // the client may still send after it has ended, so its channel is never closed
			select {
			case <-ctx.Done():
				return
			case e := <-sm.Events:
				if hear(sm, e) && e.Request != nil && e.Request.EnvelopeID != "" {
					if err := sm.AckCtx(ctx, e.Request.EnvelopeID, nil); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			}
		}
	}()
	run := make(chan error, 1)
	go func() { run <- sm.RunContext(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-run; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		<-ended
	})
	until(t, s, "a socket", func() bool { return s.Sockets.Count() > 0 })
}

// inner returns the event of an events_api envelope.
func inner(e socketmode.Event) any {
	if api, ok := e.Data.(slackevents.EventsAPIEvent); ok {
		return api.InnerEvent.Data
	}
	return nil
}
