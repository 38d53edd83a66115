package discordtest

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Thread starts a public thread from a message of a channel, whose id the thread gets.
func (s *Server) Thread(channel, message, name string, by User) (id string) {
	s.do(func() {
		from := s.entryOf(channel, message)
		if from == nil {
			return
		}
		if from.thread != nil {
			s.wrongf("the message %q has a thread already", message)
			return
		}
		id = s.startThread(from, name, by).id
	})
	return id
}

// startThread starts a thread from a message, and posts Discord's own message in it.
func (s *Server) startThread(from *entry, name string, by User) *channel {
	c := from.channel
	t := s.newThread(c, publicThread, from.id, name, by)
	from.thread = t
	from.flags |= flagHasThread
	s.tellMessage("MESSAGE_UPDATE", from)
	s.add(&entry{
		channel: t, author: by, kind: kindStarter,
		reference: &reference{Message: from.id, Channel: c.id, Guild: c.guildID()},
	})
	return t
}

func (s *Server) newThread(c *channel, kind int, id, name string, by User) *channel {
	t := &channel{id: id, kind: kind, name: name, guild: c.guild, parent: c, owner: by.ID, begun: s.now()}
	t.put = t.begun
	s.channels[t.id] = t
	t.guild.channels = append(t.guild.channels, t)
	created := s.channelJSON(t)
	created["newly_created"] = true
	s.emit(event{kind: "THREAD_CREATE", intent: intentGuilds, channel: t}, created, nil)
	return t
}

// Archive puts a thread away, or takes it out again. Writing in it takes it out too, where
// it is not locked.
func (s *Server) Archive(thread string, archived bool) {
	s.do(func() {
		if t := s.threadOf(thread); t != nil {
			s.archive(t, archived)
		}
	})
}

func (s *Server) archive(t *channel, archived bool) {
	t.archived, t.put = archived, s.now()
	s.tellChannel("UPDATE", t)
}

// Lock lets nobody write in a thread, or everybody again.
func (s *Server) Lock(thread string, locked bool) {
	s.do(func() {
		if t := s.threadOf(thread); t != nil {
			t.locked = locked
			s.tellChannel("UPDATE", t)
		}
	})
}

func (s *Server) threadOf(id string) *channel {
	t := s.place(id)
	if t != nil && !t.isThread() {
		s.wrongf("%q is no thread", id)
		return nil
	}
	return t
}

// ThreadName is what a thread is called.
func (s *Server) ThreadName(thread string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.channels[thread]; t != nil {
		return t.name
	}
	return ""
}

// threadBody is what starts a thread.
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

func (s *Server) postThread(r *request) (int, any, *refusal) {
	var body threadBody
	if no := r.decode(&body); no != nil {
		return 0, nil, no
	}
	c, no := s.channelFor(r, CreateThreads)
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
	case slices.ContainsFunc(s.blocked, func(word string) bool { return strings.Contains(body.Name, word) }):
		return 0, nil, titleBlocked
	case s.crowded:
		return 0, nil, tooManyThreads
	}
	return http.StatusCreated, s.channelJSON(s.startThread(from, body.Name, s.bot)), nil
}

// patchThread lets the bot change its own thread: its name, and whether it is put away. One
// that is not locked is taken out again by who may write in it.
func (s *Server) patchThread(r *request) (int, any, *refusal) {
	var body struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
	}
	if no := r.decode(&body); no != nil {
		return 0, nil, no
	}
	c, no := s.channelFor(r, SendInThreads)
	wakes := body.Archived != nil && !*body.Archived
	switch {
	case no != nil:
		return 0, nil, no
	case !c.isThread(), c.locked, c.owner != s.bot.ID && (!wakes || body.Name != nil):
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
		c.archived, c.put = *body.Archived, s.now()
	}
	s.tellChannel("UPDATE", c)
	return http.StatusOK, s.channelJSON(c), nil
}
