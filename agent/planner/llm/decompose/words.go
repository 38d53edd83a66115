package decompose

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// The limits of the user's part of the prompt.
const (
	maxResources = 64  // the latest ones
	maxExcerpt   = 200 // bytes from the start of a text
	maxPictures  = 4   // the latest ones
)

// maxHints is the token limit for tool hints; if there are more, the tools nearest to the request
// are listed.
const maxHints = 3400

// decomposeSystem is the data of the system part.
type decomposeSystem struct {
	Types    []prompt.Explained
	Meanings []prompt.Explained
	Settings []prompt.Explained
	Domains  []toolDomain
	Prior    bool // whether the tools of the domains are listed
	Marks    bool // whether marks are explained
	Examples bool
	// Improvises means that a program can be written if no tool fits.
	Improvises bool
}

// toolDomain is a domain with its tools, one line each.
type toolDomain struct {
	Name  string
	Tools []string
}

// word writes both parts of the question within the context size: the tools get a third of it, at
// most [maxHints], and the user's part gets the rest, except for the room for a repair. The tools
// are at the end of the system part, so that a provider can cache everything before them. A small
// context has no room for examples.
func (job *Decomposer) word(q *exchange.Question, r plan.Request, pictures []string) error {
	window := job.context
	data := decomposeSystem{
		Types: job.known.types, Meanings: prompt.Meanings(), Settings: settings(2),
		Prior: !job.config.WithoutPrior, Marks: true, Examples: true, Improvises: r.Improvises,
	}
	for _, d := range job.known.domains {
		data.Domains = append(data.Domains, toolDomain{Name: d})
	}
	room := func() (left int, err error) {
		q.System, err = job.prompt.System(data)
		return window - q.Output - job.config.Exchange.RepairRoom() - token.Count(q.System) - len(pictures)*token.PerPicture, err
	}
	share := 2 // the tools get 1/share
	left, err := room()
	if err == nil && left < window/4 {
		data.Examples, data.Settings, share = false, settings(1), 3
		data.Marks = slices.ContainsFunc(r.Resources(), func(r plan.Resource) bool { return r.On != "" })
		left, err = room()
	}
	if err == nil && data.Prior {
		tools := relevant(job.config.Index, job.config.Catalogue.Tools(), hint, wishOf(r), min(window/3, left/share, maxHints))
		data.tell(tools)
		if !data.Examples { // no room for settings that none of these tools has
			data.Settings = slices.DeleteFunc(data.Settings, func(s prompt.Explained) bool { return !takesSetting(tools, param.Type(s.Word)) })
		}
		left, err = room()
	}
	if err != nil {
		return err
	}
	q.User, err = job.prompt.User(newDecomposeUser(r, pictures, min(left, window/2)))
	return err
}

// settings returns the types of settings, with a number of examples each.
func settings(examples int) []prompt.Explained {
	var all []prompt.Explained
	for _, name := range param.Types() {
		all = append(all, prompt.Explained{Word: name, About: strings.Join(param.Type(name).Examples()[:examples], ", ")})
	}
	return all
}

// takesSetting reports whether one of the tools has a parameter of the type.
func takesSetting(tools []toolbox.Tool, t param.Type) bool {
	return slices.ContainsFunc(tools, func(tool toolbox.Tool) bool {
		return slices.ContainsFunc(tool.Params, func(p param.Param) bool { return p.Type == t })
	})
}

// tell adds the tools to their domains.
func (s *decomposeSystem) tell(tools []toolbox.Tool) {
	for i := range s.Domains {
		for _, t := range tools {
			if t.Domain == s.Domains[i].Name {
				s.Domains[i].Tools = append(s.Domains[i].Tools, hint(t))
			}
		}
	}
}

// wishOf returns the request, with the one that an open question was about.
func wishOf(r plan.Request) string {
	if r.Question != nil {
		return r.Question.Wish + "\n" + r.Wish
	}
	return r.Wish
}

// hint describes a tool in one line: what it takes, what it makes and what it does.
func hint(t toolbox.Tool) string {
	var args []string
	for _, a := range t.Args {
		arg := brief.KindOfArg(a, ":")
		if a.Param != nil && a.Param.Type == param.Choice {
			arg = "setting:" + strings.Join(slices.Sorted(maps.Keys(a.Param.Choices)), "|")
		}
		switch {
		case a.Optional:
			arg += "?"
		case a.Many:
			arg += "+"
		}
		args = append(args, arg)
	}
	return fmt.Sprintf("%s(%s) → %s: %s", t.Name, strings.Join(args, ", "), t.Returns, strings.TrimSuffix(t.Description, "."))
}

// decomposeUser is the data of the user's part.
type decomposeUser struct {
	Turns     []plan.Turn
	Resources []resourceLine
	LeftOut   int // older resources
	Pictures  []string
	Now       string
	Question  *plan.Question
	Wish      string
}

