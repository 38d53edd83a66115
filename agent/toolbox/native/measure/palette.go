package measure

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"golang.org/x/image/colornames"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

const (
	usualColours = 5
	sampledSide  = 400 // maximum samples per row or column
	nearColours  = 48  // colours closer than this are merged
)

// swatch is a colour of a picture with its share of the pixels.
type swatch struct {
	colour color.NRGBA
	share  float64
}

func (s swatch) hex() string { return fmt.Sprintf("#%02x%02x%02x", s.colour.R, s.colour.G, s.colour.B) }

// name returns the name of the nearest named colour.
func (s swatch) name() string {
	best, least := "", math.Inf(1)
	for _, name := range colornames.Names {
		if d := apart(s.colour, color.NRGBA(colornames.Map[name])); d < least {
			best, least = name, d
		}
	}
	return best
}

// apart returns the perceptual distance of two colours, with the channels weighted roughly as eyes do.
func apart(a, b color.NRGBA) float64 {
	red := (float64(a.R) + float64(b.R)) / 2
	r, g, bl := float64(a.R)-float64(b.R), float64(a.G)-float64(b.G), float64(a.B)-float64(b.B)
	return math.Sqrt((2+red/256)*r*r + 4*g*g + (2+(255-red)/256)*bl*bl)
}

// mainColours returns the colours that cover most of the picture, largest share first. Similar colours
// are merged, and transparent pixels are ignored.
func (o operations) mainColours(ctx context.Context, c toolbox.Call) ([]swatch, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return nil, err
	}
	most, ok := toolbox.Param[int](c, "count")
	if !ok {
		most = usualColours
	}
	found := alike(bins(p.Image), most)
	if len(found) == 0 {
		return nil, operation.Problem("The picture is completely transparent, so it has no colours.")
	}
	return found, nil
}

// bins counts the pixels by coarse colour, most frequent first.
func bins(img *image.NRGBA) []swatch {
	type sum struct{ r, g, b, n int }
	sums := map[[3]uint8]*sum{}
	all := 0
	step := 1 + max(img.Rect.Dx(), img.Rect.Dy())/sampledSide
	columns, rows := (img.Rect.Dx()+step-1)/step, (img.Rect.Dy()+step-1)/step
	for at := range columns * rows {
		p := img.Pix[at/columns*step*img.Stride+4*(at%columns)*step:][:4:4]
		if p[3] < 128 {
			continue
		}
		key := [3]uint8{p[0] >> 4, p[1] >> 4, p[2] >> 4}
		s := sums[key]
		if s == nil {
			s = &sum{}
			sums[key] = s
		}
		s.r, s.g, s.b, s.n = s.r+int(p[0]), s.g+int(p[1]), s.b+int(p[2]), s.n+1
		all++
	}
	found := make([]swatch, 0, len(sums))
	for _, s := range sums {
		mean := func(v int) uint8 { return uint8((v + s.n/2) / s.n) } //nolint:gosec // the mean of bytes
		found = append(found, swatch{color.NRGBA{mean(s.r), mean(s.g), mean(s.b), 255}, float64(s.n) / float64(all)})
	}
	bySize(found)
	return found
}

func bySize(all []swatch) {
	slices.SortFunc(all, func(a, b swatch) int { return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.hex(), b.hex())) })
}

// alike chooses up to the given number of distinct colours, and assigns every share to the nearest of them.
func alike(found []swatch, most int) []swatch {
	var chosen []swatch
	for _, s := range found {
		near := func(c swatch) bool { return apart(c.colour, s.colour) < nearColours }
		if len(chosen) < most && !slices.ContainsFunc(chosen, near) {
			chosen = append(chosen, s)
		}
	}
	shares := make([]float64, len(chosen))
	for _, s := range found {
		best := 0
		for i := range chosen {
			if apart(chosen[i].colour, s.colour) < apart(chosen[best].colour, s.colour) {
				best = i
			}
		}
		shares[best] += s.share
	}
	for i := range chosen {
		chosen[i].share = shares[i]
	}
	bySize(chosen)
	return chosen
}

// dominantColours lists the main colours of a picture.
func (o operations) dominantColours(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	found, err := o.mainColours(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	lines := make([]string, len(found))
	for i, s := range found {
		lines[i] = fmt.Sprintf("%s  %s  %s", s.hex(), sharePercent(s.share), s.name())
	}
	return toolbox.Output{Value: strings.Join(lines, "\n"), About: plan.Say("the main colours")}, nil
}

// colourSwatch draws the main colours of a picture side by side.
func (o operations) colourSwatch(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	found, err := o.mainColours(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	const width, height, strip = 220, 220, 76
	d := canvas.New(width*len(found), height+strip, color.White)
	mono, err := canvas.NewLetters(canvas.Mono, 28)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	small, err := canvas.NewLetters(canvas.Regular, 20)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	for i, s := range found {
		left := float64(i * width)
		d.Box(left, 0, left+width, height, s.colour)
		d.Write(mono, s.hex(), left+width/2, height+26, 0.5, canvas.Ink)
		d.Write(small, sharePercent(s.share), left+width/2, height+58, 0.5, canvas.Ink)
	}
	r := picture.Edited{Image: d.NRGBA, Format: media.PNG, About: plan.Say("the main colours")}
	return picture.Save(ctx, c, 0, media.Picture{}, r)
}
