// Package param parses the settings of tools: typed parameters such as "the first 5 seconds", "half",
// "top left" or "webp".
//
// Guarantees:
//   - A value is parsed once, from a person's words or from its canonical form, and is typed from
//     then on: backends parse no words.
//   - The canonical form of a value parses to the same value. Equal values have equal forms.
//   - Every fault is a sentence for people. No input causes a panic.
//   - It is pure: no I/O and no model.
//
// It parses English. For other languages, a model writes the values in canonical form.
package param

import (
	"errors"
	"fmt"
	"maps"

	"slices"
	"strings"
	"unicode"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// Param declares one parameter of a tool.
type Param struct {
	Name string `yaml:"name"`
	Type Type   `yaml:"type"`
	// About describes it for people and models.
	About string `yaml:"about"`
	// Optional parameters may be omitted. Without a Default, the backend's own default applies.
	Optional bool `yaml:"optional,omitempty"`
	// Default is the value of an omitted optional parameter, in words.
	Default string `yaml:"default,omitempty"`
	// Unit is the unit of a number, for people: "%", "px". A size in "px" is no share or factor.
	Unit string `yaml:"unit,omitempty"`
	// Min and Max limit a number, an integer, a factor, a duration in seconds, or a size in percent.
	Min *float64 `yaml:"min,omitempty"`
	Max *float64 `yaml:"max,omitempty"`
	// Choices maps the values of a choice or a format to their synonyms. The value itself is always understood.
	Choices map[string][]string `yaml:"choices,omitempty"`
	// Prevailing lists choices that win if words of several choices are present: "under the voice, and duck it".
	Prevailing []string `yaml:"prevailing,omitempty"`
	// Clear allows "transparent" as a colour.
	Clear bool `yaml:"clear,omitempty"`
	// Examples show people how to write a value. Empty means the examples of the type.
	Examples []string `yaml:"examples,omitempty"`
}

// Value is a value of a parameter.
type Value struct {
	canonical string
	data      any
	words     bool
}

// String returns the canonical form.
func (v Value) String() string { return v.canonical }

// Words reports whether the value is free text, not from a list or in a fixed form.
func (v Value) Words() bool { return v.words }

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return v.data == nil }

// As returns the value as a Go value; false if it has another type or none.
func As[T any](v Value) (T, bool) {
	data, ok := v.data.(T)
	return data, ok
}

// Check lists the faults of a declaration.
func (p Param) Check() []error {
	var faults []error
	addf := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("parameter "+p.Name+": "+format, args...))
	}
	if p.Name == "" || strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		addf("the name %q must consist of lower-case letters, digits and _", p.Name)
	}
	if p.About == "" {
		addf("about is missing")
	}
	known, ok := types[p.Type]
	if !ok {
		addf("unknown type %q; the types are %s", p.Type, strings.Join(Types(), ", "))
		return faults
	}
	if p.Type == Choice && len(p.Choices) < 2 {
		addf("a choice needs at least two choices")
	}
	for _, name := range p.Prevailing {
		if _, ok := p.Choices[name]; !ok || p.Type != Choice {
			addf("%q is listed as prevailing, but is not a choice", name)
		}
	}
	if p.Type != Choice && p.Type != Format && len(p.Choices) > 0 {
		addf("only a choice or a format may have choices")
	}
	if p.Clear && p.Type != Colour {
		addf("only a colour can be clear")
	}
	if (p.Min != nil || p.Max != nil) && known.measure == nil {
		addf("a %s cannot have min or max", p.Type)
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		addf("min %g is above max %g", *p.Min, *p.Max)
	}
	if p.Default != "" {
		if !p.Optional {
			addf("a default needs optional: true")
		}
		if _, err := p.Read(p.Default); err != nil {
			addf("bad default: %s", plan.Sentence(err, plan.Message{}))
		}
	}
	for _, e := range p.Examples {
		if _, err := p.Read(e); err != nil {
			addf("bad example: %s", plan.Sentence(err, plan.Message{}))
		}
	}
	return faults
}

// maxText is the maximum length of a text to parse, in bytes.
const maxText = 4000

