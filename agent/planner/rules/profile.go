package rules

import (
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
	"atelier/agent/toolbox/table"
)

// profile is a tool with what the rules know of it: what it needs, and the words that
// ask for it.
type profile struct {
	toolbox.Tool
	needs  []plan.Type       // the types of its required arguments, each once
	media  []toolbox.Arg     // required arguments that are neither texts nor made of them
	texts  int               // required text arguments
	makers map[string]string // the tool that each required argument is said to come from, by its name; "" for most
	// textOnly marks a tool that needs neither media nor what is found in them.
	textOnly bool
	about    set // words of its name and description, and their stems
	formats  set // that its templates name outside of slots
	// written are the formats of files one of which each of its templates names: it writes nothing else.
	written []string
	// slot marks a tool that looks at media and is told nothing, and whose templates have a slot
	// for free words: what it tells may be of the thing that is named.
	slot bool
	// plain are the examples that hold no words which somebody else would put otherwise: files and
	// settings alone change from request to request.
	plain []string
	// swapped tells of a tool that takes two resources of one type, by the words that stand between
	// them in its examples, whether the second argument is named first: "lay {music.mp3} under {voice.wav}".
	swapped map[string]bool
	// unnamed marks one of these that has an example which does not tell the two apart: "mix {these two sounds}".
	unnamed bool
	// tabular marks a tool that works on a table.
	tabular bool
	choices set // the words of the choices that the tool must be told
	values  set // the classes of the words of all of its choices
	// coloured marks a tool that can be told a colour.
	coloured bool
	own      set // the words of its templates outside of slots
}

// compile reads a tool.
func (ts *tools) compile(t toolbox.Tool) profile {
	f := profile{
		Tool: t, textOnly: true, about: set{}, formats: set{}, swapped: map[string]bool{}, makers: map[string]string{},
		choices: set{}, values: set{}, own: set{},
	}
	for _, a := range t.Args {
		f.coloured = f.coloured || a.Param != nil && a.Param.Type == param.Colour
		for _, w := range choiceWords(a) {
			f.values[ts.Lexicon.Class(retrieve.Stem(w))] = true
			f.choices[w] = f.choices[w] || !a.Optional
		}
		if a.Optional {
			continue
		}
		f.makers[a.Name] = ts.index.Named(a.About)
		f.tabular = f.tabular || a.Form == toolbox.TableForm
		if !slices.Contains(f.needs, a.Type) {
			f.needs = append(f.needs, a.Type)
		}
		if a.Type == plan.Text {
			f.texts++
		} else if !smallText(a.Type) {
			f.media = append(f.media, a)
		}
		if ofMedia(a.Type) {
			f.textOnly = false
		}
	}
	for _, w := range english.WordsOf(strings.ReplaceAll(t.Name, "_", " ") + " " + t.Description) {
		f.about[w], f.about[retrieve.Stem(w)] = true, true
	}
	_, told := f.arg(func(a toolbox.Arg) bool { return a.Type == plan.Text })
	named := 0
	for _, e := range t.Examples {
		ts.learnOrder(&f, e)
		outside := english.WordsOf(slots.ReplaceAllString(e, " "))
		f.own.add(outside)
		for _, w := range outside {
			f.formats[w] = retrieve.IsFormat(w)
		}
		if i := slices.IndexFunc(outside, f.writes); i >= 0 {
			f.written, named = append(f.written, outside[i]), named+1
		}
		free := slices.ContainsFunc(slots.FindAllStringSubmatch(e, -1), func(s []string) bool { return ts.isFree(s[1]) })
		f.slot = f.slot || free && !told && !t.Returns.Media()
		if !free {
			f.plain = append(f.plain, toolbox.Wish(e))
		}
	}
	if named < len(t.Examples) {
		f.written = nil
	}
	return f
}

// writes reports whether a word is a file format of the tool's result. Documents are left out: people say "PDF" for any
// of them.
func (f *profile) writes(word string) bool {
	return f.Returns.Media() && f.Returns != plan.Document && retrieve.IsFormat(word) && retrieve.FileType("."+word) == f.Returns
}

