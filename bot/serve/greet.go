package serve

import (
	"cmp"
	"context"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/slack"
	"atelier/agent/plan"
	"atelier/bot/chat"
	"atelier/bot/listen"
	"atelier/bot/place"
	"atelier/bot/settings"
)

// Platforms usually connect at once. Until they do, they are checked with doubling pauses, from
// firstGreet to lastGreet; then the operator is told which are still missing.
const (
	firstGreet = 50 * time.Millisecond
	lastGreet  = 32 * firstGreet
)

// greet prints where people can ask, once the platforms are connected.
func (r *process) greet(ctx context.Context, listener net.Listener) {
	awaited := map[string]func(context.Context) error{}
	for _, a := range r.service.Adapters {
		if c, ok := a.(adapters.Checker); ok && slices.Contains(r.service.Chats, a.Name()) {
			awaited[a.Name()] = c.Check
		}
	}
	for pause := firstGreet; ; pause *= 2 {
		failed := place.CheckAll(ctx, awaited, patience)
		maps.DeleteFunc(awaited, func(name string, _ func(context.Context) error) bool { return failed[name] == nil })
		if len(awaited) == 0 || pause > lastGreet {
			break
		}
		if sleep.For(ctx, pause) != nil {
			return
		}
	}
	if ctx.Err() != nil {
		return
	}
	if err := r.service.say(r.whereToAsk(listener, slices.Sorted(maps.Keys(awaited)))); err != nil {
		r.log.WarnContext(ctx, "the addresses could not be printed", "error", plan.ForOperator(err))
	}
}

// whereToAsk says where people can ask, one line per address, and which platforms are not connected.
func (r *process) whereToAsk(listener net.Listener, away []string) string {
	var connected, lines []string
	for _, name := range r.service.Chats {
		if !slices.Contains(away, name) {
			connected = append(connected, cmp.Or(r.who[name], name))
		}
	}
	if len(connected) > 0 {
		lines = append(lines, "Connected to "+strings.Join(connected, ", ")+".")
	}
	if len(away) > 0 {
		lines = append(lines, "Not yet connected to "+strings.Join(away, ", ")+": still trying; the log says why.")
	}
	if listener != nil {
		at := reachedAt(r.shop.Config, listener.Addr())
		if slices.Contains(r.service.Chats, slack.Name) && r.shop.Slack.OverHTTP() {
			lines = append(lines, "Waiting for Slack events at "+at+chat.SlackPath+"events.")
		}
		if r.service.Web {
			lines = append(lines, "Atelier is at "+at+" too: open it in a browser.")
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// reachedAt is PUBLIC_URL or else the URL of the listener on this machine, without a trailing slash.
func reachedAt(c settings.Config, at net.Addr) string {
	if c.Web.Public != nil {
		return strings.TrimSuffix(c.Web.Public.String(), "/")
	}
	return "http://" + listen.Reachable(at.String())
}
