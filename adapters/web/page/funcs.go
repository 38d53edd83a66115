package page

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/point"
)

// speaker translates sentences to one language.
type speaker func(format string, args ...any) string

// funcs returns the template functions of a language.
func (p *Renderer) funcs(tag string) template.FuncMap {
	say := speaker(func(format string, args ...any) string { return p.Words.Say(tag, format, args...) })
	return template.FuncMap{
		"language":  func() string { return tag },
		"say":       say,
		"size":      markup.Size,
		"took":      adapters.FormatDuration,
		"name":      markup.Name,
		"wish":      say.wish,
		"called":    Called,
		"count":     strconv.Itoa,
		"instant":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":     func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
		"needs":     say.needs,
		"stateWord": say.state,
		"stateIcon": stateIcon,
		"modules":   p.modules,
		"press":     pressValues,
		"marker":    func() point.Marker { return point.Marker{Words: say} },
		"composer":  newComposer,
		"domains":   say.domains,
		"term":      say.term,
		"live":      live,
		"sample":    p.sample,

		"serverState": say.serverState,
	}
}

// wish translates a request that may be tried. What is sent stays the request, which every planner understands.
func (say speaker) wish(s string) string { return say(strings.ReplaceAll(s, "%", "%%")) }

// Called returns the name of a tool in words: "add border".
func Called(tool string) string { return strings.ReplaceAll(markup.Name(tool), "_", " ") }

// pressValues returns what is posted when a choice is pressed: choose it, or undo that.
func pressValues(c Choice) string {
	if c.Mine {
		return fmt.Sprintf(`{"sign":"choose","number":%d,"back":true}`, c.Number)
	}
	return fmt.Sprintf(`{"sign":"choose","number":%d}`, c.Number)
}

// state names the state of a step.
func (say speaker) state(s adapters.StepState) string {
	switch s {
	case adapters.StepRunning:
		return say("working")
	case adapters.StepDone:
		return say("done")
	case adapters.StepFailed:
		return say("failed")
	case adapters.StepSkipped:
		return say("skipped")
	case adapters.StepWaiting:
	}
	return say("waiting")
}

// serverState names the state of a server.
func (say speaker) serverState(state string) string {
	switch state {
	case "up":
		return say("up")
	case "loading":
		return say("loading")
	}
	return say("down")
}

// icons are the icons of the states of steps.
var icons = map[adapters.StepState]string{
	adapters.StepRunning: "run", adapters.StepDone: "check", adapters.StepFailed: "cross", adapters.StepSkipped: "skip",
}

// stateIcon returns the icon of a step's state.
func stateIcon(s adapters.StepState) string { return cmp.Or(icons[s], "wait") }

// needs says which file to attach.
func (say speaker) needs(kind string) string {
	switch kind {
	case "image":
		return say("Attach a picture")
	case "video":
		return say("Attach a video")
	case "audio":
		return say("Attach a sound")
	case "document":
		return say("Attach a PDF document")
	case "text":
		return say("Attach a text")
	}
	return say("Attach a file: %s", kind)
}

// composerView is the data of the message form.
type composerView struct {
	Thread   string
	Fresh    bool
	Wish     string // initial text of the message
	MaxFile  int64
	MaxFiles int
}

func newComposer(v View, thread string) composerView {
	return composerView{Thread: thread, Fresh: v.Thread == nil, Wish: v.Wish, MaxFile: v.MaxFile, MaxFiles: v.MaxFiles}
}