// choiceWords are the words that mean a value of a choice.
func choiceWords(a toolbox.Arg) []string {
	var words []string
	if settingOf(a) == param.Choice {
		for choice, others := range a.Param.Choices {
			words = append(words, english.WordsOf(choice+" "+strings.Join(others, " "))...)
		}
	}
	return words
}

// pair are two required arguments of one type, which are told apart by the words between them.
func (f *profile) pair() (first, second toolbox.Arg, ok bool) {
	if len(f.media) != 2 || f.media[0].Type != f.media[1].Type || f.media[0].Many || f.media[1].Many {
		return first, second, false
	}
	return f.media[0], f.media[1], true
}

// onePerFile reports whether the tool brings one resource to another of the same type, which it changes: a logo to a
// picture. It returns the argument that is changed.
func (f *profile) onePerFile() (toolbox.Arg, bool) {
	first, _, pair := f.pair()
	return first, pair && len(f.swapped) > 0 && !f.unnamed && f.Returns == first.Type
}

// learnOrder reads from an example in which order a pair is named: its slots are called like the
// arguments, {voice.wav} and {music.mp3}. The prepositions and places between them tell the order.
func (ts *tools) learnOrder(f *profile, example string) {
	first, second, ok := f.pair()
	name := func(m []int) string { stem, _, _ := strings.Cut(example[m[2]:m[3]], "."); return stem }
	found := slices.DeleteFunc(slots.FindAllStringSubmatchIndex(example, -1), func(m []int) bool {
		return name(m) != first.Name && name(m) != second.Name
	})
	if samples := slots.FindAllStringSubmatch(example, -1); ok && len(found) == 0 && len(samples) > 0 {
		f.unnamed = f.unnamed || ts.Any("plurals", ts.Lexicon.Words(samples[0][1], nil))
	}
	if !ok || len(found) != 2 || name(found[0]) == name(found[1]) {
		return
	}
	for _, w := range english.WordsOf(example[found[0][1]:found[1][0]]) {
		if _, known := f.swapped[w]; !known && (ts.In("prepositions", w) || ts.In("places", w)) {
			f.swapped[w] = name(found[0]) == second.Name
		}
	}
}

// slots are the parts of a template that change from request to request.
var slots = lazyregexp.New(`\{([^}]*)\}`)

// isFree reports whether the sample of a slot stands for free words: it is no resource and no value.
func (ts *tools) isFree(sample string) bool {
	if retrieve.FileType(sample) != "" || retrieve.IsFormat(strings.ToLower(sample)) {
		return false
	}
	words := ts.Lexicon.Words(sample, nil)
	if ts.Lexicon.MediaNoun(words) != "" || len(quantity.Find(sample)) > 0 {
		return false
	}
	return slices.ContainsFunc(words, func(w retrieve.Word) bool {
		value := ts.Is("languages", w) || ts.Is("places", w) || ts.Is("amount words", w)
		return w.Kind == retrieve.Plain && !value && !ts.SaysNothing(w)
	})
}

// arg returns the first argument that passes the test.
func (f *profile) arg(test func(toolbox.Arg) bool) (toolbox.Arg, bool) {
	i := slices.IndexFunc(f.Args, test)
	if i < 0 {
		return toolbox.Arg{}, false
	}
	return f.Args[i], true
}

// tells reports whether the tool can be told a text of that meaning.
func (f *profile) tells(m plan.Meaning) bool {
	_, ok := f.arg(func(a toolbox.Arg) bool { return a.Meaning == m })
	return ok
}

// wants reports whether the tool must be told a text of that meaning.
func (f *profile) wants(m plan.Meaning) bool {
	_, ok := f.arg(func(a toolbox.Arg) bool { return a.Meaning == m && !a.Optional })
	return ok
}

// takes reports whether the tool has an argument of just that type.
func (f *profile) takes(t plan.Type) bool {
	_, ok := f.arg(func(a toolbox.Arg) bool { return a.Type == t })
	return ok
}

// ofParts reports whether the tool can be told an amount, and a part of a sound or a video to which it applies.
func (f *profile) ofParts() bool {
	amounts := 0
	for _, a := range f.Args {
		if kind(a) != "" && !typed[a.Param.Type] {
			amounts++
		}
	}
	_, parts := f.arg(func(a toolbox.Arg) bool { return kind(a) == param.TimeRange })
	return parts && amounts > 1
}

