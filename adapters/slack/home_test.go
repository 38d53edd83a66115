package slack

import (
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// Opening the home tab is a command, whose answer appears only in that tab.
func TestHomeTab(t *testing.T) {
	t.Parallel()
	for _, byHTTP := range []bool{false, true} {
		h := listen(t, byHTTP)
		in := h.Workspace.DM(h.ana)
		h.People.Open(h.ana, "home")
		e := h.next(t)
		if e.Kind != adapters.CommandGiven || e.Command.Name != adapters.HomeCommand || e.By.Name != "Ana" || e.Thread.Channel != in || !e.Thread.Direct {
			t.Fatalf("received %+v", e)
		}
		h.People.Open(h.ana, "home") // at once again, which is no news
		r := adapters.Reply{Thread: e.Thread, Command: e.ID, Text: "You can try:\n- make it **blue**"}
		for range 2 {
			ref, err := h.s.Send(t.Context(), "a", r)
			if err != nil || ref.IsZero() {
				t.Fatalf("it is %+v: %v", ref, err)
			}
		}
		if home := string(h.Interactions.Home(h.ana)); !strings.Contains(home, "You can try:") || !strings.Contains(home, "blue") {
			t.Errorf("the home tab shows %s", home)
		}
		if all := h.Workspace.Messages(in, ""); len(all) > 0 || h.Interactions.Home(h.zoe) != nil {
			t.Errorf("others see %+v", all)
		}
		h.say(slacktest.Post{Text: h.mention("after")})
		if e := h.next(t); e.Message == nil || e.Message.Text != "after" {
			t.Errorf("received %+v", e)
		}
	}
}

// A server without a home tab is asked once, and nobody is told.
func TestHomeTabRefused(t *testing.T) {
	t.Parallel()
	for code, calls := range map[string]int{"unknown_method": 1, "not_enabled": 1, "invalid_arguments": 1, "missing_scope": 1, "internal_error": 2} {
		h := listen(t, false)
		h.Faults.FailNext("views.publish", 1, slacktest.Failure{Error: code})
		h.People.Open(h.ana, "home")
		r := adapters.Reply{Command: h.next(t).ID, Text: "You can try:"}
		r.Thread = h.Thread(t, true)
		_, err := h.s.Send(t.Context(), "a", r)
		if (err != nil) != (calls > 1) {
			t.Errorf("%s: it fails with %v", code, err)
		}
		if _, err = h.s.Send(t.Context(), "a", r); err != nil {
			t.Errorf("%s: once more it fails with %v", code, err)
		}
		if n := h.API.Calls()["views.publish"]; n != calls || len(h.Workspace.Messages(r.Thread.Channel, "")) > 0 {
			t.Errorf("%s: it is tried %d times", code, n)
		}
		bob := h.Person(t, "Bob").ID
		h.People.Open(bob, "home")
		if err := h.Until(t.Context(), h.Deliveries.Idle); err != nil {
			t.Fatal(err)
		}
		if n := len(h.events); n != calls-1 {
			t.Errorf("%s: received %d openings", code, n)
		}
	}
}

// Threads have the URLs at which people open them.
func TestLocate(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, false)
	s, ok := w.Adapter(t, nothing).(adapters.Locator)
	if !ok {
		t.Fatal("it does not tell addresses")
	}
	in := w.Thread(t, false)
	direct, elsewhere := w.Thread(t, true), in
	elsewhere.Workspace = "T0OTHER"
	for want, in := range map[string]adapters.Thread{
		"https://workshop.slack.com/archives/" + in.Channel + "/p" + strings.ReplaceAll(in.ID, ".", ""): in,
		"https://workshop.slack.com/archives/" + direct.Channel:                                         direct,
		"": elsewhere,
	} {
		if got, err := s.Locate(t.Context(), in); err != nil || got != want {
			t.Errorf("it is %q instead of %q: %v", got, want, err)
		}
	}
}

// A person who opens the conversation with the bot gets the requests of the answer as suggestions, at most four,
// and no message.
func TestSuggestedPrompts(t *testing.T) {
	t.Parallel()
	for _, byHTTP := range []bool{false, true} {
		h := listen(t, byHTTP)
		in := h.Workspace.DM(h.ana)
		h.People.Open(h.ana, "messages")
		e := h.next(t)
		if e.Kind != adapters.CommandGiven || e.Command.Name != adapters.PromptsCommand || e.By.Name != "Ana" || e.Thread.Channel != in || !e.Thread.Direct {
			t.Fatalf("received %+v", e)
		}
		h.People.Open(h.ana, "messages") // again, which is no news
		suggests := func(r adapters.Reply, want ...string) {
			r.Thread, r.Command = e.Thread, e.ID
			ref, err := h.s.Send(t.Context(), "a", r)
			var got []string
			for _, p := range h.Workspace.Prompts(in) {
				got = append(got, p.Title+": "+p.Message)
			}
			if err != nil || ref.IsZero() || !slices.Equal(got, want) || len(h.Workspace.Messages(in, "")) > 0 {
				t.Errorf("%+v suggests %q: %v", r, got, err)
			}
		}
		suggests(adapters.Reply{Text: "I am not allowed to work for you here."}) // which is no request
		var examples []adapters.Example
		for _, wish := range []string{"make it [blue] & bold", "b", "c", "d", "e"} {
			examples = append(examples, adapters.Example{Key: "a", Text: wish})
		}
		examples[1].Label = "乙" // in people's language
		suggests(adapters.Reply{Text: "You can try:", Examples: examples}, "make it [blue] & bold: make it [blue] & bold", "乙: b", "c: c", "d: d")
		suggests(adapters.Reply{Text: "You can try:", Examples: examples[4:]}, "e: e")
		h.idle(t)
	}
}

// A server without suggestions is asked once, and nobody is told.
func TestSuggestedPromptsRefused(t *testing.T) {
	t.Parallel()
	for code, calls := range map[string]int{
		"unknown_method": 1, "not_enabled": 1, "invalid_arguments": 1, "missing_scope": 1, "channel_not_found": 1, "internal_error": 2,
	} {
		h := listen(t, false)
		h.Faults.FailNext("assistant.threads.setSuggestedPrompts", 1, slacktest.Failure{Error: code})
		h.People.Open(h.ana, "messages")
		e := h.next(t)
		r := adapters.Reply{Thread: e.Thread, Command: e.ID, Text: "You can try:", Examples: []adapters.Example{{Key: "a", Text: "a"}}}
		if _, err := h.s.Send(t.Context(), "a", r); (err != nil) != (calls > 1) {
			t.Errorf("%s: it fails with %v", code, err)
		}
		if _, err := h.s.Send(t.Context(), "a", r); err != nil {
			t.Errorf("%s: once more it fails with %v", code, err)
		}
		if n := h.API.Calls()["assistant.threads.setSuggestedPrompts"]; n != calls || len(h.Workspace.Messages(e.Thread.Channel, "")) > 0 {
			t.Errorf("%s: it is tried %d times", code, n)
		}
	}
}
