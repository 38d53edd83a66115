package slacktest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"atelier/adapters/slack/slacktest"
)

func TestInvalidPosts(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	ann := s.Workspace.User("ann")
	here, archived, foreign, restricted, gone := s.Workspace.Channel("here", ann), s.Workspace.Channel("old"), s.Workspace.Channel("foreign"), s.Workspace.Channel("news"), s.Workspace.Channel("gone")
	locked := s.Workspace.Channel("locked")
	root := s.People.Say(slacktest.Post{Channel: here, By: ann, Text: "root"})
	reply := s.People.Say(slacktest.Post{Channel: here, By: ann, Text: "reply", ThreadTS: root})
	lockedRoot := s.People.Say(slacktest.Post{Channel: locked, By: ann, Text: "root"})
	s.Workspace.Archive(archived)
	s.Workspace.NotInChannel(foreign)
	s.Workspace.Restrict(restricted)
	s.Workspace.DeleteChannel(gone)
	s.Workspace.NoThreads(locked)
	plain := func(text string) *slack.TextBlockObject {
		return slack.NewTextBlockObject("plain_text", text, false, false)
	}
	text := func(n int) slack.Block {
		return slack.NewRichTextBlock("", slack.NewRichTextSection(slack.NewRichTextSectionTextElement(strings.Repeat("x", n), nil)))
	}
	button := func(id, value, label string) slack.BlockElement {
		return slack.NewButtonBlockElement(id, value, plain(label))
	}
	buttons := func(n int) (of []slack.BlockElement) {
		for i := range n {
			of = append(of, button(fmt.Sprint("id", i), "v", "label"))
		}
		return of
	}
	for name, c := range map[string]struct {
		channel string
		option  slack.MsgOption
		code    string // "" means that it is posted
	}{
		"no text":            {here, slack.MsgOptionText("", false), "no_text"},
		"too long":           {here, slack.MsgOptionText(strings.Repeat("é", 40_001), false), "msg_too_long"},
		"as long as may be":  {here, slack.MsgOptionText(strings.Repeat("é", 40_000), false), ""},
		"unknown channel":    {"C404", slack.MsgOptionText("hi", false), "channel_not_found"},
		"deleted channel":    {gone, slack.MsgOptionText("hi", false), "channel_not_found"},
		"archived":           {archived, slack.MsgOptionText("hi", false), "is_archived"},
		"not in channel":     {foreign, slack.MsgOptionText("hi", false), "not_in_channel"},
		"restricted":         {restricted, slack.MsgOptionText("hi", false), "restricted_action"},
		"unknown thread":     {here, slack.MsgOptionCompose(slack.MsgOptionText("hi", false), slack.MsgOptionTS("1.000001")), "thread_not_found"},
		"reply to a reply":   {here, slack.MsgOptionCompose(slack.MsgOptionText("hi", false), slack.MsgOptionTS(reply)), "cannot_reply_to_message"},
		"thread":             {here, slack.MsgOptionCompose(slack.MsgOptionText("hi", false), slack.MsgOptionTS(root)), ""},
		"locked thread":      {locked, slack.MsgOptionCompose(slack.MsgOptionText("hi", false), slack.MsgOptionTS(lockedRoot)), "restricted_action_thread_locked"},
		"50 blocks":          {here, slack.MsgOptionBlocks(slices.Repeat([]slack.Block{text(1)}, 50)...), ""},
		"51 blocks":          {here, slack.MsgOptionBlocks(slices.Repeat([]slack.Block{text(1)}, 51)...), "invalid_blocks"},
		"an unknown block":   {here, slack.MsgOptionBlocks(slack.NewDividerBlock()), "invalid_blocks"},
		"blocks of 15,000":   {here, slack.MsgOptionBlocks(slices.Repeat([]slack.Block{text(3000)}, 5)...), "msg_blocks_too_long"},
		"25 buttons":         {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", buttons(25)...)), ""},
		"26 buttons":         {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", buttons(26)...)), "invalid_blocks"},
		"a long label":       {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", button("x", "v", strings.Repeat("x", 76)))), "invalid_blocks"},
		"a long value":       {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", button("x", strings.Repeat("v", 2001), "x"))), "invalid_blocks"},
		"a long action id":   {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", button(strings.Repeat("x", 256), "v", "x"))), "invalid_blocks"},
		"an action id twice": {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", button("x", "v", "x"), button("x", "v", "x"))), "invalid_blocks"},
		"a block id twice":   {here, slack.MsgOptionBlocks(slack.NewActionBlock("a", buttons(1)...), slack.NewActionBlock("a", button("z", "v", "z"))), "invalid_blocks"},
		"a long block id":    {here, slack.MsgOptionBlocks(slack.NewActionBlock(strings.Repeat("a", 256), buttons(1)...)), "invalid_blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			channel, ts, err := client(t, s).PostMessageContext(t.Context(), c.channel, c.option)
			if c.code != "" {
				wants(t, err, c.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Workspace.Message(channel, ts); !ok {
				t.Error("not posted")
			}
		})
	}
}

func TestUpdateAndDelete(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	hers := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "hers"})
	meta := slack.SlackMetadata{EventType: "sent", EventPayload: map[string]any{"key": "k1"}}
	_, ts, err := api.PostMessageContext(t.Context(), c, slack.MsgOptionText("one", false), slack.MsgOptionMetadata(meta))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := api.UpdateMessageContext(t.Context(), c, ts, slack.MsgOptionText("two", false)); err != nil {
		t.Fatal(err)
	}
	m, _ := s.Workspace.Message(c, ts)
	if m.Text != "two" || m.Edited != 1 || m.User != s.BotUser() || m.BotID != s.BotID() {
		t.Errorf("%+v", m)
	}
	history, err := api.GetConversationHistoryContext(t.Context(), &slack.GetConversationHistoryParameters{
		ChannelID: c, IncludeAllMetadata: true, Oldest: ts, Inclusive: true,
	})
	if err != nil || len(history.Messages) != 1 || history.Messages[0].Metadata.EventPayload["key"] != "k1" {
		t.Errorf("%+v %v", history, err)
	}
	update := func(ts, text string) error {
		_, _, _, err := api.UpdateMessageContext(t.Context(), c, ts, slack.MsgOptionText(text, false))
		return err
	}
	err = update(hers, "mine")
	wants(t, err, "cant_update_message")
	err = update("1.000000", "none")
	wants(t, err, "message_not_found")
	err = update(ts, strings.Repeat("é", 2001))
	wants(t, err, "msg_too_long")
	_, _, err = api.DeleteMessageContext(t.Context(), c, hers)
	wants(t, err, "cant_delete_message")
	if _, _, err := api.DeleteMessageContext(t.Context(), c, ts); err != nil {
		t.Error(err)
	}
	if _, there := s.Workspace.Message(c, ts); there {
		t.Error("not deleted")
	}
}

func TestNotified(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	ann, bob, eve := s.Workspace.User("ann"), s.Workspace.User("bob"), s.Workspace.User("eve")
	c := s.Workspace.Channel("here", ann, bob)
	block := func(e slack.RichTextSectionElement) slack.MsgOption {
		return slack.MsgOptionBlocks(slack.NewRichTextBlock("", slack.NewRichTextSection(e)))
	}
	text := func(text string) slack.MsgOption { return slack.MsgOptionText(text, false) }
	for name, to := range map[string]struct {
		option slack.MsgOption
		want   []string
	}{
		"nobody":                    {text("@ann and @channel"), nil},
		"a mention":                 {text("hi " + slacktest.Mention(ann)), []string{ann}},
		"escaped":                   {text("hi &lt;@" + ann + "&gt; &lt;!channel&gt;"), nil},
		"the channel":               {text("<!channel>"), []string{ann, bob}},
		"here":                      {text("<!here|here>"), []string{ann, bob}},
		"not in the channel":        {text(slacktest.Mention(eve)), nil},
		"all, in blocks":            {block(slack.NewRichTextSectionBroadcastElement("channel")), []string{ann, bob}},
		"blocks":                    {block(slack.NewRichTextSectionUserElement(bob, nil)), []string{bob}},
		"the text beside of blocks": {slack.MsgOptionCompose(text(slacktest.Mention(ann)), block(slack.NewRichTextSectionTextElement("nobody", nil))), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, ts, err := client(t, s).PostMessageContext(t.Context(), c, to.option)
			if err != nil {
				t.Fatal(err)
			}
			if m, _ := s.Workspace.Message(c, ts); !slices.Equal(m.Notified, to.want) {
				t.Errorf("notified %v, want %v", m.Notified, to.want)
			}
		})
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	ts := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "hi"})
	item := slack.NewRefToMessage(c, ts)
	if err := api.AddReactionContext(t.Context(), "two", item); err != nil {
		t.Fatal(err)
	}
	wants(t, api.AddReactionContext(t.Context(), "two", item), "already_reacted")
	wants(t, api.AddReactionContext(t.Context(), "2️⃣", item), "invalid_name")
	wants(t, api.AddReactionContext(t.Context(), "number_two", item), "invalid_name")
	wants(t, api.AddReactionContext(t.Context(), "two", slack.NewRefToMessage(c, "1.000000")), "message_not_found")
	wants(t, api.RemoveReactionContext(t.Context(), "one", item), "no_reaction")
	s.People.React(ann, c, ts, "two", true)
	s.People.React(ann, c, ts, "+1::skin-tone-3", true)
	got, err := api.GetReactionsContext(t.Context(), item, slack.GetReactionsParameters{})
	if err != nil || len(got.Reactions) != 2 || !slices.Equal(got.Reactions[0].Users, []string{s.BotUser(), ann}) {
		t.Errorf("%+v %v", got, err)
	}
	if err := api.RemoveReactionContext(t.Context(), "two", item); err != nil {
		t.Error(err)
	}
	m, _ := s.Workspace.Message(c, ts)
	if len(m.Reactions) != 2 || !slices.Equal(m.Reactions[0].Users, []string{ann}) || m.Reactions[1].Name != "+1" {
		t.Errorf("%+v", m.Reactions)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	api := client(t, s)
	ann := s.Workspace.User("ann")
	c := s.Workspace.Channel("here", ann)
	root := s.People.Say(slacktest.Post{Channel: c, By: ann, Text: "root"})
	var want []string
	for i := range 5 {
		want = append(want, s.People.Say(slacktest.Post{Channel: c, By: ann, Text: strconv.Itoa(i), ThreadTS: root}))
	}
	var got []string
	params := &slack.GetConversationRepliesParameters{ChannelID: c, Timestamp: root, Limit: 2}
	for {
		page, more, next, err := api.GetConversationRepliesContext(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page {
			got = append(got, m.Timestamp)
		}
		if params.Cursor = next; !more {
			break
		}
	}
	if !slices.Equal(got, append([]string{root}, want...)) || !slices.IsSorted(got) {
		t.Errorf("%v, want %v", got, want)
	}
	page, _, _, err := api.GetConversationRepliesContext(t.Context(), &slack.GetConversationRepliesParameters{ChannelID: c, Timestamp: root, Oldest: want[3]})
	if err != nil || len(page) != 2 || page[1].Timestamp != want[4] {
		t.Errorf("%v %v", page, err)
	}
	if len(s.Workspace.Messages(c, "")) != 1 || len(s.Workspace.Messages(c, root)) != 6 {
		t.Error("a reply is outside its thread")
	}
	_, _, _, err = api.GetConversationRepliesContext(t.Context(), &slack.GetConversationRepliesParameters{ChannelID: c, Timestamp: "1.0"}) //nolint:dogsled // it fails
	wants(t, err, "thread_not_found")
}

// raw calls a method without a client library, and returns the response, its status and its header.
func raw(t *testing.T, s *slacktest.Server, method, token, contentType, body string) (map[string]any, int, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, req)
}

// send sends a request, and returns the response, its status and its header.
func send(t *testing.T, req *http.Request) (map[string]any, int, http.Header) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	answer := map[string]any{}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		answer["not json"] = err.Error()
	}
	return answer, resp.StatusCode, resp.Header
}

func TestTokensFormsAndScopes(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t, slacktest.Options{})
	c := s.Workspace.Channel("here")
	const form, js = "application/x-www-form-urlencoded", "application/json; charset=utf-8"
	for name, call := range map[string]struct{ method, token, kind, body, want string }{
		"form":                    {"chat.postMessage", "", form, url.Values{"token": {s.BotToken()}, "channel": {c}, "text": {"x"}}.Encode(), ""},
		"bearer and JSON":         {"chat.postMessage", s.BotToken(), js, `{"channel":"` + c + `","text":"x","blocks":[{"type":"rich_text","elements":[]}]}`, ""},
		"bad JSON":                {"chat.postMessage", s.BotToken(), js, `{`, "invalid_json"},
		"bad blocks":              {"chat.postMessage", s.BotToken(), js, `{"channel":"` + c + `","blocks":"nothing"}`, "invalid_blocks_format"},
		"no token":                {"auth.test", "", form, "", "not_authed"},
		"another token":           {"auth.test", "xoxb-other", form, "", "invalid_auth"},
		"the app's token":         {"auth.test", s.AppToken(), form, "", "not_allowed_token_type"},
		"a socket with the bot's": {"apps.connections.open", s.BotToken(), form, "", "not_allowed_token_type"},
		"unknown method":          {"chat.shout", s.BotToken(), form, "", "unknown_method"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, _, _ := raw(t, s, call.method, call.token, call.kind, call.body)
			if call.want != "" && answer["error"] != call.want || answer["ok"] != (call.want == "") {
				t.Errorf("%v, want %q", answer, call.want)
			}
		})
	}
	s.DropScope("chat:write")
	answer, _, header := raw(t, s, "chat.postMessage", s.BotToken(), js, `{"channel":"`+c+`","text":"x"}`)
	if answer["needed"] != "chat:write" || answer["provided"] != header.Get("X-Oauth-Scopes") {
		t.Errorf("%v", answer)
	}
	s.Revoke("account_inactive")
	answer, _, _ = raw(t, s, "auth.test", s.BotToken(), form, "")
	if answer["error"] != "account_inactive" {
		t.Errorf("%v", answer)
	}
}
