package agent

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/memory"
)

const (
	// maxText is the longest text that a tool may return, in bytes.
	maxText = 1 << 20
	// maxItems is the most boxes, points, classes or parts that it may.
	maxItems = 10_000
	// shortest and longest are what a sound or a video may last.
	shortest = 10 * time.Millisecond
	longest  = 12 * time.Hour
)

// ErrNotPlayed tells that nothing here can play a file, so that nobody knows about it.
var ErrNotPlayed = errors.New("nothing here plays sound or video")

// verifier holds outputs against what their tool promises.
type verifier struct {
	call toolbox.Call
	// memory is [Config].Memory.
	memory *memory.Budget
	// plays is [Config].Plays.
	plays func(ctx context.Context, path string) (time.Duration, error)

	looked bool
	sizes  []image.Point // of the pictures that the tool was given
}

// verify tells why an output is not what its tool promises: a file that is missing, empty,
// broken, of another kind or of a senseless length, a list that cannot be read, boxes and
// points outside of the picture, a mask of another size, a text without words.
func (v *verifier) verify(ctx context.Context, o toolbox.Output) error {
	promised := v.call.Returns
	if promised.Media() {
		return v.file(ctx, o)
	}
	if o.Path != "" {
		return v.lies(plan.Say("it made a file"), nil)
	}
	var err error
	switch promised {
	case plan.BBox:
		return v.boxes(ctx, o.Value)
	case plan.Points:
		return v.points(ctx, o.Value)
	case plan.Category:
		_, err = list[plan.Class](o.Value)
	default:
		switch {
		case strings.TrimSpace(o.Value) == "":
			return v.lies(plan.Say("nothing came of it"), nil)
		case len(o.Value) > maxText:
			return v.lies(plan.Say("far too much came of it"), fmt.Errorf("%d bytes", len(o.Value)))
		}
	}
	if err != nil {
		return v.lies(plan.Say("what came cannot be read"), err)
	}
	return nil
}

// lies is the fault of an output that is not what was promised.
func (v *verifier) lies(what plan.Message, err error) error {
	return &plan.Fault{Sentence: plan.Say("The tool %s promised %s, but %s.", v.call.Tool, article(v.call.Returns), what), Err: err}
}

func (v *verifier) file(ctx context.Context, o toolbox.Output) error {
	promised := v.call.Returns
	info, err := os.Lstat(o.Path) // a link is no file: nobody knows what is behind it
	switch {
	case o.Path == "" || err != nil:
		return v.lies(plan.Say("it made no file"), err)
	case !info.Mode().IsRegular():
		return v.lies(plan.Say("what it made is not a file"), nil)
	case info.Size() == 0:
		return v.lies(plan.Say("the file is empty"), nil)
	}
	// What was made here may be larger than what people may send.
	found, err := media.InspectContext(ctx, o.Path, media.Limits{Bytes: info.Size(), Pages: true, Memory: v.memory})
	if errors.Is(err, memory.ErrTooLittle) {
		return err
	}
	if err != nil {
		return v.lies(plan.Say("the file is broken"), err)
	}
	if !promised.Fits(found.Type) {
		return v.lies(plan.Say("the file is %s", article(found.Type)), nil)
	}
	switch {
	case found.Type == plan.Audio || found.Type == plan.Video:
		return v.lasts(ctx, o.Path)
	case promised == plan.Mask || promised == plan.Segmentation:
		return v.parts(ctx, o.Value, image.Pt(found.Width, found.Height))
	}
	return nil
}

// ordinary opens a file that is one by itself and no link to another.
func ordinary(path string) (*os.File, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(there, info) {
		err = errors.New("it became another file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lasts tells why a sound or a video cannot be played.
func (v *verifier) lasts(ctx context.Context, path string) error {
	if v.plays == nil {
		return nil
	}
	length, err := v.plays(ctx, path)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrNotPlayed):
		return nil
	case err != nil:
		return v.lies(plan.Say("it cannot be played"), err)
	case length < shortest:
		return v.lies(plan.Say("there is nothing in it"), fmt.Errorf("it lasts %s", length))
	case length > longest:
		return v.lies(plan.Say("it goes on for ever"), fmt.Errorf("it lasts %s", length))
	}
	return nil
}

// parts tells why a mask is none of the picture that it was made of.
func (v *verifier) parts(ctx context.Context, value string, size image.Point) error {
	if value != "" {
		if _, err := list[plan.Part](value); err != nil {
			return v.lies(plan.Say("its list of parts cannot be read"), err)
		}
	}
	of := v.pictures(ctx)
	if len(of) > 0 && !slices.Contains(of, size) {
		return v.lies(plan.Say("it does not have the size of the picture"), fmt.Errorf("%v of %v", size, of))
	}
	return nil
}

func (v *verifier) boxes(ctx context.Context, value string) error {
	all, err := list[plan.Box](value)
	if err != nil {
		return v.lies(plan.Say("what came cannot be read"), err)
	}
	for _, b := range all {
		r := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax)
		if b.XMin >= b.XMax || b.YMin >= b.YMax || !v.inside(ctx, r) {
			return v.lies(plan.Say("a box lies outside of the picture"), fmt.Errorf("%v", r))
		}
	}
	return nil
}

func (v *verifier) points(ctx context.Context, value string) error {
	all, err := list[plan.Point](value)
	if err != nil {
		return v.lies(plan.Say("what came cannot be read"), err)
	}
	for _, p := range all {
		if r := image.Rect(p.X, p.Y, p.X+1, p.Y+1); !v.inside(ctx, r) {
			return v.lies(plan.Say("a point lies outside of the picture"), fmt.Errorf("%v", r.Min))
		}
	}
	return nil
}

// inside tells whether a place lies on one of the pictures that the tool was given. Where
// it was given none, nobody knows.
func (v *verifier) inside(ctx context.Context, r image.Rectangle) bool {
	of := v.pictures(ctx)
	return len(of) == 0 || slices.ContainsFunc(of, func(size image.Point) bool { return r.In(image.Rectangle{Max: size}) })
}

// pictures are the sizes of the pictures that the tool was given, as people see them. They
// are looked up once, and only where they count.
func (v *verifier) pictures(ctx context.Context) []image.Point {
	if v.looked {
		return v.sizes
	}
	v.looked = true
	for _, values := range v.call.Args {
		for _, given := range values {
			if given.Path == "" || !given.Type.Fits(plan.Image) {
				continue
			}
			if info, err := media.InspectContext(ctx, given.Path, media.Limits{Memory: v.memory}); err == nil {
				v.sizes = append(v.sizes, image.Pt(info.Width, info.Height))
			}
		}
	}
	return v.sizes
}

func list[T plan.Box | plan.Point | plan.Class | plan.Part](value string) ([]T, error) {
	if value == "" {
		return nil, errors.New("there is no list")
	}
	all, err := plan.DecodeValue[T](plan.Resource{Value: value})
	if err == nil && len(all) > maxItems {
		return nil, fmt.Errorf("it has %d entries", len(all))
	}
	return all, err
}

// article is the name of a type as people count it: "an image", "a mask", "tags".
func article(t plan.Type) plan.Message {
	switch {
	case t == "":
		return plan.Message{}
	case t == plan.Tags || t == plan.Weather:
		return plan.Say("%s", t)
	case strings.ContainsAny(string(t[:1]), "aeiou") || t == plan.HED || t == plan.HTML:
		return plan.Say("an %s", t)
	}
	return plan.Say("a %s", t)
}
