package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/adapters/discord"
	"atelier/adapters/slack"
	"atelier/adapters/terminal"
	"atelier/adapters/web"
	"atelier/jobs/quota"
)

// accessSettings are the settings for access and quotas.
func accessSettings() []setting {
	entries := func(of func(*Config) *[]quota.Entry) func(*Config, string) error {
		return func(c *Config, v string) (err error) { *of(c), err = accessEntries(v); return err }
	}
	limit := func(of func(*Config) *int, most int) func(*Config, string) error {
		return func(c *Config, v string) (err error) { *of(c), err = number(v, 0, most); return err }
	}
	return []setting{
		{
			name: "ATELIER_ALLOW",
			about: "Who may ask, separated by commas: slack/workspace/T1, discord/server/1097, slack/channel/C1, slack/user/U1, " +
				"discord/role/2003. A platform without an entry is open to everybody.",
			set: entries(func(c *Config) *[]quota.Entry { return &c.Quota.Allow }),
		}, {
			name: "ATELIER_DENY", about: "Who may not ask, written like ATELIER_ALLOW, which it overrides. slack alone means all of Slack.",
			set: entries(func(c *Config) *[]quota.Entry { return &c.Quota.Deny }),
		}, {
			name: "ATELIER_EXEMPT", about: "Who is exempt from the limits below, written like ATELIER_ALLOW.",
			set: entries(func(c *Config) *[]quota.Entry { return &c.Quota.Exempt }),
		}, {
			name: "ATELIER_USER_REQUESTS", value: "0",
			about: "The maximum number of requests per person and hour. Alternatives and repetitions count too. 0 means no limit.",
			set:   limit(func(c *Config) *int { return &c.Quota.Requests }, 1_000_000),
		}, {
			name: "ATELIER_USER_AT_ONCE", value: "0", about: "The maximum number of requests per person that wait or run at the same time. 0 means no limit.",
			set: limit(func(c *Config) *int { return &c.Quota.AtOnce }, 1000),
		}, {
			name: "ATELIER_CHANNEL_AT_ONCE", value: "0", about: "The maximum number of requests in a channel and its threads that wait or run at once. " +
				"0 means no limit.",
			set: limit(func(c *Config) *int { return &c.Quota.ChannelAtOnce }, 1000),
		}, {
			name: "ATELIER_USER_MEDIA_MB", value: "0", about: "The maximum size of the files that a person may send in a day, in MB. 0 means no limit.",
			set: func(c *Config, v string) error {
				mb, err := number[int64](v, 0, 1_000_000)
				c.Quota.Bytes = mb * 1_000_000
				return err
			},
		},
	}
}

// accessEntries parses entries, and rejects those that can match nobody, since such a mistake would
// silently allow or deny access.
func accessEntries(v string) ([]quota.Entry, error) {
	all, err := quota.ParseEntries(v)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if wrong := fitsNobody(e); wrong != "" {
			return nil, fmt.Errorf("%q matches nobody: %s", e, wrong)
		}
	}
	return all, nil
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// fitsNobody says why an entry can match no person and no place; "" if it can.
func fitsNobody(e quota.Entry) string {
	switch e.Adapter {
	case discord.Name:
		if strings.Trim(e.ID, digits) != "" {
			return "Discord IDs are numbers, as copied by Copy ID"
		}
	case slack.Name:
		if e.Kind == quota.Role {
			return "only Discord has roles"
		}
		if strings.Trim(e.ID, letters+digits) != "" {
			return "Slack IDs are capital letters and digits, such as U0XY34"
		}
	case web.Name, terminal.Name:
		if e.Kind == quota.Role || e.Kind == quota.Workspace {
			return "the web page has neither servers nor roles"
		}
	default:
		return "the platform must be discord, slack, web or terminal"
	}
	return ""
}

// Programs says where a language model may write programs.
type Programs struct {
	// Allowed is false if no programs may be written.
	Allowed bool
	// Places are the only places where programs are written; none means everywhere.
	Places []quota.Entry
}

// In reports whether programs may be written for requests of a thread.
func (p Programs) In(t adapters.Thread) bool {
	return p.Allowed && (len(p.Places) == 0 || slices.ContainsFunc(p.Places, func(e quota.Entry) bool { return e.Includes(t) }))
}

// parsePrograms parses true, false or a list of places.
func parsePrograms(v string) (Programs, error) {
	if on, err := yes(v); err == nil {
		return Programs{Allowed: on}, nil
	}
	places, err := accessEntries(v)
	switch {
	case err != nil:
		return Programs{}, fmt.Errorf("expected true, false or a list of places: %w", err)
	case len(places) == 0:
		return Programs{}, errors.New("expected true, false or a list of places")
	}
	for _, e := range places {
		if e.Kind == quota.User || e.Kind == quota.Role {
			return Programs{}, fmt.Errorf("%q is not a place: expected a platform, workspace or channel", e)
		}
	}
	return Programs{Allowed: true, Places: places}, nil
}
