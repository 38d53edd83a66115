package rules

import (
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/retrieve"
)

// People leave out the verb or the quotation marks for text to write on a picture or a video: "SALE at the top right",
// "title: Summer 2024, top center". Such text is quoted before the request is split, so that its commas and "and"s
// stay part of it.

const (
	aPlace = `(?:(?:very )?(?:top|bottom|upper|lower|left|right|cent(?:er|re)|middle)(?:[ -](?:left|right|cent(?:er|re)|middle|corner|edge|part|side))*|corner)`
	// places matches a place, possibly in parts: "in the corner, bottom right".
	places = `(?:(?:,\s*|\s+)(?:(?:in|at|on|near|across|along|over)\s+)?(?:the\s+)?` + aPlace + `)+`
	// capitals matches capitalized words, with small words between them: "Sold Out", "Back to School".
	capitals = `(?:©\s?)?\p{Lu}[\p{L}\d'’.!?&-]*(?:\s+(?:(?:of|the|and|to|for|in|a|&)\s+)*[\p{Lu}\d][\p{L}\d'’.!?&-]*)*`
	textNoun = `(?i:(?:the\s+|a\s+|my\s+|our\s+)?(?:text|words?|title|caption|heading|headline|watermark|name|slogan|initials))`
)

var (
	// unquoted matches a possible text: its introduction, the text, and its place.
	unquoted = lazyregexp.New(`(^|[.;,]\s*|\b(?i:and|then)\s+)((?i:write|put|add|place|print|stamp|stick)\s+)?(` + textNoun + `:?\s+)?` +
		`(` + capitals + `|"[^"]+"|“[^”]+”)(` + places + `)\b`)
	// labelled matches a request that is only a text after a noun for it: "caption: our first house".
	labelled = lazyregexp.New(`^` + textNoun + `\s*:\s*([^"“]+?)(` + places + `)?[.!]?$`)
	// memeLines matches the two lines of a meme, each after its place.
	memeLines = lazyregexp.New(`(?i)^(.*?)\b(?:the )?(?:top|upper)` + ofLine + aLine + `\s*[,;]?\s+(?:and |with )?(?:the )?` +
		`(?:bottom|lower)` + ofLine + aLine + `[.!]?$`)
	// memeTexts matches the same lines, each before its place.
	memeTexts = lazyregexp.New(`(?i)^(.*\bmeme\b.*?)(?:\bwith|\bsaying|\bthat says|:)\s+` + aLine + ` (?:on|at|in) (?:the )?top,? (?:and )?(?:with )?` +
		aLine + ` (?:on|at|in) (?:the )?bottom[.!]?$`)
	preposition = lazyregexp.New(`(?i)^,?\s*(?:in|at|on|near|across|along|over)\b`)
)

const (
	ofLine = `(?: (?:text|line|caption|row))?(?: (?:says?|saying|is|reads?|reading))?\s*:?\s+`
	aLine  = `("[^"]+"|'[^']+'|“[^”]+”|[^,;:"“/]+?)`
)

// quoted quotes the text to write, and adds the missing verb. It changes nothing if the words may mean another file:
// "Logo at the top right" with a logo.
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

// asMeme returns a request for a meme with its two lines as one quotation; "" if the text is not such a request.
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

// unmarked removes the quotation marks around a text.
func unmarked(text string) string { return strings.Trim(text, `"“”'`) }

// at returns a place with its preposition.
func at(place string) string {
	if place == "" || preposition.MatchString(place) {
		return place
	}
	place = strings.TrimSpace(strings.TrimPrefix(place, ","))
	return " at the " + strings.TrimPrefix(place, "the ")
}

// isWritten reports whether capitalized words can only be a text: none of them asks for a tool or names a file.
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
