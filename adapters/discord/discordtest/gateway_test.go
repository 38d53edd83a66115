package discordtest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"atelier/adapters/discord/discordtest"
)

func TestMessageEvent(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	for _, text := range []string{"one", "two", "three"} {
		said := s.say(text)
		heard := l.message(t)
		if heard.ID != said.ID || heard.Content != text || heard.GuildID != s.guild || heard.Author.Username != "Ana" {
			t.Errorf("posted %+v, received %+v", said, heard.Message)
		}
	}
	if s.Gateway.Intents() != int(least|discordgo.IntentMessageContent) {
		t.Errorf("the intents are %d", s.Gateway.Intents())
	}
}

// TestResume ends connections in every way after which a session can be resumed.
func TestResume(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*discordtest.Server){
		"cut off":   func(s *discordtest.Server) { s.Gateway.CutOff() },
		"4000":      func(s *discordtest.Server) { s.Gateway.Drop(4000) },
		"4008":      func(s *discordtest.Server) { s.Gateway.Drop(4008) },
		"reconnect": func(s *discordtest.Server) { s.Gateway.Reconnect() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			l := connected(t, s.Server)
			s.say("before")
			l.message(t)
			end(s.Server)
			said := s.say("meanwhile")
			if heard := l.message(t); heard.ID != said.ID {
				t.Errorf("received %q first", heard.Content)
			}
			l.next(t, "RESUMED")
			said = s.say("after")
			if heard := l.message(t); heard.ID != said.ID {
				t.Errorf("received %q next", heard.Content)
			}
			if s.Gateway.Identifies() != 1 || s.Gateway.Resumes() == 0 {
				t.Errorf("%d sessions started and %d resumed", s.Gateway.Identifies(), s.Gateway.Resumes())
			}
		})
	}
}

func TestInvalidSession(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*discordtest.Server){
		"4009":            func(s *discordtest.Server) { s.Gateway.Drop(4009) },
		"4007":            func(s *discordtest.Server) { s.Gateway.Drop(4007) },
		"too long":        func(s *discordtest.Server) { s.Gateway.CutOff(); s.Advance(time.Hour) },
		"invalid session": func(s *discordtest.Server) { s.Gateway.InvalidSession(false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			w := dial(t, s.Server)
			w.identify(s.Token(), least)
			session := w.ready()
			end(s.Server)
			if name != "invalid session" {
				w = dial(t, s.Server)
			} else if op := w.until(9); string(op.Data) != "false" {
				t.Errorf("frame %+v", op)
			}
			w.send(6, map[string]any{"token": s.Token(), "session_id": session, "seq": 1})
			if op := w.read(); op.Op != 9 || string(op.Data) != "false" {
				t.Errorf("frame %+v", op)
			}
			w.identify("Bot "+s.Token(), least)
			w.ready()
		})
	}
}

// TestClosed checks the codes by which the gateway closes.
func TestClosed(t *testing.T) {
	t.Parallel()
	content := least | discordgo.IntentMessageContent
	for name, c := range map[string]struct {
		options discordtest.Options
		do      func(*discordtest.Server, *wire)
		code    int
	}{
		"bad token":         {do: func(_ *discordtest.Server, w *wire) { w.identify("x", least) }, code: 4004},
		"bad intents":       {do: func(s *discordtest.Server, w *wire) { w.identify(s.Token(), 1<<40) }, code: 4013},
		"privileged intent": {do: func(s *discordtest.Server, w *wire) { w.identify(s.Token(), least|1<<1) }, code: 4014},
		"withheld intent": {discordtest.Options{WithoutContent: true}, func(s *discordtest.Server, w *wire) {
			w.identify(s.Token(), content)
		}, 4014},
		"withheld later": {do: func(s *discordtest.Server, w *wire) {
			w.identify(s.Token(), content)
			w.ready()
			s.Gateway.MissingIntent()
		}, code: 4014},
		"revoked": {do: func(s *discordtest.Server, w *wire) {
			w.identify(s.Token(), content)
			w.ready()
			s.Revoke()
		}, code: 4004},
		"twice": {do: func(s *discordtest.Server, w *wire) {
			w.identify(s.Token(), least)
			w.identify(s.Token(), least)
		}, code: 4005},
		"unknown op": {do: func(_ *discordtest.Server, w *wire) { w.send(77, nil) }, code: 4001},
		"no JSON":    {do: func(_ *discordtest.Server, w *wire) { w.raw("{") }, code: 4002},
		"dropped":    {do: func(s *discordtest.Server, _ *wire) { s.Gateway.Drop(4011) }, code: 4011},
		"a seq to come": {do: func(s *discordtest.Server, w *wire) {
			w.identify(s.Token(), least)
			id := w.ready()
			s.Gateway.CutOff()
			w.ws = dial(w.T, s).ws
			w.send(6, map[string]any{"token": s.Token(), "session_id": id, "seq": 900})
		}, code: 4007},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, c.options)
			w := dial(t, s.Server)
			c.do(s.Server, w)
			if code := w.closed(); code != c.code {
				t.Errorf("closed with %d, want %d", code, c.code)
			}
		})
	}
}

