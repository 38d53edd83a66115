// Package chatcommand answers commands in chats, such as /atelier help, and the bot's home page, whatever the
// platform. Package adapters lists the words of the commands; package command is about the command line.
package chatcommand

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	webpage "atelier/adapters/web/page"
	"atelier/agent/plan"
	stock "atelier/agent/samples"
	"atelier/agent/toolbox"
	"atelier/jobs"
)

// Commands answers commands.
type Commands struct {
	Tell plan.Translate
	// Tools are all tools, and Live returns the names of those that can run now.
	Tools []toolbox.Tool
	Live  func(ctx context.Context) (map[string]bool, error)
	// Samples returns requests that can be done here.
	Samples func(ctx context.Context) ([]plan.Sample, error)
	// Standing returns a person's requests in progress and remaining quota in a thread.
	Standing func(ctx context.Context, by adapters.Person, in adapters.Thread) (jobs.Standing, error)
	// Recent returns a person's answered requests in a workspace, latest first.
	Recent func(ctx context.Context, by adapters.Person, in adapters.Thread) ([]Answered, error)
	Now    func() time.Time
}

// Answer answers a command, with requests to try.
func (c Commands) Answer(ctx context.Context, e adapters.Event, language string) (reply string, try []plan.Sample, err error) {
	var lines []plan.Message
	switch e.Command.Name {
	case adapters.StatusCommand:
		lines, err = c.status(ctx, e)
	case adapters.ToolsCommand:
		lines, err = c.able(ctx)
	case adapters.HomeCommand:
		lines, err = c.home(ctx, e)
	case adapters.PromptsCommand:
		if try, err = c.Samples(ctx); err == nil {
			try = append(try, plan.Sample{Key: "help", Wish: whatElse.String()})
		}
	default:
		if lines = help(); e.Command.Name != adapters.HelpCommand && e.Command.Name != "" {
			lines = append([]plan.Message{plan.Say("I do not know that command.")}, lines...)
		}
		try, err = c.Samples(ctx)
	}
	if err != nil {
		return "", nil, err
	}
	told := make([]string, len(lines))
	for i, line := range lines {
		told[i] = c.Tell.In(language, line)
	}
	return strings.Join(told, "\n"), try, nil
}

// talk explains how to talk to the bot.
func talk() plan.Message {
	return plan.Say("Mention me in a channel or write to me directly. Say what you want and attach pictures, sound, video or text. " +
		"To use the files of an earlier message, reply to it.")
}

// tried lists requests that can be tried here.
func (c Commands) tried(ctx context.Context) ([]plan.Message, error) {
	tried, err := c.Samples(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for samples: %w", err)
	}
	lines := make([]plan.Message, len(tried))
	for i, s := range tried {
		lines[i] = plan.Quote("- " + adapters.Escape(s.Wish))
	}
	return lines, nil
}

// whatElse is suggested behind the requests that can be tried here.
var whatElse = plan.Say("What can you do?")

// Answered is an answered request.
type Answered struct {
	Wish string
	// At is the address of its thread, "" if unknown.
	At string
}

// home is the bot's home page: requests to try, and the person's latest results.
func (c Commands) home(ctx context.Context, e adapters.Event) ([]plan.Message, error) {
	lines, err := c.tried(ctx)
	if err != nil {
		return nil, err
	}
	if len(lines) > 0 {
		lines = append([]plan.Message{plan.Say("You can try:")}, lines...)
	}
	recent, err := c.Recent(ctx, e.By, e.Thread)
	if err != nil {
		return nil, fmt.Errorf("list recent requests: %w", err)
	}
	lines = append(lines, talk())
	for i, r := range recent {
		if i == 0 {
			lines = append(lines, plan.Say("Your latest results:"))
		}
		wish := adapters.Escape(r.Wish)
		if r.At != "" {
			wish = "[" + wish + "](" + r.At + ")"
		}
		lines = append(lines, plan.Quote("- "+wish))
	}
	return lines, nil
}

