package quantity

import (
	"fmt"
	"slices"
	"time"
)

// Kind is the type of a parameter that holds a quantity: what a tool's argument takes.
type Kind string

// The kinds. A tool's file names the kind of an argument.
const (
	TimeRange   Kind = "time_range" // a part of a sound or a video, see [Times]
	PointInTime Kind = "moment"     // see [Moment]
	ImageSize   Kind = "size"       // see [Size]
	Speed       Kind = "speed"      // see [Tempo]
	Scale       Kind = "scale"      // how many times larger, see [Size]
	Turn        Kind = "angle"      // see [Angle]
	FileSize    Kind = "file_size"  // see [Limit]
	Part        Kind = "region"     // of a picture, see [Region]
	Intensity   Kind = "strength"   // see [Strong]
)

// kinds says for each kind which units it takes, how many quantities make one value at
// most, and whether a text holds one.
var kinds = map[Kind]struct {
	units []Unit
	most  int
	reads func(text string) bool
}{
	TimeRange:   {[]Unit{Time, Clock, Share, Percent, Number}, 2, func(s string) bool { _, ok := Times(s); return ok }},
	PointInTime: {[]Unit{Time, Clock, Share, Percent, Number}, 1, func(s string) bool { _, ok := Moment(s, time.Hour); return ok }},
	ImageSize:   {[]Unit{Pixels, Percent, Factor, Share, Number}, 2, func(s string) bool { _, ok := Size(s); return ok }},
	Speed:       {[]Unit{Factor, Percent, Share, Number}, 1, func(s string) bool { _, ok := Tempo(s); return ok }},
	Scale:       {[]Unit{Factor, Percent, Number}, 1, func(s string) bool { _, ok := Size(s); return ok }},
	Turn:        {[]Unit{Degrees, Factor, Share, Number}, 1, func(s string) bool { _, ok := Angle(s); return ok || Upright(s) }},
	FileSize:    {[]Unit{ByteCount}, 1, func(s string) bool { _, ok := Limit(s); return ok }},
	Part:        {[]Unit{Pixels, Percent, Share, Ratio, Clock, Number}, 4, func(s string) bool { _, ok := Region(s, side, side); return ok }},
	Intensity:   {[]Unit{Pixels, Percent, Share, Number}, 1, func(s string) bool { _, ok := Strong(s); return ok }},
}

// side is that of a picture on which a region is tried: larger than what people name.
const side = 1_000_000

// ParseKind returns the kind of that name.
func ParseKind(name string) (Kind, error) {
	if _, ok := kinds[Kind(name)]; ok {
		return Kind(name), nil
	}
	names := make([]string, 0, len(kinds))
	for k := range kinds {
		names = append(names, string(k))
	}
	slices.Sort(names)
	return "", fmt.Errorf("unknown kind %q; the kinds are %q", name, names)
}

// Takes reports whether a value of the kind may be said in the unit.
func (k Kind) Takes(u Unit) bool { return slices.Contains(kinds[k].units, u) }

// Most is how many quantities make one value of the kind at most: two for "from 0:10 to 0:20".
func (k Kind) Most() int { return kinds[k].most }

// Reads reports whether the text holds a value of the kind.
func (k Kind) Reads(text string) bool {
	known, ok := kinds[k]
	return ok && known.reads(text)
}
