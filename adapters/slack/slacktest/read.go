package slacktest

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// readMethods read channels, threads and users.
type readMethods struct {
	*shared
	workspace *Workspace
}

func (rm *readMethods) user(args url.Values) (object, error) {
	u := rm.workspace.users[args.Get("user")]
	if u == nil {
		return nil, refuse("user_not_found")
	}
	return object{"user": u.object()}, nil
}

func (rm *readMethods) history(args url.Values) (object, error) {
	c, err := rm.workspace.readable(args.Get("channel"))
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(between(args, c.messages), func(m *messageState) bool { return !m.inChannel() })
	slices.Reverse(all)
	return rm.page(args, c, all, 100)
}

func (rm *readMethods) replies(args url.Values) (object, error) {
	c, err := rm.workspace.readable(args.Get("channel"))
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
	return rm.page(args, c, all, 1000)
}

// page returns the part of all that a call asks for, and the cursor of the next part.
func (rm *readMethods) page(args url.Values, c *channelState, all []*messageState, usual int) (object, error) {
	const most, narrow = 999, 15
	limit, from := usual, 0
	var err error
	if text := args.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > most {
			return nil, refuse("invalid_limit")
		}
	}
	if rm.o.Narrow {
		limit = min(limit, narrow)
	}
	if cursor := args.Get("cursor"); cursor != "" {
		text, err := base64.StdEncoding.DecodeString(cursor)
		if err == nil {
			from, err = strconv.Atoi(strings.TrimPrefix(string(text), "next:"))
		}
		if err != nil || from > len(all) {
			return nil, refuse("invalid_cursor")
		}
	}
	next, end := "", min(from+limit, len(all))
	if end < len(all) {
		next = base64.StdEncoding.EncodeToString([]byte("next:" + strconv.Itoa(end)))
	}
	shown := make([]object, 0, end-from)
	for _, m := range all[from:end] {
		shown = append(shown, m.object(c, yes(args, "include_all_metadata")))
	}
	return object{"messages": shown, "has_more": next != "", "response_metadata": object{"next_cursor": next}}, nil
}

// between keeps the messages of the time that a call asks for.
func between(args url.Values, all []*messageState) []*messageState {
	oldest, latest, inclusive := args.Get("oldest"), args.Get("latest"), yes(args, "inclusive")
	return slices.DeleteFunc(slices.Clone(all), func(m *messageState) bool {
		from, to := compareTS(m.ts, oldest), compareTS(m.ts, latest)
		return oldest != "" && (from < 0 || (from == 0 && !inclusive)) ||
			latest != "" && (to > 0 || (to == 0 && !inclusive))
	})
}

// compareTS compares two timestamps, of which b may lack its fraction.
func compareTS(a, b string) int {
	whole, fraction, _ := strings.Cut(b, ".")
	const digits = 6
	return strings.Compare(a, whole+"."+(fraction + "000000")[:digits])
}
