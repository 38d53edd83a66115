package toolbox

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// checker collects the faults of a tool file.
type checker struct {
	*Tool
	file *yaml.Node
	// broken holds the parts that could not be parsed; checks that depend on them are skipped.
	broken parts
	// strict rejects unknown kinds of backings. A catalogue may have those of another version.
	strict bool
	// further are more checks of each backing.
	further []func(Backing) error
	line    int // where faults are; 0 if unknown
	faults  []error
}

// check lists the faults of an entry, skipping checks that depend on broken parts.
func (c *checker) check() []error {
	c.at("name")
	if !isName(c.Name) && c.broken.whole("name") {
		c.addf("name %q must consist of lower-case letters, digits and _", c.Name)
	}
	c.at("alias")
	for _, a := range c.Alias {
		if !isName(a) || a == c.Name {
			c.addf("alias %q is not a former name", a)
		}
	}
	c.at("description")
	if c.Description == "" && c.broken.whole("description") {
		c.addf("description is missing")
	}
	c.at("when")
	if c.When == "" && c.broken.whole("when") {
		c.addf("when is missing")
	}
	c.at("domain")
	if !isWord(c.Domain) && c.broken.whole("domain") {
		c.addf("domain %q is not one word", c.Domain)
	}
	c.at("origins")
	for _, o := range c.Origins {
		if !slices.Contains(origins, o) {
			c.addf("unknown origin %q; use one of %s; your own tools have the origin own", o, strings.Join(origins, ", "))
		}
	}
	c.at("returns")
	if _, err := plan.ParseType(string(c.Returns)); err != nil && c.broken.whole("returns") {
		c.addf("returns: %w", missing(c.Returns, err, "it is missing; write the type of the result, such as image"))
	}
	if !c.broken.whole("args", "params") {
		return c.faults // the other parts depend on these
	}
	c.checkArgs()
	if c.broken.whole("examples") {
		c.checkExamples()
	}
	c.checkPhrases()
	if !c.broken.whole("returns") {
		return c.faults
	}
	c.at("listens")
	if c.Listens && (c.Returns != plan.Text || !c.takes(plan.Audio)) {
		c.addf("listens is set, but the tool does not turn a single audio into text")
	}
	c.at("describes")
	if c.Describes && (c.Returns != plan.Text || !c.takes(plan.Image)) {
		c.addf("describes is set, but the tool does not turn a single picture into text")
	}
	if c.broken.whole("backends") {
		c.checkBackends()
	}
	if c.broken.whole("effects") && c.typed() {
		c.at("effects")
		c.add(c.Effects.Check(c.Returns, c.measurable())...)
	}
	return c.faults
}

// checkPhrases checks the phrases that describe a result.
func (c *checker) checkPhrases() {
	if c.broken.whole("made") {
		c.checkPhrase("made", c.Made, false)
		c.checkPhrase("made_many", c.MadeMany, false)
	}
	if c.broken.whole("planned") {
		c.checkPhrase("planned", c.Planned, false)
		c.at("planned")
		if slices.Contains(Slots(c.Planned), About) {
			c.addf("planned: {%s} is only known once there is a result", About)
		}
	}
	if c.broken.whole("suffix") {
		c.checkPhrase("suffix", c.Suffix, true)
	}
}

// checkPhrase checks that the slots of a phrase are arguments or {about}. Only a suffix may use optional arguments.
func (c *checker) checkPhrase(field, phrase string, optional bool) {
	c.at(field)
	if !balanced(phrase) {
		c.addf("%s %q has an unmatched or nested brace", field, phrase)
		return
	}
	for _, name := range Slots(phrase) {
		i := slices.IndexFunc(c.Args, func(a Arg) bool { return a.Name == name })
		switch {
		case name == About:
		case i < 0:
			c.addf("%s %q has the slot {%s}, but there is no such argument", field, phrase, name)
		case c.Args[i].Optional && !optional:
			c.addf("%s %q has the slot {%s}, but that argument is optional", field, phrase, name)
		}
	}
}

func (c *checker) checkArgs() {
	c.at("args")
	if len(c.Args) == 0 {
		c.addf("has no arguments, so no search could find it")
	}
	files := len(c.Args) - len(c.Params)
	for i, a := range c.Args {
		if c.at("args", i); i >= files {
			c.at("params", i-files)
		}
		if slices.ContainsFunc(c.Args[:i], func(b Arg) bool { return b.Name == a.Name }) {
			c.addf("argument %s is declared twice", a.Name)
		}
		if a.Param != nil {
			c.add(a.Param.Check()...)
			continue
		}
		c.checkArg(a)
	}
}

