package slacktest

import (
	"slices"
	"strings"
)

// Workspace is the people, channels, messages and files, and what people see of them.
type Workspace struct {
	*shared
	users     map[string]*userState
	channels  map[string]*channelState
	files     map[string]*fileState
	ephemeral []Ephemeral
}

// userState is a person, the bot or another app's bot.
type userState struct {
	id, name, botID string
	team            string
	admin           bool
}

// channelState is a channel with its messages, in the order of ts. It is public, or direct.
type channelState struct {
	id, name                                 string
	user                                     string // of a direct channel
	members                                  map[string]bool
	archived, deleted, restricted, noThreads bool
	messages                                 []*messageState
	status, sessions                         map[string]string // by thread
	prompts                                  []Prompt
}

// newChannel returns a channel of some people and the bot.
func newChannel(id, name string, members ...string) *channelState {
	c := &channelState{id: id, name: name, members: set(members...), status: map[string]string{}, sessions: map[string]string{}}
	c.members[botUser] = true
	return c
}

func newWorkspace(s *shared) *Workspace {
	return &Workspace{
		shared: s, channels: map[string]*channelState{}, files: map[string]*fileState{},
		users: map[string]*userState{
			botUser:     {id: botUser, name: "atelier", team: teamID, botID: botID},
			"USLACKBOT": {id: "USLACKBOT", name: "slackbot", team: teamID},
		},
	}
}

// User adds a person and returns the user id. name is what @name mentions.
func (w *Workspace) User(name string) string {
	var id string
	w.change(func() {
		id = w.id("U")
		w.users[id] = &userState{id: id, name: name, team: teamID}
	})
	return id
}

// Admin adds a person who is an admin of the workspace.
func (w *Workspace) Admin(name string) string {
	id := w.User(name)
	w.change(func() { w.users[id].admin = true })
	return id
}

// Bot adds the bot user of another app. Its messages have a bot_id.
func (w *Workspace) Bot(name string) string {
	id := w.User(name)
	w.change(func() { w.users[id].botID = w.id("B") })
	return id
}

// Elsewhere makes a user one of another workspace, in a shared channel.
func (w *Workspace) Elsewhere(user, team string) { w.change(func() { w.users[user].team = team }) }

// Channel adds a public channel with the bot and members in it and returns its id.
func (w *Workspace) Channel(name string, members ...string) string {
	var id string
	w.change(func() {
		id = w.id("C")
		w.channels[id] = newChannel(id, name, members...)
	})
	return id
}

// DM returns the direct channel of user and the bot; the same one when called again.
func (w *Workspace) DM(user string) string {
	var id string
	w.change(func() {
		for _, c := range w.channels {
			if c.user == user {
				id = c.id
				return
			}
		}
		c := newChannel(w.id("D"), "directmessage", user)
		w.channels[c.id] = c
		c.user, id = user, c.id
	})
	return id
}

// Archive archives the channel: is_archived.
func (w *Workspace) Archive(channel string) {
	w.changeChannel(channel, func(c *channelState) { c.archived = true })
}

// DeleteChannel deletes the channel and its messages: channel_not_found.
func (w *Workspace) DeleteChannel(channel string) {
	w.changeChannel(channel, func(c *channelState) { c.deleted, c.messages = true, nil })
}

// Join adds people to the channel: a mention notifies members only.
func (w *Workspace) Join(channel string, users ...string) {
	w.changeChannel(channel, func(c *channelState) {
		for _, user := range users {
			c.members[user] = true
		}
	})
}

// NotInChannel removes the bot from the channel: not_in_channel, and no events of it.
func (w *Workspace) NotInChannel(channel string) {
	w.changeChannel(channel, func(c *channelState) { delete(c.members, botUser) })
}

// Restrict lets only admins post in the channel: restricted_action.
func (w *Workspace) Restrict(channel string) {
	w.changeChannel(channel, func(c *channelState) { c.restricted = true })
}

// NoThreads locks the channel's threads: restricted_action_thread_locked.
func (w *Workspace) NoThreads(channel string) {
	w.changeChannel(channel, func(c *channelState) { c.noThreads = true })
}

// Messages returns the messages of a channel, oldest first: those of the thread with the root threadTS (the root
// first), or, if that is empty, those outside of threads.
func (w *Workspace) Messages(channel, threadTS string) []Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[channel]
	if c == nil {
		return nil
	}
	var shown []Message
	for _, m := range c.messages {
		if (threadTS == "" && m.inChannel()) || (threadTS != "" && (m.ts == threadTS || m.threadTS == threadTS)) {
			shown = append(shown, m.show(c))
		}
	}
	return shown
}

