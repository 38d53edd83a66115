package program

import (
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
	"atelier/agent/toolbox/toolboxtest"
)

// tone makes a sound of one frequency, in hertz.
func tone(t *testing.T, name, hertz, seconds string) string {
	t.Helper()
	return clip(t, name, lavfi("sine=frequency="+hertz+":duration="+seconds+":sample_rate=44100")...)
}

func TestDubVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	for name, sound := range map[string]string{
		"as long":                     tone(t, "new.wav", "880", "2"),
		"longer":                      tone(t, "new.mp3", "880", "5"),
		"the sound of another video":  redBlue(t, "other.mov", "-pix_fmt", "yuv420p", "-af", "asetrate=88200,aresample=44100,apad", "-t", "2"),
		"a song with a cover picture": clip(t, "song.mp3", append(lavfi("sine=frequency=880:duration=2", "color=red:size=32x32:duration=1:rate=1"), "-map", "0", "-map", "1", "-c:v", "mjpeg", "-disposition:v", "attached_pic")...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "dub_video", videoOf(path).with("audio", fileOf(plan.Audio, sound)))
			a := playable(t, out.Path)
			if a.codecs() != "video:h264 audio:aac" {
				t.Errorf("it holds %s", a.codecs())
			}
			near(t, "the length", a.seconds(), 2, 0.1)
			if got := loudest(t, out.Path, 0.2, 1.6, 440, 880); got != 880 {
				t.Errorf("%g Hz is heard", got)
			}
			looks(t, frameAt(t, out.Path, 1.5), 80, 60, "blue")
			if longer := name == "longer"; longer != strings.Contains(out.Note.String(), "longer than the video") {
				t.Errorf("the note is %q", out.Note)
			}
			if name == "longer" && volume(t, out.Path, 1.95, 0.05) > volume(t, out.Path, 1, 0.5)-6 {
				t.Error("it breaks off without fading")
			}
		})
	}
}

// TestDubVideoWithLess checks that music continues until the video ends, and that speech is heard once.
func TestDubVideoWithLess(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	silent := clip(t, "silent.webm", append(lavfi("color=red:size=80x60:rate=5:duration=7"), "-c:v", "libvpx", "-deadline", "realtime")...)
	for name, goesOn := range map[string]bool{"song.mp3": true, "voice.wav": false, "unnamed.ogg": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "dub_video", videoOf(silent).with("audio", fileOf(plan.Audio, tone(t, name, "440", "2.5"))))
			a := playable(t, out.Path)
			if a.codecs() != "video:h264 audio:aac" {
				t.Errorf("it holds %s", a.codecs())
			}
			near(t, "the length", a.seconds(), 7, 0.25)
			near(t, "the length of the sound", number(a.Streams[1].Duration), 7, 0.25)
			if loud := volume(t, out.Path, 4, 1.5) > -40; loud != goesOn {
				t.Errorf("after its end it is heard: %v", loud)
			}
			if out.Note.IsZero() {
				t.Error("nobody is told that the sound is shorter")
			}
		})
	}
}

func TestImageAudioToVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	img := filled(161, 91, color.NRGBA{B: 255, A: 255})
	for y := range 91 {
		for x := range 80 {
			img.SetNRGBA(x, y, color.NRGBA{}) // transparent, which stands on white
		}
	}
	picture := fileOf(plan.Image, writePNG(t, "cover.png", img))
	for _, name := range []string{"song.mp3", "song.wav"} {
		out := done(t, "image_audio_to_video", args{"image": picture, "audio": fileOf(plan.Audio, tone(t, name, "440", "3"))})
		a := playable(t, out.Path)
		if a.codecs() != "video:h264 audio:aac" || a.Streams[0].Width != 160 || a.Streams[0].Height != 90 {
			t.Errorf("it is %+v", a.Streams)
		}
		near(t, "the length", a.seconds(), 3, 0.15)
		near(t, "the length of the pictures", number(a.Streams[0].Duration), 3, 0.15)
		for _, at := range []float64{0, 2.8} {
			shot := frameAt(t, out.Path, at)
			looks(t, shot, 130, 45, "blue")
			looks(t, shot, 30, 45, "white")
		}
		if volume(t, out.Path, 2, 0.8) < -40 {
			t.Error("its sound is gone")
		}
	}
	holds(t, refused(t, "image_audio_to_video", args{"image": picture}), "missing")
	holds(t, refused(t, "image_audio_to_video", args{"audio": fileOf(plan.Audio, tone(t, "a.wav", "440", "1"))}), "missing")
}

func TestImageToVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	// Red in the middle, blue around it.
	framed := filled(320, 180, color.NRGBA{B: 255, A: 255})
	for y := 45; y < 135; y++ {
		for x := 80; x < 240; x++ {
			framed.SetNRGBA(x, y, color.NRGBA{R: 255, A: 255})
		}
	}
	halves := func(w, h int, second func(x, y int) bool) *image.NRGBA {
		img := filled(w, h, color.NRGBA{R: 255, A: 255})
		for y := range h {
			for x := range w {
				if second(x, y) {
					img.SetNRGBA(x, y, color.NRGBA{B: 255, A: 255})
				}
			}
		}
		return img
	}
	for name, c := range map[string]struct {
		img           *image.NRGBA
		w, h          int
		begins, comes string // in the middle, or at the edge of the framed one
		x, y          int
	}{
		"nearer":      {framed, 320, 180, "blue", "red", 70, 90},
		"along":       {halves(960, 180, func(x, _ int) bool { return x >= 480 }), 320, 180, "red", "blue", 160, 90},
		"down":        {halves(180, 960, func(_, y int) bool { return y >= 480 }), 180, 320, "red", "blue", 90, 160},
		"a tiny one":  {filled(3, 5, color.NRGBA{R: 255, A: 255}), 16, 16, "red", "red", 8, 8},
		"odd and wee": {filled(33, 31, color.NRGBA{R: 255, A: 255}), 32, 30, "red", "red", 8, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "image_to_video", args{"image": fileOf(plan.Image, writePNG(t, "photo.png", c.img))})
			a := playable(t, out.Path)
			if a.codecs() != "video:h264" || a.Streams[0].Width != c.w || a.Streams[0].Height != c.h {
				t.Errorf("it is %+v", a.Streams)
			}
			near(t, "the length", a.seconds(), 5, 0.1)
			near(t, "the rate", number(a.Streams[0].Rate), 25, 0.1)
			looks(t, frameAt(t, out.Path, 0), c.x, c.y, c.begins)
			looks(t, frameAt(t, out.Path, 4.9), c.x, c.y, c.comes)
			if out.Note.IsZero() {
				t.Error("nobody is told that nothing moves")
			}
		})
	}
}

// writtenRows counts the pixels at the top and at the bottom of a picture that are as bright as subtitles.
func writtenRows(img image.Image) (head, foot int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := img.At(x, y).RGBA(); min(r, g, bl) < 150<<8 {
				continue
			}
			if y < (b.Min.Y+b.Max.Y)/2 {
				head++
			} else {
				foot++
			}
		}
	}
	return head, foot
}

func TestAddSubtitles(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "clip.mp4", append(lavfi("color=navy:size=320x180:rate=10:duration=2", "sine=frequency=440:duration=2"), "-pix_fmt", "yuv420p")...)
	for name, c := range map[string]struct {
		text string
		seen map[float64]bool
	}{
		"SRT":           {"1\n00:00:00,500 --> 00:00:01,000\nHELLO\n", map[float64]bool{0.2: false, 0.7: true, 1.5: false}},
		"WebVTT":        {"WEBVTT\n\n00:01.000 --> 00:02.000 align:start\n<b>HELLO</b>\n", map[float64]bool{0.7: false, 1.5: true}},
		"times":         {"0:00.5 HELLO\n0:01.2 ", map[float64]bool{0.2: false, 0.7: true, 1.5: false}},
		"plain":         {"Thanks for watching!", map[float64]bool{0.1: true, 1.8: true}},
		"instructions":  {`{\an8}{\alpha&HFF&}{\pos(10,10)}HELLO\h`, map[float64]bool{0.1: true, 1.8: true}},
		"a file's name": {"';movie=secret.mp4[x];[x]", map[float64]bool{0.1: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "add_subtitles", videoOf(path).with("subtitles", c.text))
			if a := playable(t, out.Path); a.codecs() != "video:h264 audio:aac" {
				t.Errorf("it holds %s", a.codecs())
			}
			for at, want := range c.seen {
				head, foot := writtenRows(frameAt(t, out.Path, at))
				if (foot > 10) != want || head > 0 {
					t.Errorf("at %g s, %d and %d pixels are written", at, head, foot)
				}
			}
		})
	}
	out := done(t, "add_subtitles", videoOf(path).with("subtitles", strings.Repeat("far too many words ", 100)))
	holds(t, out.Note.String(), "more text than anyone can read")
	holds(t, refused(t, "add_subtitles", videoOf(path).with("subtitles", "00:01:00,000 --> 00:01:01,000\nlate")), "2 seconds", "check their times")
	holds(t, refused(t, "add_subtitles", videoOf(path).with("subtitles", " \n")), "SRT")
}