func (c *checker) checkArg(a Arg) {
	if !isName(a.Name) {
		c.addf("argument name %q must consist of lower-case letters, digits and _", a.Name)
	}
	if a.About == "" {
		c.addf("argument %s has no about", a.Name)
	}
	if _, err := plan.ParseType(string(a.Type)); err != nil {
		c.addf("argument %s: %w", a.Name, missing(a.Type, err, "its type is missing; write, for instance, type: image"))
	}
	switch _, err := plan.ParseMeaning(string(a.Meaning)); {
	case a.Type == plan.Text && a.Meaning == "":
		c.addf("argument %s is a text without a meaning; the meanings are %s", a.Name, plan.ListMeanings())
	case a.Type != plan.Text && a.Meaning != "":
		c.addf("argument %s has a meaning, but only a text may have one", a.Name)
	case a.Meaning != "" && err != nil:
		c.addf("argument %s: %w", a.Name, err)
	}
	if a.Optional && a.Many {
		c.addf("argument %s cannot be both optional and many", a.Name)
	}
	if a.Form != "" && (a.Form != TableForm || a.Meaning != plan.Content) {
		c.addf("argument %s has the form %q, but only a content may have a form, and only %s", a.Name, a.Form, TableForm)
	}
}

// typed reports whether the types of the arguments and of the result are valid.
func (c *checker) typed() bool {
	return isType(c.Returns) && !slices.ContainsFunc(c.Args, func(a Arg) bool { return !isType(a.Type) })
}

// measurable returns the arguments as effects refer to them.
func (c *checker) measurable() []effect.Arg {
	all := make([]effect.Arg, len(c.Args))
	for i, a := range c.Args {
		all[i] = effect.Arg{Name: a.Name, Type: a.Type}
		if a.Param != nil {
			all[i].Setting, all[i].Values = a.Param.Type, slices.Sorted(maps.Keys(a.Param.Choices))
		}
	}
	return all
}

// takes reports whether the tool's only required argument is one resource of the type.
func (c *checker) takes(typ plan.Type) bool {
	must := slices.DeleteFunc(slices.Clone(c.Args), func(a Arg) bool { return a.Optional })
	return len(must) == 1 && must[0].Type == typ && !must[0].Many
}

func (c *checker) checkExamples() {
	c.at("examples")
	if len(c.Examples) < minExamples {
		c.addf("has %d examples, but needs at least %d", len(c.Examples), minExamples)
	}
	checked := map[string]bool{}
	for i, e := range c.Examples {
		c.at("examples", i)
		switch {
		case strings.TrimSpace(Wish(e)) == "":
			c.addf("example %d is empty", i+1)
		case !balanced(e):
			c.addf("example %q has an unmatched or nested brace", e)
		case slices.Contains(c.Examples[:i], e):
			c.addf("example %q is listed twice", e)
		default:
			c.checkSlots(e, checked)
		}
	}
}

// checkSlots checks that each quantity in a slot of the example can be read by some parameter. Slots
// already in checked are skipped.
func (c *checker) checkSlots(example string, checked map[string]bool) {
	if slices.ContainsFunc(c.Args, func(a Arg) bool { return a.Param == nil && !a.Type.Media() }) {
		return // numbers may belong to a text, or be coordinates
	}
	for _, slot := range Slots(example) {
		if checked[slot] {
			continue
		}
		checked[slot] = true
		reads := func(p param.Param) bool { return p.Reads(slot) }
		if quantity.Find(slot) != nil && !slices.ContainsFunc(c.Params, reads) {
			c.addf("example %q has the slot {%s}, but no parameter can read that", example, slot)
		}
	}
}

// Warnings lists likely mistakes in a tool file that do not keep the tool from running.
func (t *Tool) Warnings() []string {
	var all []string
	for _, b := range t.Backends {
		var used map[string]bool
		switch {
		case b.Recipe != nil && b.Recipe.Argv != nil:
			used = b.Recipe.Uses()
		case b.Request != nil:
			used = b.Request.Uses()
		default:
			continue
		}
		for _, a := range t.Args {
			if !used[a.Name] {
				all = append(all, fmt.Sprintf("backend %s: no slot uses %s, so its value is ignored", b.name(), a.Name))
			}
		}
	}
	if len(t.Effects) == 0 {
		all = append(all, "there are no effects, so no result is checked; write effects, or none with a reason")
	}
	return all
}

// isType reports whether t is a valid type.
func isType(t plan.Type) bool {
	_, err := plan.ParseType(string(t))
	return err == nil
}

// missing returns an error with the text none if the type is not given, else err.
func missing(t plan.Type, err error, none string) error {
	if t == "" {
		return errors.New(none)
	}
	return err
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// isWord reports whether s can be part of a list or a server path, such as "audio/speech".
func isWord(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, blank)
}

// balanced reports whether the braces in s are balanced and not nested.
func balanced(s string) bool {
	open := false
	for _, r := range s {
		switch {
		case r == '{' && open, r == '}' && !open:
			return false
		case r == '{', r == '}':
			open = !open
		}
	}
	return !open
}
