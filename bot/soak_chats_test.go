package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
)

// soakChats are the platforms of the soak test.
var soakChats = map[string]func(testing.TB) soakChat{"Discord": soakDiscord, "Slack": soakSlack}

// storm is how long calls are rejected.
const storm = time.Second

// discordSoak is a guild with a channel for each few threads.
type discordSoak struct {
	*discordtest.Server

	channels []string
	users    []discordtest.User
	begun    map[int]string    // the thread that a message began
	at       map[string]string // the channel of a message
	bot      string
}

func soakDiscord(tb testing.TB) soakChat {
	tb.Helper()
	d := &discordSoak{Server: discordtest.New(tb, discordtest.Options{}), begun: map[int]string{}, at: map[string]string{}}
	d.bot = d.BotID()
	guild := d.World.Guild("Workshop")
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		d.channels = append(d.channels, d.World.Channel(guild, name))
		d.users = append(d.users, d.World.User(name))
	}
	return d
}

func (d *discordSoak) settings() []string {
	return []string{"DISCORD_TOKEN=" + d.Token(), "DISCORD_API_URL=" + d.URL()}
}

func (d *discordSoak) connected(ctx context.Context) error { return d.Gateway.AwaitConnected(ctx) }

func (d *discordSoak) say(thread, _ int, name string, picture []byte) string {
	channel, isThread := d.begun[thread]
	if !isThread {
		channel = d.channels[thread%len(d.channels)]
	}
	m := d.People.Say(discordtest.Post{
		Channel: channel, By: d.users[thread%len(d.users)], Content: "<@" + d.bot + "> make it black and white",
		Files: []discordtest.File{{Name: name, Type: "image/png", Content: picture}},
	})
	if !isThread {
		d.begun[thread] = m.ID // the thread has the id of the message with which it begins
	}
	d.at[m.ID] = channel
	return m.ID
}

func (d *discordSoak) answers(thread int) [][]string {
	if d.begun[thread] == "" {
		return nil
	}
	var all [][]string
	for _, m := range d.World.Messages(d.begun[thread]) {
		if m.Author.ID != d.bot || len(m.Attachments) == 0 {
			continue
		}
		var names []string
		for _, a := range m.Attachments {
			names = append(names, a.Name)
		}
		all = append(all, names)
	}
	return all
}

func (d *discordSoak) acknowledged(message string) time.Time {
	m, _ := d.World.Message(d.at[message], message)
	for _, r := range m.Reactions {
		if slices.Contains(r.Users, d.bot) {
			return r.At
		}
	}
	return time.Time{}
}

func (d *discordSoak) disturb(r *rand.Rand, calls int) time.Duration {
	switch kind := r.IntN(32); {
	case kind == 30: // these take a new session, of which there is one in 5 s
		d.Gateway.InvalidSession(false)
	case kind == 31:
		d.Gateway.Drop(4009)
	case kind%6 == 0:
		d.Gateway.CutOff()
	case kind%6 == 1:
		d.Gateway.Reconnect()
	case kind%6 == 2:
		d.Gateway.Drop(4000)
	case kind%6 == 3:
		d.Gateway.InvalidSession(true)
	default:
		d.Faults.RateLimit(1+r.IntN(calls), storm, r.IntN(2) == 0)
		return storm
	}
	return 0
}

// slackSoak is a workspace with a channel for each few threads.
type slackSoak struct {
	*slacktest.Server

	channels, users []string
	begun           map[int]string    // the root of a thread
	at              map[string]string // the channel of a message
}

func soakSlack(tb testing.TB) soakChat {
	tb.Helper()
	s := &slackSoak{Server: slacktest.New(tb, slacktest.Options{Retries: []time.Duration{0, time.Second, 5 * time.Second}}), begun: map[int]string{}, at: map[string]string{}}
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		user := s.Workspace.User(name)
		s.users = append(s.users, user)
		s.channels = append(s.channels, s.Workspace.Channel(name, user))
	}
	return s
}

func (s *slackSoak) settings() []string {
	return []string{"SLACK_BOT_TOKEN=" + s.BotToken(), "SLACK_APP_TOKEN=" + s.AppToken(), "SLACK_API_URL=" + s.URL()}
}

func (s *slackSoak) connected(ctx context.Context) error {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for s.Sockets.Count() == 0 {
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *slackSoak) say(thread, _ int, name string, picture []byte) string {
	channel := s.channels[thread%len(s.channels)]
	ts := s.People.Say(slacktest.Post{
		Channel: channel, ThreadTS: s.begun[thread], By: s.users[thread%len(s.users)],
		Text:  slacktest.Mention(s.BotUser()) + " make it black and white",
		Files: []slacktest.File{{Name: name, Type: "image/png", Data: picture}},
	})
	if s.begun[thread] == "" {
		s.begun[thread] = ts
	}
	s.at[channel+ts] = channel
	return channel + ts
}

func (s *slackSoak) answers(thread int) [][]string {
	if s.begun[thread] == "" {
		return nil
	}
	var all [][]string
	for _, m := range s.Workspace.Messages(s.channels[thread%len(s.channels)], s.begun[thread]) {
		if m.User != s.BotUser() || len(m.Files) == 0 {
			continue
		}
		var names []string
		for _, f := range m.Files {
			names = append(names, f.Name)
		}
		all = append(all, names)
	}
	return all
}

func (s *slackSoak) acknowledged(message string) time.Time {
	channel := s.at[message]
	m, _ := s.Workspace.Message(channel, message[len(channel):])
	for _, r := range m.Reactions {
		if slices.Contains(r.Users, s.BotUser()) {
			return r.At
		}
	}
	return time.Time{}
}

func (s *slackSoak) disturb(r *rand.Rand, calls int) time.Duration {
	switch r.IntN(5) {
	case 0:
		s.Sockets.Disconnect("")
	case 1:
		s.Sockets.Disconnect(slacktest.RefreshRequested)
	case 2:
		s.Sockets.Disconnect(slacktest.Warning)
	default:
		if s.Faults.Coming() {
			return 0 // on a slow machine more calls would be refused than are made
		}
		s.Faults.RateLimit("", 1+r.IntN(calls), storm)
		return storm
	}
	return 0
}
