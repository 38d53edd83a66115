package draft

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// counts finds the numbers and quantities of a clause that no value for a tool accounts for.
type counts struct{ *cover }

// unmeasured returns the quantities that are not a value for a tool.
func (c counts) unmeasured(text string, found []quantity.Quantity) []quantity.Quantity {
	taken := map[int]int{} // number of quantities per argument
	return slices.DeleteFunc(slices.Clone(found), func(q quantity.Quantity) bool {
		said := strings.ReplaceAll(strings.ToLower(text[q.Start:q.End]), " %", "%") // as in the value
		if c.saysAll(said) && strings.Contains(strings.ToLower(c.r.Head.Description), said) {
			return true
		}
		if c.named(q, said) || c.paced(q) {
			return true
		}
		for i, words := range c.told {
			typ := profile.Kind(c.args[i])
			switch {
			case !strings.Contains(words, said):
			case typ == param.TimeRanges: // "the last 2 seconds twice"
				if dependsOn(*c.args[i].Param, words, said) {
					return true
				}
			case typ == param.Sizes, profile.SettingOf(c.args[i]) == param.Condition: // "3 sizes: 320, 640 and 1280"
				return true
			case typ == "" && (c.args[i].Param == nil || dependsOn(*c.args[i].Param, words, said)):
				return true
			case typ == "":
			case q.Unit == quantity.Number && !typ.IsNumber() && c.countsThings(text, q, words):
			case typ == param.Moment && (q.Unit == quantity.Number || strings.HasSuffix(text[:q.Start], "for ")): // "5 screenshots", "for 2 seconds"
			case (c.args[i].Param.Takes(q.Unit) || values.CountsSubject(*c.args[i].Param, q, said)) && taken[i] < typ.Most() && c.changes(i, said):
				taken[i]++
				return true
			}
		}
		return q.Unit == quantity.Number && (len(said) == 1 && len(c.r.Files) > 1 || c.countsFiles(said))
	})
}

// countsThings reports whether a bare number of a text counts things that the value does not name: "16 colours" is no size.
func (c counts) countsThings(text string, q quantity.Quantity, told string) bool {
	next := c.Lexicon.Words(text[q.End:], []retrieve.Span{})
	if len(next) == 0 || next[0].Kind != retrieve.Plain || c.IsFiller(next[0]) || slices.Contains(english.WordsOf(told), next[0].Lower()) {
		return false
	}
	uncounted := []string{"courtesy", "closing words", "joining words", "targets", "away", "places", "amount tails", "time units"}
	return !slices.ContainsFunc(uncounted, func(section string) bool { return c.Is(section, next[0]) })
}

// countsNouns reports whether the word at i counts things that are no files, and no value says how many: "two red arrows".
func (c counts) countsNouns(words []retrieve.Word, i int) bool {
	if !c.Is("numerals", words[i]) || c.states(words[i].Lower()) || c.r.Head.Name == "" || i > 0 && c.Is("plurals", words[i-1]) {
		return false
	}
	if i > 0 && words[i-1].Lower() == "as" { // "as two files"
		return true
	}
	for _, w := range words[i+1 : min(i+3, len(words))] {
		if w.Kind != retrieve.Plain || c.IsMedia(w) || c.IsFiller(w) || c.Is("time units", w) {
			return false
		}
		if strings.HasSuffix(w.Lower(), "s") {
			return true
		}
	}
	return false
}

// eachOfOne reports whether there is only one thing of which "each" could speak, and no value says so.
func (c counts) eachOfOne() bool {
	files := slices.DeleteFunc(slices.Clone(c.Things), func(e scene.Thing) bool { return e.Made && !e.Many })
	counted := slices.ContainsFunc(c.told, func(told string) bool {
		return slices.Contains(english.WordsOf(told), "each") && len(quantity.Find(told)) > 0
	})
	return !counted && c.r.Head.Name != "" && !c.r.Marked() && len(files) == 1 && !files[0].Many && !c.r.Head.Several()
}

// countsFiles reports whether the number is that of the files of the message, all of which are meant: "put these 4 side by
// side".
func (c counts) countsFiles(said string) bool {
	return c.r.Refs.Plural && said == strconv.Itoa(len(c.Sent(plan.AnyFile)))
}

// named reports whether a quantity in words is only part of a name: it occurs in the tool's templates, or in a choice, and
// no setting of the tool takes such quantities. "Mirror the upper half onto the other half".
func (c counts) named(q quantity.Quantity, said string) bool {
	foreign := func(w string) bool {
		return !c.r.Head.Own[w] && !slices.ContainsFunc(c.args, func(a toolbox.Arg) bool { return slices.Contains(profile.ChoiceWords(a), w) })
	}
	return !strings.ContainsFunc(said, unicode.IsDigit) && !c.r.Head.TakesUnit(q.Unit) && !slices.ContainsFunc(english.WordsOf(said), foreign)
}

// changes reports whether the text of an argument has another value, or none, without the quantity: "200x200 and 400x400"
// is one size, and the second is left over.
func (c counts) changes(i int, said string) bool {
	if len(quantity.Find(c.told[i])) < 2 {
		return true
	}
	return values.ReadsOtherwise(*c.args[i].Param, c.told[i], strings.Replace(c.told[i], said, "", 1))
}