// Message returns one message, and whether it exists.
func (w *Workspace) Message(channel, ts string) (Message, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.channels[channel]; c != nil {
		if m := c.get(ts); m != nil {
			return m.show(c), true
		}
	}
	return Message{}, false
}

// Ephemerals returns the messages that only user saw, the oldest first.
func (w *Workspace) Ephemerals(user string) []Ephemeral {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.ephemeral), func(e Ephemeral) bool { return e.User != user })
}

// Status returns the status that people see in a thread now; "" for none.
func (w *Workspace) Status(channel, threadTS string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[channel]
	switch {
	case c == nil:
		return ""
	case c.sessions[threadTS] == "processing":
		return "processing"
	}
	return c.status[threadTS]
}

// Prompt is a request that is suggested in a direct channel.
type Prompt struct {
	Title   string `json:"title"`
	Message string `json:"message"`
}

// Prompts returns the requests that are suggested in a direct channel.
func (w *Workspace) Prompts(channel string) []Prompt {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.channels[channel]; c != nil {
		return slices.Clone(c.prompts)
	}
	return nil
}

// changeChannel is called without the lock.
func (w *Workspace) changeChannel(id string, f func(*channelState)) {
	w.tb.Helper()
	w.change(func() {
		c, ok := w.channels[id]
		if !ok {
			w.misusef("there is no channel %q", id)
			return
		}
		f(c)
	})
}

// changeMessage changes a message that a test names; it fails the test if there is none. It
// is called without the lock.
func (w *Workspace) changeMessage(channel, ts string, f func(*channelState, *messageState)) {
	w.tb.Helper()
	w.changeChannel(channel, func(c *channelState) {
		if m := c.get(ts); m != nil {
			f(c, m)
		} else {
			w.misusef("there is no message %s in %s", ts, channel)
		}
	})
}

// store adds a new message to the channel.
func (w *Workspace) store(c *channelState, m *messageState) {
	m.ts = w.ts()
	m.notified = mentions{c, w.users}.notified(m)
	c.messages = append(c.messages, m)
	if root := c.get(m.threadTS); root != nil && root.threadTS == "" {
		root.threadTS = root.ts
	}
	if m.user == botUser {
		delete(c.status, m.threadTS)
	}
	for _, f := range m.files {
		f.shares = append(f.shares, share{c.id, c.name, m.ts, m.threadTS, m.user})
	}
}

// readable returns the channel of a call that reads.
func (w *Workspace) readable(id string) (*channelState, error) {
	c := w.channels[id]
	switch {
	case c == nil || c.deleted:
		return nil, refuse("channel_not_found")
	case !c.members[botUser]:
		return nil, refuse("not_in_channel")
	}
	return c, nil
}

// writable returns the channel of a call that writes.
func (w *Workspace) writable(id string) (*channelState, error) {
	c, err := w.readable(id)
	if err == nil && c.archived {
		return nil, refuse("is_archived")
	}
	return c, err
}

// kind returns the channel's type in events.
func (c *channelState) kind() string {
	if c.user != "" {
		return "im"
	}
	return "channel"
}

// plural is the prefix of the channel's scopes, and the suffix of its subscription.
func (c *channelState) plural() string {
	if c.user != "" {
		return "im"
	}
	return "channels"
}

// find returns the index of a message in the channel; -1 if there is none.
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

// replies returns the messages of a thread after its root.
func (c *channelState) replies(root string) []*messageState {
	var of []*messageState
	for _, m := range c.messages[c.find(root)+1:] {
		if m.threadTS == root {
			of = append(of, m)
		}
	}
	return of
}

// mayReply checks the thread of a new message.
func (c *channelState) mayReply(root string) error {
	m := c.get(root)
	switch {
	case root == "":
	case m == nil:
		return refuse("thread_not_found")
	case m.threadTS != "" && m.threadTS != m.ts, m.subtype == "channel_join":
		return refuse("cannot_reply_to_message")
	case c.noThreads:
		return refuse("restricted_action_thread_locked")
	}
	return nil
}

// object returns the user as Slack shows it.
func (u *userState) object() object {
	return object{
		"id": u.id, "team_id": u.team, "name": u.name, "real_name": u.name, "deleted": false, "is_admin": u.admin,
		"is_owner": false, "is_bot": u.botID != "",
		"profile": object{"real_name": u.name, "display_name": u.name, "team": u.team},
	}
}

// People are the members of the workspace, who write, edit and react.
type People struct {
	*shared
	workspace *Workspace
	events    *events
}

