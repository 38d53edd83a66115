package discordtest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// noncesLast is for how long a nonce is remembered: "the past few minutes".
const noncesLast = 5 * time.Minute

// channelFor is the channel of a call that needs permissions there.
func (s *Server) channelFor(r *request, needed Permission) (*channel, *refusal) {
	c := s.channels[r.PathValue("channel")]
	if c == nil {
		return nil, unknownChannel
	}
	return c, s.lacking(c, needed)
}

// messageFor is the message of a call that needs permissions in its channel.
func (s *Server) messageFor(r *request, needed Permission) (*entry, *refusal) {
	c, no := s.channelFor(r, needed)
	if no != nil {
		return nil, no
	}
	if m := c.find(r.PathValue("message")); m != nil {
		return m, nil
	}
	return nil, unknownMessage
}

// writable tells why the bot may not write in a channel.
func (s *Server) writable(c *channel, files bool) *refusal {
	needed := Send
	if c.isThread() {
		needed = SendInThreads
	}
	if files {
		needed |= AttachFiles
	}
	switch no := s.lacking(c, needed); {
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

func (s *Server) postMessage(r *request) (int, any, *refusal) {
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	c := s.channels[r.PathValue("channel")]
	if c == nil {
		return 0, nil, unknownChannel
	}
	if no := s.writable(c, len(r.files) > 0); no != nil {
		return 0, nil, no
	}
	m := &entry{channel: c, author: s.bot}
	if no := s.refer(m, b.Reference); no != nil {
		return 0, nil, no
	}
	if no := length("nonce", b.nonce(), 0, mostNonce); no != nil {
		return 0, nil, no
	}
	if first := s.posted(b.nonce()); first != nil && b.Enforce {
		return http.StatusOK, s.messageJSON(first, s.content), nil
	}
	if b.Flags != nil {
		*b.Flags &^= flagEphemeral // of interactions only
	}
	if no := s.fill(m, &b, r.files); no != nil {
		return 0, nil, no
	}
	s.add(m)
	s.remember(m)
	return http.StatusOK, s.messageJSON(m, s.content), nil
}

// refer makes a message a reply.
func (s *Server) refer(m *entry, to *reference) *refusal {
	if to == nil || to.Message == "" {
		return nil
	}
	c := m.channel
	if s.may(c)&ReadHistory == 0 {
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

// posted is what the bot posted under a nonce lately, or nil.
func (s *Server) posted(nonce string) *entry {
	for len(s.recent) > 0 && s.now().Sub(s.recent[0].noncedAt) > noncesLast {
		if old := s.recent[0]; s.nonces[old.nonce] == old {
			delete(s.nonces, old.nonce)
		}
		s.recent = s.recent[1:]
	}
	return s.nonces[nonce]
}

// remember keeps a message by its nonce.
func (s *Server) remember(m *entry) {
	if m.nonce == "" {
		return
	}
	m.noncedAt = s.now()
	s.nonces[m.nonce] = m
	s.recent = append(s.recent, m)
}

func (s *Server) patchMessage(r *request) (int, any, *refusal) {
	var b messageBody
	if no := r.decode(&b); no != nil {
		return 0, nil, no
	}
	m, no := s.messageFor(r, 0)
	switch {
	case no != nil:
		return 0, nil, no
	case m.author.ID != s.bot.ID:
		return 0, nil, notTheAuthor
	case m.channel.archived:
		return 0, nil, threadArchived
	case len(r.files) > 0 && s.may(m.channel)&AttachFiles == 0:
		return 0, nil, missingPermissions
	}
	if no := s.change(m, &b, r.files); no != nil {
		return 0, nil, no
	}
	return http.StatusOK, s.messageJSON(m, s.content), nil
}

func (s *Server) deleteMessage(r *request) (int, any, *refusal) {
	m, no := s.messageFor(r, 0)
	switch {
	case no != nil:
		return 0, nil, no
	case m.author.ID != s.bot.ID && m.channel.guild == nil:
		return 0, nil, notInDM
	case m.author.ID != s.bot.ID && s.may(m.channel)&ManageMessages == 0:
		return 0, nil, missingPermissions
	case m.channel.archived:
		return 0, nil, threadArchived
	}
	s.drop(m)
	return http.StatusNoContent, nil, nil
}

func (s *Server) getMessage(r *request) (int, any, *refusal) {
	m, no := s.messageFor(r, ReadHistory)
	if no != nil {
		return 0, nil, no
	}
	return http.StatusOK, s.messageJSON(m, s.content), nil
}

func (s *Server) getMessages(r *request) (int, any, *refusal) {
	c, no := s.channelFor(r, 0)
	if no != nil {
		return 0, nil, no
	}
	q := r.URL.Query()
	limit, err := strconv.Atoi(or(q.Get("limit"), "50"))
	if err != nil || limit < 1 || limit > 100 {
		return 0, nil, badForm("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
	}
	listed := []object{}
	if s.may(c)&ReadHistory == 0 {
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
		listed = append(listed, s.messageJSON(m, s.content))
	}
	return http.StatusOK, listed, nil
}
