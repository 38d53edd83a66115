package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
)

// TestRefusedTokensEndTheStart with a sentence for each platform, and with no token in it.
func TestRefusedTokensEndTheStart(t *testing.T) {
	t.Parallel()
	guild, team := discordtest.New(t, discordtest.Options{}), slacktest.New(t, slacktest.Options{})
	discord := map[string]string{"DISCORD_API_URL": guild.URL(), "DISCORD_TOKEN": "a." + hush + ".c"}
	slack := func(bot, app string) map[string]string {
		return map[string]string{"SLACK_API_URL": team.URL(), "SLACK_BOT_TOKEN": bot, "SLACK_APP_TOKEN": app}
	}
	both := slack("xoxb-"+hush, team.AppToken())
	maps.Copy(both, discord)
	for name, c := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"Discord":           {discord, []string{"DISCORD_TOKEN"}},
		"Slack":             {slack("xoxb-"+hush, team.AppToken()), []string{"SLACK_BOT_TOKEN"}},
		"Slack's app token": {slack(team.BotToken(), "xapp-"+hush), []string{"SLACK_APP_TOKEN"}},
		"both":              {both, []string{"DISCORD_TOKEN", "SLACK_BOT_TOKEN"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"ATELIER_DATA": t.TempDir(), "ATELIER_LISTEN": "off", "ATELIER_LOG": "debug"}
			maps.Copy(env, c.env)
			status, stdout, stderr := run(t, env, "serve")
			if status != statusUsage || stdout != "" || strings.Contains(stderr, hush) || strings.Contains(stderr, "msg=serving") {
				t.Errorf("status %d, %s%s", status, stdout, stderr)
			}
			_, says, _ := strings.Cut(stderr, "bot: ")
			for _, want := range c.want {
				if !strings.Contains(says, want) {
					t.Errorf("it does not say %s: %s", want, stderr)
				}
			}
		})
	}
}

// TestRevokedTokenIsTold: the process goes on, with the other platforms, and is not ready
// any more.
func TestRevokedTokenIsTold(t *testing.T) {
	t.Parallel()
	guild, team := newInDiscord(t, discordtest.Options{}), newInSlack(t, false)
	env := append(append(guild.settings(), team.settings()...), "ATELIER_DATA="+t.TempDir())
	o := openService(t, service{chats: []string{"discord", "slack"}}, env...)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	check(t, errors.Join(guild.ready(ctx, o), team.ready(ctx, o)))
	guild.Revoke()
	for !strings.Contains(o.log.String(), "is not listened to any more") && ctx.Err() == nil {
		o.get("/readyz")
	}
	if status, body := o.get("/readyz"); status != http.StatusServiceUnavailable || !strings.HasPrefix(body, "discord: ") ||
		!strings.Contains(body, "DISCORD_TOKEN") || strings.Contains(body, "slack") {
		t.Errorf("%d: %s\n%s", status, body, o.log)
	}
	photo, err := os.ReadFile("testdata/photo.jpg")
	check(t, err)
	thread := team.wish("make it black and white", photo)
	err = team.await(ctx, func() bool {
		return slices.ContainsFunc(team.posts(thread), func(p post) bool { return len(p.pictures) > 0 })
	})
	if err != nil {
		t.Errorf("the other one does not answer: %v\n%s", err, o.log)
	}
}

// TestSlackWhereItIsNotTaken: what comes to its paths is told where it would be taken, and
// what is not signed is refused, without a password for the channel.
func TestSlackWhereItIsNotTaken(t *testing.T) {
	t.Parallel()
	post := func(r *http.Request) { r.Method = http.MethodPost }
	o := openService(t, service{web: true}, "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")
	if a := o.ask(http.MethodPost, "/slack/events", post); a.status != http.StatusNotFound || !strings.Contains(a.text, "SLACK_SIGNING_SECRET") {
		t.Errorf("%d: %s", a.status, a.text)
	}
	s := newInSlack(t, true)
	o = openService(t, service{web: true, chats: []string{"slack"}}, append(s.settings(), "ATELIER_DATA="+t.TempDir(), "WEB_PASSWORD=open sesame")...)
	if a := o.ask(http.MethodPost, "/slack/events", post); a.status != http.StatusUnauthorized {
		t.Errorf("%d: %s", a.status, a.text)
	}
	check(t, s.ready(t.Context(), o))
	if !s.Challenge() {
		t.Error("it does not answer Slack's challenge")
	}
	for _, flaw := range []slacktest.Forgery{slacktest.WrongSecret, slacktest.NoSignature, slacktest.ChangedBody, slacktest.OldTimestamp} {
		if status := s.Forge(flaw, slacktest.Post{Channel: s.channel, By: s.ann, Text: slacktest.Mention(s.BotUser()) + " hello"}); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", flaw, status)
		}
	}
}
