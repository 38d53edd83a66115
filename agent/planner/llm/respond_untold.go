package llm

import (
	"fmt"

	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/wording"
)

// namedFiles is up to how many files of a step each must be named; of more the first and
// the last say it.
const namedFiles = 4

// unnamed are the files that the request led to and that an answer does not name. A single one
// needs no name: it is attached.
func unnamed(a planner.Account, told record, said string) flaws {
	var names []string
	files := 0
	for i, s := range a.Steps {
		outs := a.Results[i].Outputs()
		for at, out := range outs {
			if !s.Final || !out.Type.Media() {
				continue
			}
			files++
			name := wording.Called(out)
			must := len(outs) <= namedFiles || at == 0 || at == len(outs)-1
			if must && !told.unlisted[i] && !strings.Contains(said, name) && !strings.Contains(said, out.Name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 || files == 1 {
		return nil
	}
	all := strings.Join(names, ", ")
	return flaws{{kind: missingPart, text: "These files were made and are not named: " + all + ".", lacks: all}}
}

// unlistedOutputs are what the steps made that the model was not told of.
func (m *Planner) unlistedOutputs(a planner.Account, told record, said string) flaws {
	var found flaws
	var made []plan.Message
	for i, s := range a.Steps {
		var all []string
		for _, out := range a.Results[i].Outputs() {
			items, isList := itemsOf(out)
			switch {
			case !s.Final || !told.unlisted[i]:
			case out.Type.Media():
				all = append(all, wording.Called(out))
			case isList:
				for _, item := range items {
					all = append(all, item.Label)
				}
			default:
				all = append(all, out.Value)
			}
		}
		all = slices.DeleteFunc(all, func(what string) bool { return what == "" || strings.Contains(said, what) })
		if len(all) == 0 {
			continue
		}
		if made == nil {
			made = wording.Made(m.config.Catalogue, a)
		}
		line := plan.Say("%s: %s", made[i], strings.Join(all, ", "))
		found = append(found, flaw{kind: missingPart, lacks: m.config.Tell.In(a.Request.Language, line)})
	}
	return found
}

func allOutputs(a planner.Account) []plan.Resource {
	var all []plan.Resource
	for _, r := range a.Results {
		all = append(all, r.Outputs()...)
	}
	return all
}

// mostComplained is how much of a sentence a complaint repeats, in bytes.
const mostComplained = 300

// mark matches a mark such as "[[told 1]]" in an answer, with the space before it.
var mark = lazyregexp.New(`(?i)[ \t]*\[\[\s*told\s*([0-9]{1,6})\s*\]\]`)

// untold are failures that an answer passes over in silence. Languages differ, and marks do not.
func (m *Planner) untold(a planner.Account, told record, said string) flaws {
	has := map[int]bool{}
	for _, found := range mark.FindAllStringSubmatch(said, -1) {
		if n, err := strconv.Atoi(found[1]); err == nil {
			has[n] = true
		}
	}
	var found flaws
	add := func(complaint, sentence string) {
		if !slices.ContainsFunc(found, func(f flaw) bool { return f.lacks == sentence }) {
			found = append(found, flaw{kind: missingPart, text: complaint, lacks: sentence})
		}
	}
	for i, sentence := range told.must {
		if !has[i+1] {
			add(fmt.Sprintf("This is not told, or not with its mark [[told %d]]: %q", i+1, excerpt(a.Readable(sentence), mostComplained)), sentence)
		}
	}
	for i, s := range a.Steps { // what the model was not told of
		if a.Results[i].Status == plan.Failed && told.unlisted[i] {
			add("", m.config.Tell.In(a.Request.Language, wording.Failure(a, s, a.Results[i].Problem)))
		}
	}
	for _, sentence := range slices.Concat(a.Fallbacks[len(told.Ways):], a.Missing[len(told.Missing):]) {
		add("", sentence)
	}
	return found
}

// toolName finds what may be the name of a tool: words with underscores, or in backquotes.
var toolName = lazyregexp.New("`([a-z0-9_]+)`|[a-z0-9]+(?:_[a-z0-9]+)+")

// internal are the names of tools and the chained names of files in an answer, which people are
// not to read.
func (m *Planner) internal(a planner.Account, said string) flaws {
	var found flaws
	m.eachTool(a, said, func(name string) string {
		text := fmt.Sprintf("Do not name the tool %s. Say in plain words what was done.", name)
		if !slices.ContainsFunc(found, func(f flaw) bool { return f.text == text }) {
			found = append(found, flaw{kind: internalName, text: text})
		}
		return name
	})
	for _, r := range allOutputs(a) {
		if name := wording.Called(r); name != r.Name && strings.Contains(said, r.Name) {
			found = append(found, flaw{kind: internalName, text: fmt.Sprintf("The file is called %s, not %s.", name, r.Name)})
		}
	}
	return found
}

// eachTool puts something else in the place of each name of a tool that is the answer's own, and
// no part of the name of a file.
func (m *Planner) eachTool(a planner.Account, said string, instead func(name string) string) string {
	var b strings.Builder
	from := 0
	for _, at := range toolName.FindAllStringIndex(said, -1) {
		name := strings.Trim(said[at[0]:at[1]], "`")
		if m.isTool(name) && !a.Says(name) && !inFileName(said, at[0], at[1]) {
			b.WriteString(said[from:at[0]])
			b.WriteString(instead(name))
			from = at[1]
		}
	}
	return b.String() + said[from:]
}

// inFileName reports whether a part of a text is a part of the name of a file.
func inFileName(text string, begin, end int) bool {
	before := begin > 0 && strings.ContainsRune(".-_", rune(text[begin-1]))
	after := strings.TrimLeft(text[end:], ".")
	dotted := len(text[end:])-len(after) == 1
	return before || strings.HasPrefix(after, "-") || dotted && after != "" && (after[0] >= 'a' && after[0] <= 'z' || after[0] >= '0' && after[0] <= '9')
}

func (m *Planner) isTool(name string) bool {
	_, ok := m.config.Catalogue.Tool(name)
	return ok
}

// aside finds a name in backquotes that stands alone in brackets.
var aside = lazyregexp.New("[ \\t]*\\(`[a-z0-9_]+`\\)")

// plain is an answer without marks, and without the names that people are not to read: those of
// tools become words.
func (m *Planner) plain(a planner.Account, said string) string {
	said = a.Readable(mark.ReplaceAllString(said, ""))
	said = aside.ReplaceAllStringFunc(said, func(s string) string {
		if m.isTool(strings.Trim(s, " \t(`)")) {
			return ""
		}
		return s
	})
	return m.eachTool(a, said, func(name string) string { return strings.ReplaceAll(name, "_", " ") })
}
