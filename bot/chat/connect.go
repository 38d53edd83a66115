package chat

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/adapters"
	"atelier/adapters/discord"
	"atelier/adapters/messages"
	"atelier/adapters/outbox"
	"atelier/adapters/slack"
	"atelier/bot/output"
	"atelier/bot/place"
	"atelier/bot/settings"
)

// Connect creates the named chat platforms. It does not connect yet.
func Connect(c settings.Config, log *slog.Logger, p *place.Place, names []string) (Chats, error) {
	var all Chats
	for _, name := range names {
		var made chat
		var err error
		switch name {
		case discord.Name:
			made, err = chatOfDiscord(c, log, posted{p.State}, p.Open)
		case slack.Name:
			made, err = chatOfSlack(c, log, posted{p.State}, p.Open)
		default:
			err = fmt.Errorf("unknown chat platform %s", name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

func chatOfDiscord(c settings.Config, log *slog.Logger, state outbox.State, open adapters.Opener) (chat, error) {
	d, err := NewDiscord(c, log, state, open)
	if err != nil {
		return chat{}, err
	}
	return chat{adapter: d, look: func(ctx context.Context) (string, error) {
		account, err := d.Look(ctx)
		if err != nil {
			return "", err
		}
		return "Discord as " + output.Plain(account.Name), nil
	}}, nil
}

func chatOfSlack(c settings.Config, log *slog.Logger, state outbox.State, open adapters.Opener) (chat, error) {
	s, err := NewSlack(c, log, state, open)
	if err != nil {
		return chat{}, err
	}
	made := chat{adapter: s, look: func(ctx context.Context) (string, error) {
		account, err := s.Look(ctx)
		if err != nil {
			return "", err
		}
		return "Slack as " + output.Plain(account.User) + " in " + output.Plain(account.Team), nil
	}}
	if c.Slack.OverHTTP() {
		made.requests = s.Handler()
	}
	return made, nil
}

// NewDiscord creates the adapter from the settings.
func NewDiscord(c settings.Config, log *slog.Logger, state outbox.State, open adapters.Opener) (*discord.Discord, error) {
	sentences, err := messages.New()
	if err != nil {
		return nil, fmt.Errorf("read the fixed sentences: %w", err)
	}
	d, err := discord.New(discord.Config{
		Token: string(c.Discord.Token), APIURL: c.Discord.API, MaxFile: c.Discord.MaxFileMB << 20,
		State: state, Open: open, Phrases: sentences, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare Discord: %w", err)
	}
	return d, nil
}

// NewSlack creates the adapter from the settings.
func NewSlack(c settings.Config, log *slog.Logger, state outbox.State, open adapters.Opener) (*slack.Slack, error) {
	sentences, err := messages.New()
	if err != nil {
		return nil, fmt.Errorf("read the fixed sentences: %w", err)
	}
	s, err := slack.New(slack.Config{
		BotToken: string(c.Slack.BotToken), AppToken: string(c.Slack.AppToken), SigningSecret: string(c.Slack.SigningSecret),
		APIURL: c.Slack.API, MaxFile: c.Slack.MaxFileMB << 20,
		State: state, Open: open, Phrases: sentences, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare Slack: %w", err)
	}
	return s, nil
}
