package discord

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/outbox"
)

// scene is a local Discord with a bot, and a person who writes.
type scene struct {
	*testing.T
	s       *discordtest.Server
	d       *Discord
	guild   string
	channel string
	ana     discordtest.User
	events  chan adapters.Event

	later atomic.Int64 // how far the bot's clock is ahead

	stop context.CancelFunc
	over chan error

	mu    sync.Mutex
	files map[string][]byte
}

func newScene(t *testing.T, o discordtest.Options) *scene {
	t.Helper()
	return newSceneWithLog(t, o, testLog(t))
}

func newSceneWithLog(t *testing.T, o discordtest.Options, log *slog.Logger) *scene {
	t.Helper()
	s := discordtest.New(t, o)
	sc := &scene{T: t, s: s, guild: s.World.Guild("workshop"), ana: s.World.User("Ana"), events: make(chan adapters.Event, 100), files: map[string][]byte{}}
	sc.channel = s.World.Channel(sc.guild, "general")
	now := func() time.Time { return time.Now().Add(time.Duration(sc.later.Load())) }
	sc.d = hasty(t, Config{Token: s.Token(), APIURL: s.URL(), State: &outbox.Memory{}, Open: sc.open, Log: log, Now: now})
	return sc
}

func (s *scene) open(_ context.Context, handle string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.files[handle]
	if !ok {
		return nil, adapters.ErrGone
	}
	return io.NopCloser(strings.NewReader(string(b))), nil
}

// listen lets the bot listen until the test ends.
func (s *scene) listen() *scene {
	s.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(s.Context()))
	s.stop, s.over = stop, make(chan error, 1)
	go func() {
		s.over <- s.d.Listen(ctx, func(_ context.Context, e adapters.Event) error {
			s.events <- e
			return nil
		})
	}()
	s.Cleanup(func() {
		stop()
		if err := <-s.over; err != nil && !errors.Is(err, adapters.ErrRefused) {
			s.Errorf("Listen ended with %v", err)
		}
	})
	s.await(func() bool { return len(s.s.Interactions.Commands()) > 0 })
	return s
}

func (s *scene) await(condition func() bool) {
	s.Helper()
	ctx, stop := context.WithTimeout(s.Context(), time.Minute)
	defer stop()
	if err := s.s.Await(ctx, condition); err != nil {
		s.Fatal(err)
	}
}

// next returns the bot's next event.
func (s *scene) next() adapters.Event {
	s.Helper()
	select {
	case e := <-s.events:
		return e
	case <-time.After(time.Minute):
		s.Fatal("nothing is heard")
		return adapters.Event{}
	}
}

// mention lets Ana write to the bot in the channel.
func (s *scene) mention(text string) discordtest.Message {
	return s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: strings.TrimRight("<@"+s.s.BotID()+"> "+text, " ")})
}

func (s *scene) send(key string, r adapters.Reply) adapters.MessageRef {
	s.Helper()
	got, err := s.d.Send(s.Context(), key, r)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

// put stores a file to attach.
func (s *scene) put(name string, size int) adapters.Attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = make([]byte, size)
	return adapters.Attachment{Name: name, Size: int64(size), Type: "image/png", Handle: name}
}
