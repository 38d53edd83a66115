// Package wording gives the plain account of a run, by phrases and without a model. It uses the phrases in the tools'
// files and people's own names of files, and no names of tools.
//
// It mentions nothing that is not in the account. The same account gives the same words.
package wording

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// Made returns phrases for the results of an account's steps, in order: "clip.mp4, trimmed to
// 0:03–0:07". A step that is not done has the zero message.
func Made(c *toolbox.Catalogue, a planner.Account) []plan.Message {
	d := newDescriber(c, a, a.Results)
	for i := range a.Steps {
		if outs := a.Results[i].Outputs(); len(outs) > 0 {
			d.phrases[i] = d.phrase(a.Steps[i].Action, outs)
		}
	}
	return d.phrases
}

// describer makes the phrases of steps, each from the previous ones.
type describer struct {
	catalogue *toolbox.Catalogue
	results   []plan.Result // by step
	phrases   []plan.Message
	files     map[string]plan.Resource // given resources, by name
}

func newDescriber(c *toolbox.Catalogue, a planner.Account, results []plan.Result) describer {
	d := describer{catalogue: c, results: results, phrases: make([]plan.Message, len(results)), files: map[string]plan.Resource{}}
	for _, r := range a.Request.Resources() {
		d.files[r.Name] = r
	}
	if a.Plan != nil {
		for _, r := range a.Plan.Resources {
			d.files[r.Name] = r
		}
	}
	return d
}

// phrase describes the result of an action with the tool's own phrase.
func (d *describer) phrase(action plan.Action, outs []plan.Resource) plan.Message {
	tool, _ := d.catalogue.Tool(action.Tool)
	made := tool.Made
	if len(outs) > 1 && tool.MadeMany != "" {
		made = tool.MadeMany
	}
	phrase := d.fill(tool, action, made, outs)
	describes := func(a toolbox.Arg) bool { return a.Meaning == plan.Prompt }
	if asked := requested(action); slices.ContainsFunc(tool.Args, describes) && len(asked) > 0 {
		phrase = plan.Say("%s (%s)", phrase, plan.Join("%s, %s", asked...))
	}
	return phrase
}

// requested returns what form a new thing was requested in: "512 × 512 pixels", "16:9", "without people".
func requested(action plan.Action) []plan.Message {
	var all []plan.Message
	for _, b := range action.Args {
		switch width, height, both := strings.Cut(b.Setting, "x"); {
		case b.Setting == "":
		case b.Arg == toolbox.SizeParam && both:
			all = append(all, plan.Say("%s × %s pixels", width, height))
		case b.Arg == toolbox.SizeParam:
			all = append(all, plan.Say("%s pixels", strings.Fields(b.Setting)[0]))
		case b.Arg == toolbox.ShapeParam:
			all = append(all, plan.Quote(b.Setting))
		case b.Arg == toolbox.WithoutParam:
			all = append(all, plan.Say("without %s", b.Setting))
		}
	}
	return all
}

// fill fills the slots of a phrase for an action. If a slot stays empty, it returns the result's
// type instead.
func (d *describer) fill(tool toolbox.Tool, action plan.Action, made string, outs []plan.Resource) plan.Message {
	if made == "" {
		return action.Returns.Article()
	}
	var args []any
	for i, name := range toolbox.Slots(made) {
		value, nested := d.slot(tool, action, made, name, outs)
		if value.IsZero() {
			return action.Returns.Article()
		}
		if nested && i == 0 && strings.HasPrefix(made, "{"+name+"} ") {
			value = plan.Say("%s,", value)
		}
		args = append(args, value)
	}
	return plan.Message{Format: toolbox.Format(made), Args: args}
}

// slot returns the value of a slot, and whether it is the result of an earlier step. Arguments take
// precedence over the result's description of itself.
func (d *describer) slot(tool toolbox.Tool, action plan.Action, phrase, name string, outs []plan.Resource) (value plan.Message, nested bool) {
	i := slices.IndexFunc(tool.Args, func(a toolbox.Arg) bool { return a.Name == name })
	if i < 0 {
		return abouts(outs), false
	}
	var all []plan.Message
	for _, b := range action.Args {
		if b.Arg != name || b.Source.Kind == plan.Blank {
			continue
		}
		nested = b.Source.Kind == plan.OfAction
		all = append(all, d.source(tool.Args[i], b.Source, before(phrase, name)))
	}
	return enumerate(all), nested
}

