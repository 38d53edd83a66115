package plot

import (
	"fmt"
	"image"
	"sync"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// margin is what stays free at the edges of a picture, in pixels.
const margin = 4

// letters is the size of what is written on the axes, in pixels.
const letters = 22

var regular = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(goregular.TTF) })

// pen writes on a panel.
type pen struct {
	font.Drawer
}

func (p panel) pen() (pen, error) {
	f, err := regular()
	if err != nil {
		return pen{}, fmt.Errorf("read the font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: letters, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return pen{}, fmt.Errorf("read the font: %w", err)
	}
	return pen{font.Drawer{Dst: p.NRGBA, Src: image.NewUniform(ink), Face: face}}, nil
}

// write writes a text with its foot at y: shift is how much of its width lies left of x,
// from 0 to 1.
func (p pen) write(text string, x, y int, shift float64) {
	width := p.MeasureString(text)
	p.Dot = fixed.P(x, y)
	p.Dot.X -= fixed.Int26_6(float64(width) * shift)
	p.DrawString(text)
}

// steps are the distances between marks on the axis of time.
var steps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	20 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour,
}

// marks is the most marks on the axis of time.
const marks = 10

// step is the distance between the marks of something of that length.
func step(length time.Duration) time.Duration {
	for _, s := range steps {
		if length <= marks*s {
			return s
		}
	}
	return length / marks
}

// clock writes a time as it stands on an axis whose marks are that far apart.
func clock(at, apart time.Duration) string {
	switch {
	case apart < 10*time.Millisecond:
		return fmt.Sprintf("%.3f s", at.Seconds())
	case apart < 100*time.Millisecond:
		return fmt.Sprintf("%.2f s", at.Seconds())
	case apart < time.Second:
		return fmt.Sprintf("%.1f s", at.Seconds())
	}
	whole := int(at / time.Second)
	if whole < 3600 {
		return fmt.Sprintf("%d:%02d", whole/60, whole%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
}

// times marks the time below the area; lines are drawn through it where they are wanted.
func (p panel) times(length time.Duration, write pen, lines bool) {
	apart := step(length)
	for at := time.Duration(0); at <= length; at += apart {
		x := p.area.Min.X + int(float64(at)/float64(length)*float64(p.area.Dx()-1)+0.5)
		for y := p.area.Min.Y; lines && y < p.area.Max.Y; y++ {
			p.blend(x, y, grid, 1)
		}
		for y := p.area.Max.Y; y < p.area.Max.Y+8; y++ {
			p.SetNRGBA(x, y, ink)
		}
		text := clock(at, apart)
		width := write.MeasureString(text).Ceil()
		left := min(max(x-width/2, margin), p.Rect.Max.X-margin-width) // whole, at both ends too
		write.write(text, left, p.area.Max.Y+14+letters, 0)
	}
}
