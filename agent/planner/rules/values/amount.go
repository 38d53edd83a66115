package values

import (
	"regexp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

var (
	byShare  = lazyregexp.New(`(?i)\bby (?:about |around |just |only |an? )*$`)
	ofTime   = lazyregexp.New(`(?i)^\d+(?:\.\d+)? ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hours?)$`)
	ofPixels = lazyregexp.New(`(?i)^\d+ ?(?:px|pixels?)$`)
	shares   = lazyregexp.New(`(?i)%|\bper ?cent\b|\b(?:half|thirds?|quarters?|fifths?|tenths?)\b`)
	gains    = lazyregexp.New(`(?i)\d ?(?:db|decibels?)\b`)
	upOrDown = lazyregexp.New(`(?i)\b(?:up|down|off)\b`)
)

// amounts finds the words for an amount in a clause.
type amounts struct{ *Reader }

// of returns the words for an amount in the clause, else in the statement before it. A change by a share or by
// decibels keeps the verb, which gives its direction: "shrink by 20 percent".
func (m amounts) of(r *scene.Reading) string {
	if _, paces := r.Head.Pace(); paces {
		if q, ok := m.Pace.Lasting(r); ok {
			return m.Pace.FactorFor(r, q)
		}
	}
	text := m.WithoutFiles(r.Words, r.Text)
	if slices.ContainsFunc(r.Head.Args, func(a toolbox.Arg) bool { return profile.Kind(a) == param.Pages }) { // page numbers are not amounts
		start, end := quantity.FindPages(text)
		text = text[:start] + text[end:]
	}
	if opaque, ok := r.Head.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Opacity }); ok && r.Head.Sized() {
		text = strings.Replace(text, m.PhraseFor(r, *opaque.Param), "", 1)
	}
	text = m.withoutApart(r, text)
	for _, a := range r.Head.Args { // "quieter when I speak" is not the volume of the whole
		if profile.SettingOf(a) == param.Choice && len(a.Param.Prevailing) > 0 {
			said := m.phrases.choice(r, *a.Param)
			text = regexp.MustCompile(`(?i)\S+ (?:it )?(?:when|while|whenever)\b.*`+regexp.QuoteMeta(said)).ReplaceAllString(text, "")
		}
	}
	if r.Head.OfParts() { // times of parts are not amounts
		text = strings.Join(strings.Fields(strings.Replace(text, m.Passage(r), "", 1)), " ")
	}
	if start, end := quantity.FindLongSide(text); end > 0 && r.Head.Sized() {
		return text[start:end]
	}
	amount := m.in(text)
	if amount == "" {
		amount = m.in(r.Told)
		if tempo, ok := r.Head.Pace(); ok && amount == "" && tempo.Param.Reads(text) {
			return text // "play it in slow motion"
		}
		return amount
	}
	before, _, _ := strings.Cut(text, amount)
	if limit := quantity.LimitBefore(before); limit != "" && r.Head.Sized() {
		return limit + amount
	}
	if byShare.MatchString(before) && (ofTime.MatchString(amount) || ofPixels.MatchString(amount)) {
		// A change of a length is not a part, and a change of a size is not a size.
		return "by " + amount
	}
	if byShare.MatchString(before) && shares.MatchString(amount) || gains.MatchString(amount) {
		verb := r.Verb()
		if particle := upOrDown.FindString(text); particle != "" {
			verb += " " + particle
		}
		return verb + " by " + amount
	}
	return amount
}

// withoutApart removes the values for other parameters than the amount from a text.
func (m amounts) withoutApart(r *scene.Reading, text string) string {
	if _, ok := r.Head.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Moment }); ok { // "at 0:03 for 2 seconds"
		for _, q := range slices.Backward(lengthsIn(text, quantity.Find(text))) {
			text = strings.TrimSuffix(text[:q.Start], " for ") + text[q.End:]
		}
	}
	for _, a := range r.Head.Args { // values of other parameters are not amounts: "bottom left, a fifth of the width"
		place := profile.SettingOf(a) == param.Position && r.Head.Sized()
		if place || profile.Kind(a) == param.Moments || profile.Kind(a) == param.Interval || counted(a) {
			text = strings.Replace(text, m.PhraseFor(r, *a.Param), "", 1)
		}
	}
	return text
}

// counted reports whether the argument is a number of frames.
func counted(a toolbox.Arg) bool {
	return profile.Kind(a) == param.Integer && a.Param.Unit == param.Frames
}

// in returns the first phrase of a text that states an amount, preferably with a figure; "" if there is none. Other
// words end the phrase, since all its words count as accounted for.
func (m amounts) in(text string) string {
	amount := ""
	words := m.Lexicon.Words(text, []retrieve.Span{})
	core := func(w retrieve.Word) bool { return w.Kind == retrieve.Number || m.Is("amount words", w) }
	for i := 0; i < len(words); i++ {
		if !core(words[i]) || m.Counts(words, i) { // "the first one quieter"
			continue
		}
		begin, end, figure := i, i, false
		for ; i < len(words) && !m.beginsOther(text, words, i) && (!figure || words[i].Lower() != "at") && (core(words[i]) ||
			m.Is("amount tails", words[i]) || m.Is("amount joints", words[i]) ||
			words[i].IsMark() && strings.ContainsAny(words[i].Text, "-–×/%°")); i++ {
			if w := words[i]; !m.Is("amount joints", w) && !slices.Contains([]string{"of", "the", "to", "as"}, w.Lower()) {
				end = i
			}
			figure = figure || words[i].Kind == retrieve.Number
		}
		before := max(0, begin-1)
		if m.beginsAmount(words[before], words[begin], words[end], figure) {
			begin = before
		}
		if amount == "" || figure {
			amount = text[startOf(text, words[begin].Start):words[end].End]
		}
		if figure {
			break
		}
	}
	return amount
}

// beginsOther reports whether the word at i joins a quantity that is no part of the amount: "double speed and 15 fps".
func (m amounts) beginsOther(text string, words []retrieve.Word, i int) bool {
	return m.Is("amount joints", words[i]) && i+1 < len(words) && slices.ContainsFunc(quantity.Find(text), func(q quantity.Quantity) bool {
		return q.Start == words[i+1].Start && q.Unit != quantity.Pixels && slices.Contains(PlainUnits, q.Unit)
	})
}

// beginsAmount reports whether the word before an amount is part of it.
func (m amounts) beginsAmount(before, first, last retrieve.Word, figure bool) bool {
	minus := before.Text == "-" && before.End == first.Start
	unit := m.Is("time units", before) && first.Kind == retrieve.Number && last.Kind == retrieve.Number // "minute 3", "seconds 2 to 4"
	little := before.Lower() == "a" && !figure                                                          // "a bit"
	several := m.Is("numerals", before) && m.Is("parts of one", first)                                  // "two thirds"
	return minus || unit || little || several
}

// startOf returns where the amount with a word at start begins: "two and a half times" is one factor.
func startOf(text string, start int) int {
	for _, q := range quantity.Find(text) {
		if q.Unit == quantity.Factor && q.Start < start && q.End > start {
			return q.Start
		}
	}
	return start
}
