package slacktest

import (
	"slices"
	"strings"
)

type channelKind string

const (
	kindChannel channelKind = "channel"
	kindGroup   channelKind = "group"
	kindIM      channelKind = "im"
	kindMPIM    channelKind = "mpim"
)

// channelState is a channel with all that was written in it, in the order of ts.
type channelState struct {
	id, name                                 string
	kind                                     channelKind
	user                                     string // of a direct channel
	members                                  map[string]bool
	archived, deleted, restricted, noThreads bool
	messages                                 []*messageState
	statuses                                 map[string][]string // by thread
	cleared                                  map[string]bool     // whose status a message of the bot cleared
}

// historyScope is the scope that reads the channel, and hears what is said there.
func (k channelKind) historyScope() string { return k.plural() + ":history" }

func (k channelKind) plural() string {
	switch k {
	case kindChannel:
		return "channels"
	case kindGroup:
		return "groups"
	case kindIM, kindMPIM:
	}
	return string(k)
}

func (s *Server) addUser(name string, admin, bot bool) string {
	var u *userState
	s.change(func() {
		u = &userState{id: s.id("U"), name: name, admin: admin, bot: bot}
		if bot {
			u.botID = s.id("B")
		}
		s.users[u.id] = u
	})
	return u.id
}

func (s *Server) addChannel(kind channelKind, name string, members []string) string {
	var id string
	s.change(func() { id = s.newChannel(kind, name, members).id })
	return id
}

func (s *Server) newChannel(kind channelKind, name string, members []string) *channelState {
	prefix := "C"
	if kind == kindIM {
		prefix = "D"
	}
	c := &channelState{id: s.id(prefix), name: name, kind: kind, members: set(members), statuses: map[string][]string{}, cleared: map[string]bool{}}
	c.members[botUser] = true
	s.channels[c.id] = c
	return c
}

func (s *Server) openDM(user string) string {
	var id string
	s.change(func() { id = s.dmOf(user).id })
	return id
}

func (s *Server) dmOf(user string) *channelState {
	for _, c := range s.channels {
		if c.kind == kindIM && c.user == user {
			return c
		}
	}
	c := s.newChannel(kindIM, "directmessage", []string{user})
	c.user = user
	return c
}

func (s *Server) changeChannel(id string, f func(*channelState)) {
	s.tb.Helper()
	s.change(func() {
		c, ok := s.channels[id]
		if !ok {
			s.misusef("there is no channel %q", id)
			return
		}
		f(c)
		if c.deleted {
			c.messages = nil
		}
	})
}

// find is the index of a message in the channel; -1 where it is not there.
func (c *channelState) find(ts string) int {
	i, ok := slices.BinarySearchFunc(c.messages, ts, func(m *messageState, ts string) int { return strings.Compare(m.ts, ts) })
	if !ok {
		return -1
	}
	return i
}

func (c *channelState) get(ts string) *messageState {
	if i := c.find(ts); i >= 0 {
		return c.messages[i]
	}
	return nil
}

// replies are the messages of a thread after its root.
func (c *channelState) replies(root string) []*messageState {
	var of []*messageState
	for _, m := range c.messages[c.find(root)+1:] {
		if m.threadTS == root {
			of = append(of, m)
		}
	}
	return of
}

// people are the members who are no bots.
func (s *Server) people(c *channelState) []string {
	var ids []string
	for id := range c.members {
		if u := s.users[id]; u != nil && !u.bot {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