// resourceLine describes a resource for the prompt.
type resourceLine struct {
	plan.Resource

	Given, Latest bool
	Excerpt       string // of a text
	More          bool   // the text is longer
}

// userWords is the number of tokens of the fixed words in the user's part.
const userWords = 120

// newDecomposeUser fits the request into a token budget: half for the turns, a quarter for the
// resources, an eighth for the request and an eighth for an open question.
func newDecomposeUser(r plan.Request, pictures []string, budget int) decomposeUser {
	budget = max(0, budget-userWords)
	u := decomposeUser{Pictures: pictures, Turns: latest(r.Turns, budget/2)}
	if !r.At.IsZero() {
		u.Now = r.At.Format("Monday, 2006-01-02 15:04 MST")
	}
	result := latestResult(r)
	all := r.Resources()
	share := budget / 4
	for i := len(all) - 1; i >= 0 && len(u.Resources) < maxResources; i-- {
		line := newResourceLine(all[i], i >= len(r.Earlier), all[i].Name == result)
		if share -= line.tokens(); share < 0 && len(u.Resources) > 0 {
			break
		}
		u.Resources = append(u.Resources, line)
	}
	slices.Reverse(u.Resources)
	u.LeftOut = len(all) - len(u.Resources)
	u.Wish = token.ClipMiddle(r.Wish, budget/8)
	if r.Question != nil {
		u.Question = &plan.Question{Text: token.ClipMiddle(r.Question.Text, budget/16), Wish: token.ClipMiddle(r.Question.Wish, budget/16)}
	}
	return u
}

func newResourceLine(r plan.Resource, given, result bool) resourceLine {
	line := resourceLine{Resource: r, Given: given, Latest: result}
	if r.On != "" {
		line.About = "" // the line mentions the mark already
	}
	line.About = token.Clip(line.About, maxExcerpt)
	if r.Type == plan.Text && r.Value != "" {
		line.Excerpt = token.Clip(strings.ToValidUTF8(r.Value, " "), maxExcerpt)
		line.More = len(line.Excerpt) < len(r.Value)
	}
	return line
}

// tokens estimates the tokens of the line, with its fixed words.
func (l resourceLine) tokens() int {
	const fixed = 16
	return fixed + token.Count(l.Name) + token.Count(l.File) + token.Count(l.On) + token.Count(l.Facts) + token.Count(l.About) + token.Count(l.Excerpt)
}

// latestResult returns the name of the last result, which "it" refers to if the message has no
// file.
func latestResult(r plan.Request) string {
	there := func(name string) bool {
		return slices.ContainsFunc(r.Earlier, func(e plan.Resource) bool { return e.Name == name })
	}
	for _, t := range slices.Backward(r.Turns) {
		for _, name := range slices.Backward(t.Made) {
			if there(name) {
				return name
			}
		}
	}
	return ""
}

// vocabulary holds the words allowed in an answer.
type vocabulary struct {
	domains []string // sorted
	types   []prompt.Explained
	// moves reports whether a subtask moves things in its picture. Nil means no.
	moves func(plan.Subtask) bool
}

// newVocabulary returns the vocabulary of the built-in types and a catalogue.
func newVocabulary(c *toolbox.Catalogue) vocabulary {
	v := vocabulary{types: prompt.Types()}
	add := func(t plan.Type) {
		if !v.knows(t) && t != plan.AnyFile { // no resource has this type
			v.types = append(v.types, prompt.Explained{Word: string(t)})
		}
	}
	for _, t := range c.Tools() {
		if !slices.Contains(v.domains, t.Domain) {
			v.domains = append(v.domains, t.Domain)
		}
		add(t.Returns)
		for _, a := range t.Args {
			add(a.Type)
		}
	}
	slices.Sort(v.domains)
	return v
}

func (v vocabulary) knows(t plan.Type) bool {
	return slices.ContainsFunc(v.types, func(e prompt.Explained) bool { return e.Word == string(t) })
}

// typeNames lists the types for a complaint.
func (v vocabulary) typeNames() string {
	names := make([]string, len(v.types))
	for i, t := range v.types {
		names[i] = t.Word
	}
	return strings.Join(names, ", ")
}

func meaningNames() string {
	var names []string
	for _, m := range plan.Meanings() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// closed returns the enumerations for the schema of the answer.
func (v vocabulary) closed() map[reflect.Type][]string {
	types := make([]string, len(v.types))
	for i, t := range v.types {
		types[i] = t.Word
	}
	meanings := []string{""}
	for _, m := range prompt.Meanings() {
		meanings = append(meanings, m.Word)
	}
	return map[reflect.Type][]string{
		reflect.TypeFor[typeWord]():    types,
		reflect.TypeFor[domainWord]():  v.domains,
		reflect.TypeFor[meaningWord](): meanings,
		reflect.TypeFor[settingWord](): param.Types(),
	}
}
