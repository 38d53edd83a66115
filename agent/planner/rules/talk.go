package rules

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// The sentences of conversation.
var (
	leftAlone = plan.Say("All right, I will leave it as it is.")
	hello     = plan.Say("Hello! What can I do for you? Attach a picture, a sound, a video or a PDF and say what you want.")
	welcome   = plan.Say("You are welcome. Tell me what you want next.")
	aboutMe   = plan.Say("I am Atelier, a bot with a workshop of media tools. Attach a picture, a sound, a video or a PDF, or just write, " +
		"and tell me in your own words what you want. I split your request into steps, choose the tools and send you the results.")
	otherLanguage = plan.Say("Sorry, without a language model I understand only English. Please say it in English, for example \"make it half as large\".")
	onlyTheWhole  = plan.Say("Sorry, I cannot do that to everything except the marked part. " +
		"I can do it to the whole picture, or cut the marked part out of it.")
	noDelivery = plan.Say("Sorry, I cannot mail, post, upload or print anything, or remind you of it. I only give you back what I make.")
	noTool     = plan.Say("Sorry, I have no tool for that. I work on pictures, sound, video and text; ask \"what can you do?\" for examples.")
)

// talk answers what needs no tool: greetings, thanks, questions about the program, and requests
// in a language that the rules do not understand. It returns nil for anything else.
func (p *Planner) talk(r plan.Request, text string) *outcome {
	plain := strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	switch {
	case !strings.ContainsFunc(plain, unicode.IsLetter):
		if len(r.Given) > 0 {
			return asking(whatWith(resourceNames(r.Given)))
		}
		return asking(emptyRequest)
	case p.isMadeOf(plain, "greetings", "thanks"):
		return &outcome{reply: withSamples(hello, r.Samples)}
	case p.isMadeOf(plain, "thanks", "greetings"):
		return &outcome{reply: welcome}
	case p.isMadeOf(plain, "about", "greetings"):
		return &outcome{reply: withSamples(aboutMe, r.Samples)}
	case p.isForeign(text):
		return refusing(otherLanguage)
	}
	return nil
}

// withSamples adds requests that people can try.
func withSamples(m plan.Message, samples []string) plan.Message {
	if len(samples) == 0 {
		return m
	}
	quoted := make([]string, len(samples))
	for i, s := range samples {
		quoted[i] = "“" + s + "”"
	}
	return plan.Sentences(m, plan.Say("For example: %s.", plan.Or(quoted...)))
}

// isPolite reports whether a text in lower case does nothing but greet or thank.
func (g *grammar) isPolite(plain string) bool {
	return g.isMadeOf(plain, "thanks", "greetings") || g.isMadeOf(plain, "greetings", "thanks")
}

// handsBack reports whether the clause only asks for the result: "and send me the file back".
func (g *grammar) handsBack(c clause) bool {
	return slices.Contains(g.lists["handing back"], strings.ToLower(strings.Trim(textOf(g.lexicon.Core(c.words)), " .!")))
}

// joinsParts reports whether the clause only asks to join the parts that the clause before keeps of one file: they
// are one file already.
func (t *thread) joinsParts(c clause) bool {
	return t.prev != nil && len(t.prev.results) == 1 && t.passages(t.prev) != "" &&
		slices.ContainsFunc(t.prev.head.Args, func(a toolbox.Arg) bool { return kind(a) == param.TimeRanges }) &&
		slices.Contains(t.lists["joining parts"], strings.ToLower(strings.Trim(textOf(t.lexicon.Core(c.words)), " .!")))
}

// isMadeOf reports whether a text in lower case is made of phrases of the section, and of
// nothing else but small talk and the phrases of the section beside.
func (g *grammar) isMadeOf(plain, section, beside string) bool {
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if len(words) > 12 {
		return false // nobody greets at such length
	}
	prefix := func(rest, section string) int {
		longest := 0
		for _, phrase := range g.lists[section] {
			if after, ok := strings.CutPrefix(rest, phrase); ok && (after == "" || after[0] == ' ') {
				longest = max(longest, len(phrase))
			}
		}
		return longest
	}
	hit := false
	for rest := strings.ReplaceAll(strings.Join(words, " "), "’", "'"); rest != ""; {
		own := prefix(rest, section)
		longest := max(own, prefix(rest, beside), prefix(rest, "small talk"))
		if longest == 0 {
			return false
		}
		hit = hit || own == longest
		rest = strings.TrimSpace(rest[longest:])
	}
	return hit
}

