package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// command is a slash command, as Slack writes it. See
// https://docs.slack.dev/interactivity/implementing-slash-commands.
type command struct {
	User        string `json:"user_id"`
	Channel     string `json:"channel_id"`
	Text        string `json:"text"`
	Trigger     string `json:"trigger_id"`
	ResponseURL string `json:"response_url"`
}

// id tells a command from others. Where nothing of it does, it is who gave it, where and when.
func (c command) id(at time.Time) string {
	if told := first(c.Trigger, c.ResponseURL); told != "" {
		return told
	}
	sum := sha256.Sum256([]byte(c.Channel + " " + c.User + " " + c.Text + " " + strconv.FormatInt(at.UnixNano(), 10)))
	return hex.EncodeToString(sum[:8])
}

// command takes a command, and tells whether it did: it is confirmed at once.
func (s *Slack) command(c command) bool {
	return s.later(func(ctx context.Context) {
		if err := s.commanded(ctx, c); err != nil {
			s.tell(ctx, c.User, c.Channel, c.ResponseURL, err)
		}
	})
}

// commanded hands a command over. What is none of those that there are is a wish.
func (s *Slack) commanded(ctx context.Context, c command) error {
	self, err := s.me(ctx)
	if err != nil {
		return err
	}
	text := readText(c.Text, self.user, s.names(ctx))
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	by := s.people.who(ctx, c.User)
	thread := adapters.Thread{Adapter: Name, Workspace: self.team, Channel: c.Channel, Direct: strings.HasPrefix(c.Channel, "D")}
	id := digest(c.id(s.config.Now())) // what tells it from others lets in who has it
	e := adapters.Event{ID: "c-" + id, Adapter: Name, Thread: thread, By: by.Person, At: s.config.Now()}
	switch name := strings.ToLower(word); name {
	case "status", "tools", "help", "":
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: first(name, "help"), Text: rest}
	case "cancel", "stop":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		s.put(ctx, e, nil)
		s.whisper(ctx, c.Channel, c.ResponseURL, s.config.Phrases.Say(by.language, "What you asked for last here is stopped, if it was still running."))
		return nil
	case "ask":
		return s.ask(ctx, asked{id: id, thread: thread, user: c.User, wish: rest})
	default:
		return s.ask(ctx, asked{id: id, thread: thread, user: c.User, wish: text})
	}
	if c.ResponseURL != "" {
		if err := s.config.State.Put(ctx, respondKey(e.ID), []byte(c.ResponseURL), respondFor); err != nil {
			s.config.Log.WarnContext(ctx, "it was not noted where a command is answered", "error", err)
		}
	}
	s.put(ctx, e, nil)
	return nil
}

// asked is a wish of which no message tells.
type asked struct {
	id     string // of what was entered: it is written down once
	thread adapters.Thread
	user   string
	wish   string
	about  *adapters.Earlier
}

// ask lets the bot write down for all to see what somebody wishes: that message is the
// request, and a thread begins with it where there is none.
func (s *Slack) ask(ctx context.Context, a asked) error {
	if a.wish == "" && a.about == nil {
		return &adapters.Fault{Sentence: "Say what I shall do, such as: /atelier ask make it black and white.", Kind: adapters.ErrInvalid}
	}
	by := s.people.who(ctx, a.user)
	said := s.config.Phrases.Say(by.language, "asks:")
	section := slack.NewRichTextSection(
		slack.NewRichTextSectionUserElement(a.user, nil),
		slack.NewRichTextSectionTextElement(" "+said+"\n"+first(clip(printable(a.wish), maxQuoted), "🔁"), nil),
	)
	text := escape.Replace(first(by.Name, a.user) + " " + said + " " + clip(a.wish, maxFallback))
	key, blocks := "ask-"+a.id, []slack.Block{slack.NewRichTextBlock("", section)}
	ref, err := s.once(ctx, key, a.thread, 1, func(ctx context.Context, n int) (string, error) {
		return s.post(ctx, key, n, a.thread, words{blocks, text, text})
	}, func(ctx context.Context, n int) (string, error) {
		return s.find(ctx, key, n, a.thread)
	})
	if err != nil {
		return err
	}
	ts := ref.ID
	at, ok := moment(ts)
	if !ok {
		return invalid("a message of Slack's has no address")
	}
	if a.thread.ID == "" && !a.thread.Direct {
		a.thread.ID = ts
	}
	s.put(ctx, adapters.Event{
		Kind: adapters.MessageSent, ID: "m-" + a.thread.Channel + "-" + ts, Adapter: Name, Thread: a.thread, By: by.Person, At: at,
		Message: &adapters.Message{
			Ref: address(a.thread.Workspace, a.thread.Channel, ts), Order: at.UnixMicro(), For: adapters.Mentioned, Text: a.wish, ReplyTo: a.about,
		},
	}, nil)
	return nil
}

// clip is the beginning of a text, which shows that there is more.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(cutBytes(s, most-len("…"))) + "…"
}

// maxQuoted is how many bytes of a wish are written down.
const maxQuoted = 2500

// tell lets the one person who asked know why nothing came of it.
func (s *Slack) tell(ctx context.Context, user, channel, responseURL string, why error) {
	s.config.Log.WarnContext(ctx, "what somebody asked for by a command or a button was not taken", "error", fault(why))
	f, ok := asFault(why)
	if !ok {
		return
	}
	who := s.people.who(ctx, user)
	sentence := f.Sentence
	if sentence == unreached { // nobody tries again what a person asked for by a command
		sentence = unreachedNow
	}
	s.whisper(ctx, channel, responseURL, s.config.Phrases.Say(who.language, sentence, f.Args...))
}

// whisper tells something to the one person who asked.
func (s *Slack) whisper(ctx context.Context, channel, responseURL, text string) {
	if responseURL == "" {
		return
	}
	text = escape.Replace(text)
	_, _, err := s.api.PostMessageContext(ctx, channel, slack.MsgOptionText(text, false), slack.MsgOptionResponseURL(responseURL, slack.ResponseTypeEphemeral))
	if err != nil {
		s.config.Log.WarnContext(ctx, "nobody could be told of it", "error", fault(err))
	}
}
