package quota

import (
	"fmt"
	"slices"
	"strings"

	"atelier/adapters"
)

// Kind is the kind of an access list entry.
type Kind string

// Kinds. "guild", "server" and "team" are synonyms of "workspace".
const (
	Workspace Kind = "workspace"
	Channel   Kind = "channel" // with its threads
	User      Kind = "user"
	Role      Kind = "role" // on platforms with roles, such as Discord
)

// Entry matches people or places of a platform by the platform's id. The zero Kind matches the whole
// platform.
type Entry struct {
	Adapter string
	Kind    Kind
	ID      string
}

// ParseEntry parses an entry such as discord/guild/1097, slack/user/U1, or slack for all of Slack.
func ParseEntry(s string) (Entry, error) {
	parts := strings.Split(s, "/")
	if slices.ContainsFunc(parts, func(p string) bool { return p == "" || strings.ContainsFunc(p, notOfAnID) }) {
		return Entry{}, errEntry(s)
	}
	switch len(parts) {
	case 1:
		return Entry{Adapter: parts[0]}, nil
	case 3:
		e := Entry{parts[0], Kind(parts[1]), parts[2]}
		switch e.Kind {
		case "guild", "server", "team":
			e.Kind = Workspace
		case Workspace, Channel, User, Role:
		default:
			return Entry{}, errEntry(s)
		}
		return e, nil
	}
	return Entry{}, errEntry(s)
}

// ParseEntries parses entries separated by commas or spaces.
func ParseEntries(s string) ([]Entry, error) {
	var all []Entry
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
		e, err := ParseEntry(part)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// notOfAnID reports whether r cannot be part of a platform's id.
func notOfAnID(r rune) bool {
	return r <= ' ' || r == ',' || r == '@' || r == '#' || r == '<' || r == '>'
}

func errEntry(s string) error {
	return fmt.Errorf("%q is not platform/workspace/ID, platform/channel/ID, platform/user/ID or platform/role/ID, such as discord/guild/1097", s)
}

// String formats the entry as ParseEntry reads it.
func (e Entry) String() string {
	if e.Kind == "" {
		return e.Adapter
	}
	return e.Adapter + "/" + string(e.Kind) + "/" + e.ID
}

// Includes reports whether a place is the entry's place or within it. Entries for people and roles include
// no place.
func (e Entry) Includes(place adapters.Thread) bool {
	return e.Kind != User && e.Kind != Role && e.names(adapters.Person{}, place)
}

// names reports whether the entry matches a person in a place.
func (e Entry) names(by adapters.Person, in adapters.Thread) bool {
	if e.Adapter != in.Adapter {
		return false
	}
	switch e.Kind {
	case Workspace:
		return e.ID == in.Workspace
	case Channel:
		return e.ID == in.Channel || e.ID == in.ID
	case User:
		return e.ID == by.ID
	case Role:
		return slices.Contains(by.Roles, e.ID)
	}
	return true
}

func named(all []Entry, by adapters.Person, in adapters.Thread) bool {
	return slices.ContainsFunc(all, func(e Entry) bool { return e.names(by, in) })
}

// Allowed reports whether the person may ask in a place.
func (q *Quota) Allowed(by adapters.Person, in adapters.Thread) bool {
	if named(q.config.Deny, by, in) {
		return false
	}
	listed := slices.ContainsFunc(q.config.Allow, func(e Entry) bool { return e.Adapter == in.Adapter })
	return !listed || named(q.config.Allow, by, in)
}

// AllowedPlace reports whether anybody may ask in a place. It is for unknown people who got a link from a
// person with access.
func (q *Quota) AllowedPlace(in adapters.Thread) bool {
	ofPeople := func(e Entry) bool { return e.Kind == User || e.Kind == Role }
	if slices.ContainsFunc(q.config.Deny, func(e Entry) bool { return e.Includes(in) }) {
		return false
	}
	listed := slices.ContainsFunc(q.config.Allow, func(e Entry) bool { return e.Adapter == in.Adapter })
	return !listed || slices.ContainsFunc(q.config.Allow, func(e Entry) bool {
		return e.Adapter == in.Adapter && (ofPeople(e) || e.Includes(in))
	})
}

// exempt reports whether the person is exempt from limits in a place.
func (q *Quota) exempt(by adapters.Person, in adapters.Thread) bool {
	return named(q.config.Exempt, by, in)
}
