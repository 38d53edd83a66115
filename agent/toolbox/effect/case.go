package effect

import (
	"context"
	"image"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// Measure is a set of properties to measure of a result or an argument.
type Measure int

// Measurable properties. Measuring takes time, so only what the effects need is measured.
const (
	// Head is the file's kind, its size in bytes and, for pictures, in pixels.
	Head Measure = 1 << iota
	// Played is the playable content of audio or video.
	Played
	// Pixels are the pixels of a picture.
	Pixels
	// Cover is the covered area of a mask.
	Cover
	// Loudness needs decoding all of the audio.
	Loudness
	// Words are the text of a web page.
	Words
)

// Measured holds the measurements of a resource. What was not measured is zero.
type Measured struct {
	Type plan.Type
	// Value is the value of a small resource, or the text of a web page.
	Value string
	MIME  string
	Bytes int64
	// Size is the displayed size of a picture, in pixels.
	Size image.Point
	// Frames is 1 for still pictures, more for animations, whose duration is Length.
	Frames int
	Length time.Duration
	Clip   *Clip
	// Pixels is the picture as displayed; for an animation, the first frame.
	Pixels *image.NRGBA
	// Cover marks the covered pixels of a mask, which are not 0.
	Cover *image.Alpha
	// LUFS is the loudness by EBU R 128; nil if not measured.
	LUFS *float64
}

// Clip is the playable content of audio or video.
type Clip struct {
	// Length is the duration of the longest stream, or 0.
	Length time.Duration
	// PicturesLength and SoundLength are the stream durations, 0 if the file does not store them.
	PicturesLength, SoundLength time.Duration
	// Size is the size of the video with square pixels; zero for audio.
	Size image.Point
	// Rate is the average frame rate, 0 if unknown. Uneven reports a variable frame rate.
	Rate   float64
	Uneven bool
	// Pictures is the number of video frames, SoundPackets that of audio packets.
	Pictures, SoundPackets int
	PicturesCodec          string
	SoundCodec             string
}

// sounds reports whether there is enough audio to be heard: a few packets may be just the codec's priming samples.
func (c *Clip) sounds() bool { return c.SoundPackets >= 10 || c.SoundLength >= 300*time.Millisecond }

// Case is one result with the inputs it was made from.
type Case struct {
	Returns plan.Type
	// Results is the number of results of the step. Result is the one to judge, and At its index from 0.
	Results, At int
	Result      Measured
	// Args are the resource arguments, by name.
	Args map[string][]Measured
	// Settings are the values of the call's parameters.
	Settings map[string]param.Value
}

// Needs lists what must be measured to judge effects.
type Needs struct {
	Result Measure
	Args   map[string]Measure
}

// Needs returns what must be measured to judge all of the effects.
func (all Effects) Needs() Needs {
	n := Needs{Args: map[string]Measure{}}
	for _, e := range all {
		s := specs[e.Name]
		n.Result |= s.result
		for name, value := range e.Rule {
			if k, ok := s.keys[name]; ok && k.types != nil {
				n.Args[value] |= k.measure
			}
		}
	}
	return n
}

// Judge returns the first effect that the result lacks, with a sentence for people; the zero Message
// if the result has all. It only returns an error if the context ends.
func (all Effects) Judge(ctx context.Context, c Case) (plan.Message, Effect, error) {
	for _, e := range all {
		s, ok := specs[e.Name]
		if !ok { // none, or from an unchecked catalogue
			continue
		}
		missed := s.judge(ctx, &c, e.Rule)
		if err := ctx.Err(); err != nil {
			return plan.Message{}, Effect{}, err
		}
		if !missed.IsZero() {
			return missed, e, nil
		}
	}
	return plan.Message{}, Effect{}, nil
}

// subject returns the result as the subject of a sentence.
func (c *Case) subject() plan.Message {
	switch {
	case c.Returns == plan.Video:
		return plan.Say("The video")
	case c.Returns == plan.Audio:
		return plan.Say("The sound")
	case c.Returns == plan.Mask:
		return plan.Say("The mask")
	case c.Returns == plan.Document:
		return plan.Say("The document")
	case c.Result.Frames > 1:
		return plan.Say("The animation")
	}
	return plan.Say("The picture")
}

// setting returns the parameter named by a key of the rule; false if the call has none.
func setting[T any](c *Case, rule map[string]string, key string) (T, bool) {
	return param.As[T](c.Settings[rule[key]])
}

// given reports whether the setting that a key names has a value.
func (c *Case) given(rule map[string]string, key string) bool { return !c.Settings[rule[key]].IsZero() }

// amount returns the number in a key, or the value of the parameter that it names.
func (c *Case) amount(rule map[string]string, key string) (float64, bool) {
	if v, err := strconv.ParseFloat(rule[key], 64); err == nil {
		return v, true
	}
	if n, ok := setting[int](c, rule, key); ok {
		return float64(n), true
	}
	return setting[float64](c, rule, key)
}

// passage returns the total duration of the selected part or parts of a recording.
func (c *Case) passage(rule map[string]string, length time.Duration) (time.Duration, bool) {
	all, ok := setting[[]quantity.Passage](c, rule, "part")
	if p, one := setting[quantity.Passage](c, rule, "part"); one {
		all, ok = []quantity.Passage{p}, true
	}
	var sum time.Duration
	for _, p := range all {
		from, to, there := p.Of(length)
		sum, ok = sum+to-from, ok && there
	}
	return sum, ok
}

func (c *Case) tempo(rule map[string]string) (float64, bool) {
	return setting[float64](c, rule, "divided_by")
}

// scaled returns the scaled size of a picture; with several sizes, the one for this result.
func (c *Case) scaled(rule map[string]string, was image.Point) (image.Point, bool) {
	z, ok := setting[quantity.Sizing](c, rule, "scaled_by")
	if several, many := setting[[]quantity.Sizing](c, rule, "scaled_by"); many && c.At < len(several) {
		z, ok = several[c.At], true
	}
	if !ok {
		return image.Point{}, false
	}
	w, h := z.Of(was.X, was.Y)
	return image.Pt(w, h), true
}

// within returns the size of a picture scaled to fit another size; a single side means the longer one.
func (c *Case) within(rule map[string]string, was image.Point) (image.Point, bool) {
	z, ok := setting[quantity.Sizing](c, rule, "within")
	if !ok {
		return image.Point{}, false
	}
	box := image.Pt(z.Width, z.Height)
	switch long := max(z.Width, z.Height, z.Longest); {
	case z.Factor > 0:
		box.X, box.Y = z.Of(was.X, was.Y)
	case z.Width == 0 || z.Height == 0:
		box = image.Pt(long, long)
	}
	return fitted(was, box), true
}

// angle returns the rotation of a picture in degrees clockwise. It is 0 for "upright", since pictures
// are measured upright.
func (c *Case) angle(rule map[string]string) (float64, bool) {
	turn, ok := setting[param.Turn](c, rule, "turned_by")
	return turn.Degrees, ok
}

// cropped returns the part to which a picture of that size is cropped, and the size of the result.
func (c *Case) cropped(rule map[string]string, size image.Point) (image.Rectangle, image.Point, bool) {
	area, ok := setting[quantity.Area](c, rule, "part")
	if !ok {
		return image.Rectangle{}, image.Point{}, false
	}
	return area.Crop(size.X, size.Y)
}

// flip returns the direction of mirroring, by the names of a choice.
func (c *Case) flip(rule map[string]string) (horizontal, vertical, ok bool) {
	way, ok := setting[string](c, rule, "mirrored")
	horizontal, vertical = way == "horizontal" || way == "both", way == "vertical" || way == "both"
	return horizontal, vertical, ok && (horizontal || vertical)
}

func (c *Case) limit(rule map[string]string) (int64, bool) {
	return setting[int64](c, rule, "most")
}

// adjustment returns the only requested adjustment of a picture; false if there are several.
func (c *Case) adjustment(rule map[string]string) (quantity.Adjustment, bool) {
	all, ok := setting[[]quantity.Adjustment](c, rule, "by")
	if !ok || len(all) != 1 {
		return quantity.Adjustment{}, false
	}
	return all[0], true
}