// help explains how to use the bot.
func help() []plan.Message {
	return []plan.Message{
		talk(),
		plan.Say("Continue where I answer: “now make it black and white” works on the last result."),
		plan.Say("The buttons below my answer go on from it. You can also write “stop”, “again” or “more like this”."),
		plan.Say("Reactions on my answer: a number such as 1️⃣ runs that alternative, and removing it stops it; 🔁 runs it again; " +
			"🗑️ deletes it, if you asked for it or are an admin. 🛑 on your own message stops the work."),
		plan.Say("Commands: ask, status (your requests in progress), cancel (stops your latest request), tools (examples of what I can do) and help."),
	}
}

// status lists a person's requests in progress, and the remaining quota.
func (c Commands) status(ctx context.Context, e adapters.Event) ([]plan.Message, error) {
	s, err := c.Standing(ctx, e.By, e.Thread)
	if err != nil {
		return nil, err
	}
	var lines []plan.Message
	for _, r := range s.Requests {
		for _, run := range r.Runs {
			if run.By == e.By.ID && run.Ended.IsZero() {
				lines = append(lines, c.atWork(run))
			}
		}
	}
	if len(lines) == 0 {
		lines = append(lines, plan.Say("You have no requests in progress here."))
	}
	if s.Left.Limit > 0 {
		lines = append(lines, plan.Say("You can still make %d of %d requests this hour.", s.Left.Requests, s.Left.Limit))
	}
	if s.Left.DayLimit > 0 {
		lines = append(lines, plan.Say("You can still upload %s of %s today.", plan.FileSize(s.Left.Bytes), plan.FileSize(s.Left.DayLimit)))
	}
	return lines, nil
}

// atWork describes the progress of a run.
func (c Commands) atWork(run jobs.Run) plan.Message {
	since := plan.Span(c.Now().Sub(run.At))
	switch run.Status {
	case jobs.Waiting:
		return plan.Say("- In the queue for %s.", since)
	case jobs.Planning:
		return plan.Say("- Planning for %s.", since)
	case jobs.Running:
		done, at := 0, plan.Message{}
		for _, s := range run.Steps {
			switch s.Status {
			case plan.Done, plan.Failed, plan.Skipped:
				done++
			case plan.Running:
				if at.IsZero() {
					at = s.Text
				}
			default:
			}
		}
		if !at.IsZero() {
			return plan.Say("- In progress for %s: %d of %d steps are done. Now: %s.", since, done, len(run.Steps), at)
		}
		return plan.Say("- In progress for %s: %d of %d steps are done.", since, done, len(run.Steps))
	default:
		return plan.Say("- Writing the answer, after %s.", since)
	}
}

// shownExamples is how many requests [Commands.able] shows of each group.
const shownExamples = 5

// able shows what the available tools can do, by requests of each group.
func (c Commands) able(ctx context.Context) ([]plan.Message, error) {
	live, err := c.Live(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	wishes := map[string][]string{}
	for _, t := range c.Tools {
		if e, ok := Example(toolbox.Status{Tool: t, Live: live[t.Name]}); ok {
			g := groupOf(t.Domain)
			wishes[g] = append(wishes[g], "“"+adapters.Escape(e.Wish)+"”")
		}
	}
	if len(wishes) == 0 {
		return []plan.Message{plan.Say("I cannot do anything at the moment. Please tell the operator.")}, nil
	}
	lines := []plan.Message{plan.Say("I can do these things and many more, and combine them:")}
	for _, g := range groups() {
		if all := wishes[g.of]; len(all) > 0 {
			lines = append(lines, plan.Say("- **%s**: %s", g.called, strings.Join(spread(all, shownExamples), ", ")))
		}
	}
	return lines, nil
}

// spread returns up to n of the texts, evenly spaced.
func spread(all []string, n int) []string {
	var some []string
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/min(n, len(all))])
	}
	return some
}

