package slacktest

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

func (s *Server) authTest(url.Values) (object, error) {
	return object{
		"url": "https://" + teamDomain + ".slack.com/", "team": "Workshop", "user": "atelier", "team_id": teamID,
		"user_id": botUser, "bot_id": botID, "is_enterprise_install": false,
	}, nil
}

func (s *Server) teamInfo(url.Values) (object, error) {
	return object{"team": object{"id": teamID, "name": "Workshop", "domain": teamDomain, "email_domain": ""}}, nil
}

func (s *Server) openConnection(url.Values) (object, error) {
	if s.refused {
		return nil, refuse("internal_error")
	}
	ticket := s.id("ticket-")
	s.tickets[ticket] = true
	return object{"url": "ws" + strings.TrimPrefix(s.http.URL, "http") + "/link/?ticket=" + ticket + "&app_id=" + appID}, nil
}

func (s *Server) userObject(u *userState) object {
	team := teamID
	if u.team != "" {
		team = u.team
	}
	o := object{
		"id": u.id, "team_id": team, "name": u.name, "real_name": u.name, "deleted": false, "is_admin": u.admin,
		"is_owner": false, "is_primary_owner": false, "is_restricted": false, "is_ultra_restricted": false,
		"is_bot": u.bot, "is_app_user": false, "tz": "Europe/Paris", "updated": s.o.Now().Unix(),
	}
	profile := object{"real_name": u.name, "display_name": u.name, "team": team}
	if u.bot {
		profile["bot_id"], profile["api_app_id"] = u.botID, "A"+u.botID[1:]
	}
	o["profile"] = profile
	return o
}

func (s *Server) userInfo(args url.Values) (object, error) {
	u := s.users[args.Get("user")]
	if u == nil {
		return nil, refuse("user_not_found")
	}
	return object{"user": s.userObject(u)}, nil
}

func (s *Server) userList(args url.Values) (object, error) {
	all := make([]object, 0, len(s.users))
	for _, id := range slices.Sorted(maps.Keys(s.users)) {
		all = append(all, s.userObject(s.users[id]))
	}
	part, next, err := page(args, all, 1000, 1000)
	if err != nil {
		return nil, err
	}
	return listing("members", part, next), nil
}

func (s *Server) botInfo(args url.Values) (object, error) {
	for _, u := range s.users {
		if u.botID != "" && u.botID == args.Get("bot") {
			return object{"bot": object{
				"id": u.botID, "deleted": false, "name": u.name, "user_id": u.id, "app_id": "A" + u.botID[1:],
				"updated": s.o.Now().Unix(), "icons": object{},
			}}, nil
		}
	}
	return nil, refuse("bot_not_found")
}

// Limits of views. https://docs.slack.dev/reference/views
const (
	maxViewBlocks  = 100
	maxViewTitle   = 24
	maxPrivateData = 3000
)

func (s *Server) openView(args url.Values) (object, error) {
	id := args.Get("trigger_id")
	trigger, ok := s.triggers[id]
	switch {
	case !strings.HasPrefix(id, "trigger."):
		return nil, refuse("invalid_trigger_id")
	case !ok:
		return nil, refuse("exchanged_trigger_id")
	case time.Now().After(trigger.until):
		return nil, refuse("expired_trigger_id")
	}
	var view object
	if json.Unmarshal([]byte(args.Get("view")), &view) != nil {
		return nil, refuse("invalid_arguments", "[ERROR] failed to parse the view")
	}
	if complaint := badView(view); complaint != "" {
		return nil, refuse("invalid_arguments", "[ERROR] "+complaint)
	}
	checked, err := checkBlocks(string(encode(view["blocks"])), maxViewBlocks)
	if err != nil {
		return nil, err
	}
	var blocks []any
	if json.Unmarshal(checked, &blocks) != nil {
		return nil, refuse("invalid_arguments")
	}
	view["blocks"] = blocks
	delete(s.triggers, id)
	word := func(key string) string {
		text, _ := view[key].(string) //nolint:errcheck // another type is no text
		return text
	}
	v := &viewState{hash: s.id("hash"), private: view, View: View{
		ID: s.id("V"), User: trigger.user, CallbackID: word("callback_id"), PrivateMetadata: word("private_metadata"),
		JSON: encode(view), Open: true,
	}}
	s.views = append(s.views, v)
	return object{"view": v.object()}, nil
}

// badView is what is wrong with a modal besides its blocks; "" for nothing.
func badView(view object) string {
	title := plainText(view["title"])
	switch {
	case view["type"] != "modal":
		return "unsupported type of view [json-pointer:/view/type]"
	case title == "" || runes(title) > maxViewTitle:
		return "must be 1 to 24 characters [json-pointer:/view/title]"
	case runes(plainText(view["submit"])) > maxViewTitle || runes(plainText(view["close"])) > maxViewTitle:
		return "must be less than 25 characters [json-pointer:/view/submit]"
	}
	if data, ok := view["private_metadata"].(string); ok && runes(data) > maxPrivateData {
		return "must be less than 3001 characters [json-pointer:/view/private_metadata]"
	}
	if id, ok := view["callback_id"].(string); ok && runes(id) > maxID {
		return "must be less than 256 characters [json-pointer:/view/callback_id]"
	}
	blocks, _ := view["blocks"].([]any) //nolint:errcheck // none is wrong too
	inputs := slices.ContainsFunc(blocks, func(b any) bool {
		o, ok := b.(object)
		return ok && o["type"] == "input"
	})
	if inputs && view["submit"] == nil {
		return "a view with input blocks needs submit [json-pointer:/view/submit]"
	}
	return ""
}
