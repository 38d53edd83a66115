// Package plot draws spectrograms.
//
// Guarantees:
//   - The same samples give the same picture.
//   - The picture has its own dark background, so it is readable on light and dark pages.
//   - The picture's size and the memory use do not depend on the length of the sound. Drawing stops
//     soon after its context is cancelled.
package plot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"time"

	"atelier/agent/toolbox/native/canvas"
)

// Samples are the samples of a mono sound: 16 bits each, signed, little-endian.
type Samples struct {
	From io.ReaderAt
	// Rate is the number of samples per second.
	Rate int
	// Count is the total number of samples.
	Count int64
}

// ErrNoSamples is the error for an empty sound.
var ErrNoSamples = errors.New("no samples")

// read fills to with the samples from index at onwards, scaled to -1 to 1. Outside the sound
// there is silence.
func (s Samples) read(at int64, to []float64, raw []byte) error {
	clear(to)
	skip := max(-at, 0)
	n := min(int64(len(to)), s.Count-at) - skip
	if n <= 0 {
		return nil
	}
	raw = raw[:2*n]
	if _, err := s.From.ReadAt(raw, 2*(at+skip)); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read samples: %w", err)
	}
	for i := range n {
		to[skip+i] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32768 //nolint:gosec // two's complement
	}
	return nil
}

// The colours of the background and the labels.
var ground, ink = color.NRGBA{0x0f, 0x17, 0x2a, 0xff}, color.NRGBA{0xcb, 0xd5, 0xe1, 0xff}

const (
	// lowest and highest bound the frequency axis, in hertz: the range of human hearing. The axis ends
	// at half the sample rate if that is lower.
	lowest, highest = 40.0, 20_000.0
	// depth is the dynamic range, in decibels.
	depth = 75.0
	// looks is the maximum number of spectra per column.
	looks = 3
	// letters is the font size of the labels, and margin their distance from the edges, in pixels.
	letters, margin = 22, 4
)

// Spectrum draws a spectrogram: time from left to right, frequency from bottom to top on a
// logarithmic scale. The strongest level is the brightest, and levels 75 dB below it are black.
func Spectrum(ctx context.Context, s Samples) (image.Image, error) {
	if s.Count <= 0 || s.Rate <= 0 {
		return nil, ErrNoSamples
	}
	write, err := canvas.NewLetters(canvas.Regular, letters)
	if err != nil {
		return nil, fmt.Errorf("draw the axes: %w", err)
	}
	c, area := canvas.New(1600, 860, ground), image.Rect(112, 32, 1568, 804)
	top := min(highest, float64(s.Rate)/2)
	levels, strongest, err := s.levels(ctx, area.Size(), top)
	if err != nil {
		return nil, err
	}
	for x, column := range levels {
		for y, level := range column {
			share := 0.0
			if !math.IsInf(strongest, -1) {
				share = 1 + (float64(level)-strongest)/depth
			}
			c.SetNRGBA(area.Min.X+x, area.Max.Y-1-y, heat(share))
		}
	}
	length := time.Duration(float64(s.Count) / float64(s.Rate) * float64(time.Second))
	apart := step(length)
	for at := time.Duration(0); at <= length; at += apart {
		x := float64(area.Min.X) + math.Round(float64(at)/float64(length)*float64(area.Dx()-1))
		c.Box(x, float64(area.Max.Y), x+1, float64(area.Max.Y)+8, ink)
		text := clock(at, apart)
		left := min(max(x-write.Width(text)/2, margin), float64(c.Rect.Max.X)-margin-write.Width(text)) // not cut off at the ends
		c.Write(write, text, left, float64(area.Max.Y)+28, 0, ink)
	}
	for _, hz := range []int{50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000} {
		height := math.Log(float64(hz)/lowest) / math.Log(top/lowest)
		if height > 1 {
			break
		}
		y := float64(area.Max.Y-1) - math.Round(height*float64(area.Dy()-1))
		c.Box(float64(area.Min.X)-8, y, float64(area.Min.X), y+1, ink)
		text := strconv.Itoa(hz) + " Hz"
		if hz >= 1000 {
			text = strconv.Itoa(hz/1000) + " kHz"
		}
		c.Write(write, text, float64(area.Min.X)-16, y, 1, ink)
	}
	return c.NRGBA, nil
}

// frequencyAt returns the frequency at a height, from 0 at the bottom to 1 at the top.
func frequencyAt(height, top float64) float64 { return lowest * math.Pow(top/lowest, height) }

// levels returns the level of each row in each column, in decibels, and the maximum.
func (s Samples) levels(ctx context.Context, size image.Point, top float64) ([][]float32, float64, error) {
	all, strongest, t := make([][]float32, size.X), math.Inf(-1), newTransform()
	places := make([]float64, size.Y+1) // the positions of the rows' edges in a spectrum
	for y := range places {
		places[y] = frequencyAt(float64(y)/float64(size.Y), top) * window / float64(s.Rate)
	}
	samples, raw, power := make([]float64, window), make([]byte, 2*window), make([]float64, window/2)
	width := float64(s.Count) / float64(size.X)
	n := min(max(int(width/window), 1), looks)
	for x := range all {
		clear(power)
		for k := range n {
			centre := (float64(x) + (float64(k)+0.5)/float64(n)) * width
			if err := errors.Join(ctx.Err(), s.read(int64(centre)-window/2, samples, raw)); err != nil {
				return nil, 0, err
			}
			t.add(samples, power)
		}
		all[x] = make([]float32, size.Y)
		for y := range all[x] {
			level := 10 * math.Log10(at(power, places[y], places[y+1])/float64(n)) // -∞ for silence
			strongest = max(strongest, level)
			all[x][y] = float32(level)
		}
	}
	return all, strongest, nil
}

// at returns the maximum power between two positions in a spectrum, or the interpolated power if
// no bin lies between them.
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

// warmth is the colour scale from silence to the maximum. Its brightness rises in even steps, so that
// levels can be told apart without colour vision.
var warmth = []color.NRGBA{
	{0x02, 0x03, 0x0f, 0xff}, {0x1d, 0x11, 0x47, 0xff}, {0x51, 0x12, 0x7c, 0xff}, {0x83, 0x26, 0x81, 0xff}, {0xb7, 0x37, 0x79, 0xff},
	{0xe7, 0x53, 0x64, 0xff}, {0xfc, 0x86, 0x62, 0xff}, {0xfe, 0xc2, 0x87, 0xff}, {0xfc, 0xfd, 0xbf, 0xff},
}

// heat returns the colour of a level, from 0 to 1.
func heat(share float64) color.NRGBA {
	place := min(max(share, 0), 1) * float64(len(warmth)-1)
	k := min(int(place), len(warmth)-2)
	a, b, share := warmth[k], warmth[k+1], place-float64(k)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*share + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// marks is the maximum number of marks on the time axis.
const marks = 10

// step returns the distance between the marks on the time axis.
func step(length time.Duration) time.Duration {
	for _, s := range []float64{
		.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600, 86_400,
	} {
		if d := time.Duration(s * float64(time.Second)); length <= marks*d {
			return d
		}
	}
	return length / marks
}

// clock formats a time for an axis whose marks are apart from each other.
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
