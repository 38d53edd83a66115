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
		"1920 px wide":                       {{quantity.Pixels, "1920 px wide"}},
		"in 720p":                            {{quantity.Pixels, "720p"}},
		"20% smaller":                        {{quantity.Percent, "20%"}},
		"under 8 MB":                         {{quantity.ByteCount, "8 MB"}},
		"the first 5 seconds":                {{quantity.Time, "5 seconds"}},
		"from 0:10 to 1:05":                  {{quantity.Clock, "0:10"}, {quantity.Clock, "1:05"}},
		"seconds 2 to 4":                     {{quantity.Time, "seconds 2 to 4"}},
		"1 minute and 30 seconds":            {{quantity.Time, "1 minute and 30 seconds"}},
		"half a minute":                      {{quantity.Time, "half a minute"}},
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
		"convert part1 and img_20 to mp4":    nil, // digits of words
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

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind         quantity.Kind
		takes, other quantity.Unit
		reads, not   string
	}{
		{quantity.TimeRange, quantity.Time, quantity.Pixels, "0:10 to 0:20", "blue"},
		{quantity.PointInTime, quantity.Clock, quantity.ByteCount, "0:07", "when she smiles"},
		{quantity.ImageSize, quantity.Pixels, quantity.Time, "800x600", "blue"},
		{quantity.Speed, quantity.Factor, quantity.Pixels, "2x", "blue"},
		{quantity.Scale, quantity.Factor, quantity.Time, "twice", "blue"},
		{quantity.Turn, quantity.Degrees, quantity.Pixels, "90 degrees", "nicely"},
		{quantity.FileSize, quantity.ByteCount, quantity.Pixels, "2 MB", "small"},
		{quantity.Part, quantity.Percent, quantity.ByteCount, "the left half", "the cat"},
		{quantity.Intensity, quantity.Percent, quantity.Degrees, "strongly", "blue"},
	} {
		kind, err := quantity.ParseKind(string(c.kind))
		if err != nil || kind.Most() < 1 || !kind.Takes(c.takes) || kind.Takes(c.other) || !kind.Reads(c.reads) || kind.Reads(c.not) {
			t.Errorf("%s: %v, at most %d; takes %s: %t, %s: %t; reads %q: %t, %q: %t", c.kind, err, kind.Most(),
				c.takes, kind.Takes(c.takes), c.other, kind.Takes(c.other), c.reads, kind.Reads(c.reads), c.not, kind.Reads(c.not))
		}
	}
	if _, err := quantity.ParseKind("length"); err == nil || quantity.Kind("length").Reads("2 m") {
		t.Error("an unknown kind is taken")
	}
}

// FuzzFind: quantities stand one behind the other, within the text, and hold something.
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
