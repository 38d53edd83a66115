package rules

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Fixed sentences.
var (
	notSure = plan.Say("I am not sure what you want. Could you rephrase it, " +
		"for example \"find the edges in my photo\" or \"make it half as large\"?")
	emptyRequest = plan.Say("What would you like me to do?")
	whichChange  = plan.Say("What exactly should I change? " +
		"For example: \"make it brighter\", \"crop it to a square\" or \"turn it into a watercolour\".")
)

// whatWith asks what to do with files.
func whatWith(names plan.Message) plan.Message { return plan.Say("What should I do with %s?", names) }

// lost answers a request without any task.
func lost(r plan.Request) *outcome {
	if len(r.Given) > 0 {
		return asking(whatWith(resourceNames(r.Given)))
	}
	return asking(notSure)
}

// unsure handles a clause that no tool matches. It adds the clause to the one before, asks a question
// with guesses, or refuses.
func (t *thread) unsure(r *scene.Reading) *outcome {
	switch {
	case len(t.tasks) > 0 && len(r.Files) == 0 && (r.Form == retrieve.Order || len(r.Words) < 4):
		unknown := t.Leftover(&scene.Reading{Clause: r.Clause, Stated: r.Stated, Head: &profile.Profile{}}, plan.Subtask{})
		asks := r.Form != retrieve.Order || len(r.Words) > 0 && t.Is("verbs", r.Words[0]) && !t.Is("ordering", r.Words[0])
		if len(unknown) == 0 && (asks || t.judge.saysMore(r)) {
			unknown = []string{r.Text}
		}
		if len(unknown) > 0 {
			t.leave(r, unknown)
		}
		return nil
	case len(r.Files) > 0:
		return t.guesser.guessing(unclear(t.Names(r.Files)), r)
	case len(t.Request.Given) > 0 && slices.ContainsFunc(r.Stated, draft.Measured) && t.isForOthers(r.Head): // "end it after 2 seconds" with a picture
		return t.guesser.guessing(plan.Say("I do not know how to do “%s” with %s.", r.Text, resourceNames(t.Request.Given)), r)
	case len(t.Request.Given) > 0:
		return t.guesser.guessing(unclear(resourceNames(t.Request.Given)), r)
	case t.judge.isVague(r), r.Refs.Points() && len(r.Words) < 8, len(r.Words) < 2:
		return asking(notSure)
	}
	return refusing(noTool)
}

// isForOthers reports whether the tool takes none of the files at hand.
func (t *thread) isForOthers(f *profile.Profile) bool {
	return !f.TextOnly && !slices.ContainsFunc(t.Things, func(e scene.Thing) bool { return f.Takes(profile.Base(e.Typ)) })
}

// unclear asks to reword a request about files.
func unclear(names plan.Message) plan.Message {
	return plan.Sentences(plan.Say("I am not sure what you want me to do with %s.", names), plan.Say("Please rephrase that."))
}

// askFor asks for a missing resource, or which of several is meant.
func (t *thread) askFor(r *scene.Reading, missing plan.Type, choices []scene.Thing) plan.Message {
	if len(choices) > 1 {
		return plan.Say("Which one do you mean: %s?", plan.Or(t.Files.Called(choices)...))
	}
	if files := t.unused(); len(files) > 0 && len(r.Files) == 0 {
		return plan.Say("I do not know how to do “%s” with %s.", r.Text, scene.Listed(files))
	}
	another := func(w retrieve.Word) bool { return t.IsMedia(w) || t.Is("picture nouns", w) || t.Is("sound nouns", w) }
	none := len(t.Sent(missing)) == 0 && len(t.tasks) > 0
	if (none || len(t.Sent(missing)) > 0 && len(r.Head.Media) > 1) && !slices.ContainsFunc(r.Clause.Words, another) { // it speaks of no other file
		return inPart([]plan.Unhandled{{Part: r.Text, Unknown: []string{r.Text}}})
	}
	noun, ok := draft.Nouns[missing]
	switch {
	case ok:
	case missing.ImageMap():
		noun = plan.Say("picture")
	default:
		noun = plan.Quote(string(missing))
	}
	if other := likewise(r, missing); ok && !draft.Nouns[other].IsZero() {
		noun = plan.Say("%s or %s", noun, draft.Nouns[other])
		if other == plan.Image || missing == plan.Audio { // pictures first, sounds last
			noun = plan.Say("%s or %s", draft.Nouns[other], draft.Nouns[missing])
		}
	}
	if slices.ContainsFunc(r.Head.Args, func(a toolbox.Arg) bool { return a.Many }) {
		return plan.Say("Which %ss do you mean? Please attach at least two.", noun)
	}
	return plan.Say("Which %s do you mean? Please attach it.", noun)
}

// almost is the share of the best tool's similarity from which another tool is meant as well.
const almost = 0.9

// likewise returns the other type of file that the same words fit as well, since a tool for it is almost
// as near: "make it black and white" may mean a picture or a video.
func likewise(r *scene.Reading, missing plan.Type) plan.Type {
	at := slices.IndexFunc(r.Rivals, func(v scene.Rival) bool { return v.Tool == r.Head })
	if at < 0 || len(r.Refs.Definite) > 0 {
		return ""
	}
	for _, v := range r.Rivals {
		if v.Tool == r.Head || v.Near < almost*r.Rivals[at].Near || v.Rest > r.Rivals[at].Rest {
			continue
		}
		for _, a := range v.Tool.Args {
			if !a.Optional && a.Type.Media() && a.Type != missing && v.Tool.Domain != r.Head.Domain {
				return a.Type
			}
		}
	}
	return ""
}

// askForFile asks for files that the request names but does not include.
func (t *thread) askForFile() plan.Message {
	return plan.Say("I do not have %s. Please attach it, or say which other file you mean.", plan.And(t.unknown...))
}

// inPart says which words of a request were not understood.
func inPart(left []plan.Unhandled) plan.Message {
	var unknown []string
	for _, l := range left {
		unknown = append(unknown, l.Unknown...)
	}
	return plan.Say("I understand only part of this: I do not know what to do with “%s”. Please rephrase it or leave it out.",
		strings.Join(unknown, ", "))
}

// onlyTo says that a clause applies to one kind of media, but another kind was given.
func onlyTo(part string, t plan.Type, name string, is plan.Type) plan.Message {
	return plan.Say("I can do “%s” only to a %s, and %s is a %s.", part, draft.Nouns[t], name, draft.Nouns[profile.Base(is)])
}

func resourceNames(rs []plan.Resource) plan.Message {
	var names []string
	for _, r := range rs {
		if r.On == "" {
			names = append(names, cmp.Or(r.File, r.Name))
		}
	}
	return scene.Listed(names)
}