func TestClosedGateway(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.Gateway.Refuse(true)
	_, got, err := websocket.DefaultDialer.DialContext(t.Context(), strings.TrimSuffix("ws"+strings.TrimPrefix(s.URL(), "http"), "/api/v9")+"/gateway/?v=9&encoding=json", nil)
	if err == nil || got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("connected: %v", err)
	}
	if err := got.Body.Close(); err != nil {
		t.Error(err)
	}
	s.Gateway.Refuse(false)
	dial(t, s.Server)
}

// TestAcknowledgedEvents checks that events are not repeated once they were acknowledged.
func TestAcknowledgedEvents(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	w := dial(t, s.Server)
	w.identify(s.Token(), least)
	session := w.ready()
	seq := int64(2) // READY and the guild
	for range 3 {
		s.Gateway.CutOff()
		s.say("meanwhile")
		w = dial(t, s.Server)
		w.send(6, map[string]any{"token": s.Token(), "session_id": session, "seq": seq})
		if p := w.read(); p.Kind != "MESSAGE_CREATE" || p.Seq <= seq {
			t.Errorf("event %+v after %d", p, seq)
		} else {
			seq = p.Seq
		}
		if p := w.read(); p.Kind != "RESUMED" {
			t.Errorf("unexpected event %+v", p)
		}
	}
}

// TestIntents checks that only requested events are sent.
func TestIntents(t *testing.T) {
	t.Parallel()
	for kind, intent := range map[string]discordgo.Intent{
		"CHANNEL_CREATE":       discordgo.IntentGuilds,
		"MESSAGE_CREATE":       discordgo.IntentGuildMessages,
		"MESSAGE_REACTION_ADD": discordgo.IntentGuildMessageReactions,
		"direct message":       discordgo.IntentDirectMessages,
		"direct reaction":      discordgo.IntentDirectMessageReactions,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			w := dial(t, s.Server)
			w.identify(s.Token(), least&^intent)
			w.ready()
			s.World.Channel(s.guild, "more")
			m := s.say("hello")
			s.People.React(s.ana, s.channel, m.ID, "👍", true)
			dm := s.World.DM(s.ana)
			m = s.People.Say(discordtest.Post{Channel: dm, By: s.ana, Content: "psst"})
			s.People.React(s.ana, dm, m.ID, "👍", true)
			s.People.React(s.ana, dm, m.ID, "👍", false)
			s.Gateway.Drop(4000)
			var told []string
			for p := w.next(); p != nil; p = w.next() {
				name := p.Kind
				var d struct {
					Guild string `json:"guild_id"`
				}
				if err := json.Unmarshal(p.Data, &d); err != nil {
					t.Fatal(err)
				}
				if d.Guild == "" && strings.HasPrefix(name, "MESSAGE_") {
					name = map[string]string{"MESSAGE_CREATE": "direct message", "MESSAGE_REACTION_ADD": "direct reaction"}[name]
				}
				told = append(told, name)
			}
			if slices.Contains(told, kind) {
				t.Errorf("received %q", told)
			}
			for _, other := range []string{"CHANNEL_CREATE", "MESSAGE_CREATE", "MESSAGE_REACTION_ADD", "direct message", "direct reaction"} {
				if other != kind && !slices.Contains(told, other) {
					t.Errorf("received %q, want %s", told, other)
				}
			}
		})
	}
}

