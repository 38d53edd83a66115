// Package profile describes the tools of a catalogue for the rules: what each needs, and which words ask for it.
package profile

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

// Profile is a tool with its inputs and the words that ask for it, for the rules.
type Profile struct {
	toolbox.Tool
	Needs  []plan.Type       // the types of its required arguments, without duplicates
	Media  []toolbox.Arg     // required arguments that are neither texts nor made from texts
	Texts  int               // required text arguments
	Makers map[string]string // by required argument: the tool that it should come from; "" for most
	// TextOnly marks a tool that needs neither media nor things found in media.
	TextOnly bool
	About    Set // words of its name and description, and their stems
	Formats  Set // file formats named in its templates outside of slots
	// Written are the file formats that it writes, if each of its templates names one of them.
	Written []string
	// Slot marks a tool that analyses media without text arguments, but whose templates have a slot for free words:
	// its result may be about the object named there.
	Slot bool
	// Plain are the examples without free words: only files and settings change from request to request.
	Plain []string
	// Swapped is for a tool with two resources of one type. It maps the words between them in its examples to
	// whether the second argument is named first: "lay {music.mp3} under {voice.wav}".
	Swapped map[string]bool
	// Unnamed marks such a tool with an example that does not distinguish the two: "mix {these two sounds}".
	Unnamed bool
	// Tabular marks a tool that works on a table.
	Tabular bool
	Choices Set // words of its required choices
	Values  Set // classes of the words of all its choices
	// Coloured marks a tool with a colour parameter.
	Coloured bool
	// Animated marks a tool that takes moving pictures only.
	Animated bool
	// Counting marks a tool whose examples all ask for a number.
	Counting bool
	// Adds marks a tool that adds something to a file, as most of its examples say.
	Adds bool
	// Removes marks a tool that removes something, as most of its examples say.
	Removes bool
	Own     Set // words of its templates outside of slots
}

// compile makes the profile of a tool.
func (ts *Tools) compile(t toolbox.Tool) Profile {
	f := Profile{
		Tool: t, TextOnly: true, About: Set{}, Formats: Set{}, Swapped: map[string]bool{}, Makers: map[string]string{},
		Choices: Set{}, Values: Set{}, Own: Set{},
	}
	for _, a := range t.Args {
		f.Coloured = f.Coloured || a.Param != nil && a.Param.Type == param.Colour
		for _, w := range ChoiceWords(a) {
			f.Values[ts.Lexicon.Class(retrieve.Stem(w))] = true
			f.Choices[w] = f.Choices[w] || !a.Optional
		}
		if a.Optional {
			continue
		}
		f.Makers[a.Name] = ts.Index.Named(a.About)
		f.Tabular = f.Tabular || a.Form == toolbox.TableForm
		if !slices.Contains(f.Needs, a.Type) {
			f.Needs = append(f.Needs, a.Type)
		}
		f.Animated = f.Animated || a.Type == plan.Image && strings.Contains(a.About, "animated picture")
		if a.Type == plan.Text {
			f.Texts++
		} else if !SmallText(a.Type) {
			f.Media = append(f.Media, a)
		}
		if IsMediaType(a.Type) {
			f.TextOnly = false
		}
	}
	for _, w := range english.WordsOf(strings.ReplaceAll(t.Name, "_", " ") + " " + t.Description) {
		f.About[w], f.About[retrieve.Stem(w)] = true, true
	}
	_, told := f.Arg(func(a toolbox.Arg) bool { return a.Type == plan.Text })
	named := 0
	f.Adds, f.Removes = ts.ordered(t.Examples)
	f.Counting = len(t.Examples) > 0 && !slices.ContainsFunc(t.Examples, ts.countsNothing)
	for _, e := range t.Examples {
		ts.learnOrder(&f, e)
		outside := english.WordsOf(slots.ReplaceAllString(e, " "))
		f.Own.add(outside)
		for _, w := range outside {
			f.Formats[w] = retrieve.IsFormat(w)
		}
		if i := slices.IndexFunc(outside, f.writes); i >= 0 {
			f.Written, named = append(f.Written, outside[i]), named+1
		}
		free := slices.ContainsFunc(slots.FindAllStringSubmatch(e, -1), func(s []string) bool { return ts.isFree(s[1]) })
		f.Slot = f.Slot || free && !told && !t.Returns.Media()
		if !free {
			f.Plain = append(f.Plain, toolbox.Wish(e))
		}
	}
	if named < len(t.Examples) {
		f.Written = nil
	}
	return f
}

// countsNothing reports whether an example does not ask how many there are.
func (ts *Tools) countsNothing(example string) bool {
	words := ts.Lexicon.Words(example, nil)
	return ts.Lexicon.FormOf(words) != retrieve.Count && !english.Has(words, "count")
}

// ordered reports whether most of the examples add something, or remove something.
func (ts *Tools) ordered(examples []string) (adds, removes bool) {
	adding, removing := 0, 0
	takesAway := func(w string) bool { return ts.In("dropping words", w) || ts.In("away", w) && w != "out" } // "fade it out"
	for _, e := range examples {
		words := english.WordsOf(e)
		if len(words) > 0 && ts.In("adding", words[0]) {
			adding++
		}
		if slices.ContainsFunc(words, takesAway) {
			removing++
		}
	}
	return 2*adding > len(examples), 2*removing > len(examples)
}

