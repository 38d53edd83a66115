package discordtest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/adapters/discord/discordtest/form"
)

// channelCalls read and write messages, reactions and threads.
type channelCalls struct {
	*changes
	nonces map[string]*entry
	recent []*entry // with nonces, the oldest first
}

// noncesLast is how long a nonce is remembered: "the past few minutes".
const noncesLast = 5 * time.Minute

// mostReactions is how many emoji a message may have.
const mostReactions = 20

// pictured reports whether a text looks like an emoji. Discord has a list. Here it is
// enough to reject letters, and digits that are no keycaps.
func pictured(emoji string) bool {
	const fromHere = 0x203C // the first that is neither a letter nor a copyright sign
	return emoji == "©️" || emoji == "®️" || slices.ContainsFunc([]rune(emoji), func(r rune) bool {
		return r >= fromHere && r != '\uFE0F'
	})
}

// threadBody is the body of a call that starts a thread.
type threadBody struct {
	Name    string `json:"name"`
	Archive *int   `json:"auto_archive_duration"` // minutes
}

func (b threadBody) check() *refusal {
	switch n := utf8.RuneCountInString(b.Name); {
	case n < 1 || n > 100:
		return badForm("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	case b.Archive != nil && *b.Archive != 0 && !slices.Contains([]int{60, 1440, 4320, 10080}, *b.Archive):
		return badForm("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).")
	}
	return nil
}

// channelFor returns the channel of a call that needs permissions there.
func (cc *channelCalls) channelFor(r *request, needed Permission) (*channel, *refusal) {
	c := cc.channels[r.PathValue("channel")]
	if c == nil {
		return nil, unknownChannel
	}
	return c, cc.lacking(c, needed)
}

// messageFor returns the message of a call that needs permissions in its channel.
func (cc *channelCalls) messageFor(r *request, needed Permission) (*entry, *refusal) {
	c, no := cc.channelFor(r, needed)
	if no != nil {
		return nil, no
	}
	if m := c.find(r.PathValue("message")); m != nil {
		return m, nil
	}
	return nil, unknownMessage
}

// writable returns the refusal if the bot may not write in a channel, or nil.
func (cc *channelCalls) writable(c *channel, files bool) *refusal {
	needed := Send
	if c.isThread() {
		needed = SendInThreads
	}
	if files {
		needed |= AttachFiles
	}
	switch no := cc.lacking(c, needed); {
	case no != nil:
		return no
	case c.kind == forumChannel:
		return noText
	case c.locked && c.archived:
		return threadArchived
	case c.locked:
		return threadLocked
	}
	return nil
}

func (cc *channelCalls) postMessage(r *request) (int, any, *refusal) {
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	c := cc.channels[r.PathValue("channel")]
	if c == nil {
		return 0, nil, unknownChannel
	}
	if no := cc.writable(c, len(r.files) > 0); no != nil {
		return 0, nil, no
	}
	if b.Flags != nil && *b.Flags&flagVoice != 0 && cc.may(c)&SendVoice == 0 {
		return 0, nil, voiceForbidden
	}
	m := &entry{channel: c, author: cc.bot}
	if no := cc.refer(m, b.Reference); no != nil {
		return 0, nil, no
	}
	if no := invalid(form.Length("nonce", b.Nonce, 0, mostNonce)); no != nil {
		return 0, nil, no
	}
	if first := cc.posted(b.Nonce); first != nil && b.Enforce {
		return http.StatusOK, cc.messageJSON(first, cc.content), nil
	}
	if b.Flags != nil {
		*b.Flags &^= flagEphemeral // for interactions only
	}
	if no := cc.fill(m, &b, r.files); no != nil {
		return 0, nil, no
	}
	cc.add(m)
	cc.remember(m)
	return http.StatusOK, cc.messageJSON(m, cc.content), nil
}

// refer makes a message a reply.
func (cc *channelCalls) refer(m *entry, to *reference) *refusal {
	if to == nil || to.Message == "" {
		return nil
	}
	c := m.channel
	if cc.may(c)&ReadHistory == 0 {
		return noHistory
	}
	if to.Channel != "" && to.Channel != c.id {
		return badForm("message_reference", "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel")
	}
	replied := c.find(to.Message)
	switch {
	case replied == nil && (to.FailIfNotExists == nil || *to.FailIfNotExists):
		return badForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
	case replied == nil:
		return nil
	case replied.kind == kindStarter:
		return badForm("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
	}
	m.kind, m.reference = kindReply, &reference{Message: replied.id, Channel: c.id, Guild: c.guildID()}
	return nil
}

// posted returns the recent message with a nonce, or nil.
func (cc *channelCalls) posted(nonce string) *entry {
	for len(cc.recent) > 0 && cc.now().Sub(cc.recent[0].noncedAt) > noncesLast {
		if old := cc.recent[0]; cc.nonces[old.nonce] == old {
			delete(cc.nonces, old.nonce)
		}
		cc.recent = cc.recent[1:]
	}
	return cc.nonces[nonce]
}

// remember stores a message by its nonce.
func (cc *channelCalls) remember(m *entry) {
	if m.nonce == "" {
		return
	}
	m.noncedAt = cc.now()
	cc.nonces[m.nonce] = m
	cc.recent = append(cc.recent, m)
}

func (cc *channelCalls) patchMessage(r *request) (int, any, *refusal) {
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	m, no := cc.messageFor(r, 0)
	switch {
	case no != nil:
		return 0, nil, no
	case m.author.ID != cc.bot.ID:
		return 0, nil, notTheAuthor
	case m.channel.archived:
		return 0, nil, threadArchived
	case len(r.files) > 0 && cc.may(m.channel)&AttachFiles == 0:
		return 0, nil, missingPermissions
	}
	if no := cc.change(m, &b, r.files); no != nil {
		return 0, nil, no
	}
	return http.StatusOK, cc.messageJSON(m, cc.content), nil
}

func (cc *channelCalls) deleteMessage(r *request) (int, any, *refusal) {
	m, no := cc.messageFor(r, 0)
	switch {
	case no != nil:
		return 0, nil, no
	case m.author.ID != cc.bot.ID && m.channel.guild == nil:
		return 0, nil, notInDM
	case m.author.ID != cc.bot.ID && cc.may(m.channel)&ManageMessages == 0:
		return 0, nil, missingPermissions
	case m.channel.archived:
		return 0, nil, threadArchived
	}
	cc.drop(m)
	return http.StatusNoContent, nil, nil
}

func (cc *channelCalls) getMessage(r *request) (int, any, *refusal) {
	m, no := cc.messageFor(r, ReadHistory)
	if no != nil {
		return 0, nil, no
	}
	return http.StatusOK, cc.messageJSON(m, cc.content), nil
}

func (cc *channelCalls) getMessages(r *request) (int, any, *refusal) {
	c, no := cc.channelFor(r, 0)
	if no != nil {
		return 0, nil, no
	}
	q := r.URL.Query()
	limit, err := strconv.Atoi(or(q.Get("limit"), "50"))
	if err != nil || limit < 1 || limit > 100 {
		return 0, nil, badForm("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
	}
	listed := []object{}
	if cc.may(c)&ReadHistory == 0 {
		return http.StatusOK, listed, nil
	}
	from, to := max(0, len(c.messages)-limit), len(c.messages)
	switch before, after := q.Get("before"), q.Get("after"); {
	case before != "":
		to, _ = c.index(before)
		from = max(0, to-limit)
	case after != "":
		i, found := c.index(after)
		if found {
			i++
		}
		from, to = i, min(len(c.messages), i+limit)
	}
	for _, m := range slices.Backward(c.messages[from:to]) {
		listed = append(listed, cc.messageJSON(m, cc.content))
	}
	return http.StatusOK, listed, nil
}

func (cc *channelCalls) getChannel(r *request) (int, any, *refusal) {
	c, no := cc.channelFor(r, 0)
	if no != nil {
		return 0, nil, no
	}
	return http.StatusOK, cc.channelJSON(c), nil
}

func (cc *channelCalls) postTyping(r *request) (int, any, *refusal) {
	c := cc.channels[r.PathValue("channel")]
	if c == nil {
		return 0, nil, unknownChannel
	}
	if no := cc.writable(c, false); no != nil {
		return 0, nil, no
	}
	c.typing = cc.now().Add(typingLasts)
	return http.StatusNoContent, nil, nil
}

func (cc *channelCalls) putReaction(r *request) (int, any, *refusal) {
	m, no := cc.messageFor(r, ReadHistory)
	if no != nil {
		return 0, nil, no
	}
	emoji := r.PathValue("emoji")
	there := m.reaction(emoji)
	switch {
	case !pictured(emoji):
		return 0, nil, unknownEmoji
	case there == nil && cc.may(m.channel)&AddReactions == 0:
		return 0, nil, missingPermissions
	case m.channel.archived:
		return 0, nil, threadArchived
	case there == nil && len(m.reactions) >= mostReactions:
		return 0, nil, tooManyReactions
	}
	cc.react(m, cc.bot, emoji, true)
	return http.StatusNoContent, nil, nil
}

func (cc *channelCalls) deleteReaction(r *request) (int, any, *refusal) {
	m, no := cc.messageFor(r, ReadHistory)
	if no != nil {
		return 0, nil, no
	}
	emoji := r.PathValue("emoji")
	switch {
	case !pictured(emoji):
		return 0, nil, unknownEmoji
	case m.channel.archived:
		return 0, nil, threadArchived
	}
	cc.react(m, cc.bot, emoji, false)
	return http.StatusNoContent, nil, nil
}

func (cc *channelCalls) postThread(r *request) (int, any, *refusal) {
	var body threadBody
	if no := r.decode(&body); no != nil {
		return 0, nil, no
	}
	c, no := cc.channelFor(r, CreateThreads)
	if no != nil {
		return 0, nil, no
	}
	if c.kind != textChannel {
		return 0, nil, wrongChannel
	}
	from := c.find(r.PathValue("message"))
	switch {
	case from == nil:
		return 0, nil, unknownMessage
	case from.thread != nil:
		return 0, nil, threadExists
	}
	if no := body.check(); no != nil {
		return 0, nil, no
	}
	switch {
	case slices.ContainsFunc(cc.blocked, func(word string) bool { return strings.Contains(body.Name, word) }):
		return 0, nil, titleBlocked
	case cc.crowded:
		return 0, nil, tooManyThreads
	}
	return http.StatusCreated, cc.channelJSON(cc.startThread(from, body.Name, cc.bot)), nil
}

// patchThread changes the bot's own thread: its name, and whether it is archived. Whoever may
// write in a thread that is not locked may unarchive it.
func (cc *channelCalls) patchThread(r *request) (int, any, *refusal) {
	var body struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
	}
	if no := r.decode(&body); no != nil {
		return 0, nil, no
	}
	c, no := cc.channelFor(r, SendInThreads)
	wakes := body.Archived != nil && !*body.Archived
	switch {
	case no != nil:
		return 0, nil, no
	case !c.isThread(), c.locked, c.owner != cc.bot.ID && (!wakes || body.Name != nil):
		return 0, nil, missingPermissions
	case c.archived && !wakes:
		return 0, nil, threadArchived
	}
	if body.Name != nil {
		if no := (threadBody{Name: *body.Name}).check(); no != nil {
			return 0, nil, no
		}
		c.name = *body.Name
	}
	if body.Archived != nil {
		c.archived, c.put = *body.Archived, cc.now()
	}
	cc.tellChannel("UPDATE", c)
	return http.StatusOK, cc.channelJSON(c), nil
}
