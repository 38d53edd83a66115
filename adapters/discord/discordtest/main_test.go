package discordtest_test

import (
	"context"
	"flag"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"go.uber.org/goleak"

	"atelier/adapters/discord/discordtest"
)

// TestMain checks for leaked goroutines. discordgo has a race of its own: a heartbeat that is sent
// while the session closes fails, and discordgo then closes it once more, which takes a second, and
// tries to reconnect forever. More tests run at once than there are cores, since discordgo waits for
// a second when it closes.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).CloseWithCode"),
		goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).reconnect"))
}

// reroute redirects requests for Discord to a local server.
type reroute struct {
	to   *url.URL
	base *http.Transport
}

func (r reroute) RoundTrip(call *http.Request) (*http.Response, error) {
	call = call.Clone(call.Context())
	call.URL.Scheme, call.URL.Host, call.Host = r.to.Scheme, r.to.Host, r.to.Host
	return r.base.RoundTrip(call)
}

// library is discordgo, connected to a server as a bot would be.
type library struct {
	*discordgo.Session
	events chan *discordgo.Event
}

const least = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentGuildMessageReactions |
	discordgo.IntentDirectMessages | discordgo.IntentDirectMessageReactions

// client returns discordgo, not connected to the gateway.
func client(t *testing.T, s *discordtest.Server) *library {
	t.Helper()
	session, err := discordgo.New("Bot " + s.Token())
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	session.Client = &http.Client{Transport: reroute{to, base}}
	session.SyncEvents = true
	session.ShouldRetryOnRateLimit = false
	session.Identify.Intents = least | discordgo.IntentMessageContent
	l := &library{session, make(chan *discordgo.Event, 1000)}
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { l.events <- e })
	return l
}

// connected returns discordgo, connected to the gateway.
func connected(t *testing.T, s *discordtest.Server) *library {
	t.Helper()
	l := client(t, s)
	l.open(t)
	return l
}

func (l *library) open(t *testing.T) {
	t.Helper()
	if err := l.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// next waits for the next event of a kind, and also returns those before it.
func (l *library) next(t *testing.T, kind string) *discordgo.Event {
	t.Helper()
	for {
		select {
		case e := <-l.events:
			if e.Type == kind {
				return e
			}
		case <-late(t).Done():
			t.Fatalf("no event %s", kind)
		}
	}
}

// message waits for the next new message.
func (l *library) message(t *testing.T) *discordgo.MessageCreate {
	t.Helper()
	m, ok := l.next(t, "MESSAGE_CREATE").Struct.(*discordgo.MessageCreate)
	if !ok {
		t.Fatal("not a message")
	}
	return m
}

// late fires when an expected event is overdue.
func late(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// scene is a server with a guild, a channel and a person.
type scene struct {
	*discordtest.Server
	guild, channel string
	ana            discordtest.User
}

func newScene(t *testing.T, o discordtest.Options) *scene {
	t.Helper()
	s := discordtest.New(t, o)
	guild := s.World.Guild("Studio")
	return &scene{s, guild, s.World.Channel(guild, "pictures"), s.World.User("Ana")}
}

func (s *scene) say(text string) discordtest.Message {
	return s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: text})
}