// Post is a message that somebody writes.
type Post struct {
	Channel  string // id
	ThreadTS string // the root's ts, for a reply in a thread
	By       string // the user's id; a Bot's writes as an app
	Text     string // as Slack sends it: with &, < and > escaped
	Files    []File // a message with files has subtype file_share
	// Subtype is another subtype, such as channel_join or me_message.
	Subtype string
	// Silent stores the message and sends no event: it was written while the bot was away
	// and Slack gave up.
	Silent bool
}

// Say writes a message and returns its ts. Its message event and, if it mentions the bot in
// a channel, app_mention are sent.
func (p *People) Say(post Post) string {
	p.tb.Helper()
	var ts string
	p.workspace.changeChannel(post.Channel, func(c *channelState) {
		u := p.workspace.users[post.By]
		if u == nil {
			p.misusef("nobody says %q: there is no user %q", post.Text, post.By)
			return
		}
		if post.ThreadTS != "" && c.get(post.ThreadTS) == nil {
			p.misusef("there is no thread %s in %s", post.ThreadTS, post.Channel)
			return
		}
		c.members[post.By] = true
		m := p.workspace.written(post, u)
		p.workspace.store(c, m)
		if ts = m.ts; !post.Silent {
			p.events.message(c, m)
		}
	})
	return ts
}

// written returns the message of a post.
func (w *Workspace) written(post Post, u *userState) *messageState {
	m := &messageState{threadTS: post.ThreadTS, user: u.id, botID: u.botID, text: post.Text, subtype: post.Subtype}
	for _, f := range post.Files {
		m.files = append(m.files, w.addFile(f, u.id))
	}
	if len(m.files) > 0 {
		m.subtype = "file_share"
	}
	if m.text != "" {
		m.blocks, m.fromText = richText(m.text), true
	}
	return m
}

// Edit changes the text of a message, as its author: message_changed and, if it mentions the
// bot in a channel, app_mention again.
func (p *People) Edit(channel, ts, text string) {
	p.tb.Helper()
	p.workspace.changeMessage(channel, ts, func(c *channelState, m *messageState) {
		before := m.bare()
		m.text = text
		if m.fromText {
			m.blocks = richText(text)
		}
		p.events.edited(c, m, m.user, before)
	})
}

// Unfurl adds a preview to a message, as Slack does for links: message_changed with the
// same text and without edited.
func (p *People) Unfurl(channel, ts string) {
	p.tb.Helper()
	p.workspace.changeMessage(channel, ts, func(c *channelState, m *messageState) {
		before := m.bare()
		m.attachments = encode([]object{{"id": 1, "title": "A page", "from_url": "https://example.com/"}})
		p.events.changed(c, m, before)
	})
}

// Delete deletes a message, as its author: message_deleted, or message_changed to a
// tombstone if it is the root of a thread with replies.
func (p *People) Delete(channel, ts string) {
	p.tb.Helper()
	p.workspace.changeMessage(channel, ts, p.events.remove)
}

// React adds (or, if added is false, removes) a reaction of user. name is Slack's short
// name without colons: "two", "repeat", "octagonal_sign", "+1::skin-tone-2".
func (p *People) React(user, channel, ts, name string, added bool) {
	p.tb.Helper()
	p.workspace.changeMessage(channel, ts, func(c *channelState, m *messageState) {
		if m.react(user, name, added) {
			p.events.reaction(c, m, user, name, added)
		}
	})
}

// Open opens a tab of the app, home or messages, in the direct channel of a user.
func (p *People) Open(user, tab string) {
	p.tb.Helper()
	p.workspace.changeChannel(p.workspace.DM(user), func(c *channelState) { p.events.home(c, tab) })
}

// Stop presses Slack's own button to stop the work of the bot in a thread, which ends its streams there.
func (p *People) Stop(user, channel, threadTS string) {
	p.tb.Helper()
	p.workspace.changeChannel(channel, func(c *channelState) {
		streams := []string{}
		for _, m := range c.replies(threadTS) {
			if m.stream != nil {
				m.stream, streams = nil, append(streams, m.ts)
			}
		}
		p.events.sessionStopped(c, user, threadTS, streams)
	})
}

// Replace gives a file the content and fault of f; its id stays.
func (p *People) Replace(id string, f File) {
	p.change(func() {
		f.ID = id
		p.workspace.files[id].become(f)
	})
}

// remove deletes a message: a root with replies leaves a tombstone.
func (e *events) remove(c *channelState, m *messageState) {
	before := m.bare()
	if m.threadTS == m.ts && len(c.replies(m.ts)) > 0 {
		m.tombstone = true
		e.changed(c, m, before)
		return
	}
	c.messages = slices.Delete(c.messages, c.find(m.ts), c.find(m.ts)+1)
	e.deleted(c, m.ts, before)
}
