package quantity

import (
	"image"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSize(t *testing.T) {
	t.Parallel()
	factor := func(f float64) Sizing { return Sizing{Factor: f} }
	for text, want := range map[string]Sizing{
		"half as large": factor(0.5), "half": factor(0.5), "make the result half as large": factor(0.5),
		"halve": factor(0.5), "to half its size": factor(0.5), "50%": factor(0.5), "50 per cent": factor(0.5),
		"1/2": factor(0.5), "½": factor(0.5), "by 0.5": factor(0.5), ".5": factor(0.5), "scale 0.5": factor(0.5),
		"twice as small": factor(0.5), "2 times smaller": factor(0.5), "reduce by a factor of 2": factor(0.5),
		"smaller": factor(0.5), "a bit smaller": factor(0.75), "much smaller": factor(0.25),
		"by 50% of its size": factor(0.5), "shrink it by half": factor(0.5),
		"twice as big": factor(2), "double": factor(2), "double the size": factor(2), "two times": factor(2),
		"2x": factor(2), "x2": factor(2), "200%": factor(2), "by 2": factor(2), "Two-fold": factor(2), "2": factor(2),
		"three times as large": factor(3), "triple": factor(3), "one and a half times": factor(1.5),
		"larger": factor(1.5), "slightly larger": factor(1.25), "much bigger": factor(3),
		"20% larger": factor(1.2), "enlarge by 20 percent": factor(1.2), "20% smaller": factor(0.8),
		"reduce by 20%": factor(0.8), "reduce to 20%": factor(0.2), "increase to 150%": factor(1.5),
		"a quarter of its size": factor(0.25), "three quarters": factor(0.75), "reduce it by a quarter": factor(0.75),
		"a third smaller": factor(2. / 3), "a third": factor(1. / 3), "1/3": factor(1. / 3), "two-thirds": factor(2. / 3),
		"800x600": {Width: 800, Height: 600}, "800 x 600 pixels": {Width: 800, Height: 600}, "800×600": {Width: 800, Height: 600},
		"1920 by 1080": {Width: 1920, Height: 1080}, "800px by 600px": {Width: 800, Height: 600},
		"800 px wide": {Width: 800}, "width 800": {Width: 800}, "width of 800": {Width: 800}, "800 pixels in width": {Width: 800},
		"a width of 1024 pixels": {Width: 1024}, "1024 pixels": {Width: 1024}, "640": {Width: 640}, "resize it to 640": {Width: 640},
		"800 pixels high": {Height: 800}, "300px tall": {Height: 300}, "height: 300": {Height: 300}, "1080p": {Height: 1080},
		"1,500 px wide": {Width: 1500}, "1,5 times": factor(1.5), "10 - 20 px": {Width: 20}, "1.23456x": factor(1.23456),
		"800 px wide and 600 high": {Width: 800, Height: 600},
		"1600 px on the long side": {Longest: 1600}, "long side 1600": {Longest: 1600}, "longest edge of 1600": {Longest: 1600},
		"to max 1600 on long side": {Longest: 1600, AtMost: true}, "longest side at most 1600 px": {Longest: 1600, AtMost: true},
		"at most 800 px wide": {Width: 800, AtMost: true}, "no more than 600 px high": {Height: 600, AtMost: true},
	} {
		got, ok := Size(text)
		if !ok || got.Width != want.Width || got.Height != want.Height || got.Longest != want.Longest || got.AtMost != want.AtMost || math.Abs(got.Factor-want.Factor) > 1e-9 {
			t.Errorf("Size(%q) = %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"-50%", "resize to -5 pixels", "-5 px", "minus 50%", "1e400", "2e3 pixels", "NaN", "inf", "larger and smaller",
		"half and double", "0 x 0", "", "nicely", "purple", "0x0", "0%", "1/0", "-", "0", "shrink by 100%", "99999999x3"} {
		if got, ok := Size(text); ok {
			t.Errorf("Size(%q) = %+v, want that it is not understood", text, got)
		}
	}
}

func TestSizingOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		z    Sizing
		w, h int
		want [2]int
	}{
		{Sizing{Factor: 0.5}, 640, 427, [2]int{320, 214}},
		{Sizing{Factor: 0.001}, 640, 427, [2]int{1, 1}},
		{Sizing{Width: 100}, 400, 200, [2]int{100, 50}},
		{Sizing{Height: 100}, 400, 200, [2]int{200, 100}},
		{Sizing{Width: 10, Height: 70}, 400, 200, [2]int{10, 70}},
		{Sizing{Longest: 1600}, 4000, 3000, [2]int{1600, 1200}},
		{Sizing{Longest: 1600}, 3000, 4000, [2]int{1200, 1600}},
		{Sizing{Longest: 1600}, 400, 300, [2]int{1600, 1200}},
		{Sizing{Longest: 1600, AtMost: true}, 400, 300, [2]int{400, 300}},
		{Sizing{Longest: 1600, AtMost: true}, 4000, 3000, [2]int{1600, 1200}},
		{Sizing{Width: 800, AtMost: true}, 700, 2000, [2]int{700, 2000}},
		{Sizing{Height: 800, AtMost: true}, 700, 2000, [2]int{280, 800}},
		{Sizing{Height: 800, AtMost: true}, 2000, 700, [2]int{2000, 700}},
	} {
		w, h := c.z.Of(c.w, c.h)
		if diff := cmp.Diff(c.want, [2]int{w, h}); diff != "" {
			t.Errorf("%+v of %d×%d: %s", c.z, c.w, c.h, diff)
		}
	}
}

func TestAngle(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"90 degrees": 90, "90": 90, "180°": 180, "left": 270, "to the left": 270, "right": 90, "clockwise": 90,
		"counter-clockwise": 270, "anticlockwise": 270, "90 degrees counterclockwise": 270, "-90": 270, "45 degrees": 45,
		"upside down": 180, "a half turn": 180, "a quarter turn": 90, "a quarter turn anticlockwise": 270,
		"three quarter turn": 270, "turn it 30 degrees to the left": 330, "by 12.5 degrees": 12.5, "450": 90,
		"a full turn": 0, "on its side": 90, "turn it round": 180, "quarter": 90,
		"twice": 180, "3 times": 270, "thrice to the left": 90, "90 degrees twice": 180, "two times by 45 degrees": 90,
		"to the left, right now": 270, "on its left side": 270, "12,5 degrees": 12.5, "-90 degrees left": 90,
	} {
		if got, ok := Angle(text); !ok || got != want {
			t.Errorf("Angle(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "nicely", "a bit", "1e400 degrees", "NaN degrees", "infinite", "left and right",
		"clockwise and counter-clockwise", "90 degrees left and right", "9999999 degrees"} {
		if got, ok := Angle(text); ok {
			t.Errorf("Angle(%q) = %v, want that it is not understood", text, got)
		}
	}
}

func TestStrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Strength{
		"a little": {Level: Little}, "slightly": {Level: Little}, "a slight blur": {Level: Little}, "strongly": {Level: Lot}, "very much": {Level: Lot},
		"5 pixels": {Pixels: 5}, "2.5": {Pixels: 2.5}, "radius of 3": {Pixels: 3}, "medium": {},
		"10%": {Level: Little}, "50%": {Level: Medium}, "100%": {Level: Lot},
	} {
		if got, ok := Strong(text); !ok || got != want {
			t.Errorf("Strong(%q) = %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"purple", "first", "-5 pixels", "-50%", "1e9 pixels", "NaN"} {
		if got, ok := Strong(text); ok {
			t.Errorf("Strong(%q) = %+v, want that it is not understood", text, got)
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"2 MB": 2e6, "500kB": 500e3, "under 1 megabyte": 1e6, "1.5 MB": 15e5, "1,5 MB": 15e5, "300 kilobytes": 3e5,
		"at most 8mb": 8e6, "half a megabyte": 5e5, "a megabyte": 1e6, "one MB": 1e6, "2 MiB": 2 << 20, "100 KiB": 100 << 10,
		"smaller than 100k": 1e5, "20000 bytes": 20000, "1 GB": 1e9, "two megabytes": 2e6,
	} {
		if got, ok := Bytes(text); !ok || got != want {
			t.Errorf("Bytes(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"-5 MB", "1e3 kB", "smaller than -5 MB", "", "2", "small", "0 MB", "2 MB smaller", "smaller by 300 kB", "800 pixels", "99999999999 GB"} {
		if got, ok := Bytes(text); ok {
			t.Errorf("Bytes(%q) = %d, want that it is not understood", text, got)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Anchor{
		"top": {0, -1}, "bottom right": {1, 1}, "the upper left corner": {-1, -1}, "centre": {}, "in the middle": {},
		"at the lower right": {1, 1}, "left": {-1, 0}, "the very bottom, on the left": {-1, 1},
	} {
		if got, ok := Place(text); !ok || got != want {
			t.Errorf("Place(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	if got, ok := Place("purple"); ok {
		t.Errorf("Place(purple) = %v", got)
	}
}

func TestRegion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]image.Rectangle{
		"left half": image.Rect(0, 0, 300, 400), "the right side": image.Rect(300, 0, 600, 400),
		"the top third": image.Rect(0, 0, 600, 133), "bottom 25%": image.Rect(0, 300, 600, 400),
		"top right quarter": image.Rect(300, 0, 600, 200), "the upper left corner": image.Rect(0, 0, 300, 200),
		"a square": image.Rect(100, 0, 500, 400), "the left square": image.Rect(0, 0, 400, 400),
		"16:9": image.Rect(0, 31, 600, 369), "4:5": image.Rect(140, 0, 460, 400),
		"100x200+30+40": image.Rect(30, 40, 130, 240), "100,100,300,400": image.Rect(100, 100, 300, 400),
		"100, 100, 300, 400": image.Rect(100, 100, 300, 400), "500x500+200+200": image.Rect(200, 200, 600, 400),
		"the middle": image.Rect(150, 100, 450, 300), "640x480 from the centre": image.Rect(0, 0, 600, 400),
		"200x100": image.Rect(200, 150, 400, 250), "200 by 100 at the top left": image.Rect(0, 0, 200, 100),
		"top 50 pixels": image.Rect(0, 0, 600, 50), "cut off the bottom quarter": image.Rect(0, 0, 600, 300),
		"10% from all sides": image.Rect(60, 40, 540, 360), "50 px off every side": image.Rect(50, 50, 550, 350),
		"50 px off the top and the bottom": image.Rect(0, 50, 600, 350), "10% from the left and right": image.Rect(60, 0, 540, 400),
		"x 95 to 230, y 180 to 320": image.Rect(95, 180, 230, 320), "the rows from y 213 to 327": image.Rect(0, 213, 600, 327),
		"columns 40-90": image.Rect(40, 0, 90, 400), "from (95, 80) to (230, 320)": image.Rect(95, 80, 230, 320),
		"16:9, keep the top":     image.Rect(0, 0, 600, 338),
		"remove the left 100 px": image.Rect(100, 0, 600, 400),
		"300x200 at 100,50":      image.Rect(100, 50, 400, 250), "the box 100,50 300x200": image.Rect(100, 50, 400, 250),
		"200 × 100 px at (10, 20)": image.Rect(10, 20, 210, 120), "10, 20 with 200x100": image.Rect(10, 20, 210, 120),
	} {
		a, ok := Region(text)
		if got, inside := a.Of(600, 400); !ok || !inside || got != want {
			t.Errorf("Region(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "the dog", "0:0", "300,400,100,100", "10x10+900+900", "16:0",
		"x 230 to 95", "x 1 to 2 and x 3 to 4", "y 500 to 600", "-10,0,100,100", "100x100+-5+5", "top -20%", "1e3x10 at the top",
		"all sides", "300 px off every side", "50 px on all sides", "60% from all sides"} {
		a, ok := Region(text)
		if got, inside := a.Of(600, 400); ok && inside {
			t.Errorf("Region(%q) = %v, want that it is not understood", text, got)
		}
	}
}

// TestCrop crops to a size in pixels. A picture that is too small for it keeps the part of that shape.
func TestCrop(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		part image.Rectangle
		size image.Point
	}{
		"200x100":                  {image.Rect(200, 150, 400, 250), image.Pt(200, 100)},
		"300x800":                  {image.Rect(225, 0, 375, 400), image.Pt(300, 800)},
		"1200x1200, keep the left": {image.Rect(0, 0, 400, 400), image.Pt(1200, 1200)},
		"600x2 at the top":         {image.Rect(0, 0, 600, 2), image.Pt(600, 2)},
		"the left half":            {image.Rect(0, 0, 300, 400), image.Pt(300, 400)},
		"500x500+200+200":          {image.Rect(200, 200, 600, 400), image.Pt(400, 200)},
	} {
		a, ok := Region(text)
		part, size, inside := a.Crop(600, 400)
		if !ok || !inside || part != want.part || size != want.size {
			t.Errorf("Region(%q) crops to %v, enlarged to %v, want %v", text, part, size, want)
		}
	}
}

func TestAdjust(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Adjustment{
		"brighter": {{Brightness, 0.2}}, "20% brighter": {{Brightness, 0.2}}, "30% darker": {{Brightness, -0.3}},
		"too dark": {{Brightness, 0.2}}, "a bit lighter": {{Brightness, 0.1}}, "lower the brightness": {{Brightness, -0.2}},
		"more contrast": {{Contrast, 0.2}}, "reduce the contrast": {{Contrast, -0.2}}, "much more contrast": {{Contrast, 0.4}},
		"less colourful": {{Saturation, -0.2}}, "more saturation": {{Saturation, 0.4}}, "stronger colors": {{Saturation, 0.8}},
		"warmer": {{Warmth, 0.2}}, "cooler": {{Warmth, -0.2}}, "sharpen": {{Sharpness, 0.2}},
		"sepia": {{Sepia, 1}}, "invert the colours": {{Invert, 1}}, "a negative": {{Invert, 1}},
		"a vignette": {{Vignette, 0.2}}, "darker at the edges": {{Vignette, 0.2}}, "make the corners a bit darker": {{Vignette, 0.1}},
		"brighter and with less contrast": {{Brightness, 0.2}, {Contrast, -0.2}}, "brighter, much brighter": {{Brightness, 0.2}, {Brightness, 0.4}},
		"20% more saturation": {{Saturation, 0.2}}, "desaturate by 30 %": {{Saturation, -0.3}}, "desaturated": {{Saturation, -0.2}}, "20% less saturated": {{Saturation, -0.2}},
		"contrast +20 %": {{Contrast, 0.2}}, "warmth +10": {{Warmth, 0.1}}, "warmth -10": {{Warmth, -0.1}}, "saturation-40%": {{Saturation, -0.4}},
		"increase the contrast by 15": {{Contrast, 0.15}}, "brightness 120%": {{Brightness, 0.2}}, "reduce the brightness to 80%": {{Brightness, -0.2}},
		"contrast to 130 %": {{Contrast, 0.3}}, "brightness +10% contrast -20%": {{Brightness, 0.1}, {Contrast, -0.2}}, "less contrast, -10%": {{Contrast, -0.1}}, "more contrast, by 30%": {{Contrast, 0.3}}, "by 150% brighter": {{Brightness, 1}},
		"brightness -20%": {{Brightness, -0.2}}, "-20% darker": {{Brightness, -0.2}}, "contrast minus 12,5%": {{Contrast, -0.125}},
		"one stop brighter": {{Exposure, 1}}, "1.5 stops darker": {{Exposure, -1.5}}, "-1 EV": {{Exposure, -1}}, "+2/3 ev": {{Exposure, 0.67}},
		"half a stop brighter": {{Exposure, 0.5}}, "two thirds of a stop darker": {{Exposure, -0.67}}, "a third of a stop": {{Exposure, 0.33}},
		"exposure +50%": {{Exposure, 0.58}}, "reduce the exposure by 50%": {{Exposure, -1}}, "exposure to 150%": {{Exposure, 0.58}},
		"lower the exposure by 100%": {{Exposure, -5}}, "more exposure": {{Brightness, 0.2}},
		"increase the exposure by 2 f-stops": {{Exposure, 2}}, "a full stop too dark": {{Exposure, 1}}, "pull it by a stop and more contrast": {{Exposure, -1}, {Contrast, 0.2}},
		"brighten by 9 stops": {{Exposure, MaxStops}},
	} {
		got, ok := Adjust(text)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("Adjust(%q): %v %s", text, ok, diff)
		}
	}
	for _, text := range []string{"purple", "brighter but darker", "warmer and then cooler", "-20% brighter", "0% brighter", "remove the vignette", "0 stops", "1/0 stops", "less dark edges", "no dark corners", "1e400% brighter"} {
		if got, ok := Adjust(text); ok {
			t.Errorf("Adjust(%q) = %v, want that it is not understood", text, got)
		}
	}
}

// FuzzAll checks the documented ranges for any text.
func FuzzAll(f *testing.F) {
	for _, seed := range []string{"half as large", "800x600", "-90 degrees left", "16:9", "100,100,300,400", "1,5 MB",
		"cut off the bottom 20%", "two-thirds", "a bit brighter and 30% less contrast", "999999x999999", "\xff\x00½×", "1/999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if z, ok := Size(text); ok {
			if w, h := z.Of(640, 480); w < 1 || h < 1 || w > 1e9 || h > 1e9 {
				t.Errorf("Size(%q) = %+v, which makes %d × %d", text, z, w, h)
			}
		}
		if a, ok := Angle(text); ok && !(a >= 0 && a < 360) {
			t.Errorf("Angle(%q) = %v", text, a)
		}
		if n, ok := Bytes(text); ok && n < 1 {
			t.Errorf("Bytes(%q) = %d", text, n)
		}
		if s, ok := Strong(text); ok && !(s.Pixels >= 0 && s.Pixels < 1e6 && s.Level >= Little && s.Level <= Lot) {
			t.Errorf("Strong(%q) = %+v", text, s)
		}
		a, ok := Region(text)
		if r, inside := a.Of(64, 48); ok && inside && (r.Empty() || !r.In(image.Rect(0, 0, 64, 48))) {
			t.Errorf("Region(%q) = %v", text, r)
		}
		changes, _ := Adjust(text)
		for _, c := range changes {
			if !(c.By >= -1 && c.By <= 1) {
				t.Errorf("Adjust(%q) = %+v", text, changes)
			}
		}
		Place(text)
	})
}
