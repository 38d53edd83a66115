package rules

import (
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/retrieve"
)

// People leave out the verb or the quotation marks around words that are to be written on a picture or a video:
// "SALE at the top right", "title: Summer 2024, top center". Such words are quoted before the text is split, so that
// their commas and "and"s belong to them.

const (
	aPlace = `(?:(?:very )?(?:top|bottom|upper|lower|left|right|cent(?:er|re)|middle)(?:[ -](?:left|right|cent(?:er|re)|middle|corner|edge|part|side))*|corner)`
	// places may be said in parts: "in the corner, bottom right".
	places = `(?:(?:,\s*|\s+)(?:(?:in|at|on|near|across|along|over)\s+)?(?:the\s+)?` + aPlace + `)+`
	// capitals are words in capitals, with small ones between them: "Sold Out", "Back to School".
	capitals = `(?:©\s?)?\p{Lu}[\p{L}\d'’.!?&-]*(?:\s+(?:(?:of|the|and|to|for|in|a|&)\s+)*[\p{Lu}\d][\p{L}\d'’.!?&-]*)*`
	textNoun = `(?i:(?:the\s+|a\s+)?(?:text|words?|title|caption|heading|headline|watermark))`
)

var (
	// unquoted finds what may be such a text: what leads to it, the text, and where it goes.
	unquoted = lazyregexp.New(`(^|[.;,]\s*|\b(?i:and|then)\s+)((?i:write|put|add|place|print|stamp|stick)\s+)?(` + textNoun + `:?\s+)?` +
		`(` + capitals + `|"[^"]+"|“[^”]+”)(` + places + `)\b`)
	// labelled is a whole request of a text behind the noun for it: "caption: our first house".
	labelled = lazyregexp.New(`^` + textNoun + `\s*:\s*([^"“]+?)(` + places + `)?[.!]?$`)
	// memeLines are the two lines of a meme, each behind the name of its place.
	memeLines = lazyregexp.New(`(?i)^(.*?)\b(?:the )?(?:top|upper)` + ofLine + aLine + `\s*[,;]?\s+(?:and |with )?(?:the )?` +
		`(?:bottom|lower)` + ofLine + aLine + `[.!]?$`)
	// memeTexts are the same lines, each before its place.
	memeTexts = lazyregexp.New(`(?i)^(.*\bmeme\b.*?)(?:\bwith|\bsaying|\bthat says|:)\s+` + aLine + ` (?:on|at|in) (?:the )?top,? (?:and )?(?:with )?` +
		aLine + ` (?:on|at|in) (?:the )?bottom[.!]?$`)
	preposition = lazyregexp.New(`(?i)^,?\s*(?:in|at|on|near|across|along|over)\b`)
)

const (
	ofLine = `(?: (?:text|line|caption|row))?(?: (?:says?|saying|is|reads?|reading))?\s*:?\s+`
	aLine  = `("[^"]+"|'[^']+'|“[^”]+”|[^,;:"“/]+?)`
)

// quoted puts the words that are to be written into quotation marks, with the verb that is missing. It changes nothing
// where another file could be meant: "Logo at the top right" with a logo.
func (p *Planner) quoted(r plan.Request, text string) string {
	files := r.Given
	if len(files) == 0 {
		files = r.Earlier
	}
	if len(files) != 1 || profile.Base(files[0].Type) != plan.Image && files[0].Type != plan.Video {
		return text
	}
	if meme := asMeme(text); meme != "" {
		return meme
	}
	if m := labelled.FindStringSubmatch(text); m != nil {
		return `write "` + m[1] + `"` + at(m[2])
	}
	orders := 0
	return unquoted.ReplaceAllStringFunc(text, func(found string) string {
		m := unquoted.FindStringSubmatch(found)
		before, verb, noun, said, place := m[1], m[2], m[3], m[4], m[5]
		if !strings.ContainsAny(said, `"“`) && noun == "" && !p.isWritten(said) {
			return found
		}
		if listed := strings.TrimSpace(before); verb == "" && (orders == 0 || listed != "and" && listed != ",") {
			verb = "write "
		}
		orders++
		return before + verb + `"` + unmarked(said) + `"` + at(place)
	})
}

// asMeme is a request for a meme with its two lines as one quotation; "" if the text is no such request.
func asMeme(text string) string {
	for _, lines := range []lazyregexp.Regexp{memeLines, memeTexts} {
		m := lines.FindStringSubmatch(text)
		if m == nil || strings.EqualFold(m[2], "and") {
			continue
		}
		order := strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(m[1]), "with"), " ,:")
		if order == "" {
			order = "make a meme"
		}
		if strings.Contains(strings.ToLower(order), "meme") {
			return order + ` that says "` + unmarked(m[2]) + " / " + unmarked(m[3]) + `"`
		}
	}
	return ""
}

// unmarked is a text without its quotation marks.
func unmarked(text string) string { return strings.Trim(text, `"“”'`) }

// at writes a place with its preposition.
func at(place string) string {
	if place == "" || preposition.MatchString(place) {
		return place
	}
	place = strings.TrimSpace(strings.TrimPrefix(place, ","))
	return " at the " + strings.TrimPrefix(place, "the ")
}

// isWritten reports whether words in capitals can only be a text: none of them asks for a tool or names a file.
func (p *Planner) isWritten(said string) bool {
	words := p.Lexicon.Words(said, []retrieve.Span{})
	upper := strings.ToUpper(said) == said && len(said) > 3
	for _, w := range words {
		known := p.Index.Known(w.Stem) || p.Listed(w.Lower()) && !p.Is("video nouns", w) || p.IsVerb(w) || retrieve.IsFormat(w.Lower())
		if known && len(words) == 1 && !upper || retrieve.IsFormat(w.Lower()) && len(words) == 1 {
			return false
		}
	}
	return len(words) > 0 && (len(words) == 1 || upper || !p.IsVerb(words[0]))
}
