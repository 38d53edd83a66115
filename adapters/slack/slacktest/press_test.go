package slacktest_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"atelier/adapters/slack/slacktest"
)

// TestShortcut follows "Use with Atelier": shortcut, modal, typed text, and the answers at the response URL.
func TestShortcut(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{AckWithin: time.Minute})
	api := client(t, s)
	var mu sync.Mutex
	var got []slack.InteractionCallback
	listen(t, s, func(_ *socketmode.Client, e socketmode.Event) bool {
		if i, ok := e.Data.(slack.InteractionCallback); ok {
			mu.Lock()
			got = append(got, i)
			mu.Unlock()
		}
		return true
	})
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	ts := s.People.Say(slacktest.Post{Channel: c, By: ann, Files: []slacktest.File{{Name: "a.png", Data: []byte("x")}}})
	pick := s.Interactions.Shortcut(ann, c, ts, "use_with_atelier")
	if _, err := pick.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	plain := func(text string) *slack.TextBlockObject {
		return slack.NewTextBlockObject("plain_text", text, false, false)
	}
	view := slack.ModalViewRequest{
		Type: "modal", CallbackID: "wish", PrivateMetadata: "m1", Title: plain("Use with Atelier"), Submit: plain("Go"),
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewInputBlock("wish", plain("Your wish"), nil, slack.NewPlainTextInputBlockElement(nil, "text")),
		}},
	}
	opened, err := api.OpenViewContext(t.Context(), pick.TriggerID, view)
	if err != nil {
		t.Fatal(err)
	}
	_, err = api.OpenViewContext(t.Context(), pick.TriggerID, view)
	wants(t, err, "exchanged_trigger_id")
	if _, err := s.Interactions.SubmitView(ann, opened.ID, map[string]string{"text": "make it grey"}).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := s.Interactions.Views(); len(v) != 1 || v[0].Open || v[0].User != ann || v[0].CallbackID != "wish" {
		t.Errorf("%+v", v)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 2 || got[0].Type != slack.InteractionTypeMessageAction || len(got[0].Message.Files) != 1 ||
		got[1].View.State.Values["wish"]["text"].Value != "make it grey" || got[1].View.PrivateMetadata != "m1" {
		t.Fatalf("%+v", got)
	}
	for i := range 6 {
		err := slack.PostWebhookCustomHTTPContext(t.Context(), pick.ResponseURL, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, &slack.WebhookMessage{Text: "seen"})
		if (err == nil) != (i < 5) {
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if e := s.Workspace.Ephemerals(ann); len(e) != 5 || e[0].Text != "seen" || e[0].ResponseURL != pick.ResponseURL {
		t.Errorf("%+v", e)
	}
}

func TestButtonAndCommand(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{AckWithin: time.Minute})
	var pressed slack.InteractionCallback
	listen(t, s, func(sm *socketmode.Client, e socketmode.Event) bool {
		switch data := e.Data.(type) {
		case slack.InteractionCallback:
			pressed = data
		case slack.SlashCommand:
			if err := sm.AckCtx(context.Background(), e.Request.EnvelopeID, map[string]string{"text": data.Text + "!"}); err != nil {
				t.Error(err)
			}
			return false
		}
		return true
	})
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	button := slack.NewButtonBlockElement("choose", "2", slack.NewTextBlockObject("plain_text", "Two", false, false))
	_, ts, err := client(t, s).PostMessageContext(t.Context(), c, slack.MsgOptionText("or", false), slack.MsgOptionBlocks(slack.NewActionBlock("choices", button)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Interactions.Press(ann, c, ts, "choose").Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	action := pressed.ActionCallback.BlockActions[0]
	if action.ActionID != "choose" || action.Value != "2" || action.BlockID != "choices" || pressed.User.ID != ann ||
		pressed.Channel.ID != c || pressed.Container.MessageTs != ts || pressed.Message.Timestamp != ts || pressed.ResponseURL == "" {
		t.Errorf("%+v", pressed)
	}
	ack, err := s.Interactions.Command(ann, c, "/atelier", "status").Wait(t.Context())
	if err != nil || string(ack) != `{"text":"status!"}` {
		t.Errorf("%s %v", ack, err)
	}
}

func TestFaultsOfCalls(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	c := s.Workspace.Channel("here")
	post := func() error {
		_, _, err := api.PostMessageContext(t.Context(), c, slack.MsgOptionText("hi", false))
		return err
	}
	s.Faults.RateLimit("chat.postMessage", 1, 1500*time.Millisecond)
	if limited, ok := errors.AsType[*slack.RateLimitedError](post()); !ok || limited.RetryAfter != 2*time.Second {
		t.Errorf("%v", limited)
	}
	s.Faults.FailNext("", 1, slacktest.Failure{Error: "internal_error"})
	wants(t, post(), "internal_error")
	for _, f := range []slacktest.Failure{{Status: 503}, {Status: 200}, {}} {
		s.Faults.FailNext("chat.postMessage", 1, f)
		if err := post(); err == nil {
			t.Errorf("%+v did not fail", f)
		}
	}
	if n := len(s.Workspace.Messages(c, "")); n != 0 {
		t.Errorf("%d messages posted", n)
	}
	s.Faults.LoseAnswers("chat.postMessage", 1)
	if post() == nil {
		t.Error("the response was not lost")
	}
	if n := len(s.Workspace.Messages(c, "")); n != 1 {
		t.Errorf("%d messages posted", n)
	}
	stalled, release := s.Faults.Stall("chat.postMessage")
	done := make(chan error, 1)
	go func() { done <- post() }()
	<-stalled
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := s.API.Calls()["chat.postMessage"]; n != 7 {
		t.Errorf("%d calls", n)
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{Tiers: 1})
	c := s.Workspace.Channel("here")
	limited := false
	for range 30 {
		_, status, header := raw(t, s, "chat.postMessage", s.BotToken(), "application/json", `{"channel":"`+c+`","text":"x"}`)
		if limited = status == http.StatusTooManyRequests; limited {
			if header.Get("Retry-After") != "1" {
				t.Errorf("%v", header)
			}
			break
		}
	}
	if !limited {
		t.Error("calls are never limited")
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	root := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "draw"})
	set := func(ts, status string) error {
		return api.SetAssistantThreadsStatusContext(t.Context(), slack.AssistantThreadsSetStatusParameters{ChannelID: c, ThreadTS: ts, Status: status})
	}
	if err := set(root, "is drawing"); err != nil {
		t.Fatal(err)
	}
	wants(t, set("1.000000", "is lost"), "invalid_thread_ts")
	if now := s.Workspace.Status(c, root); now != "is drawing" {
		t.Errorf("%q", now)
	}
	if _, _, err := api.PostMessageContext(t.Context(), c, slack.MsgOptionText("done", false), slack.MsgOptionTS(root)); err != nil {
		t.Fatal(err)
	}
	if now := s.Workspace.Status(c, root); now != "" {
		t.Errorf("%q", now)
	}
}
