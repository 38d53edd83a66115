package rules

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
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
	case p.IsMadeOf(plain, "greetings", "thanks"):
		return &outcome{reply: withSamples(hello, r.Samples)}
	case p.IsMadeOf(plain, "thanks", "greetings"):
		return &outcome{reply: welcome}
	case p.IsMadeOf(plain, "about", "greetings"):
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

// handsBack reports whether the clause only asks for the result: "and send me the file back".
func (ts *tools) handsBack(c clause) bool {
	return slices.Contains(ts.Phrases("handing back"), strings.ToLower(strings.Trim(english.TextOf(ts.Lexicon.Core(c.words)), " .!")))
}

// joinsParts reports whether the clause only asks to join the parts that the clause before keeps of one file: they
// are one file already.
func (t *thread) joinsParts(c clause) bool {
	return t.prev != nil && len(t.prev.results) == 1 && t.passages(t.prev) != "" &&
		slices.ContainsFunc(t.prev.head.Args, func(a toolbox.Arg) bool { return kind(a) == param.TimeRanges }) &&
		slices.Contains(t.Phrases("joining parts"), strings.ToLower(strings.Trim(english.TextOf(t.Lexicon.Core(c.words)), " .!")))
}

// isForeign reports whether the text is in another language: in another script, or with more
// of another language's small words than of English ones.
func (ts *tools) isForeign(text string) bool {
	letters, latin, known, most, plain := 0, 0, 0, 0, 0
	count := map[string]int{}
	for _, w := range ts.Lexicon.Words(text, nil) {
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
		if ts.Lexicon.Stop(w.Lower()) || ts.IsVerb(w) || ts.Is("prepositions", w) || ts.index.Known(ts.Lexicon.Class(w.Stem)) {
			known++
		}
		for _, section := range ts.SectionsOf("language ", w.Lower()) {
			count[section]++
			most = max(most, count[section])
		}
	}
	if latin*2 < letters {
		return true
	}
	// A language's small words are a third of a text; many are English words as well.
	return most >= 2 && (most > known || most*3 > plain && most*3 > known*2)
}

// isVague reports whether the clause wants a change without saying which: "make it better".
func (ts *tools) isVague(r *reading) bool {
	found := false
	for _, w := range r.words {
		switch text := w.Lower(); {
		case w.Kind != retrieve.Plain:
		case ts.In("vague", text):
			found = true
		case !ts.In("vague fillers", text) && w.Stem != "file" && !ts.Lexicon.Stop(text) && !ts.IsMedia(w) && !ts.In("pronouns", text):
			return false
		}
	}
	return found && r.form == retrieve.Order
}

// beyond reports whether the clause orders what no workshop of media does: "buy", "call".
func (ts *tools) beyond(r *reading) bool {
	return r.form == retrieve.Order && len(r.words) > 0 && ts.Is("beyond", r.words[0])
}
