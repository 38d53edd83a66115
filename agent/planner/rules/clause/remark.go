package clause

import (
	"slices"
	"strings"

	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// WithoutRemarks returns a request without its remarks: statements, reasons and purposes that ask for nothing, as in
// "before I post this: my laptop can't open it, so a jpg please, for the newsletter". A statement has a subject and a
// verb of its own. A part that states a requirement ("it must be square"), a complaint of degree ("too dark"), a
// quotation, a quantity or a condition ("while he talks") is kept.
func WithoutRemarks(ts *profile.Tools, text string, words []retrieve.Word) string {
	r := remarks{ts, text}
	return r.without(r.parts(words), r.isRemark)
}

// Parts splits a request where a remark may begin or end, and returns for each part its words and the request without it.
func Parts(ts *profile.Tools, text string, words []retrieve.Word) (parts [][]retrieve.Word, rests []string) {
	r := remarks{ts, text}
	parts = r.parts(words)
	for _, part := range parts {
		rests = append(rests, r.without(parts, func(other []retrieve.Word) bool { return other[0].Start == part[0].Start }))
	}
	return parts, rests
}

// without returns the text of the parts, without purposes and those that go.
func (r *remarks) without(parts [][]retrieve.Word, goes func(part []retrieve.Word) bool) string {
	text := r.text
	var kept strings.Builder
	last := 0 // the end of the previous part
	for _, part := range parts {
		lead := text[last:part[0].Start]
		last = part[len(part)-1].End
		rest := r.withoutPurpose(part)
		if goes(part) || len(rest) == 0 {
			if kept.Len() > 0 && strings.ContainsAny(lead, ".!?\n") {
				kept.WriteString(lead) // a sentence still ends there
			}
			continue
		}
		if kept.Len() > 0 {
			kept.WriteString(lead)
		}
		kept.WriteString(text[rest[0].Start:rest[len(rest)-1].End])
	}
	return strings.TrimSpace(kept.String())
}

// remarks finds remarks in a text.
type remarks struct {
	*profile.Tools

	text string
}

// parts splits a request where a remark may begin or end: at punctuation, at words that begin a reason, and at "and" or "but"
// before a statement.
func (r *remarks) parts(words []retrieve.Word) (all [][]retrieve.Word) {
	begin := 0
	cut := func(end, next int) {
		if end > begin {
			all = append(all, words[begin:end])
		}
		begin = next
	}
	for i, w := range words {
		switch {
		case w.IsMark() && r.separates(words, i):
			cut(i, i+1)
		case i > begin && r.lead(words[i:]) > 0 && (r.states(words[i:]) || r.asksAfter(words[i:])):
			cut(i, i)
		}
	}
	cut(len(words), len(words))
	return all
}

// lead returns the number of words with which a remark may begin: "so", "before", "and". It is 0 if there are none.
func (r *remarks) lead(words []retrieve.Word) int {
	if n := r.Begins("remark leads", words); n > 0 {
		return n
	}
	if r.beforeUse(words) || len(words) > 0 && r.Is("joining words", words[0]) {
		return 1
	}
	return 0
}

// beforeUse reports whether words say what the result is for: "before I post this". Other words after "before" are a condition.
func (r *remarks) beforeUse(words []retrieve.Word) bool {
	if len(words) < 3 || words[0].Lower() != "before" || !r.Is("publishing", words[2]) {
		return false
	}
	return r.Begins("speakers", words[1:]) > 0 || r.Is("pronouns", words[1])
}

// asksAfter reports whether a request follows the word that ends a reason: "we watch on mute, so could you …".
func (r *remarks) asksAfter(words []retrieve.Word) bool {
	return len(words) > 2 && r.Begins("requesting", words[1:]) > 0
}

// separates reports whether the mark at i stands between two parts, rather than within a number or before one.
func (r *remarks) separates(words []retrieve.Word, i int) bool {
	if strings.ContainsAny(words[i].Text, ",.;:!?()…–—") {
		return i+1 == len(words) || i == 0 || words[i+1].Start > words[i].End || words[i].Start > words[i-1].End
	}
	return words[i].Text == "-" && i > 0 && i+1 < len(words) && words[i].Start > words[i-1].End && words[i+1].Start > words[i].End
}

// isRemark reports whether a part asks for nothing.
func (r *remarks) isRemark(part []retrieve.Word) bool {
	if r.Begins("remarks", part) > 0 {
		return !r.obliges(part)
	}
	return r.states(part)
}

// states reports whether words up to the next punctuation mark are a statement that asks for nothing.
func (r *remarks) states(words []retrieve.Word) bool {
	if end := slices.IndexFunc(words, retrieve.Word.IsMark); end >= 0 {
		words = words[:end]
	}
	for n := r.lead(words); n > 0; n = r.lead(words) {
		words = words[n:]
	}
	if len(words) > 2 && r.Is("permitting", words[0]) && r.Is("hardly", words[1]) { // "can hardly hear her"
		return true
	}
	subject, anyVerb := r.subject(words)
	if subject == 0 || subject == len(words) || r.obliges(words) {
		return false
	}
	said := words[subject:]
	hardly := len(said) > 1 && r.Is("permitting", said[0]) && r.Is("hardly", said[1])
	negative := r.Is("nobody", words[0]) || hardly
	switch {
	case !negative && r.counts(words):
		return false
	case hardly:
	case words[0].Lower() == "you" && r.Is("permitting", said[0]) && len(said) > 1 && !r.Is("looking", said[1]):
		return false // "you can remove the logo"
	case !anyVerb && r.Is("permitting", said[0]) && !r.Is("unable", said[0]), r.Is("nobody", words[0]) && r.Is("wishing", said[0]):
		return false // "it would look better in grey", "nobody needs the sound"
	}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.IsFile() || w.IsQuote() || r.Is("complaining", w) }) &&
		(anyVerb || r.isFinite(said[0])) && !r.orders(said)
}