// group is a group of tools by topic.
type group struct {
	of     string
	called plan.Message
}

func groups() []group {
	return []group{
		{"image", plan.Say("Pictures")}, {"video", plan.Say("Videos")}, {"audio", plan.Say("Sound")},
		{"text", plan.Say("Texts and questions")}, {"", plan.Say("Other things")},
	}
}

// groupOf returns the group of a domain.
func groupOf(domain string) string {
	switch kind, _, _ := strings.Cut(domain, "-"); kind {
	case "image", "visual":
		return "image"
	case "video", "audio":
		return kind
	case "natural", "question":
		return "text"
	default:
		return ""
	}
}

const (
	// lookedAt is the number of latest requests searched for those of one person.
	lookedAt = 100
	maxShown = 5
	maxWish  = 80 // characters
)

// RecentOf returns a person's answered requests in a workspace, latest first.
func RecentOf(
	ctx context.Context, latest func(ctx context.Context, n int) ([]jobs.Request, error), known []adapters.Adapter, by adapters.Person, in adapters.Thread,
) ([]Answered, error) {
	all, err := latest(ctx, lookedAt)
	if err != nil {
		return nil, fmt.Errorf("list the latest requests: %w", err)
	}
	var shown []Answered
	for _, r := range all {
		wish := firstWords(r.Wish)
		if len(shown) == maxShown || wish == "" || r.By.ID != by.ID || r.Thread.Adapter != in.Adapter || r.Thread.Workspace != in.Workspace ||
			!slices.ContainsFunc(r.Runs, func(run jobs.Run) bool { return len(run.Made) > 0 && run.Sent.ID != "" }) {
			continue
		}
		one := Answered{Wish: wish}
		if one.At, err = locate(ctx, known, r.Thread); err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// locate returns the address of a thread; "" if unknown.
func locate(ctx context.Context, known []adapters.Adapter, t adapters.Thread) (string, error) {
	for _, a := range known {
		if l, ok := a.(adapters.Locator); ok && a.Name() == t.Adapter {
			at, err := l.Locate(ctx, t)
			if err != nil {
				return "", fmt.Errorf("locate a thread: %w", err)
			}
			return at, nil
		}
	}
	return "", nil
}

// firstWords cuts a request to one line.
func firstWords(wish string) string {
	letters := []rune(strings.Join(strings.Fields(wish), " "))
	if len(letters) <= maxWish {
		return string(letters)
	}
	return string(letters[:maxWish-1]) + "…"
}

// Braces removes the braces around the variable words of an example.
var Braces = strings.NewReplacer("{", "", "}", "")

// namedFile matches a file name in an example, since people who try it have another file.
var namedFile = regexp.MustCompile(`\{[^}]*\.[a-z0-9]+\}`)

// Example returns a request that the tool can do, if it is available and needs at most one file.
func Example(s toolbox.Status) (webpage.Example, bool) {
	if !s.Live {
		return webpage.Example{}, false
	}
	needs := s.Tool.Files()
	for _, a := range s.Tool.Args {
		if (a.Optional || !a.Type.Media()) && (a.Many || a.Type != plan.Text || a.Meaning == plan.Content || a.Meaning == plan.Format) {
			return webpage.Example{}, false // needs a text, or a format that people may not have
		}
	}
	need := ""
	switch len(needs) {
	case 0:
	case 1:
		need = string(needs[0])
	default:
		return webpage.Example{}, false
	}
	if wish := stock.Of(s.Tool.Name); wish != "" { // it has translations
		return webpage.Example{Wish: wish, Needs: need}, true
	}
	for _, e := range s.Tool.Examples {
		switch about := strings.Contains(e, "{this "); {
		case namedFile.MatchString(e):
		case len(needs) == 1 && about:
			return webpage.Example{Wish: Braces.Replace(e), Needs: need}, true
		case len(needs) == 0 && !about:
			return webpage.Example{Wish: Braces.Replace(e)}, true
		}
	}
	return webpage.Example{}, false
}
