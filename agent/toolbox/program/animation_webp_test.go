package program

import (
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/slow"
)

// TestAnimatedWebP checks that command lines work on all pictures of an animated WebP, and that the result is
// animated, too.
func TestAnimatedWebP(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	gif := clip(t, "sample.gif", lavfi("testsrc2=size=96x64:rate=10:duration=1")...)
	webp := filepath.Join(t.TempDir(), "sample.webp")
	same := func(frame *image.NRGBA) (*image.NRGBA, error) { return frame, nil }
	if err := media.EditAnimation(t.Context(), gif, webp, media.Limits{}, same); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool string
		args
		size   image.Point
		length time.Duration
	}{
		{"reverse_animation", args{}, image.Pt(96, 64), time.Second},
		{"change_animation_speed", args{"factor": "2x"}, image.Pt(96, 64), time.Second / 2},
		{"add_border", args{"width": "10 px"}, image.Pt(116, 84), time.Second},
	} {
		c.args["image"] = fileOf(plan.Image, webp)
		out, err := runCommand(t, toolOf(t, c.tool), c.args)
		if err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
		info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
		if err != nil || info.MIME != "image/webp" || info.Frames != 10 || image.Pt(info.Width, info.Height) != c.size {
			t.Errorf("%s: it is %+v, %v", c.tool, info, err)
		}
		near(t, c.tool+": seconds", info.Length.Seconds(), c.length.Seconds(), 0.02)
	}
	out, err := runCommand(t, toolOf(t, "animation_to_video"), args{"image": fileOf(plan.Image, webp)})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(out.Path); err != nil || info.Size() == 0 {
		t.Errorf("no video: %v", err)
	}
}
