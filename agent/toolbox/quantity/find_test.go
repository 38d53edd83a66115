package quantity_test

import (
	"slices"
	"testing"

	"atelier/agent/toolbox/quantity"
)

func TestFind(t *testing.T) {
	t.Parallel()
	type found struct {
		unit quantity.Unit
		text string
	}
	for text, want := range map[string][]found{
		"make it 800x600":                    {{quantity.Pixels, "800x600"}},
		"a badge of 9 x 5.5 cm":              {{quantity.Pixels, "9 x 5.5"}},
		"1920 px wide":                       {{quantity.Pixels, "1920 px wide"}},
		"in 720p":                            {{quantity.Pixels, "720p"}},
		"20% smaller":                        {{quantity.Percent, "20%"}},
		"under 8 MB":                         {{quantity.ByteCount, "8 MB"}},
		"the first 5 seconds":                {{quantity.Time, "5 seconds"}},
		"from 0:10 to 1:05":                  {{quantity.Clock, "0:10"}, {quantity.Clock, "1:05"}},
		"seconds 2 to 4":                     {{quantity.Time, "seconds 2 to 4"}},
		"1 minute and 30 seconds":            {{quantity.Time, "1 minute and 30 seconds"}},
		"half a minute":                      {{quantity.Time, "half a minute"}},
		"the first two and a half secs":      {{quantity.Time, "two and a half secs"}},
		"a second and a half long":           {{quantity.Time, "a second and a half"}},
		"2 and a half times as fast":         {{quantity.Factor, "2 and a half times"}},
		"16:9":                               {{quantity.Ratio, "16:9"}},
		"-90°":                               {{quantity.Degrees, "-90°"}},
		"2x as large":                        {{quantity.Factor, "2x"}},
		"three times faster":                 {{quantity.Factor, "three times"}},
		"a third or 1/3":                     {{quantity.Share, "1/3"}},
		"10 frames per second":               {{quantity.FrameRate, "10 frames per second"}},
		"to -16 LUFS":                        {{quantity.Loudness, "-16 LUFS"}},
		"mono at 32 kbps":                    {{quantity.BitRate, "32 kbps"}},
		"at 44.1 kHz":                        {{quantity.Frequency, "44.1 kHz"}},
		"with 300 dpi":                       {{quantity.Density, "300 dpi"}},
		"in two sentences":                   {{quantity.Length, "two sentences"}},
		"page 3":                             {{quantity.Number, "3"}},
		"convert part1 and img_20 to mp4":    nil, // digits within words
		"":                                   nil,
		"cut 5 s, 800x600, then 25 %, 2 MB!": {{quantity.Time, "5 s"}, {quantity.Pixels, "800x600"}, {quantity.Percent, "25 %"}, {quantity.ByteCount, "2 MB"}},
	} {
		var got []found
		for _, q := range quantity.Find(text) {
			got = append(got, found{q.Unit, text[q.Start:q.End]})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q holds %v, want %v", text, got, want)
		}
	}
}

// FuzzFind: quantities are in order, inside the text and not empty.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{"from 0:10 to 1:05", "800x600 px, 25 %", "-16 LUFS", "½ of 3×", "1 minute and 30 seconds", "\xff9\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, q := range quantity.Find(text) {
			if q.Start < end || q.End <= q.Start || q.End > len(text) {
				t.Fatalf("%q: %+v begins before %d, or holds nothing", text, q, end)
			}
			end = q.End
		}
	})
}