// TestPictureIsSeenForAWhile checks that a picture is shown on a video only during the requested part.
func TestPictureIsSeenForAWhile(t *testing.T) {
	t.Parallel()
	film := clip(t, "red.mp4", append(lavfi("color=red:size=160x120:rate=10:duration=3"), "-pix_fmt", "yuv420p")...)
	badge := clip(t, "badge.png", append(lavfi("color=blue:size=80x60:duration=1:rate=1"), "-frames:v", "1")...)
	out, err := perform(t, "overlay_video_picture", videoOf(film).with("image", fileOf(plan.Image, badge)).
		with("place", "middle").with("width", "50% of the width").with("when", "the first 2 seconds"))
	if err != nil {
		t.Fatal(err)
	}
	looks(t, frameAt(t, out.Path, 1), 80, 60, "blue")
	looks(t, frameAt(t, out.Path, 2.5), 80, 60, "red")
}

// TestPartsOfAVideoInTime checks that a change for a part of a video applies only to that part.
func TestPartsOfAVideoInTime(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	film := clip(t, "film.mp4", append(lavfi("testsrc2=size=160x120:rate=10:duration=6", "sine=duration=6"), "-pix_fmt", "yuv420p", "-shortest")...)
	inset := clip(t, "inset.mp4", append(lavfi("color=red:size=160x120:rate=10:duration=2", "sine=frequency=900:duration=2"), "-pix_fmt", "yuv420p")...)
	then := func(given args) args { return given.with("when", "from 2 to 4 seconds") }
	for name, given := range map[string]args{
		"blur_video_region":  then(videoOf(film).with("part", "left half")),
		"blur around it":     then(videoOf(film).with("part", "left half").with("where", "outside")),
		"video_timecode":     then(videoOf(film)),
		"picture_in_picture": then(args{"background": fileOf(plan.Video, film), "inset": fileOf(plan.Video, inset)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := name
			if given["where"] != nil {
				run = "blur_video_region"
			}
			out, err := perform(t, run, given)
			if err != nil {
				t.Fatal(err)
			}
			for at, changed := range map[float64]bool{1: false, 3: true, 5: false} {
				got, was := frameAt(t, out.Path, at), frameAt(t, film, at)
				off := 0.0
				for i, v := range got.(*image.NRGBA).Pix { //nolint:errcheck,forcetypeassert // frames are so
					off += math.Abs(float64(v)-float64(was.(*image.NRGBA).Pix[i])) / (4 * 160 * 120) //nolint:errcheck,forcetypeassert // frames are so
				}
				if (off > 2.5) != changed {
					t.Errorf("at %g s the picture differs by %.1f", at, off)
				}
			}
		})
	}
	for run, quiet := range map[string]float64{"mute_video": -91, "change_volume_video": -41} {
		given := then(videoOf(film))
		if run == "change_volume_video" {
			given = given.with("volume", "10%")
		}
		out, err := perform(t, run, given)
		if err != nil {
			t.Fatal(err)
		}
		was := volume(t, film, 0.5, 1)
		near(t, run+": the sound before", volume(t, out.Path, 0.5, 1), was, 1)
		near(t, run+": the sound then", volume(t, out.Path, 2.5, 1), quiet, 2)
		near(t, run+": the sound after", volume(t, out.Path, 4.5, 1), was, 1)
	}
}

// TestTransparencyIsFilled checks that a colour fills the transparent part only, and that the answer says so if
// nothing is transparent.
func TestTransparencyIsFilled(t *testing.T) {
	t.Parallel()
	logo := clip(t, "logo.png", append(lavfi("color=blue:size=40x40:duration=1:rate=1"), "-vf", "format=rgba,pad=80:40:0:0:black@0", "-frames:v", "1")...)
	out, err := perform(t, "change_opacity", args{"image": fileOf(plan.Image, logo), "colour": "red"})
	if err != nil {
		t.Fatal(err)
	}
	flat := readPicture(t, out.Path)
	looks(t, flat, 20, 20, "blue")
	looks(t, flat, 60, 20, "red")
	holds(t, refused(t, "change_opacity", args{"image": fileOf(plan.Image, logo), "colour": "white", "opacity": "50%"}), "either how opaque")
	photo := fileOf(plan.Image, clip(t, "flat.jpg", append(lavfi("color=blue:size=40x40:duration=1:rate=1"), "-frames:v", "1")...))
	holds(t, refused(t, "change_opacity", args{"image": photo, "colour": "red"}), "no transparency")
	holds(t, refused(t, "change_opacity", args{"image": photo}), "which colour", "how opaque")
	slight, err := perform(t, "change_opacity", args{"image": photo, "opacity": "90%"})
	if err != nil {
		t.Fatal(err)
	}
	there := color.NRGBAModel.Convert(readPicture(t, slight.Path).At(20, 20)).(color.NRGBA) //nolint:errcheck,forcetypeassert // the model's
	near(t, "the opacity", float64(there.A), 230, 1)
}

