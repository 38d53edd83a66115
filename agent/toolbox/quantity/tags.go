package quantity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
)

// Tag is a metadata tag of an audio file. Its name is one of [TagNames].
type Tag struct{ Name, Value string }

// TagNames returns the names of the tags, in order.
func TagNames() []string {
	return []string{"title", "artist", "album", "year", "genre", "track", "composer"}
}

// maxTag is the maximum length of a tag's value, in characters.
const maxTag = 150

// Fits reports whether the tag's value is valid: a year is a number, a track one with or without the total, "3/7".
func (t Tag) Fits() bool {
	return slices.Contains(TagNames(), t.Name) && t.Value != "" && utf8.RuneCountInString(t.Value) <= maxTag &&
		!strings.ContainsFunc(t.Value, unicode.IsControl) && (t.Name != "year" || aYear.MatchString(t.Value)) &&
		(t.Name != "track" || aTrack.MatchString(t.Value))
}

const (
	soundNoun = `(?:song|track|tune|sound|recording|audio|music|file|mp3|m4a|flac|ogg|wav|podcast|album)s?`
	aSound    = `(?:it|(?:the|this|that|my|these|those) (?:\w+ )?` + soundNoun + `|\S+\.\w{2,4})`
	tagBegins = `(?:^|[,;&(:]|\b(?:and|with|the|its|new|set|add|change|put|tags?|edit|update|write|rename|correct|fix)\b|['’]s\b) ?(?:the |its |a |new )?`
	tagName   = `(?:(?:song|track|release|album) )?(title|artist|performer|singer|album|year|genre|composer|track(?: (?:number|no\.?|nr\.?))?)(?: tag)?`
	tagLeads  = `(?: (?:of|for|in|on) ` + aSound + `)?(?: ?(?:=|:|->) ?| (?:to|as|is|of) | )`
)

var (
	// tagSaid matches a tag name up to the first letter of its value.
	tagSaid = lazyregexp.New(`(?i)` + tagBegins + `(` + tagName + tagLeads + `)\S`)
	// tagFirst is tagSaid at the start of a text.
	tagFirst = lazyregexp.New(`(?i)^` + tagBegins + `(` + tagName + tagLeads + `)\S`)
	aYear    = lazyregexp.New(`^\d{4}$`)
	aTrack   = lazyregexp.New(`^\d{1,3}(?:/\d{1,3})?$`)
	// trackOf matches the value of a track with its total, and numbered what makes a bare number one.
	trackOf  = lazyregexp.New(`^(\d{1,3}) ?(?:of|/) ?(\d{1,3})\b`)
	numbered = lazyregexp.New(`[:=]|(?:number|no\.?|nr\.?) `)
	yearly   = lazyregexp.New(`^\d{4}\b`)
	// tagTail matches the words after a value without quotation marks.
	tagTail    = lazyregexp.New(`(?i)(?:[ ,;.!?]+| (?:and|please|pls|thanks)| (?:for|of|on|in|to) ` + aSound + `)$`)
	quotations = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"'", "'"}}
)

// Tags parses new values of audio tags: `title "Blue Moon" and artist Ella`, "the album to Jazz,
// the year to 1978". A value without quotation marks ends where the next tag starts.
func Tags(text string) ([]Tag, bool) {
	all, unfit, _, _ := findTags(text)
	return all, len(all) > 0 && !unfit
}

// FindTags returns the byte range of tags in a text, zeros if there are none.
func FindTags(text string) (start, end int) {
	_, _, start, end = findTags(text)
	return start, end
}

// BeginsTags reports whether a text starts with a tag: "artist Ella", "and set the year to 1978".
func BeginsTags(text string) bool {
	m := tagFirst.FindStringSubmatchIndex(text)
	if m == nil {
		return false
	}
	_, ok := tagAt(text, 0, m)
	return ok
}

// findTags returns the tags in a text and the byte range that they take. unfit reports whether one has no valid value.
func findTags(text string) (all []Tag, unfit bool, start, end int) {
	begins := tagsIn(text)
	for i, m := range begins {
		if m.value < end {
			continue // part of the value before it
		}
		stop := len(text)
		if i+1 < len(begins) {
			stop = begins[i+1].begin
		}
		said, after := quotedTag(text, m.value)
		if said == "" {
			said = text[m.value:stop]
			for loc := tagTail.FindStringIndex(said); loc != nil; loc = tagTail.FindStringIndex(said) {
				said = said[:loc[0]]
			}
			after = m.value + len(said)
			said = strings.Trim(said, "\"“”„«»")
		}
		tag := Tag{m.tag, strings.Join(strings.Fields(said), " ")}
		if tag.Name == "track" {
			tag.Value = trackOf.ReplaceAllString(tag.Value, "$1/$2")
		}
		if !tag.Fits() {
			unfit = true
			continue
		}
		if len(all) == 0 {
			start = m.name
		}
		all, end = append(all, tag), after
	}
	return all, unfit, start, end
}

// toldTag holds the positions of a tag in a text: begin is before its name.
type toldTag struct {
	tag                string
	begin, name, value int
}

// tagsIn finds the tag names that are followed by a value.
func tagsIn(text string) []toldTag {
	var all []toldTag
	for at := 0; at < len(text); {
		m := tagSaid.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		t, ok := tagAt(text, at, m)
		if ok {
			all = append(all, t)
		}
		at = t.value
	}
	return all
}

// tagAt returns the tag of a match of tagSaid, at an offset in the text, and whether its value may be valid.
func tagAt(text string, from int, m []int) (t toldTag, ok bool) {
	t = toldTag{tag: strings.ToLower(text[from+m[4] : from+m[5]]), begin: from + m[0], name: from + m[2], value: from + m[3]}
	switch value := text[t.value:]; {
	case t.tag == "performer" || t.tag == "singer":
		t.tag = "artist"
	case t.tag == "year":
		return t, yearly.MatchString(value)
	case strings.HasPrefix(t.tag, "track"): // "track 3 of 7", "track: 3", and not "join track 1 and track 2"
		t.tag = "track"
		return t, trackOf.MatchString(value) || numbered.MatchString(text[t.name:t.value]) && unicode.IsDigit(rune(value[0]))
	}
	return t, true
}

// quotedTag returns the quoted value that starts at begin, and its end; "" if there is none.
func quotedTag(text string, begin int) (said string, end int) {
	for _, q := range quotations {
		inner, ok := strings.CutPrefix(text[begin:], q[0])
		if !ok {
			continue
		}
		for at := 0; ; {
			i := strings.Index(inner[at:], q[1])
			if i < 0 {
				break
			}
			at += i
			next, _ := utf8.DecodeRuneInString(inner[at+len(q[1]):])
			if !unicode.IsLetter(next) && !unicode.IsDigit(next) { // not the apostrophe of 'It's me'
				return strings.TrimSpace(inner[:at]), begin + len(q[0]) + at + len(q[1])
			}
			at += len(q[1])
		}
	}
	return "", 0
}
