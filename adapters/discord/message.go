package discord

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// The objects of Discord as far as they are needed. The library's own leave out what the
// bot must know: the descriptions of attachments, and what was forwarded.
type (
	object struct {
		ID string `json:"id"`
	}
	user struct {
		ID      string  `json:"id"`
		Name    string  `json:"username"`
		Display string  `json:"global_name"`
		Bot     bool    `json:"bot"`
		System  bool    `json:"system"`
		Member  *member `json:"member"` // of those who are mentioned in a server
	}
	member struct {
		User        *user    `json:"user"`
		Nick        string   `json:"nick"`
		Roles       []string `json:"roles"`
		Permissions string   `json:"permissions"` // of who interacts, in that channel
	}
	attachment struct {
		ID          string `json:"id"`
		Filename    string `json:"filename"`
		Title       string `json:"title"` // the name as people see it, where that is another
		Description string `json:"description"`
		Type        string `json:"content_type"`
		Size        int64  `json:"size"`
		URL         string `json:"url"`
	}
	message struct {
		ID          string                      `json:"id"`
		Channel     string                      `json:"channel_id"`
		Guild       string                      `json:"guild_id"`
		Type        discordgo.MessageType       `json:"type"`
		Flags       int                         `json:"flags"`
		Content     string                      `json:"content"`
		At          time.Time                   `json:"timestamp"`
		Author      user                        `json:"author"`
		Member      *member                     `json:"member"`
		Webhook     string                      `json:"webhook_id"`
		Mentions    []user                      `json:"mentions"`
		Roles       []string                    `json:"mention_roles"`
		Attachments []attachment                `json:"attachments"`
		Reference   *discordgo.MessageReference `json:"message_reference"`
		Referenced  *message                    `json:"referenced_message"`
		Snapshots   []snapshot                  `json:"message_snapshots"`
		Reactions   []shownReaction             `json:"reactions"`
	}
	snapshot struct {
		Message message `json:"message"`
	}
	shownReaction struct {
		Me    bool `json:"me"`
		Emoji struct {
			Name string `json:"name"`
		} `json:"emoji"`
	}
)

// typeReply and typeStarter are the messages besides common ones that hold what people wrote:
// a reply, and what stands at the beginning of a thread for the message that began it.
const (
	typeReply   = discordgo.MessageTypeReply
	typeStarter = discordgo.MessageTypeThreadStarterMessage
)

// written hears a message, and tells when it was taken or is for nobody.
func (h *hearer) written(ctx context.Context, m *message, taken func()) {
	if m.Author.ID != h.own {
		h.foreign.add(m.ID)
	}
	if m.Webhook == "" {
		h.know(m.Author)
	}
	if m.Author.ID == h.own || m.Author.Bot || m.Author.System || m.Webhook != "" || m.Type != discordgo.MessageTypeDefault && m.Type != typeReply {
		h.ignored.add(m.ID)
		taken()
		return
	}
	e, ok, err := h.message(ctx, m)
	switch {
	case ctx.Err() != nil: // it is not taken
	case err != nil || !ok:
		if err != nil {
			h.d.log.WarnContext(ctx, "of a message cannot be told what it is", "error", err)
		}
		h.ignored.add(m.ID)
		taken()
	default:
		h.handOver(e, taken)
	}
}

// message makes the event of a message. It is not ok where the message is not for the bot.
// It fails where the context ends before Discord has told what is needed, or Discord never
// will.
func (h *hearer) message(ctx context.Context, m *message) (_ adapters.Event, ok bool, _ error) {
	thread, within, err := h.thread(ctx, m.Guild, m.Channel, m.ID)
	if err != nil {
		return adapters.Event{}, false, err
	}
	if err := h.refer(ctx, m); err != nil {
		return adapters.Event{}, false, err
	}
	mentioned := h.mentioned(m)
	replied := m.Type == typeReply && m.Referenced != nil && m.Referenced.Author.ID == h.own
	w := adapters.Message{Ref: ref(m.Guild, m.Channel, m.ID), Order: order(m.ID), Files: m.files(), Text: h.text(m)}
	switch {
	case mentioned:
		w.For = adapters.Mentioned
	case replied:
		w.For = adapters.Replied
	case thread.Direct:
		w.For = adapters.Direct
	case within:
		w.For = adapters.Overheard
	default:
		return adapters.Event{}, false, nil
	}
	if m.Type == typeReply && m.Referenced != nil {
		earlier := h.earlier(m.Referenced, m.Guild, m.Channel)
		w.ReplyTo = &earlier
	}
	who, err := h.author(ctx, m)
	if err != nil {
		return adapters.Event{}, false, err
	}
	e := adapters.Event{
		Kind: adapters.MessageSent, ID: "m" + m.ID, Adapter: Name, Thread: thread, At: cmp.Or(m.At, instantOf(m.ID)), Message: &w,
		By: who,
	}
	if w.Text == "" && len(w.Files) == 0 && (w.ReplyTo == nil || w.For == adapters.Overheard) {
		if w.For != adapters.Mentioned {
			return e, false, nil // a sticker, or what Discord does not let the bot read
		}
		e.Kind, e.Message, e.Command = adapters.CommandGiven, nil, &adapters.Command{Name: "help"}
	}
	return e, true, nil
}

