package decompose

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/flaw"
	"atelier/agent/planner/llm/token"
)

// quotes are the pairs of quotation marks in use.
var quotes = [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"‘", "’"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"『", "』"}, {"`", "`"}}

// isQuoted reports whether the request contains the words in quotation marks: they are meant
// literally, even if they look like something else.
func isQuoted(wish, words string) bool {
	return slices.ContainsFunc(quotes, func(q [2]string) bool { return strings.Contains(wish, q[0]+words+q[1]) })
}

// words returns the source of a text: literal, with results quoted in it, or a passage of the
// request.
func (b *binder) words(i int, value string) (plan.Source, bool) {
	s := b.asked[i]
	if letters := utf8.RuneCountInString(value); letters > maxWords {
		b.faultf(tooMuch, "Subtask %d: the text that begins with %q has %d letters. Use at most %d; "+
			"a longer passage of the wish is given by its first five words, then \" [...] \", then its last five words.",
			s.ID, token.Clip(value, shown), letters, maxWords)
		return plan.Source{}, false
	}
	if whole, is, found := passage(b.wish, value); is {
		if !found {
			b.faultf(exchange.WrongShape, "Subtask %d: the wish holds no passage that goes like %q. "+
				"Write the words before and after [...] exactly as they stand in it.",
				s.ID, token.Clip(value, shown))
		}
		return plan.FromValue(whole), found
	}
	return b.quoting(i, value)
}

// quotable matches a reference to a result or a text within a text: <GENERATED>-n, <name>.
var quotable = lazyregexp.New(`<GEN(?:ERATED)?>-\d{1,6}|<[^<>\n]{1,200}>`)

// place matches text that looks like the placeholder of a part.
var place = lazyregexp.New(`\{(\d+)\}`)

// quoting converts a text that quotes results and texts to a source with parts.
func (b *binder) quoting(i int, value string) (plan.Source, bool) {
	var parts []plan.Source
	good := true
	text := quotable.ReplaceAllStringFunc(place.ReplaceAllString(value, "($1)"), func(quoted string) string {
		part, is, ok := b.part(i, quoted)
		good = good && ok
		if !is || !ok {
			return quoted
		}
		at := slices.IndexFunc(parts, func(p plan.Source) bool { return p.String() == part.String() })
		if at < 0 {
			at, parts = len(parts), append(parts, part)
		}
		return "{" + strconv.Itoa(at) + "}"
	})
	if len(parts) == 0 {
		return plan.FromValue(value), good
	}
	return plan.FromText(text, parts...), good
}

// part returns the source that a reference in a text stands for: is reports whether it is a
// reference, ok whether it is valid.
func (b *binder) part(i int, quoted string) (part plan.Source, is, ok bool) {
	m := reference.FindStringSubmatch(quoted)
	if m == nil {
		r, there := b.resource(strings.Trim(quoted, "<>"))
		return plan.FromResource(r.Name), there && !r.Type.Media(), true
	}
	j, ok := b.before(i, number(m[1]))
	if !ok {
		return plan.Source{}, true, false
	}
	if have := b.done[j].Returns; have.Media() {
		b.faultf(wrongType, "Subtask %d quotes %s within words, but that is of type %s. Give it as an argument of its own.", b.asked[i].ID, quoted, have)
		return plan.Source{}, true, false
	}
	return plan.FromSubtask(j), true, true
}

// gap replaces the middle of a passage.
var gap = lazyregexp.New(`\s*(?:\[\.\.\.\]|\[…\])\s*`)

// endWords is how many words of each end are searched for; longQuote is how many distinguish an end
// from adjacent words of the model's own.
const (
	endWords  = 12
	longQuote = 3
)

// passage expands a value that gives a passage of the request by its two ends, which may be within
// other words. is reports whether the value has this form, found whether the request contains the
// passage.
func passage(wish, value string) (whole string, is, found bool) {
	ends := gap.Split(value, -1)
	if len(ends) != 2 || ends[0] == "" || ends[1] == "" || strings.Contains(wish, value) {
		return "", false, false
	}
	before, after := strings.Fields(ends[0]), strings.Fields(ends[1])
	for i := max(0, len(before)-endWords); i < len(before); i++ {
		for j := min(len(after), endWords); j > 0; j-- {
			own := i > 0 && len(before)-i < longQuote || j < len(after) && j < longQuote
			if own {
				continue
			}
			if part := between(wish, before[i:], after[:j]); part != "" {
				return strings.Join(slices.Concat(before[:i], []string{part}, after[j:]), " "), true, true
			}
		}
	}
	return "", true, false
}

// between returns the first part of a text that begins and ends with the words, ignoring quotation
// marks; "" if there is none.
func between(text string, first, last []string) string {
	quoted := func(words []string) string {
		all := make([]string, len(words))
		for i, w := range words {
			all[i] = regexp.QuoteMeta(strings.Trim(w, `"'“”„«»`))
		}
		return strings.Join(all, `["'“”„«»]*\s+["'“”„«»]*`)
	}
	begin := regexp.MustCompile(quoted(first)).FindStringIndex(text)
	if begin == nil {
		return ""
	}
	end := regexp.MustCompile(quoted(last)).FindStringIndex(text[begin[1]:])
	if end == nil {
		return ""
	}
	return text[begin[0] : begin[1]+end[1]]
}

// recited is the kind of complaint about text that repeats the prompt.
const recited = "recited"

// longRun is the number of consecutive words of the prompt that cannot be a coincidence. The
// sentences about tools, which a reply may use, are shorter.
const longRun = 25

// talks checks a question or a reply, which people read as it is: it must be a short chat message
// in its own words, and name only things that people named or gave.
func talks(said string, r plan.Request, system string) error {
	account := planner.Account{Request: r} // nothing is done yet
	found := slices.Concat(flaw.Inventions(account, nil, said), flaw.Form(account, said))
	if recites(said, system) {
		found = append(found, flaw.Flaw{
			Kind:  recited,
			Text:  "It repeats what you were told to do, which nobody is shown. Answer in a few words of your own.",
			Grave: true,
		})
	}
	return found.Complaint()
}

// recites reports whether a text contains a long run of words of the prompt, ignoring punctuation.
func recites(said, prompt string) bool {
	words := wordsOf(said)
	all := " " + strings.Join(wordsOf(prompt), " ") + " "
	for i := range len(words) - longRun + 1 {
		if strings.Contains(all, " "+strings.Join(words[i:i+longRun], " ")+" ") {
			return true
		}
	}
	return false
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