// Pair returns two required arguments of one type, which are distinguished by the words between them.
func (f *Profile) Pair() (first, second toolbox.Arg, ok bool) {
	if len(f.Media) != 2 || f.Media[0].Type != f.Media[1].Type || f.Media[0].Many || f.Media[1].Many {
		return first, second, false
	}
	return f.Media[0], f.Media[1], true
}

// ChoiceWords returns the words for the values of a choice.
func ChoiceWords(a toolbox.Arg) []string {
	var words []string
	if SettingOf(a) == param.Choice {
		for choice, others := range a.Param.Choices {
			words = append(words, english.WordsOf(choice+" "+strings.Join(others, " "))...)
		}
	}
	return words
}

// OnePerFile reports whether the tool adds one resource to another of the same type, such as a logo to a picture. It
// returns the argument that is changed.
func (f *Profile) OnePerFile() (toolbox.Arg, bool) {
	first, _, pair := f.Pair()
	return first, pair && len(f.Swapped) > 0 && !f.Unnamed && f.Returns == first.Type
}

// Arg returns the first argument that passes the test.
func (f *Profile) Arg(test func(toolbox.Arg) bool) (toolbox.Arg, bool) {
	i := slices.IndexFunc(f.Args, test)
	if i < 0 {
		return toolbox.Arg{}, false
	}
	return f.Args[i], true
}

// learnOrder learns the order of a pair from an example, whose slots are named like the arguments: {voice.wav} and
// {music.mp3}. The prepositions and places between them identify the order.
func (ts *Tools) learnOrder(f *Profile, example string) {
	first, second, ok := f.Pair()
	name := func(m []int) string { stem, _, _ := strings.Cut(example[m[2]:m[3]], "."); return stem }
	found := slices.DeleteFunc(slots.FindAllStringSubmatchIndex(example, -1), func(m []int) bool {
		return name(m) != first.Name && name(m) != second.Name
	})
	if samples := slots.FindAllStringSubmatch(example, -1); ok && len(found) == 0 && len(samples) > 0 {
		f.Unnamed = f.Unnamed || ts.Any("plurals", ts.Lexicon.Words(samples[0][1], nil))
	}
	if !ok || len(found) != 2 || name(found[0]) == name(found[1]) {
		return
	}
	for _, w := range english.WordsOf(example[found[0][1]:found[1][0]]) {
		if _, known := f.Swapped[w]; !known && (ts.In("prepositions", w) || ts.In("places", w)) {
			f.Swapped[w] = name(found[0]) == second.Name
		}
	}
}

// slots matches the parts of a template that change from request to request.
var slots = lazyregexp.New(`\{([^}]*)\}`)

// isFree reports whether the sample of a slot stands for free words, neither a resource nor a value.
func (ts *Tools) isFree(sample string) bool {
	if retrieve.FileType(sample) != "" || retrieve.IsFormat(strings.ToLower(sample)) {
		return false
	}
	words := ts.Lexicon.Words(sample, nil)
	free := slices.ContainsFunc(words, func(w retrieve.Word) bool {
		value := ts.Is("languages", w) || ts.Is("places", w) || ts.Is("amount words", w)
		return w.Kind == retrieve.Plain && !value && !ts.IsFiller(w)
	})
	return free && ts.Lexicon.MediaNoun(words) == "" && len(quantity.Find(sample)) == 0
}

// AcceptsText reports whether the tool has a text argument with the meaning.
func (f *Profile) AcceptsText(m plan.Meaning) bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Meaning == m })
}

// RequiresText reports whether the tool has a required text argument with the meaning.
func (f *Profile) RequiresText(m plan.Meaning) bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Meaning == m && !a.Optional })
}

// Takes reports whether the tool has an argument of exactly the type.
func (f *Profile) Takes(t plan.Type) bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Type == t })
}

// OfParts reports whether the tool takes an amount, and a part of a sound or a video to which the amount applies.
func (f *Profile) OfParts() bool {
	amounts := 0
	for _, a := range f.Args {
		if Kind(a) != "" && !Typed[a.Param.Type] {
			amounts++
		}
	}
	return amounts > 1 && slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return Kind(a) == param.TimeRange })
}

// Sought reports whether the tool requires words to search for in a text; quotations are these words.
func (f *Profile) Sought() bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return SettingOf(a) == param.Text && !a.Optional })
}

// Sized reports whether the tool has a parameter for the new size of a file.
func (f *Profile) Sized() bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return Kind(a) == param.Size && a.Param.Unit != "px" })
}

// TakesUnit reports whether the tool takes quantities of the unit.
func (f *Profile) TakesUnit(u quantity.Unit) bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Param != nil && a.Param.Takes(u) })
}

