package lookup

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

const (
	// PageSize is how many messages Discord lists per page.
	PageSize = 100
	// maxPages is how many pages Before reads, whoever wrote the messages.
	maxPages = 5
	// maxReplies is how many replies to replies are followed; each takes a call.
	maxReplies = 10
)

// Messages reads messages and threads.
type Messages struct {
	API      *api.Client
	Identity *Identity
	Places   *Places // for the names in texts
	Guests   *Guests // nil if Before is not used
}

// Names resolves the tokens in a message.
func (ms *Messages) Names(m *convert.Message) convert.Names {
	return convert.Names{
		Self: func(kind, id string) bool {
			return kind == "@" && id == ms.Identity.Known() || kind == "@&" && ms.isOwnRole(m.Guild, id)
		},
		User: m.UserName,
		Role: func(id string) string {
			r, _ := ms.Places.role(m.Guild, id)
			return r.Name
		},
		Channel: func(id string) string {
			if c := ms.Places.Known(id); c != nil {
				return c.Name
			}
			return ""
		},
	}
}

// Text returns a message as people see it, or what it forwards if it has no text of its own.
func (ms *Messages) Text(m *convert.Message) string {
	text := ms.Names(m).Read(m.Said())
	for _, s := range m.Snapshots {
		if text == "" {
			text = ms.Names(&s.Message).Read(s.Message.Said())
		}
	}
	return adapters.Cut(text, adapters.MaxText)
}

// Earlier converts an earlier message.
func (ms *Messages) Earlier(m *convert.Message, guild, channel string) adapters.Earlier {
	if m.Channel != "" {
		channel = m.Channel
	}
	e := adapters.Earlier{
		Ref: convert.Ref(guild, channel, m.ID), By: adapters.Person{ID: m.Author.ID, Name: convert.DisplayName(m.Author, m.Member)},
		Own: m.Author.ID == ms.Identity.Known(), At: m.At, Files: m.Files(), Text: ms.Text(m),
	}
	if e.Own {
		e.Text = convert.Unescape(e.Text)
	}
	return e
}

// Mention reports whether a message mentions the bot or its role. A reply alone does not, though Discord counts
// it.
func (ms *Messages) Mention(m *convert.Message) bool {
	self := ms.Identity.Known()
	named := strings.Contains(m.Content, "<@"+self+">") || strings.Contains(m.Content, "<@!"+self+">")
	isBot := func(u convert.User) bool { return u.ID == self || !convert.IsID(u.ID) } // or the server does not tell who it is
	return named && (m.Mentions == nil || slices.ContainsFunc(m.Mentions, isBot)) ||
		slices.ContainsFunc(m.Roles, func(id string) bool { return ms.isOwnRole(m.Guild, id) })
}

// Complete looks up the message that a message replies to, unless Discord sent it. It may no longer exist.
func (ms *Messages) Complete(ctx context.Context, m *convert.Message) error {
	if m.Type != discordgo.MessageTypeReply || m.Referenced != nil || m.Reference == nil || !convert.IsID(m.Reference.MessageID) {
		return nil
	}
	var to convert.Message
	err := ms.API.Await(ctx, "channels/"+m.Channel+"/messages/"+m.Reference.MessageID, &to)
	if err == nil {
		m.Referenced = &to
	} else if api.IsTransient(err) {
		return err
	}
	return nil
}

// Before returns the messages that were written in a thread before one of them, including the one that began it,
// at most 500 messages back. For a message in a channel it returns what it replies to.
func (ms *Messages) Before(ctx context.Context, t adapters.Thread, m adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := errors.Join(ctx.Err(), api.CheckThread(t)); err != nil {
		return nil, err
	}
	channel := t.ID
	if channel == "" {
		channel = t.Channel
	}
	if n <= 0 {
		return nil, nil
	}
	if err := api.CheckIDs(channel, t.Channel, m.ID); err != nil {
		return nil, err
	}
	if _, guest, err := ms.Guests.Thread(ctx, t); err != nil || guest {
		return nil, err // a guest reads nothing
	}
	if _, err := ms.Identity.ID(ctx); err != nil {
		return nil, err
	}
	if m.ID == t.ID {
		return ms.repliedTo(ctx, t, m, n)
	}
	var all []adapters.Earlier // the latest first
	before := m.ID
	for pages := 0; len(all) < n && pages < maxPages; pages++ {
		var page []convert.Message
		path := "channels/" + channel + "/messages?before=" + before + "&limit=" + strconv.Itoa(PageSize)
		if err := ms.API.Get(ctx, path, &page); err != nil {
			return nil, api.NamePermissions(err, "View Channel, Read Message History")
		}
		for i := range page {
			if before = page[i].ID; convert.Order(before) <= convert.Order(after) {
				break
			}
			all = ms.add(all, &page[i], t)
		}
		if len(page) < PageSize || convert.Order(before) <= convert.Order(after) {
			break
		}
	}
	all = all[:min(n, len(all))]
	slices.Reverse(all)
	return all, nil
}

// isOwnRole reports whether a role is the one that Discord made for the bot.
func (ms *Messages) isOwnRole(guild, id string) bool {
	r, ok := ms.Places.role(guild, id)
	return ok && r.Tags.Bot == ms.Identity.Known() && r.Tags.Bot != ""
}

// repliedTo returns the message that a message replies to, the one that this replies to, and so on.
func (ms *Messages) repliedTo(ctx context.Context, t adapters.Thread, m adapters.MessageRef, n int) ([]adapters.Earlier, error) {
	var all []adapters.Earlier // the latest first
	for at := m.ID; len(all) < min(n, maxReplies); {
		var reply convert.Message
		if err := ms.API.Get(ctx, "channels/"+m.Channel+"/messages/"+at, &reply); err != nil {
			return nil, api.NamePermissions(err, "View Channel, Read Message History")
		}
		to := reply.Referenced
		if reply.Type != discordgo.MessageTypeReply || to == nil || convert.Order(to.ID) >= convert.Order(at) { // the original was deleted, or this is no reply
			break
		}
		at, to.Channel = to.ID, m.Channel
		all = ms.add(all, to, t)
	}
	slices.Reverse(all)
	return all, nil
}

// add adds a message if it was written by a person or the bot.
func (ms *Messages) add(all []adapters.Earlier, m *convert.Message, t adapters.Thread) []adapters.Earlier {
	channel := m.Channel
	if m.Type == discordgo.MessageTypeThreadStarterMessage && m.Referenced != nil { // it stands for the message that began the thread
		m, channel = m.Referenced, t.Channel
	}
	if !m.IsWritten() || m.Author.ID == "" || (m.Author.Bot || m.Webhook != "") && m.Author.ID != ms.Identity.Known() {
		return all
	}
	return append(all, ms.Earlier(m, t.Workspace, channel))
}
