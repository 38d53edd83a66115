package discord

import (
	"errors"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/outbox"
)

// Files may be as large as each server accepts.
func TestFilesOfEachServer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("do it")
	e := s.next()
	large := adapters.Reply{Thread: e.Thread, Text: "Here.", Files: []adapters.Attachment{s.put("a.bin", 21<<20)}}
	_, err := s.d.Send(t.Context(), "a", large)
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || !errors.Is(err, adapters.ErrTooLarge) || f.Limit != 20<<20 {
		t.Fatalf("without boosts it fails with %v", err)
	}
	for tier, most := range map[int]int64{1: 20 << 20, 2: 50 << 20, 3: 100 << 20} {
		s.s.World.Boost(s.guild, tier)
		s.mention("again")
		if got := s.d.Limits(s.next().Thread).File; got != most {
			t.Errorf("with tier %d a file may have %d bytes", tier, got)
		}
	}
	s.s.World.Boost(s.guild, 2)
	s.mention("again")
	s.next()
	s.send("a", large)
	if got := s.d.Limits(adapters.Thread{Adapter: Name, Channel: s.s.World.DM(s.ana), Direct: true}).File; got != 20<<20 {
		t.Errorf("in a direct channel a file may have %d bytes", got)
	}
}

// A server with a lower limit than Discord's documentation says reports it with its interactions.
func TestLimitOfInteractions(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{MaxFile: 8 << 20}).listen()
	s.s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "atelier", Sub: "ask", Options: map[string]string{"text": "do it"}})
	if got := s.d.Limits(s.next().Thread).File; got != 8<<20 {
		t.Errorf("a file may have %d bytes", got)
	}
	s.s.World.Boost(s.guild, 2)
	s.mention("again")
	if got := s.d.Limits(s.next().Thread).File; got != 50<<20 {
		t.Errorf("after a boost a file may have %d bytes", got)
	}
}

// The operator's limit takes precedence over those of the servers.
func TestLimitOfTheOperator(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	d := hasty(t, Config{Token: s.s.Token(), APIURL: s.s.URL(), State: &outbox.Memory{}, Open: s.open, MaxFile: 1000})
	_, err := d.Send(t.Context(), "a", adapters.Reply{
		Thread: adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}, Files: []adapters.Attachment{s.put("a.bin", 1001)},
	})
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || f.Limit != 1000 {
		t.Errorf("a larger file is refused with %v", err)
	}
}
