package values

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// The values that a clause states: amounts, formats, languages, places. They are found independently of the
// resources that the clause is about.

// Format returns the target file format: the last one named.
func (st *Reader) Format(r *scene.Reading) string {
	for i, w := range slices.Backward(r.Clause.Words) {
		if text := w.Lower(); w.Kind == retrieve.Plain && FormatWords.MatchString(text) && !st.ShownFormat(r.Clause.Words, i) {
			return text
		}
	}
	return ""
}

// FormatWords matches the formats that a file can be converted to.
var FormatWords = lazyregexp.New(`^(?:png|jpe?g|gif|webp|avif|jxl|ico|favicon|bmp|tiff?|mp4|webm|mov|mkv|avi|mp3|wav|flac|ogg|opus|m4a|m4r|aac|aiff?|srt|vtt)$`)

// Place returns a place on a picture ("bottom right") or in the world ("Paris").
func (st *Reader) Place(r *scene.Reading, f *profile.Profile) string {
	if slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Type.Media() }) {
		return st.placeOnMedia(r)
	}
	at := slices.IndexFunc(r.Words, func(w retrieve.Word) bool { text := w.Lower(); return text == "in" || text == "at" || text == "for" })
	if at >= 0 && at+1 < len(r.Words) {
		text := strings.Trim(st.Text[r.Words[at+1].Start:r.Words[len(r.Words)-1].End], " .?!,")
		for _, tail := range []string{" right now", " now", " today", " tomorrow", " please"} {
			text = strings.TrimSuffix(text, tail)
		}
		return text
	}
	if f.Returns == plan.Time {
		return "here"
	}
	return st.Objects.of(r, f)
}

// ValuePhrases returns the quantities of a clause with units that mean the same for every tool, unlike "20 %".
func (st *Reader) ValuePhrases(r *scene.Reading) []Phrase {
	var all []Phrase
	text := st.Span(r.Clause.Words)
	found := r.Unquoted()
	for i := 0; i < len(found); i++ {
		q := found[i]
		begin, end, led := q.Start, q.End, false
		switch q.Unit {
		case quantity.Time, quantity.Clock:
			if i > 0 && found[i-1].Unit == quantity.Number && betweenTime.MatchString(text[found[i-1].End:begin]) { // "between 2 and 4 seconds"
				begin = found[i-1].Start
			}
			if lead := beforeTime.FindStringIndex(text[:begin]); lead != nil {
				begin, led = lead[0], true
			}
			if i+1 < len(found) && found[i+1].Unit != quantity.Share && betweenTime.MatchString(text[end:found[i+1].Start]) { // "… to half speed"
				i++
				end = found[i].End
			}
			end += len(toTheEnd.FindString(text[end:]))
		default:
			if !slices.Contains(PlainUnits, q.Unit) {
				continue
			}
		}
		led = led || end > q.End || q.Unit == quantity.Clock // "an echo of 300 ms" chooses no part
		all = append(all, Phrase{q.Unit, text[begin:end], led && chosenBy.MatchString(text[:begin])})
	}
	if at := aFrame.FindString(text); at != "" {
		all = append(all, Phrase{quantity.Time, at, true})
	}
	return all
}

// Passage returns the words for a part of a sound or a video; "" if there are none.
func (st *Reader) Passage(r *scene.Reading) string {
	if _, ok := st.Pace.Lasting(r); ok { // the length of the whole file
		return ""
	}
	for _, p := range st.ValuePhrases(r) {
		if p.OfTime() && aPassage.Reads(p.Text) {
			return p.Text
		}
	}
	return ""
}

// Passages returns the words for several parts of a sound or a video, or for lengths at its ends; "" if there are none.
func (st *Reader) Passages(r *scene.Reading) string {
	return found(quantity.FindPassages, st.WithoutFiles(r.Words, r.Text))
}

var (
	aNumber    = lazyregexp.New(`(?i)\bnumber \d+ in\b`)
	keepsThere = lazyregexp.New(`(?i)(?:[,.]| and)? (?:leave|keep|keeping|retain|preserve) `)
	fromSides  = lazyregexp.New(`(?i)^\d[^a-z]*(?:px|pixels?)? ?(?:off|from) (?:all|every|each)\b`)
)

// part returns the words for a part of a picture in a form that answers can repeat: "16:9 at the top" for "16:9, keep the
// top", "all but 10% off all sides" for "10% off all sides".
func part(said string) string {
	said = keepsThere.ReplaceAllString(said, " at ")
	if fromSides.MatchString(said) {
		said = "all but " + said
	}
	return said
}

