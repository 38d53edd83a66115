package discord

import (
	"errors"
	"io"
	"net/url"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

// TestLinks checks that links to messages are resolved within a channel only, and that links to Discord's files
// can be opened.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	said := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "look", Files: []discordtest.File{{Name: "a.png", Type: "image/png", Content: []byte("PNG")}}})
	thread := s.s.People.Thread(s.channel, said.ID, "a thread", s.ana)
	if at, ok := s.d.PostedAt(adapters.MessageRef{ID: said.ID}); !ok || time.Since(at).Abs() > time.Minute {
		t.Errorf("%s was posted at %v", said.ID, at)
	}
	within := s.s.People.Say(discordtest.Post{Channel: thread, By: s.ana, Content: "nice"})
	open := s.s.People.Thread(s.channel, s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "more"}).ID, "another thread", s.ana)
	beside := s.s.People.Say(discordtest.Post{Channel: open, By: s.ana, Content: "result"})
	closed := s.s.People.PrivateThread(s.channel, "a private thread", s.ana)
	among := s.s.People.Say(discordtest.Post{Channel: closed, By: s.ana, Content: "among us"})
	other := s.s.World.Channel(s.guild, "other")
	foreign := s.s.People.Say(discordtest.Post{Channel: other, By: s.ana, Content: "secret"})
	in := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel, ID: thread}
	at := "https://discord.com/channels/" + s.guild + "/"
	file := ""
	for link, want := range map[string]struct {
		text  string
		files int
		ok    bool
		kind  error
	}{
		at + s.channel + "/" + said.ID: {"look", 1, true, nil},
		"https://ptb.discord.com/channels/" + s.guild + "/" + thread + "/" + within.ID: {"nice", 0, true, nil},
		at + closed + "/" + among.ID:            {"", 0, true, adapters.ErrForbidden},
		at + open + "/" + beside.ID:             {"result", 0, true, nil},
		at + s.channel + "/1000000000000000001": {"", 0, true, adapters.ErrGone},
		at + other + "/" + foreign.ID:           {"", 0, true, adapters.ErrForbidden},
		at + s.channel:                          {},
		at + s.channel + "/../messages":         {},
		"https://discord.com.example/channels/" + s.guild + "/" + s.channel + "/" + said.ID: {},
		"https://cdn.discordapp.com/attachments/5/6/b.png?ex=1&is=2&hm=3":                   {"", 1, true, nil},
		"https://example.com/attachments/5/6/b.png":                                         {},
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		e, ok, err := s.d.Linked(t.Context(), in, u)
		if ok != want.ok || want.kind == nil && err != nil || want.kind != nil && !errors.Is(err, want.kind) || e.Text != want.text || len(e.Files) != want.files {
			t.Errorf("%s: %v, %q, %d files, %v", link, ok, e.Text, len(e.Files), err)
		}
		if e.Text == "look" {
			file = e.Files[0].Handle[len(Name)+1:]
		}
	}
	u, err := url.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	e, ok, err := s.d.Linked(t.Context(), in, u)
	if err != nil || !ok || e.Files[0].Name != "a.png" {
		t.Fatalf("%s is %+v: %v", u.Path, e, err)
	}
	r, err := s.d.Fetch(t.Context(), e.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); err != nil || string(b) != "PNG" {
		t.Errorf("it holds %q: %v", b, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestLinkToAnotherServer is refused, and its thread does not count as one of the server with the link.
func TestLinkToAnotherServer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	guild := s.s.World.Guild("theirs")
	channel := s.s.World.Channel(guild, "general")
	said := s.s.People.Say(discordtest.Post{Channel: channel, By: s.ana, Content: "secret"})
	thread := s.s.People.Thread(channel, said.ID, "a thread", s.ana)
	within := s.s.People.Say(discordtest.Post{Channel: thread, By: s.ana, Content: "secret too"})
	s.s.People.Archive(thread, true)
	in := adapters.Thread{Adapter: Name, Workspace: s.guild, Channel: s.channel}
	u, err := url.Parse("https://discord.com/channels/" + s.guild + "/" + thread + "/" + within.ID)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok, err := s.d.Linked(t.Context(), in, u); !ok || e.Text != "" || !errors.Is(err, adapters.ErrForbidden) {
		t.Errorf("it is %q, %v: %v", e.Text, ok, err)
	}
	c, err := s.d.receiving.Places.Channel(t.Context(), guild, thread)
	if err != nil || c.Guild != guild {
		t.Errorf("its thread is in server %q, not %q: %v", c.Guild, guild, err)
	}
}
