package effect

import (
	"context"
	"image"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// Measure tells which of a result, or of an argument, is measured.
type Measure int

// What can be measured. Each takes its time, so that only what is declared is.
const (
	// Head is what a file says of itself: its kind, its size in bytes and, of a picture, in pixels.
	Head Measure = 1 << iota
	// Played is what plays of a sound or a video.
	Played
	// Pixels are those of a picture.
	Pixels
	// Cover is where a mask lies.
	Cover
	// Loudness takes decoding all of a sound.
	Loudness
	// Words are those of a page.
	Words
)

// Measured is what was measured of a resource. What was not is zero.
type Measured struct {
	Type plan.Type
	// Value is that of a small resource, and the words of a page.
	Value string
	MIME  string
	Bytes int64
	// Size is that of a picture as people see it, in pixels.
	Size image.Point
	// Frames is 1 for a still picture, more for an animated one, of which Length is how long it is
	// shown.
	Frames int
	Length time.Duration
	Clip   *Clip
	// Pixels is the picture as people see it, the first of an animation.
	Pixels *image.NRGBA
	// Cover has a mask's covered pixels: those that are not 0.
	Cover *image.Alpha
	// LUFS is the loudness by EBU R 128; nil if it was not measured.
	LUFS *float64
}

// Clip is what plays of a sound or a video.
type Clip struct {
	// Length is that of the longest stream, or 0.
	Length time.Duration
	// PicturesLength and SoundLength are 0 where the file does not tell.
	PicturesLength, SoundLength time.Duration
	// Size is that of the moving pictures, with square pixels; zero if there are none.
	Size image.Point
	// Rate is pictures a second on average, 0 if unknown. Uneven tells that they are not
	// equally far apart.
	Rate   float64
	Uneven bool
	// Pictures and SoundPackets count what is in the streams.
	Pictures, SoundPackets int
	PicturesCodec          string
	SoundCodec             string
}

// sounds reports whether there is enough sound for it to be heard: a few packets may be nothing but
// the codec's own lead.
func (c *Clip) sounds() bool { return c.SoundPackets >= 10 || c.SoundLength >= 300*time.Millisecond }

// Case is one result, and what it was made of.
type Case struct {
	Returns plan.Type
	// Results counts the results of the step. Result is the one that is judged, and At its place from 0.
	Results, At int
	Result      Measured
	// Args are the arguments that are resources, by name.
	Args map[string][]Measured
	// Settings are the values of the call's parameters.
	Settings map[string]param.Value
}

// Needs are what an effect is judged by.
type Needs struct {
	Result Measure
	Args   map[string]Measure
}

// Needs are what all of the effects together are judged by.
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

// Judge tells the first effect that the result lacks, in a sentence for people, and which it is;
// the zero Message if it shows all. The error is the context's.
func (all Effects) Judge(ctx context.Context, c Case) (plan.Message, Effect, error) {
	for _, e := range all {
		s, ok := specs[e.Name]
		if !ok { // none, or of a catalogue that was not checked
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

// subject is the result as sentences begin with it.
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
