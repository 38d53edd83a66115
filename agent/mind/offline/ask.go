package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// The questions back, and what is decided where no tool is near to a clause.

// Questions that need no more words.
const (
	notSure = "I am not sure what you want. Could you say it in other words, " +
		"for example \"find the edges in photo.jpg\" or \"make it half as large\"?"
	emptyWish   = "What would you like me to do?"
	whichChange = "What exactly should I change? " +
		"For example: \"make it brighter\", \"crop it to a square\" or \"turn it into a watercolour\"."
)

// whatWith asks what is wanted of files.
func whatWith(names string) string { return "What should I do with " + names + "?" }

// lost answers a wish in which nothing was found to do.
func lost(r plan.Request) mind.Decomposition {
	if len(r.Given) > 0 {
		return mind.Decomposition{Question: whatWith(resourceNames(r.Given))}
	}
	return mind.Decomposition{Question: notSure}
}

// unsure decides what a clause comes to that no tool is near to: more about the clause
// before, a question back, or a refusal.
func (s *scene) unsure(u *understood) (_ mind.Decomposition, stop bool) {
	switch {
	case len(s.subtasks) > 0 && len(u.files) == 0 && (u.form == retrieve.Order || len(u.words) < 4):
		s.subtasks[len(s.subtasks)-1].Description += ". " + u.text
		return mind.Decomposition{}, false
	case len(u.files) > 0:
		return mind.Decomposition{Question: askAgain(s.names(u.files), u.hits)}, true
	case len(s.request.Given) > 0:
		return mind.Decomposition{Question: askAgain(resourceNames(s.request.Given), u.hits)}, true
	case s.m.isVague(u), s.asksForChange(u):
		return mind.Decomposition{Question: notSure}, true
	}
	return mind.Decomposition{Reply: noTool, Refused: true}, true
}

// askAgain asks what is wanted of files, with the nearest example.
func askAgain(names string, hits []retrieve.Hit) string {
	q := fmt.Sprintf("I am not sure what you want me to do with %s.", names)
	if len(hits) > 0 && hits[0].Example != "" {
		q += fmt.Sprintf(" Something like %q? Please say it in other words.", hits[0].Example)
	}
	return q
}

// asksForChange tells whether the clause speaks of a thing at hand ("do it again").
func (s *scene) asksForChange(u *understood) bool {
	refs := s.references(u)
	return (refs.pronoun || len(refs.definite) > 0) && len(u.words) < 8 || len(u.words) < 2
}

// nouns are the names of types in questions, where people would not know the type's own.
var nouns = map[plan.Type]string{
	plan.Image: "picture", plan.Video: "video", plan.Audio: "sound", plan.Mask: "mask", plan.Points: "point",
	plan.BBox: "picture", plan.Category: "picture", // made from one
}

// askFor asks for what is missing, or which of several is meant.
func (s *scene) askFor(u *understood, missing plan.Type, choices []entity) string {
	if len(choices) > 1 {
		return "Which one do you mean: " + list(s.calledAll(choices), "or") + "?"
	}
	noun, ok := nouns[missing]
	switch {
	case ok:
	case missing.ImageMap():
		noun = "picture"
	default:
		noun = string(missing)
	}
	if slices.ContainsFunc(u.head.Args, func(a toolbox.Arg) bool { return a.Many }) {
		return fmt.Sprintf("Which %ss do you mean? Please attach at least two.", noun)
	}
	return fmt.Sprintf("Which %s do you mean? Please attach it.", noun)
}

// markedElsewhere tells that nothing is marked on the pictures that are meant.
func markedElsewhere(meant, marked []string) string {
	return fmt.Sprintf("What is marked is on %s, not on %s. Please mark the part on %s, or say which picture you mean.",
		list(marked, "and"), list(meant, "and"), list(meant, "and"))
}

// askForFile asks for files that the wish names and nobody sent.
func (s *scene) askForFile() string {
	return fmt.Sprintf("I do not have %s. Please attach it, or say which other file you mean.", strings.Join(s.unknown, ", "))
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

func (s *scene) names(es []entity) string { return list(s.calledAll(es), "and") }

func resourceNames(rs []plan.Resource) string {
	var names []string
	for _, r := range rs {
		if r.On == "" { // what is marked on a picture is no file of its own
			names = append(names, cmp.Or(r.File, r.Name))
		}
	}
	return list(names, "and")
}

// list writes names one after another, the word before the last: "a, b and c"; "it" if
// there are none.
func list(names []string, word string) string {
	switch len(names) {
	case 0:
		return "it"
	case 1:
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}
