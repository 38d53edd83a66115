package serve

import (
	"strings"
	"testing"

	"atelier/bot/settings"
	"atelier/jobs"
)

// TestWhatIsConnected checks that all configured platforms are connected, unless --adapters says otherwise.
func TestWhatIsConnected(t *testing.T) {
	t.Parallel()
	pools := func(queues ...string) Service {
		all := map[string]int{}
		for _, q := range queues {
			all[q] = 1
		}
		return Service{Pools: []jobs.Pool{{Queues: all, Concurrency: 1}}}
	}
	here, off := settings.Config{Listen: "127.0.0.1:8080"}, settings.Config{}
	both := settings.Config{Listen: "127.0.0.1:8080", Discord: settings.Discord{Token: "d"}, Slack: settings.Slack{BotToken: "xoxb-s", AppToken: "xapp-s"}}
	requests := settings.Config{Listen: "127.0.0.1:8080", Slack: settings.Slack{BotToken: "xoxb-s", SigningSecret: "s"}}
	unreached := settings.Config{Slack: requests.Slack}
	for _, c := range []struct {
		names string
		settings.Config
		Service
		want  string
		wrong string
	}{
		{"", here, pools("gateway", "plan"), "web", ""},
		{"", off, pools("gateway"), "", ""},
		{"", here, pools("cpu"), "", ""},
		{"none", here, pools("gateway"), "", ""},
		{"web", here, pools("gateway"), "web", ""},
		{"web", off, pools("gateway"), "", "ATELIER_LISTEN is off"},
		{"web", here, pools("cpu"), "", "omits gateway"},
		{"irc", here, pools("gateway"), "", `has an unknown adapter "irc"`},
		{"", both, pools("gateway"), "web discord slack", ""},
		{"", both, pools("plan", "cpu"), "", ""},
		{"none", both, pools("gateway"), "", ""},
		{"slack, discord,slack", both, pools("gateway"), "slack discord", ""},
		{"discord", both, pools("gpu"), "", "omits gateway"},
		{"discord", here, pools("gateway"), "", "DISCORD_TOKEN is not set"},
		{"slack", here, pools("gateway"), "", "SLACK_BOT_TOKEN is not set"},
		{"", requests, pools("gateway"), "web slack", ""},
		{"", unreached, pools("gateway"), "", "ATELIER_LISTEN is off, but Slack sends its events there"},
		{"slack", unreached, pools("gateway"), "", "ATELIER_LISTEN is off, but Slack sends its events there"},
		{"", unreached, pools("cpu"), "", ""},
	} {
		s, err := connected(c.names, c.Config, c.Service)
		var got []string
		if s.Web {
			got = append(got, "web")
		}
		if with := strings.Join(append(got, s.Chats...), " "); with != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %v, %v", c.names, with, err)
		}
	}
}
