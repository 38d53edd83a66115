package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
)

// People say which of several files they do not mean, or which one comes first: "all of them except the last one",
// "merge these, the invoice first". Such wishes are rewritten with the names of the files before they are split, since
// these words apply to the whole wish.

const (
	// oneOf matches one of several files, by its position or by a word of its name.
	oneOf     = `(?:the |my |our )?(?:(?:[\w-]+ )?(?:one|picture|photo|image|file|clip|video|recording|sound|track|song|pdf|document)|[\w.-]+)`
	fileNouns = `(?:pictures|photos|images|files|clips|videos|sounds|tracks|recordings|songs|pdfs|documents|scans|screenshots)`
	// theFiles matches a reference to all files.
	theFiles = `(?:(?:all|each|every one|both) of (?:them|these|those)|(?:all|both) (?:of )?(?:the |these |those |my |our )?` + fileNouns + `|` +
		`(?:the |these |those )` + fileNouns + `|all|both|everything|every one|each one|them all|them|these|those)`
	exceptWord = `(?:except(?: for)?|excluding|apart from|other than|but(?: only)? not|but|not|leave out)`
)

var (
	// excepted matches the exclusion of files.
	excepted = lazyregexp.New(`(?i)(?:,\s*|\s+)(?:and |but )?` + exceptWord + ` (` + oneOf + `)`)
	// exceptedFirst matches it at the start: "not the first, the others to png".
	exceptedFirst = lazyregexp.New(`(?i)^not (` + oneOf + `)\s*[,;:.-]\s*`)
	// firstOf matches the choice of the first or last file.
	firstOf = lazyregexp.New(`(?i)(?:[,;:]\s*|\s+)(?:and |but )?(?:with |put |place |have |play |move )?` +
		`(` + oneOf + `) (first|last|(?:at|to) the (?:start|beginning|front|end))\b`)
	// onlyFirstOf matches a wish that only makes this choice: "put the intro last".
	onlyFirstOf = lazyregexp.New(`(?i)^(?:put|place|have|play|move) (` + oneOf + `) (first|last|(?:at|to) the (?:start|beginning|front|end))[.!]?$`)
	// beginning matches another form of it: "starting with the last one".
	beginning = lazyregexp.New(`(?i)(?:,\s*|\s+)(start|begin|end)(?:ing|s)? with (` + oneOf + `)`)
	// inTurn matches all files in their order, and only that: "part2 first, then part1".
	inTurn  = lazyregexp.New(`(?i)(?:^|[,:;] )(?:with |put |play )?(` + oneOf + `) first((?:,? (?:and )?then ` + oneOf + `)+)[.!]?$`)
	thenOne = lazyregexp.New(`(?i),? (?:and )?then (` + oneOf + `)`)
	// backToFront matches the opposite of the order in which the files came.
	backToFront = lazyregexp.New(`(?i),? (?:but )?in (?:the )?(?:reversed?|opposite) order\b`)
	allFiles    = lazyregexp.New(`(?i)\b` + theFiles + `\b`)
	otherOnes   = lazyregexp.New(`(?i)\b(?:the )?(?:others|rest|other (?:ones|two|three|files|pictures|photos|images|clips|videos))\b`)
	joining     = lazyregexp.New(`(?i)^(?:pdf|gif)\b|\b(?:merge|join|combine|concatenate|stitch|glue|append|string|` +
		`put (?:them|these|all|both)? ?together|(?:one|a|single|into a|as a|to) pdf|pdf of|gif of|slideshow)\b`)
	// countOfFiles matches the number of files: "make these 2 pictures smaller".
	countOfFiles = lazyregexp.New(`(?i)\b(these|those|all|the) (\d|two|three|four|five) (` + fileNouns + `|pics)\b`)

	ofPages = lazyregexp.New(`(?i)\bpages?\b`)
)

