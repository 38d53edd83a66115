package discordtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters/discord/discordtest"
)

// fetch reads an address to its end, or to where it breaks off or goes on for too long.
func fetch(t *testing.T, address string) answer {
	t.Helper()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	call, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := got.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	data, err := io.ReadAll(io.LimitReader(got.Body, 10<<20))
	a := answer{status: got.StatusCode, header: got.Header, text: string(data)}
	if err != nil {
		a.text = "broken off"
	}
	return a
}

func TestLinks(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	content := []byte("what is in it")
	link := func(f discordtest.Fault) (discordtest.Message, string) {
		m := s.Say(discordtest.Post{Channel: s.channel, By: s.ana, Files: []discordtest.File{
			{Name: "a b.png", Type: "image/png", Content: content, Fault: f, Size: 2 << 30},
		}})
		return m, m.Attachments[0].URL
	}
	for fault, want := range map[discordtest.Fault]struct {
		status     int
		kind, text string
	}{
		discordtest.Whole:     {200, "image/png", string(content)},
		discordtest.Gone:      {404, "text/plain; charset=utf-8", "no longer available"},
		discordtest.Forbidden: {403, "text/plain; charset=utf-8", "denied"},
		discordtest.Cut:       {200, "image/png", "broken off"},
		discordtest.Endless:   {200, "image/png", "\x00\x00\x00"},
		discordtest.HTML:      {200, "text/html; charset=utf-8", "<!DOCTYPE html>"},
		discordtest.Lying:     {200, "image/png", "<!DOCTYPE html>"},
	} {
		_, address := link(fault)
		got := fetch(t, address)
		if got.status != want.status || !strings.Contains(got.text, want.text) || got.header.Get("Content-Type") != want.kind {
			t.Errorf("fault %d: %d %s %.40q", fault, got.status, got.header.Get("Content-Type"), got.text)
		}
	}
	m, address := link(discordtest.Whole)
	if got := fetch(t, strings.Replace(address, "hm=", "hm=0", 1)); got.status != http.StatusNotFound {
		t.Errorf("an unsigned link is taken: %d", got.status)
	}
	s.Advance(25 * time.Hour)
	if got := fetch(t, address); got.status != http.StatusNotFound {
		t.Errorf("an old link is taken: %d", got.status)
	}
	m, _ = s.Message(s.channel, m.ID)
	if got := fetch(t, m.Attachments[0].URL); got.status != http.StatusOK {
		t.Errorf("a new link is not taken: %d", got.status)
	}
	s.BreakFiles(s.channel, m.ID, discordtest.Gone)
	if got := fetch(t, m.Attachments[0].URL); got.status != http.StatusNotFound {
		t.Errorf("a lost file is there: %d", got.status)
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	s.RateLimit(1, 1500*time.Millisecond, true, discordtest.PostMessage)
	s.RateLimitHTML(1, time.Second, discordtest.PostMessage)
	s.FailNext(1, http.StatusBadGateway, discordtest.PostMessage)
	s.FailNext(1, http.StatusInternalServerError, discordtest.PostMessage)
	path := "/channels/" + s.channel + "/messages"
	if got := c.call("GET", "/users/@me", nil); got.status != http.StatusOK {
		t.Errorf("another route is refused: %s", got.text)
	}
	got := c.call("POST", path, body{"content": "x"})
	if got.status != 429 || got.body["retry_after"] != 1.5 || got.body["global"] != true || got.header.Get("X-Ratelimit-Scope") != "global" ||
		got.header.Get("Retry-After") != "2" {
		t.Errorf("refused with %d %s %v", got.status, got.text, got.header)
	}
	if got = c.call("POST", path, body{"content": "x"}); got.status != 429 || !strings.HasPrefix(got.text, "<!DOCTYPE") {
		t.Errorf("refused with %d %s", got.status, got.text)
	}
	for _, status := range []int{502, 500, 200} {
		if got = c.call("POST", path, body{"content": "x"}); got.status != status {
			t.Errorf("answered %d %s, want %d", got.status, got.text, status)
		}
	}
	if s.Calls(discordtest.PostMessage) != 5 || s.Calls() != 6 || s.Answers(429) != 2 || len(s.Messages(s.channel)) != 1 {
		t.Errorf("%d calls, %d refused", s.Calls(), s.Answers(429))
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := newScene(t, discordtest.Options{Bucket: 2, Clock: func() time.Time { return began }})
	c := calls(t, s.Server)
	path := "/channels/" + s.channel + "/typing"
	for i, status := range []int{204, 204, 429} {
		got := c.call("POST", path, nil)
		left := map[int]string{0: "1", 1: "0", 2: "0"}[i]
		if got.status != status || got.header.Get("X-Ratelimit-Remaining") != left || got.header.Get("X-Ratelimit-Limit") != "2" {
			t.Errorf("answered %d %v", got.status, got.header)
		}
	}
	if got := c.call("POST", "/channels/"+s.Channel(s.guild, "other")+"/typing", nil); got.status != 204 {
		t.Errorf("another channel is refused: %d", got.status)
	}
	s.Advance(time.Second)
	if got := c.call("POST", path, nil); got.status != 204 {
		t.Errorf("still refused: %d", got.status)
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	stalled := s.Stall()
	done := make(chan error, 1)
	go func() {
		_, err := c.do("GET", "/users/@me", "application/json", nil)
		done <- err
	}()
	<-stalled
	select {
	case err := <-done:
		t.Errorf("answered: %v", err)
	default:
	}
	s.Close()
	if err := <-done; err == nil {
		t.Error("answered at the end")
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	m := s.say("a wish")
	started, err := l.MessageThreadStart(s.channel, m.ID, "Wishes", 1440)
	if err != nil || started.ID != m.ID || started.ParentID != s.channel || !started.IsThread() {
		t.Fatalf("started %+v, %v", started, err)
	}
	if e, ok := l.next(t, "THREAD_CREATE").Struct.(*discordgo.ThreadCreate); !ok || e.ID != m.ID || !e.NewlyCreated {
		t.Errorf("heard of %+v", e)
	}
	if first := l.message(t); first.Type != discordgo.MessageTypeThreadStarterMessage || first.ReferencedMessage.ID != m.ID {
		t.Errorf("it begins with %+v", first)
	}
	loose := s.Thread(s.channel, "", "Loose", s.ana)
	if first := l.message(t); first.Type != discordgo.MessageTypeThreadCreated || first.ChannelID != s.channel {
		t.Errorf("the channel tells of it by %+v", first)
	}
	if all := s.Threads(s.channel); len(all) != 2 || all[1] != loose || s.ThreadName(m.ID) != "Wishes" || len(s.Messages(loose)) != 0 {
		t.Errorf("there are %q", all)
	}
	s.Archive(loose, true)
	if _, err := l.ChannelMessageSend(loose, "awake"); err != nil || s.Archived(loose) {
		t.Errorf("writing does not take it out again: %v", err)
	}
	s.Archive(loose, true)
	if _, err := l.ChannelEdit(loose, &discordgo.ChannelEdit{Archived: new(bool)}); err != nil || s.Archived(loose) {
		t.Errorf("it is not taken out again: %v", err)
	}
	if active, err := l.GuildThreadsActive(s.guild); err != nil || len(active.Threads) != 2 {
		t.Errorf("active are %+v, %v", active, err)
	}
	if err := l.ChannelTyping(loose); err != nil || !s.Typing(loose) {
		t.Errorf("not shown to type: %v", err)
	}
	s.Advance(11 * time.Second)
	if s.Typing(loose) {
		t.Error("typing lasts for ever")
	}
	s.DeleteChannel(s.channel)
	if s.Messages(loose) != nil {
		t.Error("the thread is there without its channel")
	}
	if channel, err := l.UserChannelCreate(s.ana.ID); err != nil || channel.ID != s.DM(s.ana) {
		t.Errorf("direct: %+v, %v", channel, err)
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	done := make(chan error, 1)
	go func() { done <- s.Await(late(t), func() bool { return len(s.Messages(s.channel)) == 2 }) }()
	s.say("one")
	s.say("two")
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AwaitConnected(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("without a connection: %v", err)
	}
}
