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

// fetch reads an address to its end.
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
	data, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: got.StatusCode, header: got.Header, text: string(data)}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	content := []byte("what is in it")
	m := s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Files: []discordtest.File{{Name: "a b.png", Type: "image/png", Content: content}}})
	address := m.Attachments[0].URL
	if got := fetch(t, address); got.status != http.StatusOK || got.text != string(content) || got.header.Get("Content-Type") != "image/png" {
		t.Errorf("%d %s %.40q", got.status, got.header.Get("Content-Type"), got.text)
	}
	if got := fetch(t, strings.Replace(address, "hm=", "hm=0", 1)); got.status != http.StatusNotFound {
		t.Errorf("an unsigned link is accepted: %d", got.status)
	}
	s.Advance(25 * time.Hour)
	if got := fetch(t, address); got.status != http.StatusNotFound {
		t.Errorf("an expired link is accepted: %d", got.status)
	}
	m, _ = s.World.Message(s.channel, m.ID)
	if got := fetch(t, m.Attachments[0].URL); got.status != http.StatusOK {
		t.Errorf("a new link is rejected: %d", got.status)
	}
	s.World.BreakFiles(s.channel, m.ID)
	if got := fetch(t, m.Attachments[0].URL); got.status != http.StatusNotFound {
		t.Errorf("a lost file is available: %d", got.status)
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	s.Faults.RateLimit(1, 1500*time.Millisecond, true, discordtest.PostMessage)
	s.Faults.FailNext(1, http.StatusBadGateway, discordtest.PostMessage)
	s.Faults.FailNext(1, http.StatusInternalServerError, discordtest.PostMessage)
	path := "/channels/" + s.channel + "/messages"
	if got := c.call("GET", "/users/@me", nil); got.status != http.StatusOK {
		t.Errorf("another route is refused: %s", got.text)
	}
	got := c.call("POST", path, body{"content": "x"})
	if got.status != 429 || got.body["retry_after"] != 1.5 || got.body["global"] != true || got.header.Get("X-Ratelimit-Scope") != "global" ||
		got.header.Get("Retry-After") != "2" {
		t.Errorf("refused with %d %s %v", got.status, got.text, got.header)
	}
	for _, status := range []int{502, 500, 200} {
		if got = c.call("POST", path, body{"content": "x"}); got.status != status {
			t.Errorf("answered %d %s, want %d", got.status, got.text, status)
		}
	}
	if s.REST.Calls(discordtest.PostMessage) != 4 || s.REST.Calls() != 5 || len(s.World.Messages(s.channel)) != 1 {
		t.Errorf("%d calls", s.REST.Calls())
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	c := calls(t, s.Server)
	stalled := s.Faults.Stall()
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
		t.Error("answered after the end of the test")
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
		t.Errorf("received %+v", e)
	}
	if first := l.message(t); first.Type != discordgo.MessageTypeThreadStarterMessage || first.ReferencedMessage.ID != m.ID {
		t.Errorf("the first message is %+v", first)
	}
	if s.World.ThreadName(m.ID) != "Wishes" || len(s.World.Messages(m.ID)) != 0 {
		t.Errorf("the thread is %q", s.World.ThreadName(m.ID))
	}
	archived := func() bool {
		c, err := l.Channel(m.ID)
		return err != nil || c.ThreadMetadata.Archived
	}
	s.People.Archive(m.ID, true)
	if _, err := l.ChannelMessageSend(m.ID, "awake"); err != nil || archived() {
		t.Errorf("a message does not unarchive it: %v", err)
	}
	s.People.Archive(m.ID, true)
	if _, err := l.ChannelEdit(m.ID, &discordgo.ChannelEdit{Archived: new(bool)}); err != nil || archived() {
		t.Errorf("it is not unarchived: %v", err)
	}
	if err := l.ChannelTyping(m.ID); err != nil || !s.World.Typing(m.ID) {
		t.Errorf("not shown as typing: %v", err)
	}
	s.Advance(11 * time.Second)
	if s.World.Typing(m.ID) {
		t.Error("typing does not expire")
	}
	s.World.DeleteChannel(s.channel)
	if s.World.Messages(m.ID) != nil {
		t.Error("the thread outlives its channel")
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	done := make(chan error, 1)
	go func() { done <- s.Await(late(t), func() bool { return len(s.World.Messages(s.channel)) == 2 }) }()
	s.say("one")
	s.say("two")
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Gateway.AwaitConnected(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("without a connection: %v", err)
	}
}
