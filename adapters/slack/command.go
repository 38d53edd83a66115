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
	by, _ := s.people.user(ctx, c.User)
	thread := adapters.Thread{Adapter: Name, Workspace: self.team, Channel: c.Channel, Direct: strings.HasPrefix(c.Channel, "D")}
	e := adapters.Event{ID: "c-" + c.id(s.config.Now()), Adapter: Name, Thread: thread, By: by.Person, At: s.config.Now()}
	switch name := strings.ToLower(word); name {
	case "status", "tools", "help", "":
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: first(name, "help"), Text: rest}
	case "cancel", "stop":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
	case "ask":
		return s.ask(ctx, asked{thread: thread, user: c.User, wish: rest})
	default:
		return s.ask(ctx, asked{thread: thread, user: c.User, wish: text})
	}
	s.put(ctx, e, nil)
	return nil
}

// asked is a wish of which no message tells.
type asked struct {
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
	by, _ := s.people.user(ctx, a.user)
	said := s.config.Phrases.Say(by.language, "asks:")
	section := slack.NewRichTextSection(
		slack.NewRichTextSectionUserElement(a.user, nil),
		slack.NewRichTextSectionTextElement(" "+said+"\n"+first(cutBytes(printable(a.wish), maxQuoted), "🔁"), nil),
	)
	options := plainly(
		slack.MsgOptionText(escape.Replace("<@"+a.user+"> "+said+" "+cutBytes(a.wish, maxFallback)), false),
		slack.MsgOptionBlocks(slack.NewRichTextBlock("", section)),
	)
	if a.thread.ID != "" {
		options = append(options, slack.MsgOptionTS(a.thread.ID))
	}
	_, ts, err := s.api.PostMessageContext(ctx, a.thread.Channel, options...)
	if err != nil {
		return fault(err)
	}
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

// maxQuoted is how many bytes of a wish are written down.
const maxQuoted = 2500

// tell lets the one person who asked know why nothing came of it.
func (s *Slack) tell(ctx context.Context, user, channel, responseURL string, why error) {
	s.config.Log.WarnContext(ctx, "what somebody asked for by a command or a button was not taken", "error", fault(why))
	f, ok := asFault(why)
	if !ok || responseURL == "" {
		return
	}
	who, _ := s.people.user(ctx, user)
	text := escape.Replace(s.config.Phrases.Say(who.language, f.Sentence, f.Args...))
	_, _, err := s.api.PostMessageContext(ctx, channel, slack.MsgOptionText(text, false), slack.MsgOptionResponseURL(responseURL, slack.ResponseTypeEphemeral))
	if err != nil {
		s.config.Log.WarnContext(ctx, "nobody could be told of it", "error", fault(err))
	}
}
