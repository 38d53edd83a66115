package program

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/slow"
)

// TestLooksOfVideos checks that each look changes what its name says, and only during the requested time.
func TestLooksOfVideos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "colours.mp4", append(lavfi("color=s=128x72:r=25:d=4,format=rgb24,geq=r=80+X:g=100:b=200-X"), "-pix_fmt", "yuv420p")...)
	plain := frameAt(t, path, 2)
	grey := func(img image.Image) bool { return saturation(img) < 0.5*saturation(plain) }
	fewer := func(img image.Image) bool { return shades(img) < shades(plain)/2 }
	for said, is := range map[string]func(image.Image) bool{
		"pencil sketch": grey, "old movie": grey, "posterise": fewer, "cartoonize": fewer,
		"oil painting": func(img image.Image) bool { return saturation(img) > 1.05*saturation(plain) },
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			out := done(t, "stylize_video", videoOf(path).with("look", said).with("when", "from 0:01 to 0:03"))
			if !is(frameAt(t, out.Path, 2)) {
				t.Error("the look is missing at 2 s")
			}
			if is(frameAt(t, out.Path, 0.5)) || is(frameAt(t, out.Path, 3.5)) {
				t.Error("the look is there outside of its time")
			}
			whole := done(t, "stylize_video", videoOf(path).with("look", said))
			if !is(frameAt(t, whole.Path, 0.5)) || !is(frameAt(t, whole.Path, 3.5)) {
				t.Error("the look is not there for the whole length")
			}
		})
	}
}

// saturation returns the mean difference between the largest and the smallest channel, from 0 to 255.
func saturation(img image.Image) float64 {
	b, sum := img.Bounds(), 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) //nolint:errcheck,forcetypeassert // the model makes it so
			sum += int(max(c.R, c.G, c.B)) - int(min(c.R, c.G, c.B))
		}
	}
	return float64(sum) / float64(b.Dx()*b.Dy())
}

// shades counts the levels of red that at least half a column of pixels has.
func shades(img image.Image) int {
	b, seen := img.Bounds(), [256]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) //nolint:errcheck,forcetypeassert // the model makes it so
			seen[c.R]++
		}
	}
	n := 0
	for _, count := range seen {
		if count >= b.Dy()/2 {
			n++
		}
	}
	return n
}

// TestFilmGrainIsBounded checks that the grain of an old film differs in each frame, but does not take most of the
// file.
func TestFilmGrainIsBounded(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "pattern.mp4", append(lavfi("testsrc=size=640x360:rate=25:duration=3", "sine=frequency=300:duration=3"), "-c:v", "libx264", "-crf", "20", "-preset", "veryfast", "-pix_fmt", "yuv420p")...)
	out := done(t, "stylize_video", videoOf(path).with("look", "old film"))
	if now, was := machine.SizeOf(out.Path), machine.SizeOf(path); now > 3*was {
		t.Errorf("it has %d bytes, the video %d", now, was)
	}
	grain := 0
	a, b := frameAt(t, out.Path, 1), frameAt(t, out.Path, 1.04)
	for y := range a.Bounds().Dy() {
		if a.At(100, y) != b.At(100, y) {
			grain++
		}
	}
	if grain < a.Bounds().Dy()/4 {
		t.Errorf("%d pixels of a column of %d change from frame to frame", grain, a.Bounds().Dy())
	}
}
