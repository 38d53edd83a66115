package program

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// redThenBlue is two seconds of each, and a tone in the last three of its four seconds.
func redThenBlue(t *testing.T) string {
	t.Helper()
	return clip(t, "halves.mp4", append(lavfi(
		"color=red:s=128x72:r=25:d=2,format=yuv420p[r];color=blue:s=128x72:r=25:d=2,format=yuv420p[b];[r][b]concat[out0];sine=d=4,volume=enable='lt(t,1)':volume=0[out1]",
	), "-pix_fmt", "yuv420p")...)
}

func TestFreezeFrame(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	film := fileOf(plan.Video, redThenBlue(t))
	for name, c := range map[string]struct {
		args args
		at   map[float64]string
	}{
		"in the middle": {args{"moment": "0:01.5", "length": "2 s"}, map[float64]string{3: "red", 3.8: "red", 4.5: "blue", 5.5: "blue"}},
		"at the end":    {args{"length": "2 seconds"}, map[float64]string{1: "red", 3: "blue", 5.5: "blue"}},
		"at the start":  {args{"moment": "the beginning", "length": "2 seconds"}, map[float64]string{3.5: "red", 4.5: "blue"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "freeze_frame", c.args.with("video", film))
			near(t, "the length", probe(t, out.Path).seconds(), 6, 0.1)
			for at, want := range c.at {
				img := frameAt(t, out.Path, at)
				looks(t, img, 64, 36, want)
			}
		})
	}
	holds(t, refused(t, "freeze_frame", args{"video": film, "moment": "0:09", "length": "2 s"}), "only 4 seconds long")
}

func TestShiftSound(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	film := fileOf(plan.Video, redThenBlue(t))
	for way, loud := range map[string][2]bool{"too late": {true, true}, "later": {false, false}} { // at 0.6 s, and at 1.2 s
		out := done(t, "shift_sound", args{"video": film, "by": "0.5 s", "way": way})
		for i, at := range []float64{0.6, 1.2} {
			if got := volume(t, out.Path, at, 0.2) > -40; got != loud[i] {
				t.Errorf("%s: at %g s it is loud: %t", way, at, got)
			}
		}
		near(t, "the length", probe(t, out.Path).seconds(), 4, 0.1)
	}
	silent := fileOf(plan.Video, clip(t, "silent.mp4", append(lavfi("color=red:s=64x36:d=1"), "-pix_fmt", "yuv420p")...))
	holds(t, refused(t, "shift_sound", args{"video": silent, "by": "0.5 s", "way": "later"}), "no sound")
}

func TestPictureToVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for size, want := range map[string]image.Point{"": {200, 300}, "1080p": {720, 1080}, "640x360": {640, 360}} {
		given := args{"image": fileOf(plan.Image, writePNG(t, "p.png", filled(200, 300, color.NRGBA{255, 0, 0, 255})))}.with("length", "3 s")
		if size != "" {
			given = given.with("size", size)
		}
		out := done(t, "picture_to_video", given)
		img := frameAt(t, out.Path, 2.5)
		if got := img.Bounds().Size(); got != want {
			t.Errorf("%q makes %v, want %v", size, got, want)
		}
		looks(t, img, img.Bounds().Dx()/2, img.Bounds().Dy()/2, "red")
		near(t, "the length", probe(t, out.Path).seconds(), 3, 0.1)
	}
}

// TestPictureToVideoOfALargeSize checks that the answer says that the video is smaller than asked.
func TestPictureToVideoOfALargeSize(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	picture := fileOf(plan.Image, writePNG(t, "p.png", filled(200, 100, color.NRGBA{255, 0, 0, 255})))
	out := done(t, "picture_to_video", args{"image": picture, "length": "0.2 s", "size": "5000x2500"})
	if got := probe(t, out.Path).Streams[0]; got.Width != 3840 || got.Height != 1920 {
		t.Errorf("it has %d × %d pixels", got.Width, got.Height)
	}
	holds(t, out.Note.String(), "at most 3840 pixels a side")
}

func TestLoopUntil(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	film := fileOf(plan.Video, redThenBlue(t))
	out := done(t, "loop_video", args{"video": film, "length": "10 seconds"})
	near(t, "the length", probe(t, out.Path).seconds(), 10, 0.1)
	looks(t, frameAt(t, out.Path, 9), 64, 36, "red")
	near(t, "the usual length", probe(t, done(t, "loop_video", args{"video": film}).Path).seconds(), 8, 0.1)
	sound := fileOf(plan.Audio, tone(t, "t.wav", "440", "3"))
	near(t, "the sound", probe(t, done(t, "loop_audio", args{"audio": sound, "length": "7 s"}).Path).seconds(), 7, 0.1)
}
