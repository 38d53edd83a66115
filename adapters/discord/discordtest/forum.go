package discordtest

import "strings"

// ForumPost lets somebody begin a thread in a forum: the first message stands in the thread
// itself, and has its id.
func (s *Server) ForumPost(forum, title string, p Post) (said Message) {
	s.do(func() {
		c := s.place(forum)
		if c == nil || c.kind != forumChannel {
			s.wrongf("%q is no forum", forum)
			return
		}
		t := s.threadIn(c, publicThread, title, p.By)
		m := &entry{channel: t, author: p.By, content: strings.TrimSpace(p.Content)}
		for _, f := range p.Files {
			m.attachments = append(m.attachments, s.attach(t, f))
		}
		s.mention(m, all())
		m.notify()
		s.put(m, t.id)
		said = s.show(m)
	})
	return said
}

// PrivateThread lets somebody begin a thread that only those see who were added, the bot
// among them.
func (s *Server) PrivateThread(channel, name string, by User) (id string) {
	s.do(func() {
		if c := s.place(channel); c != nil {
			id = s.threadIn(c, privateThread, name, by).id
		}
	})
	return id
}

// threadIn begins a thread that no message of the channel begins.
func (s *Server) threadIn(c *channel, kind int, name string, by User) *channel {
	t := &channel{id: s.id(), kind: kind, name: name, guild: c.guild, parent: c, owner: by.ID, begun: s.now()}
	t.put = t.begun
	s.channels[t.id] = t
	t.guild.channels = append(t.guild.channels, t)
	created := s.channelJSON(t)
	created["newly_created"] = true
	s.emit(event{kind: "THREAD_CREATE", intent: intentGuilds, channel: t}, created, nil)
	return t
}

// BlockTitle lets no thread be begun whose title has a word, as AutoMod does (200001).
func (s *Server) BlockTitle(word string) { s.do(func() { s.blocked = append(s.blocked, word) }) }

// Crowd lets no thread more be begun (160006), or lets them again.
func (s *Server) Crowd(full bool) { s.do(func() { s.crowded = full }) }
