package slack

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// Only the person who enters a command sees the answer. It also comes in channels that the bot has not joined.
func TestCommandsWhereTheBotIsNot(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	h.Workspace.NotInChannel(h.channel)
	h.pressed(t, h.Interactions.Command(h.ana, h.channel, "/atelier", "help"))
	e := h.next(t)
	if e.Command == nil || strings.Contains(e.ID, "http") || strings.Contains(e.ID, "trigger") {
		t.Fatalf("received %+v", e)
	}
	worker, ok := h.Adapter(t, nothing).(*Slack) // in another process
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	reply := adapters.Reply{Thread: e.Thread, Command: e.ID, Mention: h.ana, Text: "Help **yourself**."}
	for range 2 {
		ref, err := worker.Send(t.Context(), "key", reply)
		if err != nil || ref.ID == "" {
			t.Fatalf("%+v: %v", ref, err)
		}
		if err := worker.Delete(t.Context(), ref); err != nil {
			t.Errorf("what nobody can address cannot be deleted: %v", err)
		}
	}
	if told := h.Workspace.Ephemerals(h.ana); len(told) != 1 || !strings.Contains(told[0].Text, "Help yourself.") {
		t.Errorf("the reply is %+v", told)
	}
	h.pressed(t, h.Interactions.Command(h.ana, h.channel, "/atelier", "cancel"))
	if e := h.next(t); e.Cancel == nil {
		t.Errorf("received %+v", e)
	}
	if err := h.Until(t.Context(), func() bool { return len(h.Workspace.Ephemerals(h.ana)) == 2 }); err != nil {
		t.Error("whoever cancels gets no reply")
	}
}

// After half an hour the answer is posted in the channel.
func TestLateAnswersToCommands(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	thread := adapters.Thread{Adapter: Name, Workspace: h.TeamID(), Channel: h.channel}
	gone := strings.TrimSuffix(h.URL(), "api/") + "actions/none"
	h.s.sender.Responder.Remember(t.Context(), "c-1", gone)
	for _, command := range []string{"c-1", "c-2"} {
		ref, err := h.s.Send(t.Context(), command, adapters.Reply{Thread: thread, Command: command, Text: "Help."})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := h.Workspace.Message(h.channel, ref.ID); !ok {
			t.Errorf("%s: the answer is not in the channel", command)
		}
	}
}

func TestLongCommandIsShortened(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	h.pressed(t, h.Interactions.Command(h.ana, h.channel, "/atelier", "ask "+strings.Repeat("blue ", 800)))
	m, ok := h.Workspace.Message(h.channel, h.next(t).Message.Ref.ID)
	if !ok || !strings.HasPrefix(m.Text, "Ana asks: blue") || !strings.HasSuffix(m.Text, "…") {
		t.Errorf("it is shown as %.40q", m.Text)
	}
}

// A temporary fault does not promise a retry where there is none.
func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	h.Faults.FailNext("chat.postMessage", 1, slacktest.Failure{Error: "internal_error"})
	h.pressed(t, h.Interactions.Command(h.ana, h.channel, "/atelier", "ask make it blue"))
	if err := h.Until(t.Context(), func() bool { return len(h.Workspace.Ephemerals(h.ana)) == 1 }); err != nil {
		t.Fatal(err)
	}
	if told := h.Workspace.Ephemerals(h.ana)[0].Text; !strings.Contains(told, "Please try again") {
		t.Errorf("the reply is %q", told)
	}
}

// A request that one process accepted is not accepted by another; a request that nobody accepted may be repeated
// at once.
func TestReplays(t *testing.T) {
	t.Parallel()
	h := listen(t, true)
	body := url.Values{"user_id": {h.ana}, "channel_id": {h.channel}, "text": {"ask make it blue"}, "trigger_id": {"1.2.3"}}.Encode()
	now := time.Now()
	other, ok := h.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	for range 2 { // nobody listens there
		if code := signed(t, other, now, "commands", body); code != http.StatusServiceUnavailable {
			t.Errorf("what nobody takes is answered with %d", code)
		}
	}
	if code := signed(t, h.s, now, "commands", body); code != http.StatusOK {
		t.Errorf("the first one is answered with %d", code)
	}
	h.next(t)
	for _, s := range []*Slack{h.s, other} {
		if code := signed(t, s, now, "commands", body); code != http.StatusUnauthorized {
			t.Errorf("the replay is answered with %d", code)
		}
	}
	if code := signed(t, h.s, now.Add(time.Second), "commands", body); code != http.StatusOK {
		t.Errorf("what Slack sends again is answered with %d", code)
	}
	if err := h.Until(t.Context(), h.Deliveries.Idle); err != nil {
		t.Fatal(err)
	}
	if n := h.API.Calls()["chat.postMessage"]; n != 1 {
		t.Errorf("the wish is written down %d times", n)
	}
}

func TestTextsThatBeginLikePages(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	for _, data := range []string{"<html>\nis how a page begins", "<html>" + strings.Repeat(" long", 1000), "<html>" + strings.Repeat("x", 2<<20)} {
		h.say(slacktest.Post{Text: h.mention("look"), Files: []slacktest.File{{Name: "a.txt", Type: "text/plain", Data: []byte(data)}}})
		if got := h.read(t, h.next(t).Message.Files[0]); got != data {
			t.Errorf("%d bytes came of %d", len(got), len(data))
		}
	}
}