// TestAmountsOfVideoAdjustments checks that colours change by the requested amount.
func TestAmountsOfVideoAdjustments(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "plain.mp4", append(lavfi("color=0xA06478:size=64x64:rate=10:duration=1"), "-pix_fmt", "yuv420p")...)
	at := func(path string) color.NRGBA {
		r, g, b, _ := frameAt(t, path, 0.5).At(32, 32).RGBA()
		return color.NRGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 255}
	}
	was := at(path)
	for said, by := range map[string][3]float64{
		"brightness +10%": {13, 17, 16}, "brightness -30%": {-48, -30, -36}, "warmth +10": {8, 0, -6}, "warmth -10%": {-8, 0, 6}, // of 255
		"saturation -20%": {-9, 3, -1}, "20% more saturation": {8, -3, -1},
	} {
		out, err := perform(t, "adjust_video", videoOf(path).with("adjustment", said))
		if err != nil {
			t.Fatal(err)
		}
		is := at(out.Path)
		near(t, said+": red", float64(is.R)-float64(was.R), by[0], 3)
		near(t, said+": green", float64(is.G)-float64(was.G), by[1], 3)
		near(t, said+": blue", float64(is.B)-float64(was.B), by[2], 3)
	}
	for said, about := range map[string]string{"sepia": "in sepia", "invert the colours": "with inverted colours", "sepia and brighter": "adjusted", "brighter": "adjusted"} {
		if out := done(t, "adjust_video", videoOf(path).with("adjustment", said)); out.About.String() != about {
			t.Errorf("%s: it is %q", said, out.About)
		}
	}
}

// TestBitRateOfAVideo checks that a video has the requested bit rate, and is saved as MP4 by default.
func TestBitRateOfAVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	noisy := clip(t, "noisy.mp4", append(lavfi("testsrc2=size=320x240:rate=25:duration=8,noise=alls=12:allf=t"), "-pix_fmt", "yuv420p", "-crf", "14", "-preset", "ultrafast")...)
	for format, said := range map[string]string{"": "600 kbps", "webm": "0.6 Mbit/s", "mkv": "1 Mbps", "mpg": "1.5 Mbit/s"} {
		call := videoOf(noisy).with("bit_rate", said)
		if format != "" {
			call = call.with("format", format)
		}
		out, err := perform(t, "convert_video", call)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(out.Path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{"600 kbps": 600, "0.6 Mbit/s": 600, "1 Mbps": 1000, "1.5 Mbit/s": 1500}[said]
		near(t, said+" as "+filepath.Ext(out.Path), float64(info.Size())*8/1000/8, want, want/4)
	}
}

// TestMonoSoundOfAVideoStays checks that mono sound stays mono: spread over two channels, it would be 3 dB
// quieter.
func TestMonoSoundOfAVideoStays(t *testing.T) {
	t.Parallel()
	for channels, filter := range map[int]string{1: "sine=frequency=440", 2: "sine=frequency=440,aformat=channel_layouts=stereo"} {
		film := clip(t, fmt.Sprintf("%d.mp4", channels), append(lavfi("testsrc2=size=64x48:rate=5", filter), "-t", "1")...)
		out := done(t, "flip_video", videoOf(film))
		look, err := toolboxtest.Player(t).Look(t.Context(), out.Path)
		if err != nil {
			t.Fatal(err)
		}
		if a := look.Audio(); a == nil || a.Channels != channels {
			t.Errorf("sound with %d channels became %+v", channels, a)
		}
	}
}