// sized reports whether the tool can be told a size.
func (f *profile) sized() bool {
	_, ok := f.arg(func(a toolbox.Arg) bool { return kind(a) == param.Size })
	return ok
}

// takesUnit reports whether the tool takes quantities of the unit.
func (f *profile) takesUnit(u quantity.Unit) bool {
	_, ok := f.arg(func(a toolbox.Arg) bool { return a.Param != nil && a.Param.Takes(u) })
	return ok
}

// takesMark reports whether the tool works on a part of a picture that it is shown.
func (f *profile) takesMark() bool {
	_, ok := f.arg(func(a toolbox.Arg) bool { return !a.Optional && markType(a.Type) })
	return ok && f.takes(plan.Image)
}

// joins reports whether all that the tool needs is several resources of one type.
func (f *profile) joins() bool { return len(f.media) == 1 && f.media[0].Many }

// picks reports whether the tool picks a named thing out of several of the kind that it returns.
func (f *profile) picks() bool { return f.takes(f.Returns) && f.tells(plan.Object) }

// generates reports whether the tool makes something new that does not resemble its input.
func (f *profile) generates() bool { return strings.HasSuffix(f.Domain, "-generation") }

// ofMedia reports whether a thing of that type is media or is found in them.
func ofMedia(t plan.Type) bool {
	return t.Media() || t == plan.BBox || t == plan.Points || t == plan.Category
}

// markType reports whether things of the type say where on a picture something is.
func markType(t plan.Type) bool { return t == plan.Mask || t == plan.BBox || t == plan.Points }

// smallText reports whether a type is a text under another name, which tools make of texts.
func smallText(t plan.Type) bool {
	return t == plan.Title || t == plan.Tags || t == plan.Location || t == plan.Weather || t == plan.Time
}

// kind is the type of the parameter of which an argument is the value, where people say it as a
// quantity; empty for any other argument.
func kind(a toolbox.Arg) param.Type {
	if a.Param == nil || a.Param.Type.Units() == 0 {
		return ""
	}
	return a.Param.Type
}

// givenAll reports whether the subtask gives the tool all resources that it needs.
func (f *profile) givenAll(sub plan.Subtask) bool {
	return !slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
		gives := func(have plan.Arg) bool { return have.Type.Fits(a.Type) }
		return a.Param == nil && !a.Optional && a.Type != plan.Text && !slices.ContainsFunc(sub.Args, gives)
	})
}

// meaning is what the argument of the tool means, by its name.
func (f *profile) meaning(arg string) plan.Meaning {
	a, _ := f.arg(func(a toolbox.Arg) bool { return a.Name == arg })
	return a.Meaning
}

// pace is the argument by which the tool is told how fast it plays.
func (f *profile) pace() (toolbox.Arg, bool) {
	return f.arg(func(a toolbox.Arg) bool { return kind(a) == param.Factor })
}

// settingOf is the type of a parameter; "" for a resource.
func settingOf(a toolbox.Arg) param.Type {
	if a.Param == nil {
		return ""
	}
	return a.Param.Type
}

// typed are the types of parameters whose value is found by reading each phrase of a clause.
var typed = map[param.Type]bool{
	param.Colour: true, param.Opacity: true, param.Choice: true, param.Aspect: true,
	param.Number: true, param.Integer: true, param.Duration: true, param.Pages: true,
	param.Integers: true, param.Sizes: true, param.Moments: true, param.Interval: true, param.Metadata: true,
}

// anyColour is a parameter that takes a colour.
var anyColour = param.Param{Type: param.Colour}

// anyAdjustment is a parameter that takes a change of the light or the colours.
var anyAdjustment = param.Param{Type: param.Adjustment}

// columnsOf are the words of the names of the columns of the tables among the resources; nil where there is none.
func columnsOf(resources []plan.Resource) set {
	var names set
	for _, res := range resources {
		if res.Type != plan.Text || res.Value == "" {
			continue
		}
		t, err := table.Read(res.Value)
		if err != nil || len(t.Columns) < 2 {
			continue // it is no table
		}
		if names == nil {
			names = set{}
		}
		for _, column := range t.Columns {
			for _, w := range english.WordsOf(column) {
				names[w] = true
			}
		}
	}
	return names
}