// before returns the word before a slot in a phrase, or "" if there is none.
func before(phrase, slot string) string {
	text, _, _ := strings.Cut(phrase, "{"+slot+"}")
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// abouts joins the results' descriptions of themselves. If there are many, it joins only the first and
// the last.
func abouts(outs []plan.Resource) plan.Message {
	var all []string
	for _, out := range outs {
		if out.About != "" && !slices.Contains(all, out.About) {
			all = append(all, out.About)
		}
	}
	switch {
	case len(all) == 0:
		return plan.Message{}
	case len(all) > mostListed:
		return plan.Say("%s to %s", all[0], all[len(all)-1])
	}
	return plan.And(all...)
}

// mostListed is the maximum number of things listed one by one.
const mostListed = 3

// enumerate lists things, or counts them if there are many.
func enumerate(all []plan.Message) plan.Message {
	if len(all) > mostListed {
		return plan.Say("%d files", len(all))
	}
	last := len(all) - 1
	if last < 1 {
		return plan.Join("%s, %s", all...)
	}
	return plan.Join("%s and %s", plan.Join("%s, %s", all[:last]...), all[last])
}

// longest is the maximum length, in characters, of an earlier step's phrase that is embedded in a
// later one.
const longest = 90

// source describes the source of an argument, to follow the word before.
func (d *describer) source(arg toolbox.Arg, s plan.Source, before string) plan.Message {
	switch s.Kind {
	case plan.OfResource:
		return d.resource(s.Name)
	case plan.OfAction:
		if s.Index < 0 || s.Index >= len(d.phrases) {
			return plan.Message{}
		}
		outs := d.results[s.Index].Outputs()
		if phrase := d.phrases[s.Index]; len(outs) != 1 || outs[0].File == "" || len([]rune(phrase.String())) <= longest {
			return phrase
		}
		return plan.Quote(outs[0].File)
	case plan.OfValue:
		return said(arg, s.Value, before)
	case plan.OfText:
		return said(arg, s.Expand(func(part plan.Source) string { return d.source(arg, part, "").String() }), before)
	default:
		return plan.Message{}
	}
}

// resource returns the name that people know for a given resource.
func (d *describer) resource(name string) plan.Message {
	r := d.files[name]
	switch {
	case r.On != "":
		return plan.Say("what is marked on %s", d.resource(r.On))
	case r.File != "":
		return plan.Quote(r.File)
	case r.Type == plan.Text || r.Type == plan.Title || r.Type == plan.Tags || r.Type == plan.Location:
		return plan.Say("“%s”", short(r.Value))
	default:
		return plan.Quote(name)
	}
}

// quoted are the meanings of texts that are put in quotation marks.
var quoted = []plan.Meaning{plan.Object, plan.Prompt, plan.Instruction, plan.Query, plan.Content}

// sides begin a part of a picture, which takes an article: "the left half". Alone they take one
// only after one of the prepositions: "cropped to the left", but "turned left".
var (
	sides        = []string{"left", "right", "top", "bottom", "middle", "centre", "center", "upper", "lower"}
	prepositions = []string{"at", "from", "in", "into", "of", "on", "onto", "to", "towards"}
)

// articles are not repeated: "the {what}" with "the prices" is "the prices".
var articles = []string{"a", "an", "the"}

// said words a text of the request, to follow the word before.
func said(arg toolbox.Arg, text, before string) plan.Message {
	text = short(text)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' })
	switch {
	case text == "":
		return plan.Message{}
	case slices.Contains(quoted, arg.Meaning):
		return plan.Say("“%s”", text)
	case slices.Contains(articles, before) && len(words) > 1 && slices.Contains(articles, words[0]):
		return plan.Quote(strings.TrimSpace(text[len(words[0]):]))
	case arg.Meaning != plan.Place || len(words) == 0 || !slices.Contains(sides, words[0]):
	case slices.Contains(words, "to"): // "left to right" is a direction
	case len(words) == 1 && (words[0] == "upper" || words[0] == "lower"):
		return plan.Say("the %s part", text)
	case len(words) > 1 || slices.Contains(prepositions, before):
		return plan.Say("the %s", text)
	}
	return plan.Quote(text)
}

// mostShown is the maximum length of a text in a phrase, in characters.
const mostShown = 40

// short shortens a text to one line.
func short(s string) string {
	if len(s) > 20*mostShown {
		s = strings.ToValidUTF8(s[:20*mostShown], "")
	}
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > mostShown {
		return strings.TrimRightFunc(string(runes[:mostShown-1]), unicode.IsSpace) + "…"
	}
	return s
}