// isForeign reports whether the text is in another language: in another script, or with more
// of another language's small words than of English ones.
func (ts *tools) isForeign(text string) bool {
	letters, latin, known, most, plain := 0, 0, 0, 0, 0
	count := map[string]int{}
	for _, w := range ts.lexicon.Words(text, nil) {
		if w.Kind != retrieve.Plain {
			continue
		}
		plain++
		for _, r := range w.Text {
			if unicode.IsLetter(r) {
				letters++
			}
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
		if ts.lexicon.Stop(lower(w)) || ts.isVerb(w) || ts.is("prepositions", w) || ts.index.Known(ts.lexicon.Class(w.Stem)) {
			known++
		}
		for section, words := range ts.sets {
			if strings.HasPrefix(section, "language ") && words[lower(w)] {
				count[section]++
				most = max(most, count[section])
			}
		}
	}
	if latin*2 < letters {
		return true
	}
	// A language's small words are a third of a text; many are English words as well.
	return most >= 2 && (most > known || most*3 > plain && most*3 > known*2)
}

// isVague reports whether the clause wants a change without saying which: "make it better".
func (g *grammar) isVague(r *reading) bool {
	found := false
	for _, w := range r.words {
		switch text := lower(w); {
		case w.Kind != retrieve.Plain:
		case g.in("vague", text):
			found = true
		case !g.in("vague fillers", text) && w.Stem != "file" && !g.lexicon.Stop(text) && !g.isMedia(w) && !g.in("pronouns", text):
			return false
		}
	}
	return found && r.form == retrieve.Order
}

// beyond reports whether the clause orders what no workshop of media does: "buy", "call".
func (g *grammar) beyond(r *reading) bool {
	return r.form == retrieve.Order && len(r.words) > 0 && g.is("beyond", r.words[0])
}

// delivers reports whether the clause orders that something be mailed, posted, uploaded or printed. What is made comes
// back to the person who asked, and goes nowhere else.
func (g *grammar) delivers(words []retrieve.Word) bool {
	if len(words) == 0 || slices.ContainsFunc(words, isQuote) {
		return false
	}
	first, rest := words[0], words[1:]
	from := g.pastPointers(rest, 0)
	outlet, person := false, false
	for i, w := range rest {
		if next := g.pastPointers(rest, i+1); g.is("prepositions", w) && next < len(rest) {
			outlet = outlet || g.is("outlets", rest[next])
			person = person || lower(w) == "to" && !g.isMedia(rest[next])
		}
	}
	switch {
	case !g.is("delivering", first):
		return g.is("sending", first) && from > 0 && (outlet || person && lower(first) == "send")
	case g.is("lettering", first): // "print it", but not "print hello on it"
		return from > 0 && from == len(rest)
	}
	return from > 0 || outlet
}

// pastPointers is where the words from i on end that only point at something: "it", "the picture", "me".
func (g *grammar) pastPointers(words []retrieve.Word, i int) int {
	sections := []string{"pronouns", "plurals", "determiners", "articles", "results", "versions", "receivers"}
	for i < len(words) && (isFile(words[i]) || g.isMedia(words[i]) || slices.ContainsFunc(sections, func(s string) bool { return g.is(s, words[i]) })) {
		i++
	}
	return i
}

// ordersNothing reports whether the clause orders that something be done and does not say what:
// "do it", "change the picture".
func (s *scene) ordersNothing(r *reading) bool {
	e := s.english
	if r.form != retrieve.Order && r.form != retrieve.YesNo || r.clause.asks || r.marked() ||
		len(r.words) == 0 || len(r.clause.more) > 0 || !e.is("ordering", r.words[0]) || e.is("inscribing", r.words[0]) {
		return false
	}
	return !slices.ContainsFunc(r.words, func(w retrieve.Word) bool {
		text := lower(w)
		typ := s.lexicon.MediaNoun([]retrieve.Word{w})
		atHand := typ != "" && !retrieve.IsFormat(text) && slices.ContainsFunc(s.things, func(e thing) bool { return base(e.typ) == typ })
		open := atHand || s.lexicon.Stop(text) || slices.ContainsFunc([]string{"unsaid things", "ordering", "prepositions", "courtesy", "pronouns"},
			func(section string) bool { return e.in(section, text) })
		return !isMark(w) && !isFile(w) && (w.Kind != retrieve.Plain || !open)
	})
}
