package plot

import (
	"context"
	"image"
	"image/color"
	"math"
	"strconv"
)

// The colours of a wave: its peaks, and within them how strong it is on average.
var (
	peaks = color.NRGBA{0x0e, 0xa5, 0xe9, 0xff}
	power = color.NRGBA{0x9b, 0xde, 0xfd, 0xff}
)

// stretch is what one column of a wave shows.
type stretch struct{ low, high, rms float64 }

// Wave draws how loud a sound is over time: its peaks, and within them its average (root
// mean square). It is scaled so that the highest peak fills the picture, and that is
// written in its corner, in decibels below the most that a sound can have (dBFS). Peak is that
// number; it is -∞ for silence.
func Wave(ctx context.Context, s Samples) (img image.Image, peak float64, err error) {
	if err := s.check(); err != nil {
		return nil, 0, err
	}
	p := newPanel(1600, 480, image.Rect(32, 56, 1568, 424))
	write, err := p.pen()
	if err != nil {
		return nil, 0, err
	}
	columns, err := s.columns(ctx, p.area.Dx())
	if err != nil {
		return nil, 0, err
	}
	top := 0.0
	for _, c := range columns {
		top = max(top, -c.low, c.high)
	}
	peak = 20 * math.Log10(top)
	p.times(s.Duration(), write, true)
	write.write(peakText(peak), p.area.Max.X, p.area.Min.Y-18, 1)
	middle := float64(p.area.Min.Y+p.area.Max.Y) / 2
	scale := 0.0
	if top > 0 {
		scale = float64(p.area.Dy()) / 2 / top
	}
	for i, c := range columns {
		x := p.area.Min.X + i
		p.stroke(x, middle-max(c.high*scale, 0.75), middle-min(c.low*scale, -0.75), peaks)
		p.stroke(x, middle-max(min(c.rms, c.high)*scale, 0), middle+max(min(c.rms, -c.low)*scale, 0), power)
	}
	return p.NRGBA, peak, nil
}

func peakText(peak float64) string {
	if math.IsInf(peak, -1) {
		return "silence"
	}
	// a minus sign as wide as a figure; Go's fonts have it
	text := strconv.FormatFloat(math.Abs(peak), 'f', 1, 64)
	if peak < -0.05 {
		text = "−" + text
	}
	return "peak " + text + " dBFS"
}

// stroke fills a column from one height to another, edges softened.
func (p panel) stroke(x int, from, to float64, c color.NRGBA) {
	for y := int(math.Floor(from)); y <= int(math.Floor(to)); y++ {
		cover := min(to, float64(y+1)) - max(from, float64(y))
		p.blend(x, y, c, cover)
	}
}

// block is how many samples are read at a time.
const block = 1 << 15

// columns sums a sound up in so many parts of equal length.
func (s Samples) columns(ctx context.Context, n int) ([]stretch, error) {
	all := make([]stretch, n)
	counts := make([]int64, n)
	at, raw := make([]float64, block), make([]byte, 2*block)
	for begin := int64(0); begin < s.Count; begin += block {
		if err := s.read(ctx, begin, at, raw); err != nil {
			return nil, err
		}
		for i := range min(int64(block), s.Count-begin) {
			// a short sound has fewer samples than there are columns: each fills several
			first := (begin + i) * int64(n) / s.Count
			last := max(first, (begin+i+1)*int64(n)/s.Count-1)
			for k := first; k <= last; k++ {
				c := &all[k]
				if counts[k] == 0 {
					c.low, c.high = at[i], at[i]
				}
				c.low, c.high = min(c.low, at[i]), max(c.high, at[i])
				c.rms += at[i] * at[i]
				counts[k]++
			}
		}
	}
	for k := range all {
		all[k].rms = math.Sqrt(all[k].rms / float64(max(counts[k], 1)))
	}
	return all, nil
}
