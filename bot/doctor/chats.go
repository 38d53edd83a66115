package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/outbox"
	"atelier/bot/chat"
	"atelier/bot/fault"
	"atelier/bot/listen"
)

// chatLookPatience is the timeout of checking the chat platforms.
const chatLookPatience = 10 * time.Second

// examineChats checks the chat platforms.
func (x examination) examineChats(ctx context.Context) []Finding {
	ctx, done := context.WithTimeout(ctx, chatLookPatience)
	defer done()
	return append(x.examineDiscord(ctx), x.examineSlack(ctx)...)
}

// nothingPosted opens no files, because the doctor posts nothing.
func nothingPosted(context.Context, string) (io.ReadCloser, error) { return nil, adapters.ErrGone }

// examineDiscord reports the bot's name, its missing permissions, and its invitation link.
func (x examination) examineDiscord(ctx context.Context) []Finding {
	const thing = "Discord"
	if x.Discord.Token == "" {
		return []Finding{{Missing, thing, "DISCORD_TOKEN is not set. Make an application at https://discord.com/developers/applications, " +
			"press Reset Token on its page Bot, and set DISCORD_TOKEN to the token that it shows. Then bot doctor prints the link that invites the bot."}}
	}
	d, err := chat.NewDiscord(x.Config, x.Logger(), new(outbox.Memory), nothingPosted)
	if err != nil {
		return []Finding{failed(thing, err, "The settings of Discord cannot be used.")}
	}
	account, err := d.Look(ctx)
	if err != nil {
		return []Finding{unheard(thing, cmp.Or(x.Discord.API, "https://discord.com"), err)}
	}
	found := []Finding{{Healthy, thing, "The token is valid: the bot is " + account.Name + "."}}
	if !account.Content {
		found = append(found, Finding{Missing, "Discord's messages", "The bot is not granted the content of messages: " +
			"it answers mentions, replies and direct messages, but does not read the other messages of a thread. " +
			"To change that, switch on Message Content Intent at https://discord.com/developers/applications/" + account.Application + "/bot"})
	}
	found = append(found, Finding{Healthy, "Discord's invitation", "This link invites the bot, with the least permissions: " + account.Invite})
	if account.Install != "" {
		found = append(found, Finding{Healthy, "Discord's people", "This link lets a person use the bot's commands everywhere: " + account.Install})
	}
	return found
}

// examineSlack reports the bot's name, how it gets events, and its missing scopes.
func (x examination) examineSlack(ctx context.Context) []Finding {
	const thing = "Slack"
	manifest := "The manifest is deployments/slack-manifest.yaml, or the output of bot slack-manifest."
	if x.Slack.BotToken == "" {
		return []Finding{{Missing, thing, "SLACK_BOT_TOKEN is not set. Make an app from a manifest at https://api.slack.com/apps, " +
			"install it, and set its bot token and SLACK_APP_TOKEN or SLACK_SIGNING_SECRET. " + manifest}}
	}
	s, err := chat.NewSlack(x.Config, x.Logger(), new(outbox.Memory), nothingPosted)
	if err != nil {
		return []Finding{failed(thing, err, "The settings of Slack cannot be used.")}
	}
	account, err := s.Look(ctx)
	if err != nil {
		return []Finding{unheard(thing, cmp.Or(x.Slack.API, "https://slack.com"), err)}
	}
	found := []Finding{{Healthy, thing, fmt.Sprintf("The tokens are valid: the bot is %s in %s.", account.User, account.Team)}}
	if len(account.Missing) > 0 {
		found = append(found, Finding{Wrong, "Slack's scopes", "The app lacks " + strings.Join(account.Missing, ", ") +
			": add them under OAuth & Permissions, and reinstall the app. " + manifest})
	} else {
		found = append(found, Finding{Healthy, "Slack's scopes", "The app has all that it needs. " + manifest})
	}
	return append(found, x.examineSlackEvents())
}

// unheard is the finding about a platform that could not be asked. Temporary errors are reported with
// the host and the cause, because the doctor does not retry.
func unheard(thing, api string, err error) Finding {
	told, ok := errors.AsType[*adapters.Fault](err)
	if adapters.Final(err) || ok && told.Err == nil {
		return Finding{Wrong, thing, fault.PartSentence(err)}
	}
	host, cause := api, "it does not answer in time"
	if u, e := url.Parse(api); e == nil {
		host = u.Host
	}
	if ok && !errors.Is(err, context.DeadlineExceeded) {
		cause = told.Err.Error()
	}
	return Finding{Wrong, thing, fmt.Sprintf("%s at %s cannot be used: %s.", thing, host, cause)}
}

// examineSlackEvents reports how the bot gets events from Slack.
func (x examination) examineSlackEvents() Finding {
	const thing = "Slack's events"
	switch {
	case !x.Slack.OverHTTP():
		return Finding{Healthy, thing, "They come by Socket Mode."}
	case x.Listen == "":
		return Finding{Wrong, thing, "Slack sends them over HTTP, but ATELIER_LISTEN is off: set it to an address, or set SLACK_APP_TOKEN."}
	case x.Web.Public == nil:
		return Finding{Healthy, thing, "Slack sends them over HTTP, to /slack/ on " + x.Listen + ". PUBLIC_URL is not set, " +
			"so the address that Slack must use is unknown."}
	}
	at := strings.TrimSuffix(x.Web.Public.String(), "/")
	return Finding{Healthy, thing, "Slack sends them over HTTP, to " + at + "/slack/events. The manifest for that: bot slack-manifest --url " + at}
}

// examineWeb reports the address of the web channel, and who may use it.
func (x examination) examineWeb(context.Context) []Finding {
	if x.Listen == "" {
		return []Finding{{Missing, "web channel", "There is none, since ATELIER_LISTEN is off."}}
	}
	at := "http://" + listen.Reachable(x.Listen)
	if u := x.Web.Public; u != nil {
		at = u.String()
	}
	channel := Finding{Healthy, "web channel", "A process that serves the queue gateway has it at " + at}
	switch {
	case x.Web.UserHeader != "" && x.Web.Password != "":
		channel.Says += ", for people that a proxy names in " + x.Web.UserHeader + ", and for people who know WEB_PASSWORD."
	case x.Web.UserHeader != "":
		channel.Says += ", for people that a proxy names in " + x.Web.UserHeader + "."
	case x.Web.Password != "":
		channel.Says += ", for people who know WEB_PASSWORD."
	default:
		channel.Says += ", for this machine only."
	}
	if x.Web.UserHeader != "" && x.Web.Public == nil {
		channel.Says += " Requests for unknown host names are rejected: set PUBLIC_URL to the address that people use."
	}
	pointing := Finding{Healthy, "pointing", "Pictures on other chat platforms have links to pages for marking them, at " + at + "."}
	if x.Web.Public == nil {
		pointing = Finding{Missing, "pointing", "Pictures on other chat platforms have no links to pages for marking them: to have them, set PUBLIC_URL."}
	}
	return []Finding{channel, pointing}
}
