package slacktest

// User is a new person of the workspace; their user id. name is what @name says.
func (s *Server) User(name string) string { return s.addUser(name, false, false) }

// Admin is a new person who is an admin of the workspace.
func (s *Server) Admin(name string) string { return s.addUser(name, true, false) }

// Bot is the bot user of another app; its user id. What it writes carries a bot_id.
func (s *Server) Bot(name string) string { return s.addUser(name, false, true) }

// Elsewhere makes user one of another workspace, who comes in by a shared channel.
func (s *Server) Elsewhere(user, team string) {
	s.change(func() {
		if u := s.users[user]; u != nil {
			u.team = team
		}
	})
}

// Channel is a new public channel with the bot and members in it; its id.
func (s *Server) Channel(name string, members ...string) string {
	return s.addChannel(kindChannel, name, members)
}

// Private is a new private channel with the bot and members in it.
func (s *Server) Private(name string, members ...string) string {
	return s.addChannel(kindGroup, name, members)
}

// DM is the direct channel of user and the bot; the same one when called again.
func (s *Server) DM(user string) string { return s.openDM(user) }

// MPIM is a new direct channel of several users and the bot.
func (s *Server) MPIM(users ...string) string { return s.addChannel(kindMPIM, "mpdm", users) }

// Archive archives the channel: is_archived.
func (s *Server) Archive(channel string) {
	s.changeChannel(channel, func(c *channelState) { c.archived = true })
}

// Unarchive takes Archive back.
func (s *Server) Unarchive(channel string) {
	s.changeChannel(channel, func(c *channelState) { c.archived = false })
}

// DeleteChannel deletes the channel and its messages: channel_not_found.
func (s *Server) DeleteChannel(channel string) {
	s.changeChannel(channel, func(c *channelState) { c.deleted = true })
}

// Join brings people into the channel: a mention notifies its members alone.
func (s *Server) Join(channel string, users ...string) {
	s.changeChannel(channel, func(c *channelState) {
		for _, user := range users {
			c.members[user] = true
		}
	})
}

// NotInChannel takes the bot out of the channel: not_in_channel, and no events of it.
func (s *Server) NotInChannel(channel string) {
	s.changeChannel(channel, func(c *channelState) { delete(c.members, botUser) })
}

// Restrict lets only admins post in the channel: restricted_action.
func (s *Server) Restrict(channel string) {
	s.changeChannel(channel, func(c *channelState) { c.restricted = true })
}

// NoThreads lets nobody reply in the channel's threads: restricted_action_thread_locked.
func (s *Server) NoThreads(channel string) {
	s.changeChannel(channel, func(c *channelState) { c.noThreads = true })
}

// CloseEdits ends the time in which messages may be edited: edit_window_closed.
func (s *Server) CloseEdits(closed bool) { s.change(func() { s.editsClosed = closed }) }

// DropScope takes scopes from the bot's token: missing_scope, and no events of them.
func (s *Server) DropScope(scopes ...string) {
	s.change(func() {
		for _, scope := range scopes {
			delete(s.scopes, scope)
		}
	})
}

// Revoke ends both tokens with an error such as token_revoked, account_inactive or
// invalid_auth ("" is token_revoked): every method fails with it and the sockets close.
// Where it is subscribed, tokens_revoked is sent first, and the sockets close when it was
// acknowledged, or after a second.
func (s *Server) Revoke(code string) { s.revoke(code) }
