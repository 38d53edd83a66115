package program

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
)

func TestSlideshow(t *testing.T) {
	slow.Test(t)
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
		{"with transitions", args{"images": list(wide, tall, wide)}.with("each", "2 s").with("transition", "wipe"), 6, 1280, "video:h264"},
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

// TestSlideshowOfPhotos checks that photos of a phone do not exceed the memory of a program: each takes 36 MB once it
// is decoded, and a transition needs all of them at once.
func TestSlideshowOfPhotos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	photo := fileOf(plan.Image, clip(t, "photo.jpg", append(lavfi("color=red:size=4000x3000"), "-frames:v", "1")...))
	photos := make([]toolbox.Value, 8)
	for i := range photos {
		photos[i] = photo
	}
	out := done(t, "make_slideshow", args{"images": photos}.with("each", "0.4 s").with("transition", "wipe").with("length", "0.2 s"))
	near(t, "the length", playable(t, out.Path).seconds(), 3.2, 0.15)
	looks(t, frameAt(t, out.Path, 3), 640, 360, "red")
}

// TestTransparentPicturesInVideos checks what is seen through them, whatever colour their file has there.
func TestTransparentPicturesInVideos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	img := filled(160, 90, color.NRGBA{255, 0, 0, 255})
	for y := range 90 {
		for x := range 80 {
			img.SetNRGBA(x, y, color.NRGBA{0, 255, 0, 0})
		}
	}
	logo := fileOf(plan.Image, writePNG(t, "logo.png", img))
	shown := frameAt(t, done(t, "make_slideshow", args{"images": list(logo, logo)}.with("each", "1 s")).Path, 1.5)
	looks(t, shown, 200, 360, "white")
	looks(t, shown, 1000, 360, "red")

	song := fileOf(plan.Audio, clip(t, "song.wav", lavfi("sine=frequency=300:duration=2")...))
	out, err := perform(t, "make_audiogram", args{"audio": song, "image": logo}.with("size", "320x180").with("background", "blue"))
	if err != nil {
		t.Fatal(err)
	}
	shown = frameAt(t, out.Path, 1.5)
	looks(t, shown, 40, 20, "blue")
	looks(t, shown, 280, 20, "red")
	near(t, "the length", playable(t, out.Path).seconds(), 2, 0.15)
}

func TestTransitions(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	one := func(colour string) toolbox.Value {
		return fileOf(plan.Image, clip(t, colour+".png", append(lavfi("color="+colour+":size=160x90"), "-frames:v", "1")...))
	}
	out := done(t, "make_slideshow", args{"images": list(one("red"), one("blue"), one("lime"))}.with("transition", "slide").with("each", "2 s"))
	for at, colour := range map[float64]string{1.5: "red", 3.5: "blue", 5.5: "green"} {
		looks(t, frameAt(t, out.Path, at), 640, 360, colour)
	}
	looks(t, frameAt(t, out.Path, 2.5), 100, 360, "red") // while the blue one slides in from the right
	looks(t, frameAt(t, out.Path, 2.5), 1200, 360, "blue")

	film := func(colour, tone string) toolbox.Value {
		return fileOf(plan.Video, clip(t, colour+".mp4", append(lavfi("color="+colour+":size=160x90:rate=10:duration=3", "sine=frequency="+tone+":duration=3"), "-pix_fmt", "yuv420p")...))
	}
	films := args{"videos": list(film("red", "220"), film("blue", "880"), film("lime", "440"))}
	out = done(t, "join_videos", films.with("transition", "crossfade").with("length", "1 s"))
	a := playable(t, out.Path)
	near(t, "the length", a.seconds(), 7, 0.15)
	for at, colour := range map[float64]string{1: "red", 3.5: "blue", 6: "green"} {
		looks(t, frameAt(t, out.Path, at), 80, 45, colour)
	}
	mixed := frameAt(t, out.Path, 2.5)
	if r, _, b, _ := mixed.At(80, 45).RGBA(); r>>8 < 80 || r>>8 > 180 || b>>8 < 80 || b>>8 > 180 {
		t.Errorf("amid the crossfade it is of the colour %v", mixed.At(80, 45))
	}
	if got := loudest(t, out.Path, 3.2, 3.8, 220, 440, 880); got != 880 {
		t.Errorf("the second video sounds of %g Hz", got)
	}
	holds(t, refused(t, "join_videos", films.with("transition", "wipe").with("length", "2 s")), "half as long as the shortest", "0:01.5")
}

