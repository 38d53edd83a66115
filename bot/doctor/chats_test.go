package doctor_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/doctor"
)

// TestDoctorOfChats checks that it reports the name of the bot on each platform, the permissions that it lacks,
// and what to do about them.
func TestDoctorOfChats(t *testing.T) {
	t.Parallel()
	guild := discordtest.New(t, discordtest.Options{})
	mute := discordtest.New(t, discordtest.Options{WithoutContent: true})
	discord := func(s *discordtest.Server, token string) []string {
		return []string{"DISCORD_API_URL=" + s.URL(), "DISCORD_TOKEN=" + token}
	}
	team, poor := slacktest.New(t, slacktest.Options{}), slacktest.New(t, slacktest.Options{})
	poor.DropScope("files:write", "reactions:read")
	slack := func(s *slacktest.Server, bot, app string, more ...string) []string {
		return append(more, "SLACK_API_URL="+s.URL(), "SLACK_BOT_TOKEN="+bot, "SLACK_APP_TOKEN="+app)
	}
	requests := slack(team, team.BotToken(), "", "SLACK_SIGNING_SECRET="+bottest.Hush)
	for name, c := range map[string]struct {
		env   []string
		state doctor.Health
		thing string
		says  string
	}{
		"no Discord":         {nil, doctor.Missing, "Discord", "DISCORD_TOKEN is not set."},
		"Discord":            {discord(guild, guild.Token()), doctor.Healthy, "Discord", guild.Bot().Name + "."},
		"its invitation":     {discord(guild, guild.Token()), doctor.Healthy, "Discord's invitation", "client_id=" + guild.ApplicationID()},
		"it reads all":       {discord(guild, guild.Token()), "", "Discord's messages", ""},
		"it reads less":      {discord(mute, mute.Token()), doctor.Missing, "Discord's messages", "switch on Message Content Intent at https://discord.com/developers/applications/"},
		"a wrong token":      {discord(guild, "a."+bottest.Hush+".c"), doctor.Wrong, "Discord", "token"},
		"no Discord there":   {[]string{"DISCORD_TOKEN=a." + bottest.Hush + ".c", "DISCORD_API_URL=http://127.0.0.1:1/api/v9"}, doctor.Wrong, "Discord", "Discord at 127.0.0.1:1 cannot be used: dial tcp 127.0.0.1:1: connect: connection refused."},
		"another server":     {[]string{"DISCORD_TOKEN=a." + bottest.Hush + ".c", "DISCORD_API_URL=" + strings.TrimSuffix(guild.URL(), "/api/v9")}, doctor.Wrong, "Discord", "check DISCORD_API_URL"},
		"no Slack":           {nil, doctor.Missing, "Slack", "bot slack-manifest"},
		"Slack":              {slack(team, team.BotToken(), team.AppToken()), doctor.Healthy, "Slack", "The tokens are valid: the bot is "},
		"its events":         {slack(team, team.BotToken(), team.AppToken()), doctor.Healthy, "Slack's events", "by Socket Mode."},
		"its scopes":         {slack(team, team.BotToken(), team.AppToken()), doctor.Healthy, "Slack's scopes", "deployments/slack-manifest.yaml"},
		"some are missing":   {slack(poor, poor.BotToken(), poor.AppToken()), doctor.Wrong, "Slack's scopes", "The app lacks files:write, reactions:read"},
		"a wrong bot token":  {slack(team, "xoxb-"+bottest.Hush, team.AppToken()), doctor.Wrong, "Slack", "SLACK_BOT_TOKEN"},
		"a wrong app token":  {slack(team, team.BotToken(), "xapp-"+bottest.Hush), doctor.Wrong, "Slack", "SLACK_APP_TOKEN"},
		"no Slack there":     {[]string{"SLACK_BOT_TOKEN=xoxb-" + bottest.Hush, "SLACK_APP_TOKEN=xapp-1", "SLACK_API_URL=http://127.0.0.1:1/api/"}, doctor.Wrong, "Slack", "Slack at 127.0.0.1:1 cannot be used: dial tcp 127.0.0.1:1: connect: connection refused."},
		"requests":           {requests, doctor.Healthy, "Slack's events", "PUBLIC_URL is not set"},
		"requests to a name": {append(requests, "PUBLIC_URL=https://atelier.example.org", "WEB_PASSWORD="+bottest.Hush), doctor.Healthy, "Slack's events", "to https://atelier.example.org/slack/events"},
		"requests nowhere":   {append(requests, "ATELIER_LISTEN=off"), doctor.Wrong, "Slack's events", "ATELIER_LISTEN is off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := clitest.Examined(t, c.env...)[c.thing]
			if strings.Contains(f.Says, "tried again") || f.State != c.state || !strings.Contains(f.Says, c.says) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestInvitationAsksForTheLeast checks that the link grants exactly what the bot needs.
func TestInvitationAsksForTheLeast(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, discordtest.Options{})
	says := clitest.Examined(t, "DISCORD_API_URL="+s.URL(), "DISCORD_TOKEN="+s.Token())["Discord's invitation"].Says
	_, address, _ := strings.Cut(says, "https://")
	link, err := url.Parse("https://" + address)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := strconv.ParseUint(link.Query().Get("permissions"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	least := discordtest.View | discordtest.ReadHistory | discordtest.Send | discordtest.SendInThreads | discordtest.CreateThreads |
		discordtest.AttachFiles | discordtest.AddReactions
	if got := discordtest.Permission(asked); got != least {
		t.Errorf("it asks for %b, not %b", got, least)
	}
	if scopes := link.Query().Get("scope"); scopes != "bot applications.commands" {
		t.Errorf("its scopes are %q", scopes)
	}
}
