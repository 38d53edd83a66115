package settings

import (
	"strings"
	"testing"

	"atelier/adapters"
)

func TestProgramsByPlace(t *testing.T) {
	t.Parallel()
	channel := adapters.Thread{Adapter: "slack", Workspace: "T1", Channel: "C1", ID: "17.4"}
	server := adapters.Thread{Adapter: "discord", Workspace: "1097", Channel: "22", ID: "23"}
	terminal := adapters.Thread{Adapter: "terminal", ID: "home"}
	for _, c := range []struct {
		value string
		in    string // the adapters of the threads where programs are written
	}{
		{"true", "slack discord terminal"},
		{"false", ""},
		{"slack/channel/C1", "slack"},
		{"slack/channel/C2", ""},
		{"slack/team/T1, terminal", "slack terminal"},
		{"discord/channel/23", "discord"},
		{"discord/server/1097 slack/channel/C1", "slack discord"},
	} {
		p, err := parsePrograms(c.value)
		if err != nil {
			t.Errorf("%s: %v", c.value, err)
		}
		var in []string
		for _, thread := range []adapters.Thread{channel, server, terminal} {
			if p.In(thread) {
				in = append(in, thread.Adapter)
			}
		}
		if got := strings.Join(in, " "); got != c.in {
			t.Errorf("%s: programs are written in %q, want %q", c.value, got, c.in)
		}
	}
	for value, want := range map[string]string{
		"maybe":                          `"maybe" matches nobody: the platform must be discord, slack, web or terminal`,
		"slack/channel":                  `"slack/channel" is not platform/workspace/ID`,
		"slack/channel/c1":               "capital letters and digits",
		"slack/channel/C1,slack/user/U1": `"slack/user/U1" is not a place`,
		"discord/role/3":                 `"discord/role/3" is not a place`,
		",":                              "expected true, false or a list of places",
	} {
		if _, err := parsePrograms(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}
