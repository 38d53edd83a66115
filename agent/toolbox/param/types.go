package param

import (
	"maps"
	"slices"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// Type is the type of a parameter. The comments give its Go type, for [As].
type Type string

// The types.
const (
	Number     Type = "number"      // float64
	Integer    Type = "integer"     // int
	Integers   Type = "integers"    // []int: a list
	Boolean    Type = "boolean"     // bool
	Choice     Type = "choice"      // string, a key of [Param.Choices]
	Duration   Type = "duration"    // time.Duration
	TimeRange  Type = "time_range"  // [quantity.Passage]: a part of audio or video
	TimeRanges Type = "time_ranges" // []quantity.Passage: one or more parts of audio or video, in order
	Moment     Type = "moment"      // [quantity.Instant]: a moment of a video
	Moments    Type = "moments"     // []time.Duration: times of audio or video, in order
	Interval   Type = "interval"    // time.Duration: the time between repetitions
	Factor     Type = "factor"      // float64: a speed
	Volume     Type = "volume"      // float64: a volume
	Size       Type = "size"        // [quantity.Sizing]: the size of a picture
	Sizes      Type = "sizes"       // []quantity.Sizing: two or more
	Aspect     Type = "aspect"      // [Ratio]
	FileSize   Type = "file_size"   // int64: bytes
	Region     Type = "region"      // [quantity.Area]: a part of a picture
	Position   Type = "position"    // [quantity.Anchor]: one of nine positions on a picture
	Angle      Type = "angle"       // [Turn]
	Colour     Type = "colour"      // [image/color.NRGBA]
	Opacity    Type = "opacity"     // float64: from 0 (invisible) to 1
	Strength   Type = "strength"    // [quantity.Strength]
	Adjustment Type = "adjustment"  // [][quantity.Adjustment]: changes of light and colour
	Pages      Type = "pages"       // [quantity.Pages]: pages of a document
	Metadata   Type = "metadata"    // []quantity.Tag: audio tags
	Text       Type = "text"        // string
	Condition  Type = "condition"   // string: which rows of a table to select
	Language   Type = "language"    // string: as written
	Format     Type = "format"      // string: a file format, a key of [Param.Choices] if there are any
	Model      Type = "model"       // string: as written
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

// kind defines a type.
type kind struct {
	about    plan.Message // for "I cannot read … as <about>"
	examples []string     // at least two
	// meaning is the meaning of a text with such a value.
	meaning plan.Meaning
	// units are the units in which people write a value; most is the maximum number of quantities in one.
	units []quantity.Unit
	most  int
	// pattern is the JSON Schema pattern of the canonical form; empty if any text is valid.
	pattern string
	form    lazyregexp.Regexp // the compiled pattern
	// parse parses the canonical form, read a person's words; format returns the canonical form.
	parse, read func(p Param, text string) (any, bool)
	format      func(data any) string
	// measure returns the number to compare with the bounds; nil if the type has none.
	measure func(data any) float64
}

// types is the table of all types.
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

// isCanonical reports whether the text has the canonical form.
func (k kind) isCanonical(text string) bool { return k.form != nil && k.form.MatchString(text) }

// Meaning returns the meaning of a text with a value of the type.
func (t Type) Meaning() plan.Meaning { return types[t].meaning }

// Examples returns two values of the type, as people write them.
func (t Type) Examples() []string { return types[t].examples[:2] }

// IsNumber reports whether the values are bare numbers, without a unit.
func (t Type) IsNumber() bool { return t == Number || t == Integer }

// Includes reports whether values of the other type are also valid for this one: one part counts as several.
func (t Type) Includes(other Type) bool {
	return t == other || t == TimeRanges && other == TimeRange || t == Moments && other == Moment
}

// Takes reports whether people write values of the type in this unit.
func (t Type) Takes(u quantity.Unit) bool { return slices.Contains(types[t].units, u) }

// Units returns the number of units for values of the type; 0 if it is not a quantity.
func (t Type) Units() int { return len(types[t].units) }

// Most returns the maximum number of quantities in one value: two for "from 0:10 to 0:20".
func (t Type) Most() int { return types[t].most }

// number returns a bounded value as a number.
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

// as converts the data to its Go type; zero if it has another.
func as[T any](data any) T {
	v, ok := data.(T)
	if !ok {
		var none T
		return none
	}
	return v
}

// Schema returns the JSON Schema (draft 2020-12) of the parameter's canonical form.
func (p Param) Schema() map[string]any {
	s := map[string]any{"type": "string", "description": p.About}
	switch p.Type {
	case Number, Integer:
		s["type"] = string(p.Type)
		if p.Min != nil {
			s["minimum"] = *p.Min
		}
		if p.Max != nil {
			s["maximum"] = *p.Max
		}
	case Boolean:
		s["type"] = "boolean"
	case Choice, Format:
		if len(p.Choices) > 0 {
			s["enum"] = slices.Sorted(maps.Keys(p.Choices))
		}
	default:
		if pattern := types[p.Type].pattern; pattern != "" {
			s["pattern"] = pattern
		}
	}
	if v := p.DefaultValue(); !v.IsZero() {
		s["default"] = v.String()
	}
	return s
}
