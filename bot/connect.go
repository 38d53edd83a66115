package main

import (
	"context"
	"fmt"
	"log/slog"

	"atelier/adapters"
	"atelier/adapters/discord"
	"atelier/adapters/ledger"
	"atelier/adapters/phrase"
	"atelier/adapters/slack"
)

// connect makes the chat platforms of these names. It asks nothing of them.
func connect(c Config, log *slog.Logger, p *place, names []string) (chats, error) {
	var all chats
	for _, name := range names {
		var made chat
		var err error
		switch name {
		case discord.Name:
			made, err = chatOfDiscord(c, log, posted{p.State}, p.open)
		case slack.Name:
			made, err = chatOfSlack(c, log, posted{p.State}, p.open)
		default:
			err = fmt.Errorf("there is no chat platform %s", name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

func chatOfDiscord(c Config, log *slog.Logger, state ledger.State, open adapters.Opener) (chat, error) {
	d, err := newDiscord(c, log, state, open)
	if err != nil {
		return chat{}, err
	}
	return chat{adapter: d, look: func(ctx context.Context) (string, error) {
		account, err := d.Look(ctx)
		if err != nil {
			return "", err
		}
		return "Discord as " + plain(account.Name), nil
	}}, nil
}

func chatOfSlack(c Config, log *slog.Logger, state ledger.State, open adapters.Opener) (chat, error) {
	s, err := newSlack(c, log, state, open)
	if err != nil {
		return chat{}, err
	}
	made := chat{adapter: s, look: func(ctx context.Context) (string, error) {
		account, err := s.Look(ctx)
		if err != nil {
			return "", err
		}
		return "Slack as " + plain(account.User) + " in " + plain(account.Team), nil
	}}
	if c.Slack.overHTTP() {
		made.requests = s.Handler()
	}
	return made, nil
}

// newDiscord is the platform as it is set.
func newDiscord(c Config, log *slog.Logger, state ledger.State, open adapters.Opener) (*discord.Discord, error) {
	sentences, err := phrase.New()
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

// newSlack is the platform as it is set.
func newSlack(c Config, log *slog.Logger, state ledger.State, open adapters.Opener) (*slack.Slack, error) {
	sentences, err := phrase.New()
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
