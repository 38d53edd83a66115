package slacktest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

func (s *Server) say(p Post) string {
	s.tb.Helper()
	var ts string
	s.change(func() {
		c, u := s.channels[p.Channel], s.users[p.By]
		if c == nil || u == nil {
			s.misusef("nobody says %q: channel %q or person %q is not there", p.Text, p.Channel, p.By)
			return
		}
		if p.ThreadTS != "" && c.get(p.ThreadTS) == nil {
			s.misusef("the thread %s of %s is not there", p.ThreadTS, p.Channel)
			return
		}
		c.members[p.By] = true
		m := s.written(p, u)
		s.store(c, m, false)
		for _, f := range m.files {
			f.share(c, m)
		}
		ts = m.ts
		if !p.Silent {
			s.tellMessage(c, m)
		}
	})
	return ts
}

// written is the message that p becomes.
func (s *Server) written(p Post, u *userState) *messageState {
	m := &messageState{threadTS: p.ThreadTS, user: p.By, text: p.Text, subtype: p.Subtype}
	if u.bot {
		m.botID = u.botID
	}
	for _, f := range p.Files {
		m.files = append(m.files, s.addFile(f, p.By))
	}
	switch {
	case p.Classic:
		m.subtype, m.user = "bot_message", ""
	case p.Broadcast:
		m.subtype = "thread_broadcast"
	case len(p.Files) > 0:
		m.subtype = "file_share"
	}
	if p.Text != "" && !p.Classic {
		m.blocks, m.autoBlocks = richText(p.Text), true
	}
	return m
}

// found gives f a message that a test names; it fails the test where it is not there.
func (s *Server) found(channel, ts string, f func(*channelState, *messageState)) {
	s.tb.Helper()
	s.change(func() {
		c := s.channels[channel]
		if c == nil || c.get(ts) == nil {
			s.misusef("the message %s of %s is not there", ts, channel)
			return
		}
		f(c, c.get(ts))
	})
}

func (s *Server) edit(channel, ts, text string) {
	s.tb.Helper()
	s.found(channel, ts, func(c *channelState, m *messageState) {
		before := s.bare(c, m)
		m.text = text
		if m.autoBlocks {
			m.blocks = richText(text)
		}
		s.touch(m, m.user)
		m.sent = nil
		if s.o.MentionFirst {
			s.tellMention(c, m, m.editedTS)
			s.tellChanged(c, m, before)
		} else {
			s.tellChanged(c, m, before)
			s.tellMention(c, m, m.editedTS)
		}
	})
}

// touch marks a message as edited.
func (s *Server) touch(m *messageState, by string) {
	m.edited++
	m.editedTS, m.editedBy, m.editedAt = s.ts(), by, time.Now()
}

func (s *Server) unfurl(channel, ts string) {
	s.tb.Helper()
	s.found(channel, ts, func(c *channelState, m *messageState) {
		before := s.bare(c, m)
		m.attachments = encode([]object{{"id": 1, "title": "A page", "from_url": "https://example.com/"}})
		s.tellChanged(c, m, before)
	})
}

func (s *Server) remove(channel, ts string) {
	s.tb.Helper()
	s.found(channel, ts, s.drop)
}

// drop deletes a message: a root with replies leaves a tombstone.
func (s *Server) drop(c *channelState, m *messageState) {
	before := s.bare(c, m)
	if m.threadTS == m.ts && len(c.replies(m.ts)) > 0 {
		m.tombstone = true
		s.tellChanged(c, m, before)
		return
	}
	c.messages = slices.Delete(c.messages, c.find(m.ts), c.find(m.ts)+1)
	s.tellDeleted(c, m.ts, before)
}

func (s *Server) react(user, channel, ts, name string, added bool) {
	s.tb.Helper()
	s.found(channel, ts, func(c *channelState, m *messageState) {
		if m.react(user, name, added) {
			s.tellReaction(c, m, user, name, added)
		}
	})
}

// react changes the reactions of a message, and tells whether it did.
func (m *messageState) react(user, name string, added bool) bool {
	base, _, _ := strings.Cut(name, "::")
	i := slices.IndexFunc(m.reactions, func(r Reaction) bool { return r.Name == base })
	if i < 0 {
		if added {
			m.reactions = append(m.reactions, Reaction{Name: base, Users: []string{user}, At: time.Now()})
		}
		return added
	}
	r := &m.reactions[i]
	at := slices.Index(r.Users, user)
	switch {
	case added && at < 0:
		r.Users = append(r.Users, user)
	case !added && at >= 0:
		r.Users = slices.Delete(r.Users, at, at+1)
		if len(r.Users) == 0 {
			m.reactions = slices.Delete(m.reactions, i, i+1)
		}
	default:
		return false
	}
	return true
}

func (s *Server) echo(channel, ts string) {
	s.tb.Helper()
	s.found(channel, ts, func(_ *channelState, m *messageState) {
		for _, d := range m.sent {
			again := d.again("http_timeout")
			s.open++
			s.queue = append(s.queue, again)
		}
	})
}

func (s *Server) shuffle(seed uint64, during func()) {
	s.change(func() { s.held = true })
	during()
	s.change(func() {
		s.held = false
		rand.New(rand.NewPCG(seed, seed)).Shuffle(len(s.queue), func(i, j int) { //nolint:gosec // an order that a test can repeat
			s.queue[i], s.queue[j] = s.queue[j], s.queue[i]
		})
		for _, d := range s.queue {
			d.lane = d.id // each on its own: the order is the one that was drawn
		}
	})
}
