package program

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

func TestBlackBarsAreCropped(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	barred := clip(t, "barred.mp4", append(lavfi("testsrc2=size=320x120:rate=10:duration=2", "sine=duration=2"),
		"-vf", "drawbox=t=fill:color=black:enable='lt(t,0.5)',pad=320:240:0:60", "-c:v", "libx264")...)
	out := done(t, "crop_black_bars", args{"video": list(fileOf(plan.Video, barred))})
	a := probe(t, out.Path)
	if got := a.Streams[0]; got.Width != 320 || got.Height != 120 || a.codecs() != "video:h264 audio:aac" {
		t.Errorf("the video has %d × %d pixels and %s", got.Width, got.Height, a.codecs())
	}
	for source, want := range map[string]string{"testsrc2=": "no black bars", "color=black:": "The whole video is black"} {
		plain := clip(t, "plain.mp4", append(lavfi(source+"size=160x120:rate=10:duration=1"), "-c:v", "libx264")...)
		holds(t, refused(t, "crop_black_bars", args{"video": list(fileOf(plan.Video, plain))}), want)
	}
}
