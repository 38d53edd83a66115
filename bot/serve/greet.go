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

// A platform is usually connected with within a moment. It is looked at again after the
// first pause, then after twice as long, and so on, and after the last one people are told
// how it stands.
const (
	firstGreet = 50 * time.Millisecond
	lastGreet  = 32 * firstGreet
)

// greet tells people where they can ask, once what they write there is heard.
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
		r.log.WarnContext(ctx, "nobody could be told where it runs", "error", plan.ForOperator(err))
	}
}

// whereToAsk tells where people can ask, a line for each thing, and which platforms are away.
func (r *process) whereToAsk(listener net.Listener, away []string) string {
	var connected, lines []string
	for _, name := range r.service.Chats {
		if !slices.Contains(away, name) {
			connected = append(connected, cmp.Or(r.who[name], name))
		}
	}
	if len(connected) > 0 {
		lines = append(lines, "Connected with "+strings.Join(connected, ", ")+".")
	}
	if len(away) > 0 {
		lines = append(lines, "Not yet connected with "+strings.Join(away, ", ")+": still trying; the log says why.")
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

// reachedAt is the URL of what is listened on, without a slash at its end: by the name that
// is set, or as this machine reaches it.
func reachedAt(c settings.Config, at net.Addr) string {
	if c.Web.Public != nil {
		return strings.TrimSuffix(c.Web.Public.String(), "/")
	}
	return "http://" + listen.Reachable(at.String())
}