func TestTitleCard(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	out := done(t, "add_title_card", videoOf(path).with("caption", "Hello").with("length", "1.5 s"))
	a := playable(t, out.Path)
	near(t, "the length", a.seconds(), 3.5, 0.15)
	if a.codecs() != "video:h264 audio:aac" {
		t.Errorf("it holds %s", a.codecs())
	}
	looks(t, frameAt(t, out.Path, 0.5), 5, 5, "black")
	if white := bright(frameAt(t, out.Path, 0.5)); white < 50 {
		t.Errorf("only %d pixels of the card are white", white)
	}
	looks(t, frameAt(t, out.Path, 2), 80, 60, "red")
	looks(t, frameAt(t, out.Path, 3.2), 80, 60, "blue")
	if quiet, loud := volume(t, out.Path, 0.2, 1), volume(t, out.Path, 1.8, 1); quiet > -80 || loud < -40 {
		t.Errorf("the card is at %g dB, the video at %g dB", quiet, loud)
	}

	silent := silentRedBlue(t, "silent.mp4", "-pix_fmt", "yuv420p")
	out = done(t, "add_title_card", videoOf(silent).with("caption", "The End").with("place", "end").with("colour", "white"))
	looks(t, frameAt(t, out.Path, 0.5), 80, 60, "red")
	looks(t, frameAt(t, out.Path, 4), 5, 5, "white")
	if a := playable(t, out.Path); a.codecs() != "video:h264" {
		t.Errorf("a video without sound makes %s", a.codecs())
	}
}

// bright counts the pixels that are nearly white.
func bright(m image.Image) int {
	n := 0
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); min(r, g, b) > 0xD000 {
				n++
			}
		}
	}
	return n
}

func TestSubtitleTrack(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const lines = "1\n00:00:00,200 --> 00:00:01,000\nHello\n\n2\n00:00:01,000 --> 00:00:01,800\nWorld\n"
	for name, codec := range map[string]string{"clip.mp4": "mov_text", "clip.mkv": "subrip"} {
		path := redBlue(t, name, "-pix_fmt", "yuv420p")
		out := done(t, "add_subtitles", videoOf(path).with("subtitles", lines).with("way", "track"))
		holds(t, tool(t, "ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", out.Path), "h264\naac\n"+codec)
		looks(t, frameAt(t, out.Path, 0.5), 80, 110, "red") // nothing is drawn
		text := done(t, "extract_subtitles", videoOf(out.Path))
		holds(t, text.Value, "00:00:00,2", "00:00:01,0", "Hello", "World")
	}
}

func TestChangeSpeedOfAPart(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "clip.mp4", append(lavfi("color=red:size=160x120:rate=10:duration=6", "sine=frequency=440:duration=6"),
		"-vf", "drawbox=c=blue:t=fill:enable='between(t,2,3.95)'", "-pix_fmt", "yuv420p")...)
	for said, seconds := range map[string]float64{"2x": 1, "half": 4, "0.25x": 8} {
		out := done(t, "change_speed", videoOf(path).with("factor", said).with("range", "from 2 s to 4 s"))
		a := playable(t, out.Path)
		near(t, "the length", a.seconds(), 4+seconds, 0.15)
		looks(t, frameAt(t, out.Path, 1.7), 80, 60, "red")
		looks(t, frameAt(t, out.Path, 2.3), 80, 60, "blue")
		looks(t, frameAt(t, out.Path, 1.7+seconds), 80, 60, "blue")
		looks(t, frameAt(t, out.Path, 2.3+seconds), 80, 60, "red")
		if got := loudest(t, out.Path, 2.5+seconds, 3.5+seconds, 220, 440, 880); got != 440 {
			t.Errorf("%s: behind the part the tone became %g Hz", said, got)
		}
		if quiet := volume(t, out.Path, 2.3, 0.5) < -80; quiet != (said == "0.25x") || quiet != !out.Note.IsZero() {
			t.Errorf("%s: the part is silent: %v, and the note is %q", said, quiet, out.Note)
		}
	}
	whole := done(t, "change_speed", videoOf(path).with("factor", "2x").with("range", "the last 2 seconds"))
	near(t, "the length", playable(t, whole.Path).seconds(), 5, 0.15)
}

func TestVolumeByDecibels(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "clip.mp4", append(lavfi("color=red:size=64x48:rate=10:duration=3", "sine=frequency=440:duration=3"), "-pix_fmt", "yuv420p")...)
	sound := clip(t, "tone.wav", lavfi("sine=frequency=440:duration=3")...)
	was := volume(t, path, 0.5, 2)
	for said, change := range map[string]float64{"6 dB quieter": -6, "raise by 3 dB": 3, "-12 dB": -12} {
		out, err := perform(t, "change_volume_video", videoOf(path).with("volume", said))
		if err != nil {
			t.Fatal(err)
		}
		near(t, said, volume(t, out.Path, 0.5, 2)-was, change, 0.2)
		if out, err = perform(t, "change_volume", args{"audio": fileOf(plan.Audio, sound)}.with("volume", said)); err != nil {
			t.Fatal(err)
		}
		near(t, said, volume(t, out.Path, 0.5, 2)-was, change, 0.2)
	}
}

func TestAudiogram(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	song := args{"audio": fileOf(plan.Audio, clip(t, "song.wav", lavfi("sine=frequency=300:duration=2")...))}
	out, err := perform(t, "make_audiogram", song)
	if err != nil {
		t.Fatal(err)
	}
	a := playable(t, out.Path)
	near(t, "the length", a.seconds(), 2, 0.15)
	if a.codecs() != "video:h264 audio:aac" || a.Streams[0].Width != 1080 {
		t.Errorf("it is %+v", a.Streams)
	}
	if bright(frameAt(t, out.Path, 1)) == 0 {
		t.Error("no waveform is seen")
	}
	holds(t, refused(t, "make_audiogram", song.with("size", "half as large")), "the height")
}
