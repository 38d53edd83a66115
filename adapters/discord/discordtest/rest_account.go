package discordtest

import "net/http"

// accountCalls read the bot, its application, the gateway and users.
type accountCalls struct {
	*renderer
	gateway *Gateway
}

// The flags of an application that may read what people write.
const (
	appContent        = 1 << 18
	appContentLimited = 1 << 19 // in fewer than 100 guilds
)

func (ac *accountCalls) getGateway(*request) (int, any, *refusal) {
	left := max(0, ac.options.Identifies-ac.gateway.identified)
	return http.StatusOK, object{
		"url": ac.gatewayURL(), "shards": 1,
		"session_start_limit": object{"total": ac.options.Identifies, "remaining": left, "reset_after": 86_400_000, "max_concurrency": 1},
	}, nil
}

func (ac *accountCalls) getApplication(*request) (int, any, *refusal) {
	kinds := object{"0": object{}, "1": object{}}
	if ac.options.ServersOnly {
		delete(kinds, "1")
	}
	return http.StatusOK, object{
		"id": ac.app, "integration_types_config": kinds, "name": ac.bot.Name, "icon": nil, "description": "", "summary": "", "bot_public": true,
		"bot_require_code_grant": false, "verify_key": "", "flags": ac.appFlags(), "team": nil, "bot": ac.bot.json(),
		"approximate_guild_count": len(ac.guilds),
	}, nil
}

func (ac *accountCalls) getUser(r *request) (int, any, *refusal) {
	u, known := ac.users[r.PathValue("user")]
	if !known {
		return 0, nil, unknownUser
	}
	return http.StatusOK, u.json(), nil
}

func (ac *accountCalls) getMember(r *request) (int, any, *refusal) {
	g := ac.guilds[r.PathValue("guild")]
	u, known := ac.users[r.PathValue("user")]
	switch {
	case g == nil:
		return 0, nil, unknownGuild
	case !known:
		return 0, nil, unknownMember
	}
	return http.StatusOK, ac.memberJSON(g, u, true), nil
}

func (ac *accountCalls) getGatewayURL(*request) (int, any, *refusal) {
	return http.StatusOK, object{"url": ac.gatewayURL()}, nil
}

func (ac *accountCalls) getMe(*request) (int, any, *refusal) {
	return http.StatusOK, ac.bot.json(), nil
}