// whichFiles rewrites a wish about several files with the names of those that it means.
func whichFiles(r plan.Request, text string) string {
	given := slices.DeleteFunc(slices.Clone(r.Given), func(res plan.Resource) bool { return res.On != "" })
	if len(given) < 2 || ofPages.MatchString(text) {
		return text
	}
	if m := countOfFiles.FindStringSubmatchIndex(text); m != nil && numberOf(text[m[4]:m[5]]) == len(given) {
		text = text[:m[4]] + text[m[6]:]
	}
	if m := exceptedFirst.FindStringSubmatch(text); m != nil {
		if one := oneFile(given, m[1]); one >= 0 {
			return withFiles(text[len(m[0]):], slices.Delete(slices.Clone(given), one, one+1))
		}
	}
	if m := excepted.FindStringSubmatchIndex(text); m != nil {
		if one := oneFile(given, text[m[2]:m[3]]); one >= 0 {
			return withFiles(text[:m[0]]+text[m[1]:], slices.Delete(slices.Clone(given), one, one+1))
		}
	}
	if order, rest := turns(given, text); len(order) == len(given) {
		return withFiles(rest, order)
	}
	if onlyFirstOf.MatchString(text) && given[0].Type != plan.Image && ofOneType(given) {
		text = "join them, " + text
	}
	if !joining.MatchString(text) {
		return text
	}
	if at := backToFront.FindStringIndex(text); at != nil {
		slices.Reverse(given)
		return withFiles(text[:at[0]]+text[at[1]:], given)
	}
	for _, form := range []lazyregexp.Regexp{firstOf, beginning} {
		m := form.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		said, where := text[m[2]:m[3]], text[m[4]:m[5]]
		if form.String() == beginning.String() {
			said, where = where, said
		}
		one := oneFile(given, said)
		if one < 0 {
			continue
		}
		rest := slices.Delete(slices.Clone(given), one, one+1)
		order := slices.Concat(given[one:one+1], rest)
		if where = strings.ToLower(where); strings.HasSuffix(where, "last") || strings.HasSuffix(where, "end") {
			order = slices.Concat(rest, given[one:one+1])
		}
		return withFiles(text[:m[0]]+text[m[1]:], order)
	}
	return text
}

// turns returns the files in the order that a wish states for each of them, and the rest of the wish. A wish that states
// nothing else joins them.
func turns(given []plan.Resource, text string) (order []plan.Resource, rest string) {
	m := inTurn.FindStringSubmatchIndex(text)
	if m == nil {
		return nil, ""
	}
	said := []string{text[m[2]:m[3]]}
	for _, next := range thenOne.FindAllStringSubmatch(text[m[4]:m[5]], -1) {
		said = append(said, next[1])
	}
	for _, name := range said {
		one := oneFile(given, name)
		if one < 0 || slices.ContainsFunc(order, func(f plan.Resource) bool { return f.Name == given[one].Name }) {
			return nil, ""
		}
		order = append(order, given[one])
	}
	return order, cmp.Or(text[:m[0]], "join them")
}

// numberOf is a small number in words or in figures; else 0.
func numberOf(said string) int {
	for n, word := range []string{"two", "three", "four", "five"} {
		if strings.EqualFold(said, word) {
			return n + 2
		}
	}
	if len(said) == 1 && said[0] >= '2' && said[0] <= '9' {
		return int(said[0] - '0')
	}
	return 0
}

func ofOneType(files []plan.Resource) bool {
	return !slices.ContainsFunc(files, func(f plan.Resource) bool { return f.Type != files[0].Type })
}

// oneFile returns the index of the only file that is meant, by its position, its name, a word of its name or its
// extension; -1 if there is none or several are meant.
func oneFile(given []plan.Resource, said string) int {
	words := strings.Fields(strings.ToLower(said))
	for _, w := range words {
		if n := english.Ordinals[w]; n > 0 && n <= len(given) {
			return n - 1
		} else if n < 0 {
			return len(given) + n
		}
	}
	found := -1
	for i, res := range given {
		name := strings.ToLower(cmp.Or(res.File, res.Name))
		ending := path.Ext(name)
		stem := english.WordsOf(strings.TrimSuffix(name, ending))
		if !slices.ContainsFunc(words, func(w string) bool { return w == name || "."+w == ending || len(w) > 2 && slices.Contains(stem, w) }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// withFiles replaces a reference to all files by names, or else appends them to the first clause.
func withFiles(text string, files []plan.Resource) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	listed := strings.Join(names, " and ")
	for _, form := range []lazyregexp.Regexp{otherOnes, allFiles} {
		if at := form.FindStringIndex(text); at != nil {
			return text[:at[0]] + listed + text[at[1]:]
		}
	}
	text = strings.TrimRight(strings.TrimSpace(text), ".!")
	return text + " " + listed
}
