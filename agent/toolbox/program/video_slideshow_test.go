package program

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

func TestSlideshow(t *testing.T) {
	t.Parallel()
	still := func(name, size string) toolbox.Value {
		return fileOf(plan.Image, clip(t, name, append(lavfi("testsrc2=size="+size), "-frames:v", "1")...))
	}
	wide, tall := still("wide.png", "160x90"), still("tall.png", "90x160")
	song := fileOf(plan.Audio, clip(t, "song.wav", lavfi("sine=frequency=300:duration=1")...))
	for _, c := range []struct {
		name    string
		args    args
		seconds float64
		width   int
		codecs  string
	}{
		{"pictures", args{"images": list(wide, tall, wide)}.with("each", "1 s"), 3, 1280, "video:h264"},
		{"pictures that stand", args{"images": list(tall, wide)}, 6, 720, "video:h264"},
		{"with a shorter song", args{"images": list(wide, tall), "audio": song}.with("each", "1.5 s"), 3, 1280, "video:h264 audio:aac"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := playable(t, done(t, "make_slideshow", c.args).Path)
			near(t, "the length", a.seconds(), c.seconds, 0.15)
			if a.Streams[0].Width != c.width || a.codecs() != c.codecs {
				t.Errorf("it is %s, %d pixels wide; want %s, %d", a.codecs(), a.Streams[0].Width, c.codecs, c.width)
			}
		})
	}
	many := make([]toolbox.Value, 51)
	for i := range many {
		many[i] = wide
	}
	holds(t, refused(t, "make_slideshow", args{"images": many}), "50")
}
