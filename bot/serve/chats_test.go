package serve_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/clitest"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/serve"
)

// TestRefusedTokensEndTheStart checks that the program exits if tokens are rejected, or if a server is not the
// platform's, with a sentence for each platform that names only what is wrong, and no token.
func TestRefusedTokensEndTheStart(t *testing.T) {
	t.Parallel()
	guild, team := discordtest.New(t, discordtest.Options{}), slacktest.New(t, slacktest.Options{})
	discord := map[string]string{"DISCORD_API_URL": guild.URL(), "DISCORD_TOKEN": "a." + bottest.Hush + ".c"}
	slack := func(bot, app string) map[string]string {
		return map[string]string{"SLACK_API_URL": team.URL(), "SLACK_BOT_TOKEN": bot, "SLACK_APP_TOKEN": app}
	}
	both := slack("xoxb-"+bottest.Hush, team.AppToken())
	maps.Copy(both, discord)
	requests := slack("xoxb-"+bottest.Hush, "")
	requests["SLACK_SIGNING_SECRET"], requests["ATELIER_LISTEN"] = bottest.Hush, "127.0.0.1:0"
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { listen.WritePage(w, http.StatusOK, "<html>") }))
	t.Cleanup(page.Close)
	object := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { listen.WritePage(w, http.StatusOK, "{}") }))
	t.Cleanup(object.Close)
	discordAt := func(api string) map[string]string {
		return map[string]string{"DISCORD_API_URL": api, "DISCORD_TOKEN": "a." + bottest.Hush + ".c"}
	}
	slackAt := func(api string) map[string]string {
		return map[string]string{"SLACK_API_URL": api, "SLACK_BOT_TOKEN": "xoxb-" + bottest.Hush, "SLACK_APP_TOKEN": "xapp-" + bottest.Hush}
	}
	noDiscord, noSlack := []string{"does not speak Discord's protocol: check DISCORD_API_URL"}, []string{"does not speak Slack's protocol: check SLACK_API_URL"}
	for name, c := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"Discord":             {discord, []string{"DISCORD_TOKEN"}},
		"Slack":               {slack("xoxb-"+bottest.Hush, team.AppToken()), []string{"SLACK_BOT_TOKEN"}},
		"Slack by requests":   {requests, []string{"SLACK_BOT_TOKEN"}},
		"Slack's app token":   {slack(team.BotToken(), "xapp-"+bottest.Hush), []string{"SLACK_APP_TOKEN"}},
		"Slack's tokens":      {slack("xoxb-"+bottest.Hush, "xapp-"+bottest.Hush), []string{"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"}},
		"both":                {both, []string{"DISCORD_TOKEN", "SLACK_BOT_TOKEN"}},
		"Discord's address":   {discordAt(strings.TrimSuffix(guild.URL(), "/api/v9")), noDiscord},
		"a page, not Discord": {discordAt(page.URL), noDiscord},
		"an object, neither":  {discordAt(object.URL), noDiscord},
		"Slack's address":     {slackAt(strings.TrimSuffix(team.URL(), "/api/")), noSlack},
		"a page, not Slack":   {slackAt(page.URL), noSlack},
		"an object, no Slack": {slackAt(object.URL), noSlack},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"ATELIER_DATA": t.TempDir(), "ATELIER_LISTEN": "off", "ATELIER_LOG": "debug"}
			maps.Copy(env, c.env)
			status, stdout, stderr := clitest.Run(t, env, "serve")
			if status != fault.StatusUsage || stdout != "" || strings.Contains(stderr, bottest.Hush) || strings.Contains(stderr, "msg=serving") {
				t.Errorf("status %d, %s%s", status, stdout, stderr)
			}
			_, says, _ := strings.Cut(stderr, "bot: ")
			for _, want := range c.want {
				if !strings.Contains(says, want) {
					t.Errorf("it does not say %s: %s", want, stderr)
				}
			}
			for _, other := range []string{"DISCORD_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"} {
				if strings.Contains(says, other) && !slices.Contains(c.want, other) {
					t.Errorf("it says %s: %s", other, stderr)
				}
			}
			if strings.Contains(says, "any more") || strings.Contains(says, "tried again") {
				t.Errorf("that is not so at a start: %s", stderr)
			}
		})
	}
}

// TestRevokedTokenIsReported checks that the process continues with the other platforms, and is no longer ready.
func TestRevokedTokenIsReported(t *testing.T) {
	t.Parallel()
	guild, team := newInDiscord(t, discordtest.Options{}), newInSlack(t, false)
	env := append(append(guild.settings(), team.settings()...), "ATELIER_DATA="+t.TempDir())
	o := clitest.OpenService(t, serve.Service{Chats: []string{"discord", "slack"}}, env...)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	bottest.Check(t, errors.Join(guild.ready(ctx, o), team.ready(ctx, o)))
	guild.Revoke()
	for !strings.Contains(o.Log.String(), "the connection to a chat platform was given up") && ctx.Err() == nil {
		o.Get("/readyz")
	}
	if status, body := o.Get("/readyz"); status != http.StatusServiceUnavailable || !strings.HasPrefix(body, "discord: ") ||
		!strings.Contains(body, "DISCORD_TOKEN") || strings.Contains(body, "slack") {
		t.Errorf("%d: %s\n%s", status, body, o.Log)
	}
	photo, err := os.ReadFile("../testdata/photo.jpg")
	bottest.Check(t, err)
	thread := team.wish("make it black and white", photo)
	err = team.await(ctx, func() bool {
		return slices.ContainsFunc(team.posts(thread), func(p post) bool { return len(p.pictures) > 0 })
	})
	if err != nil {
		t.Errorf("the other one does not answer: %v\n%s", err, o.Log)
	}
}

