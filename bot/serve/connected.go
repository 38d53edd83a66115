package serve

import (
	"errors"
	"slices"
	"strings"

	"atelier/adapters/discord"
	"atelier/adapters/slack"
	"atelier/adapters/web"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/jobs"
)

// connected adds to a service the platforms to connect to: the named ones, or all that are configured if
// the process serves the gateway.
func connected(names string, c settings.Config, s Service) (Service, error) {
	gateway := s.works(jobs.QueueGateway)
	var wrong []error
	for _, p := range platforms(c) {
		switch {
		case names != "" || !gateway || !p.wanted:
		case p.lacks != "":
			wrong = append(wrong, fault.Usage("%s", p.lacks))
		default:
			s = s.with(p.name)
		}
	}
	if names == "" {
		return s, errors.Join(wrong...)
	}
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" || name == "none" {
			continue
		}
		known := platforms(c)
		i := slices.IndexFunc(known, func(p platform) bool { return p.name == name })
		switch {
		case i < 0:
			wrong = append(wrong, fault.Usage("--adapters has an unknown adapter %q: expected discord, slack, web or none.", name))
		case known[i].lacks != "":
			wrong = append(wrong, fault.Usage("--adapters names %s, but %s", name, known[i].lacks))
		case len(s.Pools) > 0 && !gateway:
			wrong = append(wrong, fault.Usage("--adapters names %s, but --queues omits gateway: add it.", name))
		default:
			s = s.with(name)
		}
	}
	return s, errors.Join(wrong...)
}

// platform is a platform that the program can connect to.
type platform struct {
	name string
	// wanted reports whether it is configured, and so connected by default.
	wanted bool
	// lacks says which settings are missing; "" if none.
	lacks string
}

// platforms lists all platforms.
func platforms(c settings.Config) []platform {
	lacking := func(lacks bool, what string) string {
		if lacks {
			return what
		}
		return ""
	}
	inSlack := lacking(c.Slack.BotToken == "", "SLACK_BOT_TOKEN is not set.")
	if c.Listen == "" && c.Slack.OverHTTP() {
		inSlack = "ATELIER_LISTEN is off, but Slack sends its events there: set it to an address, or set SLACK_APP_TOKEN."
	}
	return []platform{
		{web.Name, c.Listen != "", lacking(c.Listen == "", "ATELIER_LISTEN is off: set it to an address.")},
		{discord.Name, c.Discord.Token != "", lacking(c.Discord.Token == "", "DISCORD_TOKEN is not set.")},
		{slack.Name, c.Slack.BotToken != "", inSlack},
	}
}

// with returns the service with a platform added, unless it has it already.
func (s Service) with(name string) Service {
	switch {
	case name == web.Name:
		s.Web = true
	case !slices.Contains(s.Chats, name):
		s.Chats = append(slices.Clone(s.Chats), name)
	}
	return s
}