// Read parses a value from a person's words or from its canonical form. Its error has a sentence that
// says what was not understood and how to write it.
func (p Param) Read(text string) (Value, error) {
	known, ok := types[p.Type]
	if !ok {
		return Value{}, fmt.Errorf("parameter %s has an unknown type %q", p.Name, p.Type)
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	data, ok := p.data(known, text)
	if !ok {
		return Value{}, p.notUnderstood(text)
	}
	if !p.within(known, data) {
		return Value{}, &outsideError{p.outOfBounds(text)}
	}
	// Parse the canonical form, so that everyone who reads it gets the same value.
	canonical := known.format(data)
	if data, ok = known.parse(p, canonical); !ok {
		return Value{}, p.notUnderstood(text)
	}
	return Value{canonical, data, p.Type == Text || p.Type == Condition || p.Type == Language || p.Type == Model}, nil
}

// outsideError is returned for a value out of bounds.
type outsideError struct{ error }

func (e *outsideError) Unwrap() error { return e.error }

// Outside reports whether a text is a value out of bounds. The error of [Param.Read] tells people.
func (p Param) Outside(text string) bool {
	_, err := p.Read(text)
	_, outOfBounds := errors.AsType[*outsideError](err)
	return outOfBounds
}

// units maps the units of declarations to quantities.
var units = map[string]quantity.Unit{
	"fps": quantity.FrameRate, "px": quantity.Pixels, "%": quantity.Percent, "dB": quantity.Gain,
	"LUFS": quantity.Loudness, "kbps": quantity.BitRate, "Hz": quantity.Frequency, "dpi": quantity.Density, sentences: quantity.Length,
}

// sentences is the unit of text lengths. Other length units are not accepted for it.
const sentences = "sentences"

// Frames is the unit of a number of video frames spread over the video: "the first 10" are something else.
const Frames = "frames"

var atAnEnd = lazyregexp.New(`(?i)\b(?:first|last|next|final|opening|closing)\b`)

var otherLength = lazyregexp.New(`(?i)\b(?:words?|paragraphs?|bullets?|lines?|pages?)\b`)

// Takes reports whether people may write a value in this unit: the unit of the declaration, or a bare number. A number
// that counts something has no unit: "22 kHz" are not 22 semitones.
func (p Param) Takes(u quantity.Unit) bool {
	if p.Type == Number || p.Type == Integer {
		own, ok := units[p.Unit]
		return u == quantity.Number || ok && u == own || p.Unit == "" && (u == quantity.Factor || u == quantity.Pixels)
	}
	return p.Type.Takes(u) && (p.Type != Size || p.Unit != "px" || u == quantity.Pixels)
}

// Speaks reports whether the text contains a word of the parameter's examples outside of quantities
// and colours, such as "crossfade" in "1 second crossfade" and "outline" in "black outline". It
// distinguishes parameters of the same type.
func (p Param) Speaks(text string) bool {
	words := wordsBeside(text)
	return slices.ContainsFunc(p.Examples, func(e string) bool {
		return slices.ContainsFunc(wordsBeside(e), func(w string) bool {
			return len(w) > 2 && slices.Contains(words, w) && (p.Type != Colour || !p.Reads(w))
		})
	})
}

// Counts reports whether the number in the text determines the choice: "2 columns", but not "3 semitones lower".
func (p Param) Counts(text string) bool {
	return p.Type == Choice && p.Reads(text) && !p.Reads(strings.Join(wordsBeside(text), " "))
}

// wordsBeside returns the words of a text outside of its quantities, in lower case and in the singular.
func wordsBeside(text string) []string {
	for _, q := range slices.Backward(quantity.Find(text)) {
		if q.Unit != quantity.Length { // "3 lines" are counted
			text = text[:q.Start] + text[q.End:]
		}
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for i, w := range words {
		words[i] = singular(w)
	}
	return words
}

// Reads reports whether the text parses as a value.
func (p Param) Reads(text string) bool {
	known, ok := types[p.Type]
	if !ok {
		return false
	}
	data, ok := p.data(known, strings.TrimSpace(strings.ToValidUTF8(text, "")))
	if !ok || !p.within(known, data) {
		return false
	}
	_, ok = known.parse(p, known.format(data))
	return ok
}

// DefaultValue returns the value of an omitted parameter; the zero Value if the backend has its own default.
func (p Param) DefaultValue() Value {
	if p.Default == "" {
		return Value{}
	}
	v, err := p.Read(p.Default)
	if err != nil {
		return Value{} // Check rejects such a default
	}
	return v
}

// Explain describes the values in English, with examples or the choices.
func (p Param) Explain() string { return fmt.Sprintf("%s: %s", p.about(), quoted(p.examples())) }

// Possible lists the possible values: "left, right", "2 to 12". It is zero without a list or bounds.
func (p Param) Possible() plan.Message {
	switch {
	case len(p.Choices) > 0:
		return plan.Quote(strings.Join(p.choices(), ", "))
	case p.Min != nil && p.Max != nil:
		return plan.Say("%s to %s", p.bound(p.Min), p.bound(p.Max))
	}
	return plan.Message{}
}

// data parses a trimmed text as a value of a known type.
func (p Param) data(known kind, text string) (any, bool) {
	if text == "" || len(text) > maxText {
		return nil, false
	}
	data, ok := known.parse(p, text)
	if !ok && !known.isCanonical(text) { // words that look canonical, such as "0:10..0:05", are invalid
		data, ok = known.read(p, text)
	}
	return data, ok
}

// within reports whether a value is within the bounds. A value whose measure is not a number is, such as a width in
// pixels where the bounds are in percent.
func (p Param) within(known kind, data any) bool {
	if known.measure == nil {
		return true
	}
	m := known.measure(data)
	return (p.Min == nil || !(m < *p.Min)) && (p.Max == nil || !(m > *p.Max))
}

// notUnderstood returns the fault for a text that does not parse. It is final, since an explicit request must
// not be replaced by something else.
func (p Param) notUnderstood(text string) error {
	what, all := p.about(), p.examples()
	some, last := all[:len(all)-1], all[len(all)-1]
	if text == "" {
		return &plan.Fault{
			Sentence: plan.Say("Please say %s, for example %s or %q.", what, quoted(some), last),
			Err:      errors.New("no value for " + p.Name), Final: true,
		}
	}
	if p.Type == Format {
		return &plan.Fault{
			Sentence: plan.Say("It can be saved as %s or %s, but not as %q; please name one of these.", strings.Join(some, ", "), last, shorten(text)),
			Err:      fmt.Errorf("invalid format for %s", p.Name), Final: true,
		}
	}
	return &plan.Fault{
		Sentence: plan.Say("I cannot read %q as %s. Try, for example, %s or %q.", shorten(text), what, quoted(some), last),
		Err:      fmt.Errorf("invalid %s for %s", p.Type, p.Name), Final: true,
	}
}

// outOfBounds returns the fault for a value out of bounds.
func (p Param) outOfBounds(text string) error {
	said := plan.Say("%q is not possible here: it must be at least %s.", shorten(text), p.bound(p.Min))
	switch {
	case p.Min != nil && p.Max != nil:
		said = plan.Say("%q is not possible here: it must be from %s to %s.", shorten(text), p.bound(p.Min), p.bound(p.Max))
	case p.Min == nil:
		said = plan.Say("%q is not possible here: it must be at most %s.", shorten(text), p.bound(p.Max))
	}
	return &plan.Fault{Sentence: said, Err: fmt.Errorf("%s is out of bounds", p.Name), Final: true}
}

func (p Param) bound(v *float64) string {
	if v == nil {
		return ""
	}
	return decimal(*v) + p.Unit
}

func (p Param) about() plan.Message {
	return types[p.Type].about
}

// examples returns at least two examples.
func (p Param) examples() []string {
	if len(p.Examples) > 1 {
		return p.Examples
	}
	if len(p.Choices) > 1 {
		return p.choices()
	}
	return types[p.Type].examples
}

// choices returns the names of the choices for display.
func (p Param) choices() []string {
	all := slices.Sorted(maps.Keys(p.Choices))
	for i := range all {
		if p.Type == Format {
			all[i] = strings.ToUpper(all[i])
		}
	}
	return all
}

func quoted(words []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(all, ", ")
}

// maxQuoted is the maximum length of a quotation from a person, in characters.
const maxQuoted = 40

func shorten(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(text); len(r) > maxQuoted {
		return strings.TrimSpace(string(r[:maxQuoted-1])) + "…"
	}
	return text
}
