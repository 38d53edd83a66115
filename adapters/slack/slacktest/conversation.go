package slacktest

import (
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// readable is the channel of a call that reads.
func (s *Server) readable(id string) (*channelState, error) {
	c := s.channels[id]
	switch {
	case c == nil || c.deleted, !c.members[botUser] && c.kind != kindChannel:
		return nil, refuse("channel_not_found")
	case !c.members[botUser]:
		return nil, refuse("not_in_channel")
	}
	return c, nil
}

// page is the part of all that a call asks for, and the cursor of the next part.
func page[T any](args url.Values, all []T, usual, most int) (part []T, next string, err error) {
	limit := usual
	if text := args.Get("limit"); text != "" {
		limit, err = strconv.Atoi(text)
		if err != nil || limit < 0 || limit > most {
			return nil, "", refuse("invalid_limit")
		}
		if limit == 0 {
			limit = usual
		}
	}
	from := 0
	if cursor := args.Get("cursor"); cursor != "" {
		text, err := base64.StdEncoding.DecodeString(cursor)
		if err == nil {
			from, err = strconv.Atoi(strings.TrimPrefix(string(text), "next:"))
		}
		if err != nil || from > len(all) {
			return nil, "", refuse("invalid_cursor")
		}
	}
	end := min(from+limit, len(all))
	if end < len(all) {
		next = base64.StdEncoding.EncodeToString([]byte("next:" + strconv.Itoa(end)))
	}
	return all[from:end], next, nil
}

// messagePage is page for messages, which Slack gives less than a thousand of at once.
func (s *Server) messagePage(args url.Values, all []*messageState, usual int) (part []*messageState, next string, err error) {
	if s.o.Narrow {
		const narrow = 15
		args = maps.Clone(args)
		if n, err := strconv.Atoi(args.Get("limit")); err != nil || n == 0 || n > narrow {
			args.Set("limit", strconv.Itoa(narrow))
		}
	}
	return page(args, all, usual, 999)
}

// between keeps the messages of the time that a call asks for.
func between(args url.Values, all []*messageState) []*messageState {
	oldest, latest, inclusive := args.Get("oldest"), args.Get("latest"), yes(args, "inclusive")
	return slices.DeleteFunc(slices.Clone(all), func(m *messageState) bool {
		from, to := stampOrder(m.ts, oldest), stampOrder(m.ts, latest)
		return oldest != "" && (from < 0 || (from == 0 && !inclusive)) ||
			latest != "" && (to > 0 || (to == 0 && !inclusive))
	})
}

// stampOrder compares two timestamps, of which one may lack its fraction.
func stampOrder(a, b string) int {
	whole, fraction, _ := strings.Cut(b, ".")
	const digits = 6
	return strings.Compare(a, whole+"."+(fraction + "000000")[:digits])
}

func (s *Server) renderAll(c *channelState, all []*messageState, args url.Values) []object {
	out := make([]object, 0, len(all))
	for _, m := range all {
		out = append(out, s.render(c, m, yes(args, "include_all_metadata")))
	}
	return out
}

func listing(key string, items any, next string) object {
	o := object{key: items, "response_metadata": object{"next_cursor": next}}
	if key == "messages" {
		o["has_more"] = next != ""
	}
	return o
}

func (s *Server) history(args url.Values) (object, error) {
	c, err := s.readable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(between(args, c.messages), func(m *messageState) bool { return !m.inChannel() })
	slices.Reverse(all)
	part, next, err := s.messagePage(args, all, 100)
	if err != nil {
		return nil, err
	}
	return listing("messages", s.renderAll(c, part, args), next), nil
}

func (s *Server) threadReplies(args url.Values) (object, error) {
	c, err := s.readable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	root := c.get(args.Get("ts"))
	if root == nil {
		return nil, refuse("thread_not_found")
	}
	all := []*messageState{root}
	if root.threadTS == root.ts {
		all = append(all, between(args, c.replies(root.ts))...)
	}
	part, next, err := s.messagePage(args, all, 1000)
	if err != nil {
		return nil, err
	}
	return listing("messages", s.renderAll(c, part, args), next), nil
}

func (s *Server) channelInfo(args url.Values) (object, error) {
	c := s.channels[args.Get("channel")]
	if c == nil || c.deleted || (!c.members[botUser] && c.kind != kindChannel) {
		return nil, refuse("channel_not_found")
	}
	o := s.channelObject(c)
	if yes(args, "include_num_members") {
		o["num_members"] = len(c.members)
	}
	return object{"channel": o}, nil
}

func (s *Server) channelObject(c *channelState) object {
	o := object{
		"id": c.id, "is_archived": c.archived, "is_channel": c.kind == kindChannel, "is_group": c.kind == kindGroup,
		"is_im": c.kind == kindIM, "is_mpim": c.kind == kindMPIM, "is_private": c.kind != kindChannel,
		"is_general": false, "is_shared": false, "is_org_shared": false, "context_team_id": teamID,
	}
	if c.kind == kindIM {
		o["user"] = c.user
		return o
	}
	o["name"], o["name_normalized"], o["is_member"] = c.name, c.name, c.members[botUser]
	return o
}

func (s *Server) channelList(args url.Values) (object, error) {
	var all []object
	types := strings.Split(args.Get("types"), ",")
	if args.Get("types") == "" {
		types = []string{"public_channel"}
	}
	word := map[channelKind]string{kindChannel: "public_channel", kindGroup: "private_channel", kindIM: "im", kindMPIM: "mpim"}
	for _, id := range slices.Sorted(maps.Keys(s.channels)) {
		c := s.channels[id]
		hidden := c.deleted || (!c.members[botUser] && c.kind != kindChannel) || (c.archived && yes(args, "exclude_archived"))
		if !hidden && slices.Contains(types, word[c.kind]) {
			all = append(all, s.channelObject(c))
		}
	}
	part, next, err := page(args, all, 100, 1000)
	if err != nil {
		return nil, err
	}
	return listing("channels", part, next), nil
}

func (s *Server) memberList(args url.Values) (object, error) {
	c := s.channels[args.Get("channel")]
	if c == nil || c.deleted || (!c.members[botUser] && c.kind != kindChannel) {
		return nil, refuse("channel_not_found")
	}
	part, next, err := page(args, slices.Sorted(maps.Keys(c.members)), 100, 1000)
	if err != nil {
		return nil, err
	}
	return listing("members", part, next), nil
}

func (s *Server) openConversation(args url.Values) (object, error) {
	if id := args.Get("channel"); id != "" {
		c, err := s.readable(id)
		if err != nil {
			return nil, err
		}
		return object{"channel": s.channelObject(c)}, nil
	}
	users := strings.Split(args.Get("users"), ",")
	for _, id := range users {
		if s.users[id] == nil {
			return nil, refuse("user_not_found")
		}
	}
	if len(users) == 1 && s.users[users[0]].bot {
		return nil, refuse("cannot_dm_bot")
	}
	if len(users) > 1 {
		return object{"channel": s.channelObject(s.newChannel(kindMPIM, "mpdm", users))}, nil
	}
	return object{"channel": s.channelObject(s.dmOf(users[0]))}, nil
}

func (s *Server) join(args url.Values) (object, error) {
	c := s.channels[args.Get("channel")]
	switch {
	case c == nil || c.deleted:
		return nil, refuse("channel_not_found")
	case c.kind != kindChannel:
		return nil, refuse("method_not_supported_for_channel_type")
	case c.archived:
		return nil, refuse("is_archived")
	}
	c.members[botUser] = true
	return object{"channel": s.channelObject(c)}, nil
}
