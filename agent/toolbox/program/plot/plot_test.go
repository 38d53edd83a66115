package plot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"math"
	"testing"
	"time"
)

// sound makes samples from a function of the time in seconds.
func sound(rate int, seconds float64, f func(t float64) float64) Samples {
	n := int(float64(rate) * seconds)
	raw := make([]byte, 2*n)
	for i := range n {
		binary.LittleEndian.PutUint16(raw[2*i:], uint16(int16(f(float64(i)/float64(rate))*32767)))
	}
	return Samples{From: bytes.NewReader(raw), Rate: rate, Count: int64(n)}
}

func tone(hz, strength float64) func(float64) float64 {
	return func(t float64) float64 { return strength * math.Sin(2*math.Pi*hz*t) }
}

// brightest returns the brightest row of a column, from the bottom of the area.
func brightest(img image.Image, x int, area image.Rectangle) int {
	best, row := -1.0, 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		r, g, b, _ := img.At(x, y).RGBA()
		if l := 0.3*float64(r) + 0.6*float64(g) + 0.1*float64(b); l > best {
			best, row = l, area.Max.Y-1-y
		}
	}
	return row
}

func TestToneIsALineAtItsHeight(t *testing.T) {
	t.Parallel()
	area := image.Rect(112, 32, 1568, 804)
	for rate, tones := range map[int][]float64{8000: {440, 3000}, 44100: {110}} {
		for _, hz := range tones {
			img, err := Spectrum(t.Context(), sound(rate, 2, tone(hz, 0.1)))
			if err != nil {
				t.Fatal(err)
			}
			top := min(highest, float64(rate)/2)
			for _, x := range []int{300, 800, 1300} {
				row := brightest(img, x, area)
				if at := frequencyAt((float64(row)+0.5)/float64(area.Dy()), top); math.Abs(at-hz) > float64(rate)/window+hz/100 {
					t.Errorf("%v Hz at %d a second shine at %v Hz in column %d", hz, rate, at, x)
				}
			}
		}
	}
}

func TestSilenceIsDrawnToo(t *testing.T) {
	t.Parallel()
	s := sound(8000, 1, func(float64) float64 { return 0 })
	img, err := Spectrum(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.At(800, 400); got != warmth[0] {
		t.Errorf("silence is %v", got)
	}
}

func TestNoSamples(t *testing.T) {
	t.Parallel()
	for _, s := range []Samples{{Rate: 8000}, {Count: 1}} {
		s.From = bytes.NewReader(nil)
		if _, err := Spectrum(t.Context(), s); !errors.Is(err, ErrNoSamples) {
			t.Errorf("got %v", err)
		}
	}
}

func TestItStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Spectrum(ctx, sound(8000, 1, tone(440, 1))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestMarksOfTime(t *testing.T) {
	t.Parallel()
	for length, want := range map[time.Duration]string{
		5 * time.Millisecond: "0.005 s", 300 * time.Millisecond: "0.30 s", 3 * time.Second: "3.0 s", 95 * time.Second: "1:30", 2 * time.Hour: "2:00:00", 90 * 24 * time.Hour: "2160:00:00",
	} {
		apart := step(length)
		if got := clock(length.Truncate(apart), apart); got != want || length/apart > marks {
			t.Errorf("the last mark of %v is %q, want %q", length, got, want)
		}
	}
}

// TestMarksAreWhole checks that the labels at the ends of the axes are not cut off.
func TestMarksAreWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate    int
		seconds float64
	}{{8000, 0.005}, {8000, 0.05}, {8000, 1}, {1, 600}, {1, 36_000}} {
		s := sound(c.rate, c.seconds, tone(440, 0))
		spectrum, err := Spectrum(t.Context(), s)
		if err != nil && c.rate > 1 {
			t.Fatal(err)
		}
		for _, img := range []image.Image{spectrum} {
			if img == nil {
				continue
			}
			b := img.Bounds()
			for y := range b.Max.Y {
				for _, x := range []int{0, 1, b.Max.X - 2, b.Max.X - 1} {
					if img.At(x, y) != ground {
						t.Fatalf("%g s: something reaches the edge at %d, %d", c.seconds, x, y)
					}
				}
			}
			for x := range b.Max.X {
				if img.At(x, 0) != ground || img.At(x, b.Max.Y-1) != ground {
					t.Fatalf("%g s: something reaches the edge in column %d", c.seconds, x)
				}
			}
		}
	}
}

func BenchmarkSpectrum(b *testing.B) {
	s := sound(44100, 60, tone(440, 0.5))
	for b.Loop() {
		if _, err := Spectrum(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
