package respond

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/flaw"
	"atelier/agent/wording"
)

// internalName is the kind of complaint about a name that people should not see.
const internalName = "internal name"

// toolName matches possible tool names: words with underscores, or in backquotes.
var toolName = lazyregexp.New("`([a-z0-9_]+)`|[a-z0-9]+(?:_[a-z0-9]+)+")

// internal returns the complaints about tool names and chained file names in an answer.
func (job *Responder) internal(a planner.Account, said string) flaw.List {
	var found flaw.List
	job.eachTool(a, said, func(name string) string {
		text := fmt.Sprintf("Do not name the tool %s. Say in plain words what was done.", name)
		if !slices.ContainsFunc(found, func(f flaw.Flaw) bool { return f.Text == text }) {
			found = append(found, flaw.Flaw{Kind: internalName, Text: text})
		}
		return name
	})
	for _, result := range a.Results {
		for _, r := range result.Outputs() {
			if name := wording.Called(r); name != r.Name && strings.Contains(said, r.Name) {
				found = append(found, flaw.Flaw{Kind: internalName, Text: fmt.Sprintf("The file is called %s, not %s.", name, r.Name)})
			}
		}
	}
	return found
}

// eachTool replaces the tool names in an answer, except quoted ones and parts of file names.
func (job *Responder) eachTool(a planner.Account, said string, instead func(name string) string) string {
	var b strings.Builder
	from := 0
	for _, at := range toolName.FindAllStringIndex(said, -1) {
		name := strings.Trim(said[at[0]:at[1]], "`")
		if job.isTool(name) && !a.Says(name) && !inFileName(said, at[0], at[1]) {
			b.WriteString(said[from:at[0]])
			b.WriteString(instead(name))
			from = at[1]
		}
	}
	return b.String() + said[from:]
}

// inFileName reports whether a part of a text is within a file name.
func inFileName(text string, begin, end int) bool {
	before := begin > 0 && strings.ContainsRune(".-_", rune(text[begin-1]))
	after := strings.TrimLeft(text[end:], ".")
	dotted := len(text[end:])-len(after) == 1
	return before || strings.HasPrefix(after, "-") || dotted && after != "" && (after[0] >= 'a' && after[0] <= 'z' || after[0] >= '0' && after[0] <= '9')
}

func (job *Responder) isTool(name string) bool {
	_, ok := job.config.Catalogue.Tool(name)
	return ok
}

// aside matches a name in backquotes that stands alone in parentheses.
var aside = lazyregexp.New("[ \\t]*\\(`[a-z0-9_]+`\\)")

// plain removes the marks from an answer, and replaces tool names by words and chained file names
// by readable ones.
func (job *Responder) plain(a planner.Account, said string) string {
	said = a.Readable(mark.ReplaceAllString(said, ""))
	said = aside.ReplaceAllStringFunc(said, func(s string) string {
		if job.isTool(strings.Trim(s, " \t(`)")) {
			return ""
		}
		return s
	})
	return job.eachTool(a, said, func(name string) string { return strings.ReplaceAll(name, "_", " ") })
}
