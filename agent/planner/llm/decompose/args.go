package decompose

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// reference matches the result of a subtask: <GENERATED>-n, or <GEN>-n as in ControlLLM's paper.
var reference = lazyregexp.New(`<GEN(?:ERATED)?>-(\d{1,6})`)

// isReference reports whether the value is exactly a reference to the subtask with that id.
func isReference(value string, id int) bool {
	m := reference.FindStringSubmatch(value)
	return m != nil && m[0] == value && m[1] == strconv.Itoa(id)
}

// references returns the ids that a subtask refers to.
func references(s subtask) []int {
	ids := slices.Clone(s.Dep)
	for _, a := range s.Args {
		for _, m := range reference.FindAllStringSubmatch(a.Value, -1) {
			ids = append(ids, number(m[1]))
		}
	}
	return ids
}

// number parses the digits of a reference; there are few.
func number(digits string) int {
	n := 0
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}

// argument adds an argument of the subtask at index i: a result, a resource, or a text.
func (b *binder) argument(i int, a argument, t *plan.Subtask) {
	s := b.asked[i]
	want, value := plan.Type(a.Type), cleaned(a.Value)
	if value == "" || !b.knowsType(s, "has an argument of", a.Type) {
		return
	}
	meaning := plan.Meaning(a.Meaning)
	if meaning != "" && !slices.Contains(plan.Meanings(), meaning) {
		b.faultf(exchange.WrongShape, "Subtask %d has a text of the meaning %q, which does not exist.", s.ID, token.Clip(string(meaning), shown))
		b.note("The meanings are: " + meaningNames() + ".")
	}
	if want.Media() {
		meaning = ""
	}
	source, typ, ok := b.source(i, want, value)
	if !ok {
		return
	}
	if kind := settingFor(meaning, source); kind != "" {
		t.Said = append(t.Said, plan.Said{Words: source.Value, Type: string(kind)})
		return
	}
	b.add(s, t, plan.Arg{Type: typ, Source: source, Meaning: meaning})
}

// settingFor returns the setting type of a text that was given as an argument instead of a setting,
// which happens on servers without schemas. It is "" for any other text.
func settingFor(m plan.Meaning, s plan.Source) param.Type {
	switch {
	case s.Kind != plan.OfValue:
		return ""
	case m == plan.Amount:
		return param.Number
	case m == plan.Format:
		return param.Format
	case m == plan.Language:
		return param.Language
	case m == plan.Instruction && (param.Param{Name: "adjustment", Type: param.Adjustment}).Reads(s.Value):
		return param.Adjustment
	}
	return ""
}

// said adds a setting to the subtask.
func (b *binder) said(s subtask, a setting, t *plan.Subtask) {
	said := plan.Said{Words: cleaned(a.Words), Type: string(a.Type), Value: cleaned(a.Value)}
	switch {
	case said.Text() == "":
		return
	case !slices.Contains(param.Types(), said.Type):
		b.faultf(exchange.WrongShape, "Subtask %d has a setting of the type %q, which does not exist.", s.ID, token.Clip(said.Type, shown))
		b.note("The types of settings are: " + strings.Join(param.Types(), ", ") + ".")
	case utf8.RuneCountInString(said.Words)+utf8.RuneCountInString(said.Value) > maxWords:
		b.faultf(tooMuch, "Subtask %d has a setting of more than %d letters.", s.ID, maxWords)
	default:
		said.Words = cmp.Or(said.Words, said.Value)
		t.Said = append(t.Said, said)
	}
}

// add appends an argument. Texts are added once, other things as often as they are used.
func (b *binder) add(s subtask, t *plan.Subtask, arg plan.Arg) {
	at := slices.IndexFunc(t.Args, func(have plan.Arg) bool {
		return have.Source.String() == arg.Source.String() && have.Source.Kind == arg.Source.Kind
	})
	switch {
	case at < 0, arg.Type.Media() && t.Args[at].Type == arg.Type && !b.listed && b.on(arg.Source) == "":
		t.Args = append(t.Args, arg)
	case t.Args[at].Type != arg.Type:
		b.faultf(wrongType, "Subtask %d is given %s twice, as %s and as %s. Give it once, as what it is.", s.ID, arg.Source, t.Args[at].Type, arg.Type)
	}
}

