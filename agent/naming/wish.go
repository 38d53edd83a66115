package naming

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
)

// In finds the names in a request and returns the request without them: "draw a castle" for "draw a
// castle with SDXL". If nothing else would be left, it returns the request unchanged.
func (n *Names) In(wish string) (bare string, found []Mention) {
	s := scan{names: n, text: wish, words: split(wish)}
	for i := 0; i < len(s.words); {
		i = max(i+1, s.step(i))
	}
	s.ideographic()
	slices.SortFunc(s.phrases, func(a, b phrase) int { return a.start - b.start })
	rest := s.without(s.phrases)
	near := remembering(n.near)
	s.phrases = slices.DeleteFunc(s.phrases, func(p phrase) bool { return !p.meant(near, rest) })
	for _, p := range s.phrases {
		found = append(found, p.Mention)
	}
	bare = s.without(s.phrases)
	if letters(bare) == "" {
		bare = wish
	}
	return bare, found
}

// scan finds phrases.
type scan struct {
	names   *Names
	text    string
	words   []word
	phrases []phrase
}

// word is a word of a request, with its position and surrounding punctuation.
type word struct {
	text       string // lower case, without punctuation
	start, end int    // without punctuation
	from, to   int    // with punctuation
	quoted     bool
}

// split splits a text at white space.
func split(text string) []word {
	var all []word
	quoted, from := false, -1
	add := func(to int) {
		if from < 0 {
			return
		}
		field := text[from:to]
		core := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' })
		at := from + strings.Index(field, core)
		opens := strings.ContainsAny(text[from:at], "\"“«„`")
		all = append(all, word{strings.ToLower(core), at, at + len(core), from, to, quoted || opens})
		marks := strings.Count(field, `"`) + strings.Count(field, "`")
		switch {
		case strings.ContainsAny(field, "”»"):
			quoted = false
		case strings.ContainsAny(field, "“«„"):
			quoted = true
		case marks%2 == 1:
			quoted = !quoted
		}
		from = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			add(i)
		case from < 0:
			from = i
		}
	}
	add(len(text))
	return all
}

// closes reports whether closing punctuation follows the word at i.
func (s *scan) closes(i int) bool {
	return strings.ContainsAny(s.text[s.words[i].end:s.words[i].to], ".,;:!?)]")
}

func (s *scan) ends(i int) bool {
	return strings.ContainsAny(s.text[s.words[i].end:s.words[i].to], ".;!?")
}

// at returns the word at i; "" if out of range.
func (s *scan) at(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i].text
}

// step looks for a phrase that begins at word i and returns the index of the next word.
func (s *scan) step(i int) int {
	w := s.words[i]
	switch {
	case w.quoted:
		return i + 1
	case strings.ContainsAny(s.text[w.from:w.start], "(["):
		return s.inBrackets(i)
	case leading.has(w.text):
		return s.led(i)
	case ordering.has(w.text) && s.begins(i):
		return s.ordered(i, s.skip(i+1, fillers))
	}
	return i + 1
}

// begins reports whether an order may begin at i: "use …", ", use …", "and please use …".
func (s *scan) begins(i int) bool { return i == 0 || s.closes(i-1) || before.has(s.at(i-1)) }

// skip skips up to two words of a kind.
func (s *scan) skip(i int, kind set) int {
	for range 2 {
		if i > 0 && s.closes(i-1) || !kind.has(s.at(i)) {
			break
		}
		i++
	}
	return i
}

// name finds the longest name that begins at i, and returns its meanings and its end.
func (s *scan) name(i int) (meanings []meaning, end int) {
	var key strings.Builder
	for k := i; k < len(s.words) && k < i+s.names.longest+2; k++ {
		if s.words[k].quoted {
			break
		}
		key.WriteString(letters(s.words[k].text))
		if m := s.names.meanings[key.String()]; m != nil {
			meanings, end = m, k+1
		}
		if s.closes(k) {
			break
		}
	}
	return meanings, end
}

// inBrackets parses "(NAME)".
func (s *scan) inBrackets(i int) int {
	meanings, end := s.name(s.skip(i, fillers))
	if meanings == nil || !strings.ContainsAny(s.text[s.words[end-1].end:s.words[end-1].to], ")]") {
		return i + 1
	}
	p := s.phrase(i, end, meanings)
	p.start, p.About = s.words[i].from, s.about(i, end)
	p.end = s.words[end-1].end + strings.IndexAny(s.text[s.words[end-1].end:], ")]") + 1
	s.phrases = append(s.phrases, p)
	return end
}