// author is who wrote a message. Discord does not tell the roles where it was missed.
func (h *hearer) author(ctx context.Context, m *message) (adapters.Person, error) {
	if m.Guild == "" {
		return h.person(m.Author, nil, &channel{}), nil
	}
	if m.Member != nil {
		known := *m.Member
		known.User = &m.Author
		h.members.put(m.Guild, m.Author.ID, &known)
	} else {
		var err error
		if m.Member, err = h.member(ctx, m.Guild, m.Author.ID); err != nil {
			return adapters.Person{}, err
		}
	}
	c, err := h.channel(ctx, m.Guild, m.Channel)
	return h.person(m.Author, m.Member, c), err
}

// mentioned tells whether a message mentions the bot, by its name or the role that Discord
// has made for it. Discord counts a reply as a mention of who is replied to; that is none.
func (h *hearer) mentioned(m *message) bool {
	named := strings.Contains(m.Content, "<@"+h.own+">") || strings.Contains(m.Content, "<@!"+h.own+">")
	ofBot := func(u user) bool { return u.ID == h.own || !isID(u.ID) } // which was not told, as where Mentions is nil
	if named && (m.Mentions == nil || slices.ContainsFunc(m.Mentions, ofBot)) {
		return true
	}
	for _, id := range m.Roles {
		if h.isOwnRole(m.Guild, id) {
			return true
		}
	}
	return false
}

func (h *hearer) isOwnRole(guild, id string) bool {
	r, ok := h.world.role(guild, id)
	return ok && r.Tags.Bot == h.own && h.own != ""
}

// refer asks Discord for what a message replies to, where that was not told and is there.
func (h *hearer) refer(ctx context.Context, m *message) error {
	if m.Type != typeReply || m.Referenced != nil || m.Reference == nil || !isID(m.Reference.MessageID) {
		return nil
	}
	var to message
	err := h.look(ctx, "channels/"+m.Channel+"/messages/"+m.Reference.MessageID, &to)
	if err == nil {
		m.Referenced = &to
	} else if passing(err) {
		return err
	}
	return nil
}

// earlier is a message that was written before.
func (h *hearer) earlier(m *message, guild, channel string) adapters.Earlier {
	if m.Channel != "" {
		channel = m.Channel
	}
	own := m.Author.ID == h.own
	e := adapters.Earlier{
		Ref: ref(guild, channel, m.ID), By: adapters.Person{ID: m.Author.ID, Name: name(m.Author, m.Member)}, Own: own, At: m.At, Files: m.files(),
	}
	if e.Text = h.text(m); own {
		e.Text = unescaped(e.Text)
	}
	return e
}

// text is what a message says as people see it; that of what it forwards, where it says
// nothing of its own.
func (h *hearer) text(m *message) string {
	text := h.names(m).read(m.Content)
	for _, s := range m.Snapshots {
		if forwarded := h.names(&s.Message).read(s.Message.Content); forwarded != "" && text == "" {
			text = forwarded
		}
	}
	return clipped(text, adapters.MaxText)
}

// files are those of a message and of what it forwards.
func (m *message) files() []adapters.File {
	var all []adapters.File
	for _, a := range m.Attachments {
		if !isID(a.ID) {
			continue
		}
		f := a.file()
		f.Voice = m.Flags&int(discordgo.MessageFlagsIsVoiceMessage) != 0
		all = append(all, f)
	}
	for _, s := range m.Snapshots {
		all = append(all, s.Message.files()...)
	}
	return all[:min(len(all), adapters.MaxFiles)]
}

func (a attachment) file() adapters.File {
	name := a.Title
	if name == "" {
		name = a.Filename
	} else if kind := path.Ext(a.Filename); !strings.EqualFold(path.Ext(name), kind) { // a title may leave it out
		name += kind
	}
	f := adapters.File{ID: a.ID, Name: oneLine(name), Size: max(a.Size, 0), Type: oneLine(a.Type), Alt: clipped(a.Description, 4<<10), Handle: handleOf(a.URL)}
	if f.Name == "" {
		f.Name = "file"
	}
	return f
}

// person is somebody as others see them in a channel.
func (h *hearer) person(u user, m *member, c *channel) adapters.Person {
	p := adapters.Person{ID: u.ID, Name: name(u, m)}
	if m == nil || c.Guild == "" {
		return p
	}
	p.Roles = m.Roles
	may, err := strconv.ParseInt(m.Permissions, 10, 64)
	if err != nil || m.Permissions == "" {
		may = h.world.permissions(c, u.ID, m.Roles)
	}
	p.Admin = may&(discordgo.PermissionManageMessages|discordgo.PermissionAdministrator) != 0
	return p
}

func name(u user, m *member) string {
	for _, n := range []string{nick(m), nick(u.Member), u.Display, u.Name} {
		if n = oneLine(n); n != "" {
			return n
		}
	}
	return ""
}

func nick(m *member) string {
	if m == nil {
		return ""
	}
	return m.Nick
}

// order is the larger the later a message was written: ids of Discord grow.
func order(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// oneLine is a name without control characters, of at most 250 bytes.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return clipped(strings.TrimSpace(s), 250)
}

// clipped is the beginning of a text, of at most so many bytes.
func clipped(s string, most int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
