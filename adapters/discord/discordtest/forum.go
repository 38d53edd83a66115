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
		t := s.newThread(c, publicThread, s.id(), title, p.By)
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
			id = s.newThread(c, privateThread, s.id(), name, by).id
		}
	})
	return id
}

// BlockTitle lets no thread be begun whose title has a word, as AutoMod does (200001).
func (s *Server) BlockTitle(word string) { s.do(func() { s.blocked = append(s.blocked, word) }) }

// Crowd lets no thread more be begun (160006), or lets them again.
func (s *Server) Crowd(full bool) { s.do(func() { s.crowded = full }) }