// counts reports whether words state a quantity. "Twice" does not count: "they signed up twice".
func (r *remarks) counts(words []retrieve.Word) bool {
	return slices.ContainsFunc(QuantitiesIn(r.text, words), func(q quantity.Quantity) bool {
		at := words[0].Start
		return !strings.EqualFold(r.text[at+q.Start:at+q.End], "twice")
	})
}

// subject returns the number of words of the subject at the start, 0 if there is none. anyVerb means that any verb may follow,
// as after "we".
func (r *remarks) subject(words []retrieve.Word) (n int, anyVerb bool) {
	switch {
	case len(words) == 0:
		return 0, false
	case r.Begins("speakers", words) > 0:
		return r.Begins("speakers", words), true
	case r.Begins("existing", words) > 0:
		return r.Begins("existing", words), true
	case !r.Is("determiners", words[0]) && !r.Is("articles", words[0]) && !r.Is("owners", words[0]) && !r.Is("pronouns", words[0]) &&
		!r.Is("some", words[0]) && !r.owns(words):
		return 0, false
	}
	for i := 1; i < len(words) && i <= mostSubject; i++ {
		if r.isFinite(words[i]) {
			return i, false
		}
	}
	return 0, false
}

// mostSubject is the maximum number of words of a subject: "my old car stereo".
const mostSubject = 5

// owns reports whether the words begin with an owner: "Anna's laptop", "nobodys laptop".
func (r *remarks) owns(words []retrieve.Word) bool {
	first := words[0].Lower()
	return strings.HasSuffix(first, "'s") || strings.HasSuffix(first, "’s") || r.Is("nobody", words[0])
}

func (r *remarks) isFinite(w retrieve.Word) bool {
	return r.Is("finite", w) || r.Is("unable", w) || r.Is("stating", w) || r.Is("permitting", w)
}

// obliges reports whether words say how something has to be, or what the person wants.
func (r *remarks) obliges(words []retrieve.Word) bool {
	if r.Is("nobody", words[0]) {
		return false
	}
	return slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return r.Is("obliging", w) || r.Is("prohibiting", w) || r.Is("wishing", w) || r.Is("closing words", w)
	})
}

// orders reports whether an order follows the verb of a statement: "the picture is crooked rotate it".
func (r *remarks) orders(said []retrieve.Word) bool {
	for i := 1; i+1 < len(said); i++ {
		bound := r.isFinite(said[i-1]) || r.Is("hardly", said[i-1]) || r.Is("prepositions", said[i-1]) || r.Begins("speakers", said[i-1:]) > 0
		object := r.Is("pronouns", said[i+1]) || r.Is("determiners", said[i+1])
		if r.IsVerb(said[i]) && object && !bound {
			return true
		}
	}
	return false
}

// withoutPurpose returns a part without the purpose at its end: "… for the slides", "… we can send to customers".
func (r *remarks) withoutPurpose(part []retrieve.Word) []retrieve.Word {
	for i, w := range part {
		tail := part[i:]
		switch {
		case i > 1 && i+2 < len(part) && r.Begins("speakers", tail) == 1 && r.Is("permitting", tail[1]) && !r.obliges(tail) && part[i-1].Kind == retrieve.Plain:
			return part[:i]
		case w.Lower() == "for" && r.isPurpose(tail[1:]):
			return part[:i]
		}
	}
	return part
}

// mostPurpose is the maximum number of words of a purpose: "for the next team meeting".
const mostPurpose = 4

// isPurpose reports whether words after "for" name something outside of the request.
func (r *remarks) isPurpose(words []retrieve.Word) bool {
	if len(words) == 0 || len(words) > mostPurpose {
		return false
	}
	if first := words[0]; len(words) > 1 && !r.Is("determiners", first) && !r.Is("articles", first) && !r.Is("owners", first) {
		return false
	}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		switch {
		case w.Kind != retrieve.Plain, r.IsMedia(w), retrieve.IsFormat(w.Lower()), r.Is("time units", w):
			return true
		case r.Is("parts", w), r.Is("pieces", w), r.Is("scenes", w), english.Ordinals[w.Lower()] != 0:
			return true
		}
		return r.Is("pronouns", w) && len(words) == 1
	})
}