// ordered parses "use NAME", "use NAME to …", "let NAME …", "use NAME for …", and "and NAME for …"
// after the last.
func (s *scan) ordered(i, first int) int {
	meanings, end := s.name(first)
	if meanings == nil {
		return i + 1
	}
	p := s.phrase(first, end, meanings)
	p.order = true
	end = s.skip(end, trailing)
	next := s.at(end)
	if s.closes(end - 1) {
		next = ""
	}
	joint := i > 0 && joining.has(s.at(i-1)) && !s.closes(i-1)
	p.start, p.end, p.About = s.words[i].from, s.words[end-1].end, s.about(i, end)
	switch {
	case next == "to" || joining.has(next):
		end++
		p.end = s.words[end-1].to
	case next == "for":
		end++
		for end < len(s.words) && !s.closes(end-1) && !joining.has(s.at(end)) {
			end++
		}
		p.About = s.text[s.words[first].start:s.words[end-1].end]
		if letters(s.text[:p.start]) == "" && s.ends(end-1) && end == len(s.words) {
			p.end = s.words[slices.IndexFunc(s.words, func(w word) bool { return w.text == "for" })].to
		} else {
			p.end = s.words[end-1].end
		}
	case next != "" && !handing.has(s.at(i)):
		return i + 1
	}
	if joint && (next == "" || next == "for") {
		p.start = s.words[i-1].from
	}
	s.phrases = append(s.phrases, p)
	if next == "for" && joining.has(s.at(end)) {
		if more, _ := s.name(end + 1); more != nil {
			return s.ordered(end, end+1)
		}
	}
	return end
}

func (s *scan) phrase(first, end int, meanings []meaning) phrase {
	name := s.text[s.words[first].start:s.words[end-1].end]
	return phrase{Mention: Mention{Name: name, names: s.names, meanings: meanings}, distinct: distinct(name)}
}

// about returns the text around a phrase: the words before it in its sentence, back to the previous
// phrase, or else the words after it.
func (s *scan) about(i, end int) string {
	from := i
	for from > 0 && !s.ends(from-1) && !s.taken(s.words[from-1].start) {
		from--
	}
	if from < i && letters(s.text[s.words[from].from:s.words[i-1].to]) != "" && !politely(s.words[from:i]) {
		return s.text[s.words[from].from:s.words[i-1].to]
	}
	to := end
	for to < len(s.words) && (to == end || !s.ends(to-1)) {
		to++
	}
	if to == end {
		return ""
	}
	return s.text[s.words[end].from:s.words[to-1].to]
}

// politely reports whether the words only introduce an order: "could you please".
func politely(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool { return !polite.has(w.text) && !before.has(w.text) })
}

func (s *scan) taken(at int) bool {
	return slices.ContainsFunc(s.phrases, func(p phrase) bool { return p.start <= at && at < p.end })
}

// ideograph matches names in scripts without spaces, such as 用SDXL画一座城堡.
//
//nolint:gosmopolitan // it matches Chinese
var ideograph = lazyregexp.New(`(?:请)?(?:使用|利用|通过|借助|采用|用|以)\s*([A-Za-z][A-Za-z0-9 ._/+-]*)\s*(?:模型|服务器)?(?:来)?`)

func (s *scan) ideographic() {
	for _, at := range ideograph.FindAllStringSubmatchIndex(s.text, -1) {
		part := scan{names: s.names, text: s.text[at[2]:at[3]], words: split(s.text[at[2]:at[3]])}
		meanings, end := part.name(0)
		if meanings == nil || s.taken(at[0]) {
			continue
		}
		p := part.phrase(0, end, meanings)
		p.start, p.end, p.distinct = at[0], at[1], true
		if end < len(part.words) {
			p.end = at[2] + part.words[end-1].end
		}
		s.phrases = append(s.phrases, p)
	}
}

// without returns the request without the phrases.
func (s *scan) without(phrases []phrase) string {
	var b strings.Builder
	at := 0
	for _, p := range phrases {
		if p.end <= at {
			continue
		}
		b.WriteString(s.text[at:max(at, p.start)])
		at = p.end
		if before := strings.TrimSpace(b.String()); before == "" || strings.ContainsAny(before[len(before)-1:], ",.;:!?") {
			at += len(s.text[at:]) - len(strings.TrimLeft(s.text[at:], ",.;:!? ")) // which ended the phrase
			b.WriteByte(' ')
		}
	}
	if at == 0 {
		return s.text
	}
	b.WriteString(s.text[at:])
	text := loose.ReplaceAllString(b.String(), "$1")
	return strings.Trim(blanks.ReplaceAllString(text, " "), " ,;:")
}

// Cleanup after a phrase is removed.
var (
	blanks = lazyregexp.New(`[ \t]{2,}`)
	loose  = lazyregexp.New(`\s+([,.;:!?])`)
)
