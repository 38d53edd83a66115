package composer

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/agent/lazyregexp"
)

// brief is how the words were understood.
type brief struct {
	style                   style
	mood                    mood
	scale                   mode
	family                  family // of the style's progressions
	tonic                   string
	key                     int // semitones above C
	tempo                   int
	steady                  bool // the tempo was given
	asked                   time.Duration
	lead, chords, bass, pad instrument
	drums                   string   // the pattern, or ""
	only                    []string // the instruments of a solo; empty if it is none
}

// reader interprets a plain text. Anything that the text leaves open is drawn at random.
type reader struct {
	tables

	text string
	dice *rand.Rand
	used []string
}

// The bounds of the tempo, in beats per minute.
const slowest, fastest = 40, 200

var (
	beats = lazyregexp.New(` (\d{2,3}) ?(?:bpm|beats (?:a|per) minute) `)
	keyed = lazyregexp.New(` ([a-g]) ?(#|sharp|flat)? (major|minor) `)
)

// brief interprets the text. The mood with the most words wins, the first style, and the last
// scale and speed.
func (r *reader) brief() brief {
	b := brief{mood: mood{Tempo: 1, Energy: 2}, asked: r.length()}
	styles, named := meant(r, r.Styles), map[string]int{}
	for _, m := range meant(r, r.Moods) {
		if named[m.Name]++; named[m.Name] > named[b.mood.Name] {
			b.mood = m
		}
	}
	b.style = append(styles, byName(r.Styles, cmp.Or(b.mood.Style, "pop")))[0]
	b.key = pick(r.dice, []int{0, 2, 3, 5, 7, 9, 10})
	usual := byName(r.Modes, cmp.Or(b.mood.Mode, b.style.Mode, pick(r.dice, []string{"major", "major", "minor"})))
	b.scale = last(meant(r, r.Modes), usual)
	if b.family, b.tonic = b.style.Major, "I"; b.scale.Minor {
		b.family, b.tonic = b.style.Minor, "i"
	}
	if b.family.Scale != "" {
		b.scale = byName(r.Modes, b.family.Scale)
	}
	low, high := b.style.Tempo[0], b.style.Tempo[1]
	b.tempo = int(float64(low+r.dice.IntN(high-low+1)) * b.mood.Tempo)
	b.tempo = last(meant(r, r.Speeds), speed{Beats: b.tempo}).Beats
	r.cast(&b, len(styles) > 0)
	if m := r.match(beats); m != nil {
		b.tempo, b.steady = int(number(m[1])), true
	}
	b.tempo = min(max(b.tempo, slowest), fastest)
	if m := r.match(keyed); m != nil {
		b.key = (map[string]int{"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}[m[1]] + map[string]int{"#": 1, "sharp": 1, "flat": 11}[m[2]]) % 12
	}
	return b
}

// last returns the last element, or the fallback if there is none.
func last[T any](all []T, fallback T) T { return append([]T{fallback}, all...)[len(all)] }

// meant returns the entries that the text names and does not negate.
func meant[T known](r *reader, table []T) []T {
	var all []T
	for _, f := range find(r.text, table) {
		r.used = append(r.used, f.words)
		if !f.denied {
			all = append(all, f.is)
		}
	}
	return all
}

// match returns the first match of a pattern in the text.
func (r *reader) match(pattern lazyregexp.Regexp) []string {
	m := pattern.FindStringSubmatch(r.text)
	if m != nil {
		r.used = append(r.used, strings.TrimSpace(m[0]))
	}
	return m
}

// cast gives parts to the named instruments, and the remaining parts to those of the style.
func (r *reader) cast(b *brief, styled bool) {
	var free []instrument // without a part so far
	wanted, unwanted, solo := false, false, false
	var playing []string
	for _, f := range find(r.text, r.Instruments) {
		r.used, solo = append(r.used, f.words), solo || f.alone && !f.denied
		drums := f.is.Name == "drums"
		switch wanted, unwanted = wanted || drums && !f.denied, unwanted || drums && f.denied; {
		case f.denied, slices.Contains(playing, f.is.Name):
			continue
		case !drums:
			free = append(free, f.is)
		}
		playing = append(playing, f.is.Name)
	}
	alone := len(free) == 1 && slices.Contains(free[0].Plays, "lead") && slices.Contains(free[0].Plays, "chords") &&
		(solo || b.mood.Energy < 2 && (!styled || strings.Contains(r.text, " solo ")))
	take := func(role string, names ...string) instrument {
		i := slices.IndexFunc(free, func(i instrument) bool { return i.Plays[0] == role })
		if i < 0 {
			i = slices.IndexFunc(free, func(i instrument) bool { return slices.Contains(i.Plays, role) })
		}
		taken := byName(r.Instruments, pick(r.dice, names))
		if i >= 0 {
			taken = free[i]
			free = slices.Delete(free, i, i+1)
		}
		return taken
	}
	b.lead = take("lead", b.style.Lead...)
	if alone {
		b.chords, b.bass = b.lead, b.lead
		b.bass.Low = 36
	} else {
		b.chords, b.bass, b.pad = take("chords", b.style.Chords...), take("bass", b.style.Bass), take("pad", b.style.Pad)
	}
	if solo {
		b.only = playing
	}
	switch b.drums = b.style.Drums; {
	case unwanted, !wanted && (alone || b.mood.Energy == 0):
		b.drums = ""
	case wanted && b.mood.Energy < 2:
		b.drums = cmp.Or(b.drums, "brushes")
	case wanted:
		b.drums = cmp.Or(b.drums, "rock")
	}
}

// length returns the length that the text asks for, or 0: "half a minute", "30 s", "1:30", "三十秒".
func (r *reader) length() time.Duration {
	oneOf := func(words map[string]float64) string { return strings.Join(slices.Collect(maps.Keys(words)), "|") }
	amount := regexp.MustCompile(` (\d{1,2}):([0-5]\d) |(?:\s|\p{Han})(\d{1,4}(?:\.\d{1,3})?|` + oneOf(r.Numbers) + `)(?: (half|an?))? ?` +
		`个?(` + oneOf(r.Units) + `)(?:\s|\p{Han})`) //nolint:gosmopolitan // Chinese wording
	amount.Longest()
	seconds := 0.0
	for word := range strings.FieldsSeq(r.text) {
		seconds = cmp.Or(seconds, r.Lengths[word])
	}
	if m := amount.FindStringSubmatch(r.text); m != nil {
		seconds = cmp.Or(60*number(m[1])+number(m[2]), cmp.Or(r.Numbers[m[3]], number(m[3]))*r.Units[m[5]])
		if m[4] == "half" {
			seconds /= 2
		}
	}
	return time.Duration(seconds * float64(time.Second))
}

// number parses digits; anything else is 0.
func number(digits string) float64 {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	return f
}

// plain normalizes a text: lower case, with one space around each word and no punctuation.
func plain(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(strings.ToValidUTF8(text, " ")), func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) && !strings.ContainsRune("#:.", r)
	})
	for i, f := range fields {
		fields[i] = strings.Trim(f, ".:")
	}
	return " " + strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ") + " "
}

