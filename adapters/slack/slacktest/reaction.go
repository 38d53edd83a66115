package slacktest

import (
	"net/url"
	"slices"
	"strings"
)

// known are the names of emoji that the bot may use: a wrong one, such as the emoji
// itself, is refused as Slack does.
var known = set(strings.Fields(`
	+1 -1 100 adult alarm_clock arrow_left arrow_right arrows_counterclockwise art ballot_box_with_check bell
	black_square_for_stop bug bulb camera clap clock1 eight exclamation eyes five four frame_with_picture hammer
	hammer_and_wrench heart heavy_check_mark heavy_multiplication_x hourglass hourglass_flowing_sand information_source
	joy keycap_ten lock mag mantelpiece_clock memo negative_squared_cross_mark new nine no_entry no_entry_sign
	octagonal_sign ok ok_hand one paperclip pencil2 point_up pray question raised_hand recycle repeat repeat_one
	robot_face rocket scissors see_no_evil seven six smile sparkles speech_balloon stop_button stopwatch tada three
	thumbsdown thumbsup thinking_face two warning wastebasket wave white_check_mark wrench x zap zero zzz`)...)

// reactionMethods add, remove and read reactions.
type reactionMethods struct {
	workspace *Workspace
	events    *events
}

// message returns the message of a call.
func (rm *reactionMethods) message(args url.Values) (*channelState, *messageState, error) {
	c, err := rm.workspace.writable(args.Get("channel"))
	if err != nil {
		return nil, nil, err
	}
	m := c.get(args.Get("timestamp"))
	if m == nil || m.tombstone {
		return nil, nil, refuse("message_not_found")
	}
	return c, m, nil
}

func (rm *reactionMethods) add(args url.Values) (object, error) {
	name := args.Get("name")
	if !known[name] {
		return nil, refuse("invalid_name")
	}
	c, m, err := rm.message(args)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(m.reactions, func(r Reaction) bool { return r.Name == name && slices.Contains(r.Users, botUser) }) {
		return nil, refuse("already_reacted")
	}
	m.react(botUser, name, true)
	rm.events.reaction(c, m, botUser, name, true)
	return object{}, nil
}

func (rm *reactionMethods) remove(args url.Values) (object, error) {
	name := args.Get("name")
	if !known[name] {
		return nil, refuse("invalid_name")
	}
	c, m, err := rm.message(args)
	if err != nil {
		return nil, err
	}
	if !m.react(botUser, name, false) {
		return nil, refuse("no_reaction")
	}
	rm.events.reaction(c, m, botUser, name, false)
	return object{}, nil
}

func (rm *reactionMethods) get(args url.Values) (object, error) {
	c, m, err := rm.message(args)
	if err != nil {
		return nil, err
	}
	return object{"type": "message", "channel": c.id, "message": m.object(c, false)}, nil
}