// Phrase is a quantity of a clause with the words that belong to it: "first 3 seconds".
type Phrase struct {
	Unit quantity.Unit
	Text string
	// Chosen means that only this part of a file is wanted: "of the first 3 seconds".
	Chosen bool
}

// OfTime reports whether the quantity is a duration or a moment.
func (p Phrase) OfTime() bool { return p.Unit == quantity.Time || p.Unit == quantity.Clock }

// Tells reports whether the phrase can be the value of an argument.
func (p Phrase) Tells(a toolbox.Arg) bool {
	switch {
	case a.Param == nil || !a.Param.Takes(p.Unit) || !a.Param.Reads(p.Text):
		return false
	case a.Param.Type == param.Strength: // "1080p" is not the strength of a blur
		return false
	case a.Param.Type == param.Duration: // "the first 5 s" is not the length of pieces
		return !p.bounded()
	case p.Unit == quantity.Pixels: // "a round picture, 256 px" has no radius
		return a.Param.Type == param.Size || a.Param.Type == param.Region
	}
	return true
}

// bounded reports whether the phrase says where a part begins or ends, not only how long it is.
func (p Phrase) bounded() bool {
	_, end := quantity.FindBounded(p.Text)
	return end > 0
}

var (
	aFrame      = lazyregexp.New(`(?i)\b(?:first|last|middle) (?:frame|shot|still)\b`)
	beforeTime  = lazyregexp.New(`(?i)(?:\b(?:first|last|from|between|after|before|until|since|seconds?|minutes?|without|the)\s+)+$`)
	chosenBy    = lazyregexp.New(`(?i)\bof\s+$`)
	toTheEnd    = lazyregexp.New(`(?i)^ (?:(?:to|until|till) (?:the )?end|onwards?|on)\b`)
	betweenTime = lazyregexp.New(`(?i)^\s*(?:to|until|till|and|-|–)\s*$`)
)

// Bounded returns the words that select a part of a sound or a video by its start or end, such as "everything after
// 1:00", or "" if there are none.
func (st *Reader) Bounded(r *scene.Reading) string {
	return found(quantity.FindBounded, st.Span(r.Clause.Words))
}

// language returns the last language that the clause names.
func (st *Reader) language(r *scene.Reading) string {
	for _, w := range slices.Backward(r.Words) {
		if st.In("languages", w.Lower()) {
			return w.Text
		}
	}
	return ""
}

// placeOnMedia returns the first phrase for a part, a direction or a number.
func (st *Reader) placeOnMedia(r *scene.Reading) string {
	text := st.WithoutFiles(r.Words, r.Text)
	for _, a := range r.Head.Args {
		switch {
		case !a.Optional:
		case profile.SettingOf(a) == param.TimeRange: // "the left half from 2 to 4 seconds"
			text = strings.Replace(text, cmp.Or(st.Passage(r), st.Bounded(r)), "", 1)
		case profile.SettingOf(a) == param.Opacity: // "bottom left, half transparent"
			text = strings.Replace(text, st.PhraseFor(r, *a.Param), "", 1)
		case profile.SettingOf(a) == param.Integer: // "the number 3 in a circle at the top left"
			text = aNumber.ReplaceAllString(text, "")
		case profile.SettingOf(a) == param.Choice: // "from the left" is no part of "the middle"
			if said := st.PhraseFor(r, *a.Param); strings.Contains(said, " ") {
				text = strings.Replace(text, said, "", 1)
			}
		}
	}
	begin, end, apart := -1, 0, false
	for _, w := range st.Lexicon.Words(text, []retrieve.Span{}) {
		behind := apart
		apart = w.Text == ","
		switch {
		case begin >= 0 && behind && w.Kind == retrieve.Number: // "at the top, 20% smaller"
			return part(text[begin:end])
		case !w.IsQuote() && (w.Kind == retrieve.Number && !r.Head.Sized() || st.Is("places", w)):
			if begin < 0 {
				begin = w.Start
			}
			end = w.End
		case begin >= 0 && (st.Is("joining places", w) || st.Is("leaving", w)):
		case begin >= 0 && slices.Contains([]string{"px", "pixel", "pixels"}, w.Lower()):
			end = w.End
		case begin >= 0 && (w.Kind == retrieve.Number || w.Kind == retrieve.Plain && !st.Lexicon.Stop(w.Lower())):
			return part(text[begin:end])
		}
	}
	return part(text[max(0, begin):end])
}

// aPassage is a parameter that takes a part of a sound or a video.
var aPassage = param.Param{Type: param.TimeRange}

// PlainUnits are the units that mean the same for every tool.
var PlainUnits = []quantity.Unit{
	quantity.Pixels, quantity.ByteCount, quantity.FrameRate, quantity.Loudness, quantity.BitRate, quantity.Frequency,
}
