package slacktest

import "slices"

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
		p.workspace.store(c, m, false)
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
