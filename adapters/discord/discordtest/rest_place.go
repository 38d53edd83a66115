package discordtest

import "net/http"

// The flags of an application that tell that it may read what people write.
const (
	appContent        = 1 << 18
	appContentLimited = 1 << 19 // of one that is in fewer than 100 guilds
)

func (s *Server) appFlags() int {
	if s.content {
		return appContentLimited
	}
	return 0
}

func (s *Server) getGateway(*request) (int, any, *refusal) {
	left := max(0, s.options.Identifies-s.identified)
	return http.StatusOK, object{
		"url": s.gatewayURL(), "shards": 1,
		"session_start_limit": object{"total": s.options.Identifies, "remaining": left, "reset_after": 86_400_000, "max_concurrency": 1},
	}, nil
}

func (s *Server) getApplication(*request) (int, any, *refusal) {
	return http.StatusOK, object{
		"id": s.app, "name": s.bot.Name, "icon": nil, "description": "", "summary": "", "bot_public": true,
		"bot_require_code_grant": false, "verify_key": "", "flags": s.appFlags(), "team": nil, "bot": s.bot.json(),
		"approximate_guild_count": len(s.guilds),
	}, nil
}

func (s *Server) getChannel(r *request) (int, any, *refusal) {
	c, no := s.channelFor(r, 0)
	if no != nil {
		return 0, nil, no
	}
	return http.StatusOK, s.channelJSON(c), nil
}

func (s *Server) postTyping(r *request) (int, any, *refusal) {
	c := s.channels[r.PathValue("channel")]
	if c == nil {
		return 0, nil, unknownChannel
	}
	if no := s.writable(c, false); no != nil {
		return 0, nil, no
	}
	c.typing = s.now().Add(typingLasts)
	return http.StatusNoContent, nil, nil
}

func (s *Server) getUser(r *request) (int, any, *refusal) {
	u, known := s.users[r.PathValue("user")]
	if !known {
		return 0, nil, unknownUser
	}
	return http.StatusOK, u.json(), nil
}

func (s *Server) getMember(r *request) (int, any, *refusal) {
	g := s.guilds[r.PathValue("guild")]
	u, known := s.users[r.PathValue("user")]
	switch {
	case g == nil:
		return 0, nil, unknownGuild
	case !known:
		return 0, nil, unknownMember
	}
	return http.StatusOK, s.memberJSON(g, u, true), nil
}