// found is a table entry that a text names.
type found[T any] struct {
	is     T
	words  string
	denied bool // "no drums"
	alone  bool // "drums only"
}

var (
	takenBack = lazyregexp.New(`(?: (?:no|not|without)(?: [^ ]+)?|没有|不要) ?$`) //nolint:gosmopolitan // Chinese wording
	before    = lazyregexp.New(`(?: (?:only|just|solo)(?: [^ ]+)?|只有) ?$`)    //nolint:gosmopolitan // Chinese wording
	after     = lazyregexp.New(`^ ?(?:only |alone |独奏)`)                      //nolint:gosmopolitan // Chinese wording
	unspaced  = lazyregexp.New(`\p{Han}|\p{Hiragana}|\p{Katakana}`)
)

// known is an element of a table.
type known interface{ listed() entry }

func (e entry) listed() entry { return e }

// byName returns the entry with that name, or the zero value.
func byName[T known](table []T, name string) (none T) {
	for _, e := range table {
		if e.listed().Name == name {
			return e
		}
	}
	return none
}

// find lists the entries that a plain text names, in text order. The longest of the words that
// begin at the same place counts.
func find[T known](text string, table []T) []found[T] {
	var all []found[T]
	for at := 0; at < len(text); at++ {
		var best found[T]
		rest := ""
		for _, e := range table {
			for _, words := range e.listed().Words {
				after, ok := strings.CutPrefix(strings.TrimPrefix(text[at:], " "), words)
				if ok && len(words) > len(best.words) && (text[at] == ' ' && strings.HasPrefix(after, " ") || unspaced.MatchString(words)) {
					best.is, best.words, rest = e, words, after
				}
			}
		}
		if best.words == "" {
			continue
		}
		head, tail := text[:at], strings.TrimPrefix(rest, " ")
		best.denied = takenBack.MatchString(head)
		best.alone = before.MatchString(head) || after.MatchString(tail) ||
			strings.HasPrefix(tail, "solo ") && !strings.HasSuffix(head, " with a") && !strings.HasSuffix(head, " with an")
		all, at = append(all, best), len(text)-len(rest)-1
	}
	return all
}
