package param

import (
	"maps"

	"slices"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// Type is the type of a parameter. Its Go value, as [As] gives it, stands behind each.
type Type string

// The types.
const (
	Number     Type = "number"      // float64
	Integer    Type = "integer"     // int
	Integers   Type = "integers"    // []int: a list
	Boolean    Type = "boolean"     // bool
	Choice     Type = "choice"      // string, a key of [Param.Choices]
	Duration   Type = "duration"    // time.Duration
	TimeRange  Type = "time_range"  // [quantity.Passage]: a part of a sound or a video
	TimeRanges Type = "time_ranges" // []quantity.Passage: one or more parts of a sound or a video, in order
	Moment     Type = "moment"      // [quantity.Instant]: a moment of a video
	Moments    Type = "moments"     // []time.Duration: times of a sound or a video, in order
	Interval   Type = "interval"    // time.Duration: from one to the next of what comes often
	Factor     Type = "factor"      // float64: of a speed
	Volume     Type = "volume"      // float64: of a loudness
	Size       Type = "size"        // [quantity.Sizing]: of a picture
	Sizes      Type = "sizes"       // []quantity.Sizing: two or more
	Aspect     Type = "aspect"      // [Ratio]
	FileSize   Type = "file_size"   // int64: bytes
	Region     Type = "region"      // [quantity.Area]: a part of a picture
	Position   Type = "position"    // [quantity.Anchor]: one of nine places on a picture
	Angle      Type = "angle"       // [Turn]
	Colour     Type = "colour"      // [image/color.NRGBA]
	Opacity    Type = "opacity"     // float64: from 0, invisible, to 1
	Strength   Type = "strength"    // [quantity.Strength]
	Adjustment Type = "adjustment"  // [][quantity.Adjustment]: of light and colour
	Pages      Type = "pages"       // [quantity.Pages]: of a document
	Metadata   Type = "metadata"    // []quantity.Tag: tags of a sound
	Text       Type = "text"        // string
	Condition  Type = "condition"   // string: which rows of a table are meant
	Language   Type = "language"    // string: as it was said
	Format     Type = "format"      // string: a file format, a key of [Param.Choices] if there are any
	Model      Type = "model"       // string: as it was said
)

// Types lists the names of the types.
func Types() []string {
	var names []string
	for t := range types {
		names = append(names, string(t))
	}
	slices.Sort(names)
	return names
}

// kind is what is known of a type.
type kind struct {
	about    plan.Message // what a text is not understood as
	examples []string     // two at least
	// meaning is what a text stands for that holds a value.
	meaning plan.Meaning
	// units are those in which people say a value; most is how many quantities make one.
	units []quantity.Unit
	most  int
	// pattern matches the canonical form, as JSON Schema has it; empty if any text may be one.
	pattern string
	form    lazyregexp.Regexp // the pattern
	// parse reads the canonical form, read a person's words, and format gives the canonical form.
	parse, read func(p Param, text string) (any, bool)
	format      func(data any) string
	// measure is the number that is held against the bounds; nil if the type has none.
	measure func(data any) float64
}

// types is the table of the types.
var types = func() map[Type]kind {
	all := map[Type]kind{}
	for _, some := range []map[Type]kind{plainTypes(), timeTypes(), pictureTypes(), wordTypes()} {
		maps.Copy(all, some)
	}
	for name, k := range all {
		if k.pattern != "" {
			k.form = lazyregexp.New(k.pattern)
			all[name] = k
		}
	}
	return all
}()

// isCanonical reports whether the text has the form of a canonical value.
func (k kind) isCanonical(text string) bool { return k.form != nil && k.form.MatchString(text) }

// Meaning is what a text stands for that holds a value of the type.
func (t Type) Meaning() plan.Meaning { return types[t].meaning }

// Examples are two values of the type, as people say them.
func (t Type) Examples() []string { return types[t].examples[:2] }

// Includes reports whether a value of the other type is one of this type too: a part is one of several parts.
func (t Type) Includes(other Type) bool {
	return t == other || t == TimeRanges && other == TimeRange || t == Moments && other == Moment
}

// Takes reports whether people say a value of the type in the unit.
func (t Type) Takes(u quantity.Unit) bool { return slices.Contains(types[t].units, u) }

// Units counts the units in which people say a value of the type; 0 if it is no quantity.
func (t Type) Units() int { return len(types[t].units) }

// Most is how many quantities make one value at most: two for "from 0:10 to 0:20".
func (t Type) Most() int { return types[t].most }

// number is the value of a type that has bounds.
func number(data any) float64 {
	switch v := data.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	case time.Duration:
		return v.Seconds()
	}
	return 0
}

// as is the data as a Go value, which its type has made sure of.
func as[T any](data any) T {
	v, ok := data.(T)
	if !ok {
		var none T
		return none
	}
	return v
}
