package slacktest

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Limits of reactions on one message: names in all, and names of one person.
const (
	maxNames    = 50
	maxOfPerson = 23
)

var reactionForm = regexp.MustCompile(`^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$`)

// known are the names of emoji that the bot may use: a wrong one, such as the emoji
// itself, is refused as Slack does.
var known = set(strings.Fields(`
	+1 -1 100 adult alarm_clock arrow_left arrow_right arrows_counterclockwise art ballot_box_with_check bell
	black_square_for_stop bug bulb camera clap clock1 eight exclamation eyes five four frame_with_picture hammer
	hammer_and_wrench heart heavy_check_mark heavy_multiplication_x hourglass hourglass_flowing_sand information_source
	joy keycap_ten lock mag mantelpiece_clock memo negative_squared_cross_mark new nine no_entry no_entry_sign
	octagonal_sign ok ok_hand one paperclip pencil2 point_up pray question raised_hand recycle repeat repeat_one
	robot_face rocket scissors see_no_evil seven six smile sparkles speech_balloon stop_button stopwatch tada three
	thumbsdown thumbsup thinking_face two warning wastebasket wave white_check_mark wrench x zap zero zzz`))

// reacted is the message of a call of the reactions' methods.
func (s *Server) reacted(args url.Values, stamp string) (*channelState, *messageState, error) {
	c := s.channels[args.Get("channel")]
	if c == nil || c.deleted {
		return nil, nil, refuse("channel_not_found")
	}
	c, err := s.place(c.id)
	if err != nil {
		return nil, nil, err
	}
	if args.Get(stamp) == "" {
		return nil, nil, refuse("no_item_specified")
	}
	m := c.get(args.Get(stamp))
	if m == nil || m.tombstone {
		return nil, nil, refuse("message_not_found")
	}
	return c, m, nil
}

func (s *Server) addReaction(args url.Values) (object, error) {
	name := args.Get("name")
	base, _, _ := strings.Cut(name, "::")
	if !reactionForm.MatchString(name) || !known[base] {
		return nil, refuse("invalid_name")
	}
	c, m, err := s.reacted(args, "timestamp")
	if err != nil {
		return nil, err
	}
	mine := 0
	for _, r := range m.reactions {
		if slices.Contains(r.Users, botUser) {
			mine++
			if r.Name == base {
				return nil, refuse("already_reacted")
			}
		}
	}
	isNew := !slices.ContainsFunc(m.reactions, func(r Reaction) bool { return r.Name == base })
	switch {
	case mine >= maxOfPerson:
		return nil, refuse("too_many_reactions")
	case isNew && len(m.reactions) >= maxNames:
		return nil, refuse("too_many_emoji")
	}
	m.react(botUser, name, true)
	s.tellReaction(c, m, botUser, name, true)
	return object{}, nil
}

func (s *Server) removeReaction(args url.Values) (object, error) {
	if !reactionForm.MatchString(args.Get("name")) {
		return nil, refuse("invalid_name")
	}
	c, m, err := s.reacted(args, "timestamp")
	if err != nil {
		return nil, err
	}
	if !m.react(botUser, args.Get("name"), false) {
		return nil, refuse("no_reaction")
	}
	s.tellReaction(c, m, botUser, args.Get("name"), false)
	return object{}, nil
}

func (s *Server) getReactions(args url.Values) (object, error) {
	c, m, err := s.reacted(args, "timestamp")
	if err != nil {
		return nil, err
	}
	return object{"type": "message", "channel": c.id, "message": s.render(c, m, false)}, nil
}
