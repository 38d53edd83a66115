package offline

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// The questions back, and what is decided where no tool is near to a clause.

// Questions that need no more words.
var (
	notSure = plan.Say("I am not sure what you want. Could you say it in other words, " +
		"for example \"find the edges in photo.jpg\" or \"make it half as large\"?")
	emptyWish   = plan.Say("What would you like me to do?")
	whichChange = plan.Say("What exactly should I change? " +
		"For example: \"make it brighter\", \"crop it to a square\" or \"turn it into a watercolour\".")
	whereToWrite = plan.Say("I cannot write at a marked place. Where shall it stand? " +
		"For example \"at the top left\" or \"at the bottom\".")
	noOther = plan.Say("What shall the marked part be compared with? Please name another picture.")
)

// whatWith asks what is wanted of files.
func whatWith(names plan.Message) plan.Message {
	return plan.Say("What should I do with %s?", names)
}

// lost answers a wish in which nothing was found to do.
func lost(r plan.Request) decomposition {
	if len(r.Given) > 0 {
		return decomposition{Question: whatWith(resourceNames(r.Given))}
	}
	return decomposition{Question: notSure}
}

// unsure decides what a clause comes to that no tool is near to: more about the clause
// before, a question back, or a refusal.
func (s *scene) unsure(u *understood) (_ decomposition, stop bool) {
	switch {
	case len(s.subtasks) > 0 && len(u.files) == 0 && (u.form == retrieve.Order || len(u.words) < 4):
		unknown := s.leftover(&understood{clause: u.clause}, plan.Subtask{})
		if len(unknown) == 0 && s.asksMore(u) {
			unknown = []string{u.text}
		}
		if len(unknown) > 0 {
			s.leave(u, unknown)
		}
		return decomposition{}, false
	case len(u.files) > 0:
		return decomposition{Question: s.askAgain(s.names(u.files), u.files, u.hits)}, true
	case len(s.request.Given) > 0:
		given := slices.DeleteFunc(slices.Clone(s.entities), func(e entity) bool { return !e.given })
		return decomposition{Question: s.askAgain(resourceNames(s.request.Given), given, u.hits)}, true
	case s.m.isVague(u), s.asksForChange(u):
		return decomposition{Question: notSure}, true
	}
	return decomposition{Reply: noTool, Refused: true}, true
}

// askAgain asks what to do with the files. It suggests the nearest example that fits them.
func (s *scene) askAgain(names plan.Message, files []entity, hits []retrieve.Hit) plan.Message {
	q := plan.Say("I am not sure what you want me to do with %s.", names)
	for _, h := range hits {
		t := s.m.tool(h.Tool)
		if h.Example != "" && slices.ContainsFunc(files, func(e entity) bool { return takesType(t, baseType(e.typ)) }) {
			return plan.Sentences(q, plan.Say("Something like %q? Please say it in other words.", withoutNames(h.Example)))
		}
	}
	return plan.Sentences(q, plan.Say("Please say it in other words."))
}

// withoutNames is an example wish with "it" in place of the names of files, which nobody has.
func withoutNames(example string) string {
	for _, s := range slices.Backward(retrieve.FileSpans(example)) {
		example = example[:s.Start] + "it" + example[s.End:]
	}
	return example
}

// asksForChange tells whether the clause speaks of a thing at hand ("do it again").
func (s *scene) asksForChange(u *understood) bool {
	refs := s.references(u)
	return (refs.pronoun || len(refs.definite) > 0) && len(u.words) < 8 || len(u.words) < 2
}

// nouns are the names of types in questions, where people would not know the type's own.
var nouns = map[plan.Type]plan.Message{
	plan.Image: plan.Say("picture"), plan.Video: plan.Say("video"), plan.Audio: plan.Say("sound"), plan.Mask: plan.Say("mask"), plan.Points: plan.Say("point"),
	plan.BBox: plan.Say("picture"), plan.Category: plan.Say("picture"), // made from one
}

// askFor asks for what is missing, or which of several is meant.
func (s *scene) askFor(u *understood, missing plan.Type, choices []entity) plan.Message {
	if len(choices) > 1 {
		return plan.Say("Which one do you mean: %s?", plan.Or(s.calledAll(choices)...))
	}
	if files := s.unused(); len(files) > 0 && len(u.files) == 0 {
		return plan.Say("I do not know how to do “%s” with %s.", u.text, listed(files))
	}
	noun, ok := nouns[missing]
	switch {
	case ok:
	case missing.ImageMap():
		noun = plan.Say("picture")
	default:
		noun = plan.Quote(string(missing))
	}
	if slices.ContainsFunc(u.head.Args, func(a toolbox.Arg) bool { return a.Many }) {
		return plan.Say("Which %ss do you mean? Please attach at least two.", noun)
	}
	return plan.Say("Which %s do you mean? Please attach it.", noun)
}

// markedElsewhere tells that nothing is marked on the pictures that are meant.
func markedElsewhere(meant, marked []string) plan.Message {
	return plan.Say("What is marked is on %s, not on %s. Please mark the part on %s, or say which picture you mean.",
		plan.And(marked...), plan.And(meant...), plan.And(meant...))
}

// whichCrop asks whether the marked part or the one that words say is meant.
func whichCrop(place string) plan.Message {
	return plan.Say("Shall I crop to the marked part or to %q? Please say one of them.", place)
}

// askForFile asks for files that the wish names and nobody sent.
func (s *scene) askForFile() plan.Message {
	return plan.Say("I do not have %s. Please attach it, or say which other file you mean.", plan.And(s.unknown...))
}

// calledAll are the names by which people know entities: those of their own files.
func (s *scene) calledAll(es []entity) []string {
	own := map[string]string{}
	for _, r := range s.request.Resources() {
		if _, known := own[r.Name]; !known && r.File != "" {
			own[r.Name] = r.File
		}
	}
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.source.Name
		if file, ok := own[e.source.Name]; ok {
			names[i] = file
		}
	}
	return names
}

// names are those of the files among entities: what is marked is no file of its own.
func (s *scene) names(es []entity) plan.Message {
	return listed(s.calledAll(slices.DeleteFunc(slices.Clone(es), func(e entity) bool { return e.on != "" })))
}

func resourceNames(rs []plan.Resource) plan.Message {
	var names []string
	for _, r := range rs {
		if r.On == "" { // what is marked on a picture is no file of its own
			names = append(names, cmp.Or(r.File, r.Name))
		}
	}
	return listed(names)
}

// listed names things one after another; "it" if there are none.
func listed(names []string) plan.Message {
	if len(names) == 0 {
		return plan.Say("it")
	}
	return plan.And(names...)
}

// onlyTo tells that what the clause asks for changes one kind of media, and another one was given.
func onlyTo(part string, t plan.Type, name string, is plan.Type) plan.Message {
	return plan.Say("I can do “%s” only to a %s, and %s is a %s.", part, nouns[t], name, nouns[baseType(is)])
}
