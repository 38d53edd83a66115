package slack

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
)

// TestLinks checks that links to messages and files are resolved within a channel only.
func TestLinks(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	root := h.say(slacktest.Post{Text: "look", Files: []slacktest.File{{ID: "F0000PICT", Name: "a.png", Data: []byte("PNG")}}})
	if at, ok := h.s.PostedAt(adapters.MessageRef{ID: root}); !ok || time.Since(at).Abs() > time.Minute {
		t.Errorf("%s was posted at %v", root, at)
	}
	reply := h.say(slacktest.Post{Text: "nice & <https://a.b|this>", ThreadTS: root})
	other := h.Workspace.Channel("other")
	foreign := h.People.Say(slacktest.Post{Channel: other, By: h.zoe, Text: "secret", Files: []slacktest.File{{ID: "F0000SECR", Name: "s.png", Data: []byte("PNG")}}})
	in := adapters.Thread{Adapter: Name, Workspace: h.TeamID(), Channel: h.channel, ID: root}
	p := func(ts string) string { return "/p" + strings.ReplaceAll(ts, ".", "") }
	at := "https://team.slack.com/archives/" + h.channel
	for link, want := range map[string]struct {
		text, file string
		ok         bool
		kind       error
	}{
		at + p(root): {"look", "a.png", true, nil},
		at + p(reply) + "?thread_ts=" + root + "&cid=" + h.channel:         {"nice & [this](https://a.b)", "", true, nil},
		"https://team.slack.com/files/U1/F0000PICT/a.png":                  {"", "a.png", true, nil},
		"https://files.slack.com/files-pri/T0ATELIER-F0000PICT/a.png":      {"", "a.png", true, nil},
		at + "/p1000000000000100":                                          {"", "", true, adapters.ErrGone},
		"https://team.slack.com/archives/" + other + p(foreign):            {"", "", true, adapters.ErrForbidden},
		"https://team.slack.com/files/U1/F0000SECR/s.png":                  {"", "", true, adapters.ErrForbidden},
		"https://team.slack.com/files/U1/F0000NONE/s.png":                  {"", "", true, adapters.ErrGone},
		"https://team.slack.com/archives/" + h.channel:                     {},
		"https://slack.com.example/archives/" + h.channel + p(root):        {},
		"https://evilslack.com/archives/" + h.channel + p(root):            {},
		"https://team.slack.com/archives/" + h.channel + "/p1/../../api/x": {},
		"https://team.slack.com/files-pri/T0ATELIER":                       {},
		"https://docs.slack.dev/messaging":                                 {},
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		e, ok, err := h.s.Linked(t.Context(), in, u)
		file := ""
		if len(e.Files) > 0 {
			file = e.Files[0].Name
		}
		if ok != want.ok || want.kind == nil && err != nil || want.kind != nil && !errors.Is(err, want.kind) || e.Text != want.text || file != want.file {
			t.Errorf("%s: %v, %q, %q, %v", link, ok, e.Text, file, err)
		}
	}
}