// TestContent checks which content is sent without the privileged intent.
func TestContent(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{WithoutContent: true})
	l := client(t, s.Server)
	l.Identify.Intents = least
	l.open(t)
	file := []discordtest.File{{Name: "a.txt", Content: []byte("a")}}
	own, err := l.ChannelMessageSend(s.channel, "mine")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		post discordtest.Post
		seen bool
	}{
		"plain":          {discordtest.Post{Channel: s.channel, By: s.ana, Content: "secret", Files: file}, false},
		"mention":        {discordtest.Post{Channel: s.channel, By: s.ana, Content: s.Bot().Mention() + " secret", Files: file}, true},
		"direct":         {discordtest.Post{Channel: s.World.DM(s.ana), By: s.ana, Content: "secret", Files: file}, true},
		"reply":          {discordtest.Post{Channel: s.channel, By: s.ana, Content: "secret", Files: file, ReplyTo: own.ID}, true},
		"code mention":   {discordtest.Post{Channel: s.channel, By: s.ana, Content: "`" + s.Bot().Mention() + "`", Files: file}, false},
		"everyone there": {discordtest.Post{Channel: s.channel, By: s.ana, Content: "@everyone", Files: file}, false},
	} {
		said := s.People.Say(c.post)
		var heard *discordgo.MessageCreate
		for heard == nil || heard.ID != said.ID {
			heard = l.message(t)
		}
		read, err := l.ChannelMessage(c.post.Channel, said.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*discordgo.Message{heard.Message, read} {
			if seen := m.Content != "" && len(m.Attachments) == 1; seen != c.seen || !c.seen && len(m.Attachments) > 0 {
				t.Errorf("%s: read %q with %d files", name, m.Content, len(m.Attachments))
			}
		}
		if c.post.ReplyTo != "" && heard.ReferencedMessage.Content != "mine" {
			t.Errorf("%s: its own message is not read", name)
		}
	}
	app, err := l.Application("@me")
	if err != nil || app.Flags&(1<<18|1<<19) != 0 {
		t.Errorf("the flags are %b, %v", app.Flags, err)
	}
}

func TestEchoAndWithhold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	l := connected(t, s.Server)
	m := s.say("once")
	s.People.Echo(s.channel, m.ID)
	if a, b := l.message(t), l.message(t); a.ID != m.ID || b.ID != m.ID {
		t.Error("the event was not repeated")
	}
	s.Gateway.Withhold("MESSAGE_CREATE")
	s.People.React(s.ana, s.channel, s.say("untold").ID, "👍", true)
	for e := l.events; ; {
		if next := <-e; next.Type == "MESSAGE_CREATE" {
			t.Error("a withheld event was sent")
		} else if next.Type == "MESSAGE_REACTION_ADD" {
			return
		}
	}
}

// wire is a connection of the gateway without a library.
type wire struct {
	*testing.T
	ws *websocket.Conn
}

type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Kind string          `json:"t"`
}

// dial connects, and reads the hello.
func dial(t *testing.T, s *discordtest.Server) *wire {
	t.Helper()
	ws, answer, err := websocket.DefaultDialer.DialContext(t.Context(), strings.TrimSuffix("ws"+strings.TrimPrefix(s.URL(), "http"), "/api/v9")+"/gateway/?v=9&encoding=json", http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	t.Cleanup(func() { _ = ws.Close() }) //nolint:errcheck // it may be closed already
	w := &wire{t, ws}
	if hello := w.read(); hello.Op != 10 {
		t.Fatalf("the first frame is %+v", hello)
	}
	return w
}

func (w *wire) raw(text string) {
	w.Helper()
	if err := w.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		w.Fatal(err)
	}
}

func (w *wire) send(op int, data any) {
	w.Helper()
	if err := w.ws.WriteJSON(map[string]any{"op": op, "d": data}); err != nil {
		w.Fatal(err)
	}
}

func (w *wire) identify(token string, intents discordgo.Intent) {
	w.Helper()
	w.send(2, map[string]any{"token": token, "intents": intents, "properties": map[string]string{}})
}

func (w *wire) read() frame {
	w.Helper()
	f := w.next()
	if f == nil {
		w.Fatal("the connection has ended")
	}
	return *f
}

// until reads frames up to an opcode.
func (w *wire) until(op int) frame {
	w.Helper()
	f := w.read()
	for f.Op != op {
		f = w.read()
	}
	return f
}

// next returns the next frame, or nil at the end.
func (w *wire) next() *frame {
	var f frame
	if w.ws.SetReadDeadline(time.Now().Add(time.Minute)) != nil || w.ws.ReadJSON(&f) != nil {
		return nil
	}
	return &f
}

// ready reads frames up to READY, and returns the session's id.
func (w *wire) ready() string {
	w.Helper()
	for {
		f := w.read()
		var d struct {
			Session string `json:"session_id"`
		}
		if f.Kind == "READY" && json.Unmarshal(f.Data, &d) == nil {
			return d.Session
		}
	}
}

// closed returns the close code of the connection.
func (w *wire) closed() int {
	w.Helper()
	for {
		_, _, err := w.ws.ReadMessage()
		if closed, ok := err.(*websocket.CloseError); ok { //nolint:errorlint // it is not wrapped
			return closed.Code
		}
		if err != nil {
			w.Fatal(err)
		}
	}
}