// TakesMark reports whether the tool takes a mark on a picture.
func (f *Profile) TakesMark() bool {
	return f.Takes(plan.Image) && slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return !a.Optional && MarkType(a.Type) })
}

// Joins reports whether the tool needs only several resources of one type.
func (f *Profile) Joins() bool { return len(f.Media) == 1 && f.Media[0].Many }

// Generates reports whether the tool makes something new that does not resemble its input.
func (f *Profile) Generates() bool { return strings.HasSuffix(f.Domain, "-generation") }

// Free reports whether the tool changes whatever a picture shows, as words say: any order, or any object.
func (f *Profile) Free() bool {
	_, anything := f.Arg(func(a toolbox.Arg) bool {
		return (a.Meaning == plan.Instruction || a.Meaning == plan.Prompt) && !a.Optional && a.Param == nil
	})
	return f.Takes(plan.Image) && f.Returns == plan.Image && !f.Generates() && (anything || f.TakesMark())
}

// OfOneThing reports whether the tool changes a place, a part or some pages of a file, or writes on it, so that it may be asked for
// twice: "blur the top and the bottom". A second format or size would only replace the first one.
func (f *Profile) OfOneThing() bool {
	return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
		switch SettingOf(a) { //nolint:exhaustive // the others are of the whole
		case param.TimeRange, param.TimeRanges, param.Pages, param.Position:
			return true
		case param.Region:
			return !f.Moves
		}
		return false
	})
}

// GivenAll reports whether the subtask has all resources that the tool needs.
func (f *Profile) GivenAll(sub plan.Subtask) bool {
	return !slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
		gives := func(have plan.Arg) bool { return have.Type.Fits(a.Type) }
		return a.Param == nil && !a.Optional && a.Type != plan.Text && !slices.ContainsFunc(sub.Args, gives)
	})
}

// Meaning returns the meaning of an argument by its name.
func (f *Profile) Meaning(arg string) plan.Meaning {
	a, _ := f.Arg(func(a toolbox.Arg) bool { return a.Name == arg })
	return a.Meaning
}

// IsMediaType reports whether a thing of the type is media or is found in media.
func IsMediaType(t plan.Type) bool {
	return t.Media() || t == plan.BBox || t == plan.Points || t == plan.Category
}

// MarkType reports whether things of the type mark a place on a picture.
func MarkType(t plan.Type) bool { return t == plan.Mask || t == plan.BBox || t == plan.Points }

// SmallText reports whether a type is a special text that tools make from texts.
func SmallText(t plan.Type) bool {
	return t == plan.Title || t == plan.Tags || t == plan.Location || t == plan.Weather || t == plan.Time
}

// Kind returns the type of an argument's parameter if people state it as a quantity; "" for other arguments.
func Kind(a toolbox.Arg) param.Type {
	if a.Param == nil || a.Param.Type.Units() == 0 {
		return ""
	}
	return a.Param.Type
}

// Pace returns the argument for the playback speed.
func (f *Profile) Pace() (toolbox.Arg, bool) {
	return f.Arg(func(a toolbox.Arg) bool { return Kind(a) == param.Factor })
}

// Combines reports whether the tool needs several files at once.
func (f *Profile) Combines() bool {
	_, _, pair := f.Pair()
	return pair || f.Joins()
}

// writes reports whether a word is a file format of the tool's result. Documents are excluded, since people call any of
// them "PDF".
func (f *Profile) writes(word string) bool {
	return f.Returns.Media() && f.Returns != plan.Document && retrieve.IsFormat(word) && retrieve.FileType("."+word) == f.Returns
}

// picks reports whether the tool picks a named thing out of several of the type that it returns.
func (f *Profile) picks() bool { return f.Takes(f.Returns) && f.AcceptsText(plan.Object) }

// SettingOf returns the type of an argument's parameter; "" for a resource.
func SettingOf(a toolbox.Arg) param.Type {
	if a.Param == nil {
		return ""
	}
	return a.Param.Type
}

// Typed are the parameter types whose value is found by trying each phrase of a clause.
var Typed = map[param.Type]bool{
	param.Colour: true, param.Opacity: true, param.Choice: true, param.Aspect: true,
	param.Number: true, param.Integer: true, param.Duration: true, param.Pages: true,
	param.Integers: true, param.Sizes: true, param.Moments: true, param.Interval: true, param.Metadata: true,
	param.Condition: true,
}

// AnyColour is a parameter that takes a colour.
var AnyColour = param.Param{Type: param.Colour}

// AnyAdjustment is a parameter that takes a change of light or colours.
var AnyAdjustment = param.Param{Type: param.Adjustment}

// ColumnsOf returns the words in the column names of the tables among the resources; nil without tables.
func ColumnsOf(resources []plan.Resource) Set {
	var names Set
	for _, res := range resources {
		if res.Type != plan.Text || res.Value == "" {
			continue
		}
		t, err := table.Read(res.Value)
		if err != nil || len(t.Columns) < 2 {
			continue // not a table
		}
		if names == nil {
			names = Set{}
		}
		names.add(english.WordsOf(strings.Join(t.Columns, " ")))
	}
	return names
}
