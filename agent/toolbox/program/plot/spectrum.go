package plot

import (
	"context"
	"image"
	"image/color"
	"math"
	"strconv"
)

const (
	// lowest and highest are the frequencies at the foot and the head of a spectrogram, in
	// hertz: what people hear. It ends at half the rate of the samples, if that is less.
	lowest, highest = 40.0, 20_000.0
	// depth is how far below the strongest a frequency is still seen, in decibels.
	depth = 75.0
	// looks is the most spectra that are taken for one column.
	looks = 3
)

// Spectrum draws which frequencies are heard when: time goes from left to right and
// frequency from the foot to the head, each octave as high as any other. The strongest
// frequency is the brightest, and one that is 75 dB weaker is black.
func Spectrum(ctx context.Context, s Samples) (image.Image, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p := newPanel(1600, 860, image.Rect(112, 32, 1568, 804))
	write, err := p.pen()
	if err != nil {
		return nil, err
	}
	top := min(highest, float64(s.Rate)/2)
	rows := make([][2]float64, p.area.Dy()) // the places of each in a spectrum
	for y := range rows {
		place := func(edge float64) float64 {
			return frequencyAt(edge/float64(len(rows)), top) * window / float64(s.Rate)
		}
		rows[y] = [2]float64{place(float64(y)), place(float64(y) + 1)}
	}
	levels, strongest, err := s.levels(ctx, p.area.Dx(), rows)
	if err != nil {
		return nil, err
	}
	for x, column := range levels {
		for y, level := range column {
			share := 0.0
			if !math.IsInf(strongest, -1) {
				share = 1 + (float64(level)-strongest)/depth
			}
			p.SetNRGBA(p.area.Min.X+x, p.area.Max.Y-1-y, heat(share))
		}
	}
	p.times(s.Duration(), write, false)
	p.frequencies(top, write)
	return p.NRGBA, nil
}

// frequencyAt is the frequency at a height, from 0 at the foot to 1 at the head.
func frequencyAt(height, top float64) float64 { return lowest * math.Pow(top/lowest, height) }

// levels are the strengths of the rows in each column, in decibels, and the greatest.
func (s Samples) levels(ctx context.Context, columns int, rows [][2]float64) ([][]float32, float64, error) {
	all := make([][]float32, columns)
	strongest := math.Inf(-1)
	t := newTransform()
	samples, raw, power := make([]float64, window), make([]byte, 2*window), make([]float64, window/2)
	width := float64(s.Count) / float64(columns)
	n := min(max(int(width/window), 1), looks)
	for x := range all {
		clear(power)
		for k := range n {
			centre := (float64(x) + (float64(k)+0.5)/float64(n)) * width
			if err := s.read(ctx, int64(centre)-window/2, samples, raw); err != nil {
				return nil, 0, err
			}
			t.add(samples, power)
		}
		all[x] = make([]float32, len(rows))
		for y, r := range rows {
			level := 10 * math.Log10(at(power, r[0], r[1])/float64(n)) // -∞ for silence
			strongest = max(strongest, level)
			all[x][y] = float32(level)
		}
	}
	return all, strongest, nil
}

// at is the greatest power between two places in a spectrum, or what lies between its two
// neighbours where they are closer than that.
func at(power []float64, from, to float64) float64 {
	first, last := int(math.Ceil(from)), int(math.Floor(to))
	if first > last {
		k := min(int(from), len(power)-2)
		share := (from+to)/2 - float64(k)
		return power[k]*(1-share) + power[k+1]*share
	}
	most := 0.0
	for k := first; k <= min(last, len(power)-1); k++ {
		most = max(most, power[k])
	}
	return most
}

// warmth are the colours from silence to the strongest frequency, equally far apart:
// brighter in even steps, so that they are told apart without colours too.
var warmth = []color.NRGBA{
	{0x02, 0x03, 0x0f, 0xff}, {0x1d, 0x11, 0x47, 0xff}, {0x51, 0x12, 0x7c, 0xff}, {0x83, 0x26, 0x81, 0xff}, {0xb7, 0x37, 0x79, 0xff},
	{0xe7, 0x53, 0x64, 0xff}, {0xfc, 0x86, 0x62, 0xff}, {0xfe, 0xc2, 0x87, 0xff}, {0xfc, 0xfd, 0xbf, 0xff},
}

// heat is the colour of a strength, from 0 to 1.
func heat(share float64) color.NRGBA {
	place := min(max(share, 0), 1) * float64(len(warmth)-1)
	k := min(int(place), len(warmth)-2)
	return between(warmth[k], warmth[k+1], place-float64(k))
}

// frequencies marks the frequencies left of the area.
func (p panel) frequencies(top float64, write pen) {
	for _, hz := range []float64{50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000} {
		if hz > top {
			continue
		}
		height := math.Log(hz/lowest) / math.Log(top/lowest)
		y := p.area.Max.Y - 1 - int(height*float64(p.area.Dy()-1)+0.5)
		for x := p.area.Min.X - 8; x < p.area.Min.X; x++ {
			p.SetNRGBA(x, y, ink)
		}
		text := strconv.Itoa(int(hz)) + " Hz"
		if hz >= 1000 {
			text = strconv.Itoa(int(hz/1000)) + " kHz"
		}
		write.write(text, p.area.Min.X-16, y+letters/3, 1)
	}
}