// TestContactSheetHasGapsAndTimes checks the width and colour of the gaps, and the times written on the pictures.
func TestContactSheetHasGapsAndTimes(t *testing.T) {
	t.Parallel()
	path := clip(t, "blue.mp4", append(lavfi("color=blue:size=320x240:rate=10:duration=4"), "-pix_fmt", "yuv420p")...)
	sheet := func(said args) image.Image {
		call := videoOf(path).with("grid", "2x2")
		maps.Copy(call, said)
		out, err := perform(t, "video_contact_sheet", call)
		if err != nil {
			t.Fatal(err)
		}
		return readPicture(t, out.Path)
	}
	img := sheet(args{"gap": "20 px", "colour": "red"})
	looks(t, img, 10, 10, "red")
	looks(t, img, 20+480+10, 100, "red")
	looks(t, img, 20+12, 20+360-14, "blue")
	if size := img.Bounds().Size(); size != image.Pt(2*480+3*20, 2*360+3*20) {
		t.Errorf("it has %v", size)
	}
	written := 0
	for x, img := 6, sheet(args{"times": "with time stamps"}); x < 300; x++ {
		if r, g, b, _ := img.At(x, 6+360-24).RGBA(); min(r, g, b) > 0xc000 {
			written++
		}
	}
	if written == 0 {
		t.Error("no time is written")
	}
}

// TestContactSheetIsFilled checks that no place stays empty, even if the pictures end a little before the sound.
func TestContactSheetIsFilled(t *testing.T) {
	t.Parallel()
	path := clip(t, "talk.mp4", append(lavfi("color=blue:size=320x240:rate=30:duration=12[out0];sine=d=12.1[out1]"), "-pix_fmt", "yuv420p")...)
	out, err := perform(t, "video_contact_sheet", videoOf(path).with("grid", "2x2"))
	if err != nil {
		t.Fatal(err)
	}
	img := readPicture(t, out.Path)
	for _, at := range []image.Point{{100, 100}, {700, 100}, {100, 500}, {700, 500}} {
		looks(t, img, at.X, at.Y, "blue")
	}
}

// TestStabilizeVideo checks that a shaky video gets much steadier, and keeps its length and sound; without
// vid.stab it gets a little steadier.
func TestStabilizeVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const shake = "mandelbrot=size=400x300:start_scale=1:end_scale=0.9:rate=25,trim=duration=2,noise=alls=30:all_seed=3," +
		"crop=320:240:x='40+14*sin(t*17)+8*sin(t*31)':y='30+12*sin(t*23+1)'"
	path := clip(t, "shaky.mp4", append(lavfi(shake, "sine=duration=2"), "-pix_fmt", "yuv420p")...)
	// moves returns how much the middle of two neighbouring pictures differs.
	moves := func(path string) float64 {
		sum := 0.0
		for _, at := range []float64{0.4, 0.8, 1.2, 1.6} {
			one, next := frameAt(t, path, at), frameAt(t, path, at+0.04)
			for y := 60; y < 180; y++ {
				for x := 60; x < 260; x++ {
					a, _, _, _ := one.At(x, y).RGBA()
					b, _, _, _ := next.At(x, y).RGBA()
					sum += math.Abs(float64(a)-float64(b)) / 257 / (4 * 120 * 200)
				}
			}
		}
		return sum
	}
	tool := toolOf(t, "stabilize_video")
	was := moves(path)
	for i, most := range []float64{was / 3, was} {
		how := toolbox.Candidate{Backing: tool.Backends[i]}
		c := callOf(t, videoOf(path))
		out, err := newBackend(t).Commands().Run(t.Context(), how, c)
		if err != nil {
			t.Fatal(err)
		}
		toolboxtest.Effects(t, how, c, out)
		if is := moves(out.Path); is > most {
			t.Errorf("%s: it moves by %.1f, and by %.1f before", how.Run, is, was)
		}
	}
}

// TestCropVideoToSize checks that a video smaller than the requested size is enlarged to cover it.
func TestCropVideoToSize(t *testing.T) {
	t.Parallel()
	video := clip(t, "halves.mp4", append(lavfi("color=red:size=64x72:rate=10:duration=1", "color=blue:size=64x72:rate=10:duration=1"),
		"-filter_complex", "hstack")...)
	for part, want := range map[string]struct {
		size  image.Point
		left  string
		notes string
	}{
		"144x144, keep the left": {image.Pt(144, 144), "red", "It has only 128 × 72 pixels"},
		"32x200, keep the right": {image.Pt(32, 200), "blue", "enlarged"},
		"32x40 at the right":     {image.Pt(32, 40), "blue", ""},
	} {
		out, err := runCommand(t, toolCalled(t, "crop_video"), args{"video": fileOf(plan.Video, video), "part": part})
		if err != nil {
			t.Fatal(err)
		}
		shown := frameAt(t, out.Path, 0.5)
		if shown.Bounds().Size() != want.size {
			t.Errorf("%s: %v", part, shown.Bounds())
		}
		looks(t, shown, 4, want.size.Y/2, want.left)
		if note := out.Note.String(); (note == "") != (want.notes == "") || !strings.Contains(note, want.notes) {
			t.Errorf("%s: the note is %q", part, note)
		}
	}
}