// TestStartTellsWhoTheBotIs checks that the program prints under which name it is connected and where, and at which
// address it waits for a platform's requests.
func TestStartTellsWhoTheBotIs(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	guild := newInDiscord(t, discordtest.Options{})
	for name, c := range map[string]struct {
		env       []string
		want, not []string
	}{
		"Discord alone": {guild.settings(), []string{"Connected to Discord as " + guild.Bot().Name + ".\n", "Atelier is at http://127.0.0.1:"}, []string{"Slack"}},
		"both": {
			append(guild.settings(), newInSlack(t, false).settings()...),
			[]string{"Connected to Discord as " + guild.Bot().Name + ", Slack as ", " in ", "Atelier is at http://127.0.0.1:"},
			[]string{"awaited"},
		},
		"Slack by requests": {newInSlack(t, true).settings(), []string{"Connected to Slack as ", "Waiting for Slack events at http://127.0.0.1:", "/slack/events.\n"}, nil},
		"by a name": {
			append(newInSlack(t, true).settings(), "PUBLIC_URL=https://atelier.example.org", "WEB_PASSWORD="+bottest.Hush),
			[]string{"events at https://atelier.example.org/slack/events.\n", "Atelier is at https://atelier.example.org too"}, nil,
		},
		"one that is away": {
			append(guild.settings(), "SLACK_API_URL=http://127.0.0.1:1/api/", "SLACK_BOT_TOKEN=xoxb-1", "SLACK_APP_TOKEN=xapp-1"),
			[]string{"Connected to Discord as " + guild.Bot().Name + ".\nNot yet connected to slack"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var says string
			out := writerFunc(func(p []byte) (int, error) {
				says += string(p)
				stop() // it has been told
				return len(p), nil
			})
			var errs bytes.Buffer
			status := cli.Run(ctx, command.Program{
				Env:   append(c.env, "ATELIER_DATA="+t.TempDir(), "ATELIER_LISTEN=127.0.0.1:0"),
				Stdin: strings.NewReader(""), Stdout: out, Stderr: &errs, Builtin: bottest.Builtin,
			})
			for _, want := range c.want {
				if status != fault.StatusDone || !strings.Contains(says, want) {
					t.Errorf("status %d, it does not say %q: %s\n%s", status, want, says, errs.String())
				}
			}
			for _, not := range c.not {
				if strings.Contains(says, not) {
					t.Errorf("it says %q: %s", not, says)
				}
			}
		})
	}
}

// TestReadinessNamesConfiguredParts checks that a token that Slack no longer accepts is named, and no other setting.
func TestReadinessNamesConfiguredParts(t *testing.T) {
	t.Parallel()
	team := newInSlack(t, true)
	o := clitest.OpenService(t, serve.Service{Chats: []string{"slack"}}, append(team.settings(), "ATELIER_DATA="+t.TempDir())...)
	bottest.Check(t, team.ready(t.Context(), o))
	team.Revoke("token_revoked")
	status, body := o.Get("/readyz")
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "SLACK_BOT_TOKEN") || strings.Contains(body, "SLACK_APP_TOKEN") {
		t.Errorf("%d: %s", status, body)
	}
}

// TestSlackWhereItIsNotTaken checks that a process without Slack's events says which process would accept them, and
// that unsigned requests are rejected without asking for the web page's password.
func TestSlackWhereItIsNotTaken(t *testing.T) {
	t.Parallel()
	post := func(r *http.Request) { r.Method = http.MethodPost }
	o := clitest.OpenService(t, serve.Service{Web: true}, "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")
	if a := o.Ask(http.MethodPost, "/slack/events", post); a.Status != http.StatusNotFound || !strings.Contains(a.Text, "SLACK_SIGNING_SECRET") {
		t.Errorf("%d: %s", a.Status, a.Text)
	}
	s := newInSlack(t, true)
	o = clitest.OpenService(t, serve.Service{Web: true, Chats: []string{"slack"}}, append(s.settings(), "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")...)
	if a := o.Ask(http.MethodPost, "/slack/events", post); a.Status != http.StatusUnauthorized {
		t.Errorf("%d: %s", a.Status, a.Text)
	}
	bottest.Check(t, s.ready(t.Context(), o))
	if !s.Webhooks.Challenge() {
		t.Error("it does not answer Slack's challenge")
	}
	for _, flaw := range []slacktest.Forgery{slacktest.WrongSecret, slacktest.NoSignature, slacktest.ChangedBody, slacktest.OldTimestamp} {
		if status := s.Webhooks.Forge(flaw, slacktest.Post{Channel: s.channel, By: s.ann, Text: slacktest.Mention(s.BotUser()) + " hello"}); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", flaw, status)
		}
	}
}