// source returns the source of an argument's value, and its actual type.
func (b *binder) source(i int, want plan.Type, value string) (plan.Source, plan.Type, bool) {
	s := b.asked[i]
	if m := reference.FindStringSubmatch(value); m != nil && m[0] == value {
		return b.result(i, want, number(m[1]))
	}
	if r, ok := b.resource(value); ok && (want.Media() || !r.Type.Media() || !isQuoted(b.wish, value)) {
		if !b.tell(fmt.Sprintf("Subtask %d", s.ID), r.Name, want) {
			return plan.Source{}, "", false
		}
		return plan.FromResource(r.Name), moreSpecial(want, r.Type), true
	}
	switch {
	case reference.MatchString(value) && !saidInWords(want):
		b.faultf(wrongType, "Subtask %d: %q is no single %s. Give each result as an argument of its own.", s.ID, token.Clip(value, shown), want)
	case !saidInWords(want):
		b.unknown(s, value)
	case isFileName(value) && !isQuoted(b.wish, value):
		b.unknown(s, value)
	default:
		source, ok := b.words(i, value)
		return source, want, ok
	}
	return plan.Source{}, "", false
}

// moreSpecial returns the more specific of two types that fit.
func moreSpecial(a, b plan.Type) plan.Type {
	if a.Fits(b) {
		return a
	}
	return b
}

// result returns the result of an earlier subtask.
func (b *binder) result(i int, want plan.Type, id int) (plan.Source, plan.Type, bool) {
	j, ok := b.before(i, id)
	if !ok {
		return plan.Source{}, "", false
	}
	// A tuned model labels a result with the type that it wants next, and would not understand a
	// complaint.
	have := b.done[j].Returns
	if !have.Fits(want) && !b.listed && b.known.knows(have) {
		b.faultf(wrongType, "Subtask %d takes <GENERATED>-%d as %s, but subtask %d returns %s.", b.asked[i].ID, id, want, id, have)
		return plan.Source{}, "", false
	}
	return plan.FromSubtask(j), have, true
}

// resource returns the resource with that name, or the only one with that file name.
func (b *binder) resource(name string) (plan.Resource, bool) {
	var found []plan.Resource
	for _, r := range b.resources {
		if r.Name == name {
			return r, true
		}
		if r.File == name {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return plan.Resource{}, false
	}
	return found[0], true
}

// tell records that a resource has a type: its own, or a more specific one.
func (b *binder) tell(who, name string, t plan.Type) bool {
	r, there := b.resource(name)
	switch before := b.told[r.Name]; {
	case !there:
		b.faultf(exchange.UnknownResource, "%s: there is no resource %q.", who, token.Clip(name, shown))
		b.noteResources()
	case r.Type.Fits(t):
		return true
	case !t.Fits(r.Type):
		b.faultf(wrongType, "%s: %q is of type %s, not %s. What it is not must be made by a subtask, or asked for.", who, r.Name, r.Type, t)
	case before != "" && before != t:
		b.faultf(wrongType, "%s: %q is called %s and %s. It is one of them, or neither.", who, r.Name, before, t)
	default:
		if b.told == nil {
			b.told = map[string]plan.Type{}
		}
		b.told[r.Name] = t
		return true
	}
	return false
}

func (b *binder) unknown(s subtask, value string) {
	b.faultf(exchange.UnknownResource, "Subtask %d: there is no resource %q.", s.ID, token.Clip(value, shown))
	b.noteResources()
}

// noteResources lists the resources, only the latest if there are many.
func (b *binder) noteResources() {
	var names []string
	for _, r := range b.resources[max(0, len(b.resources)-maxResources):] {
		names = append(names, fmt.Sprintf("%q (%s)", r.Name, r.Type))
	}
	if len(names) == 0 {
		b.note("There are no resources. What is needed is made by an earlier subtask, or asked for by a question.")
		return
	}
	b.note("The resources are: " + strings.Join(names, ", ") + ". Use these names only, or ask by a question.")
}

// saidInWords reports whether people can state a value of the type in words.
func saidInWords(t plan.Type) bool {
	return !t.Media() && t != plan.BBox && t != plan.Points && t != plan.Category
}

// isFileName reports whether a text looks like a file name.
func isFileName(s string) bool {
	ending := path.Ext(s)
	return len(ending) > 1 && len(ending) < len(s) && !strings.ContainsAny(s, " \n\t<>") && retrieve.IsFormat(strings.ToLower(ending[1:]))
}
