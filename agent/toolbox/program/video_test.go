package program

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/slow"
)

// redBlue makes a video of one second of red and one of blue, 160 × 120 pixels, ten pictures per second, with a
// tone; more has further arguments.
func redBlue(t *testing.T, name string, more ...string) string {
	t.Helper()
	return clip(t, name, append(append(lavfi("color=red:size=160x120:rate=10:duration=1", "color=blue:size=160x120:rate=10:duration=1",
		"sine=frequency=440:duration=2:sample_rate=44100"),
		"-filter_complex", "[0:v][1:v]concat=n=2:v=1[v]", "-map", "[v]", "-map", "2:a", "-metadata", "title=a secret place"), more...)...)
}

// silentRedBlue makes the same without sound.
func silentRedBlue(t *testing.T, name string, more ...string) string {
	t.Helper()
	return redBlue(t, name, append([]string{"-an"}, more...)...)
}

// videoOf returns a video as an argument.
func videoOf(path string) args { return args{"video": fileOf(plan.Video, path)} }

// with returns the arguments with one more.
func (a args) with(name string, v any) args {
	more := args{name: v}
	maps.Copy(more, a)
	return more
}

// playable checks that a video plays everywhere, and has no metadata.
func playable(t *testing.T, path string) about {
	t.Helper()
	a := probe(t, path)
	if !strings.HasPrefix(a.Format.Name, "mov,mp4") {
		t.Errorf("the file is %s", a.Format.Name)
	}
	if len(a.Format.Tags["title"]) > 0 {
		t.Errorf("the file tells %v", a.Format.Tags)
	}
	for _, s := range a.Streams {
		switch {
		case s.Type == "video" && (s.Codec != "h264" || s.Pixels != "yuv420p" || s.Width%2 != 0 || s.Height%2 != 0):
			t.Errorf("the pictures are %+v", s)
		case s.Type == "audio" && s.Codec != "aac":
			t.Errorf("the sound is %+v", s)
		}
	}
	// The boxes of the file (ISO/IEC 14496-12, 4.2): their sizes and types.
	for b := contents(t, path); len(b) >= 8 && string(b[4:8]) != "moov"; b = b[min(max(8, int(binary.BigEndian.Uint32(b))), len(b)):] {
		if string(b[4:8]) == "mdat" {
			t.Error("the table of contents stands behind the media")
		}
	}
	return a
}

func TestCutVideo(t *testing.T) {
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	for said, c := range map[string]struct {
		seconds     float64
		first, last string
	}{
		"from 0:00.5 to 0:01.5":           {1, "red", "blue"},
		"the last 0.5 seconds":            {0.5, "blue", "blue"},
		"the first 0.8 seconds":           {0.8, "red", "red"},
		"drop the first second":           {1, "blue", "blue"},
		"from second 1 to 2:40":           {1, "blue", "blue"},
		"0:00.2-0:00.6 and 0:01.4-0:01.8": {0.8, "red", "blue"},
		"without 0:00.5-0:01.5":           {1, "red", "blue"},
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			out := done(t, "cut_video", videoOf(path).with("range", said))
			a := playable(t, out.Path)
			if a.codecs() != "video:h264 audio:aac" {
				t.Errorf("it holds %s", a.codecs())
			}
			near(t, "the length", a.seconds(), c.seconds, 0.08)
			looks(t, frameAt(t, out.Path, 0), 80, 60, c.first)
			looks(t, frameAt(t, out.Path, c.seconds-0.15), 80, 60, c.last)
			if noted := out.Note.String() != ""; noted != strings.Contains(said, "2:40") {
				t.Errorf("the note is %q", out.Note)
			}
		})
	}
	holds(t, refused(t, "cut_video", videoOf(path).with("range", "0:10 to 0:20")), "only 2 seconds long")
	holds(t, refused(t, "cut_video", videoOf(path).with("range", "nicely")), `"nicely"`, "parts of a sound or a video", "0:10-0:25")
}

func TestJoinVideos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	wide := redBlue(t, "wide.mp4", "-pix_fmt", "yuv420p")
	high := clip(t, "high.webm", append(lavfi("color=lime:size=61x121:rate=25:duration=1"), "-c:v", "libvpx", "-deadline", "realtime")...)
	out := done(t, "join_videos", args{"videos": list(fileOf(plan.Video, wide), fileOf(plan.Video, high), fileOf(plan.Video, wide))})
	a := playable(t, out.Path)
	if a.codecs() != "video:h264 audio:aac" || a.Streams[0].Width != 160 || a.Streams[0].Height != 120 {
		t.Errorf("it is %+v", a.Streams)
	}
	near(t, "the length", a.seconds(), 5, 0.15)
	near(t, "the rate", number(a.Streams[0].Rate), 25, 0.5)
	looks(t, frameAt(t, out.Path, 0.5), 80, 60, "red")
	looks(t, frameAt(t, out.Path, 1.5), 80, 60, "blue")
	looks(t, frameAt(t, out.Path, 2.5), 80, 60, "green")
	looks(t, frameAt(t, out.Path, 2.5), 10, 60, "black")
	looks(t, frameAt(t, out.Path, 3.5), 80, 60, "red")
	if quiet, loud := volume(t, out.Path, 2.2, 0.6), volume(t, out.Path, 3.2, 0.6); quiet > -80 || loud < -40 {
		t.Errorf("the part without sound is at %g dB, the others at %g dB", quiet, loud)
	}

	silent := silentRedBlue(t, "silent.mp4", "-pix_fmt", "yuv420p")
	out = done(t, "join_videos", args{"videos": list(fileOf(plan.Video, silent), fileOf(plan.Video, high))})
	if a := playable(t, out.Path); a.codecs() != "video:h264" {
		t.Errorf("videos without sound make %s", a.codecs())
	}

	holds(t, refused(t, "join_videos", args{"videos": list(fileOf(plan.Video, wide))}), "two videos")
	many := list(fileOf(plan.Video, wide))
	for len(many) <= 20 {
		many = append(many, many[0])
	}
	holds(t, refused(t, "join_videos", args{"videos": many}), "21 videos", "at most 20")
}

func TestMuteVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, path := range map[string]string{
		"as it is":      redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p"),
		"packed anew":   redBlue(t, "clip.avi", "-c:v", "mpeg4"),
		"without sound": silentRedBlue(t, "silent.mov", "-pix_fmt", "yuv420p"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "mute_video", videoOf(path))
			a := playable(t, out.Path)
			if a.codecs() != "video:h264" {
				t.Errorf("it holds %s", a.codecs())
			}
			near(t, "the length", a.seconds(), 2, 0.15)
			looks(t, frameAt(t, out.Path, 1.5), 80, 60, "blue")
			if noted := out.Note.String() != ""; noted != (name == "without sound") {
				t.Errorf("the note is %q", out.Note)
			}
		})
	}
}

// TestRotateVideoTellsAGuessedDirection: it cannot be seen which way a video is turned, so the answer says that
// the direction was guessed.
func TestRotateVideoTellsAGuessedDirection(t *testing.T) {
	t.Parallel()
	film := clip(t, "film.mp4", lavfi("testsrc=s=64x32:d=0.2")...)
	holds(t, refused(t, "rotate_video", videoOf(film).with("angle", "upright")), "which way is up")
	guessed := done(t, "rotate_video", videoOf(film))
	holds(t, guessed.About.String()+guessed.Note.String(), "rotated 90 degrees clockwise", "ask for 90 degrees anticlockwise")
	if named := done(t, "rotate_video", videoOf(film).with("angle", "90 degrees")); !named.Note.IsZero() {
		t.Errorf("it says %q of a direction that was named", named.Note)
	}
}

// TestPicturesAreCopied checks that a tool for the sound of a video leaves its frames as they are.
func TestPicturesAreCopied(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	coded := func(path string) string {
		return tool(t, "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "md5", "-")
	}
	for run, given := range map[string]args{
		"shift_sound": {"by": "0.3 s", "way": "later"}, "fade_video": {"what": "sound"}, "change_volume_video": {"volume": "half"},
	} {
		out, err := perform(t, run, given.with("video", fileOf(plan.Video, path)))
		if err != nil {
			t.Fatal(err)
		}
		if coded(out.Path) != coded(path) {
			t.Errorf("%s encodes the pictures again", run)
		}
	}
	turned := done(t, "rotate_video", videoOf(path).with("angle", "90 degrees anticlockwise"))
	if got := playable(t, turned.Path).Streams[0]; got.Width != 120 || got.Height != 160 {
		t.Errorf("turned it has %d × %d pixels", got.Width, got.Height)
	}
}

func TestChangeSpeed(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	for said, c := range map[string]struct {
		seconds float64
		codecs  string
	}{
		"2x":               {1, "video:h264 audio:aac"},
		"half":             {4, "video:h264 audio:aac"},
		"4 times slower":   {8, "video:h264"},
		"50% faster":       {2 / 1.5, "video:h264 audio:aac"},
		"ten times faster": {0.2, "video:h264"},
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			out := done(t, "change_speed", videoOf(path).with("factor", said))
			a := playable(t, out.Path)
			if a.codecs() != c.codecs {
				t.Errorf("it holds %s", a.codecs())
			}
			near(t, "the length", a.seconds(), c.seconds, 0.12)
			near(t, "the rate", number(a.Streams[0].Rate), 10, 0.5)
			looks(t, frameAt(t, out.Path, 0), 80, 60, "red")
			looks(t, frameAt(t, out.Path, c.seconds/2), 80, 60, "blue")
			if len(a.Streams) > 1 {
				if got := loudest(t, out.Path, 0.2, 0.8, 220, 293, 440, 660, 880); got != 440 {
					t.Errorf("the tone became %g Hz", got)
				}
			} else if out.Note.IsZero() {
				t.Error("nobody is told that the sound is gone")
			}
		})
	}
	holds(t, refused(t, "change_speed", videoOf(path).with("factor", "nicely")), `"nicely"`, "a speed", "2x")
	holds(t, refused(t, "change_speed", videoOf(path).with("factor", "100x")), "nothing would be left")
}

func TestExtractFrames(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	for said, want := range map[string]string{
		"": "blue", "0:00.95": "red", "the first frame": "red", "the last frame": "blue", "a quarter": "red",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			a := videoOf(path)
			if said != "" {
				a = a.with("moment", said)
			}
			out := done(t, "extract_frames", a)
			img := readPicture(t, out.Path)
			if img.Bounds().Dx() != 160 || img.Bounds().Dy() != 120 {
				t.Errorf("the picture is %v", img.Bounds())
			}
			looks(t, img, 80, 60, want)
		})
	}
	// A picture that does not move for long, as in a recording of a screen.
	slow := clip(t, "slow.mkv", append(lavfi("color=red:size=64x48:rate=0.2:duration=10"), "-pix_fmt", "yuv420p")...)
	looks(t, readPicture(t, done(t, "extract_frames", videoOf(slow).with("moment", "4 seconds")).Path), 30, 20, "red")

	for setting, want := range map[[2]string]string{
		{"every", "every half second"}: "red red blue blue", {"number", "4"}: "red red blue blue", {"number", "1"}: "blue",
		{"at", "at 0:00, 0:00.9 and 0:02"}: "red red blue",
	} {
		out := done(t, "extract_frames", videoOf(path).with(setting[0], setting[1]))
		colours := strings.Fields(want)
		if len(out.More) != len(colours)-1 {
			t.Fatalf("%s: %d pictures", setting, 1+len(out.More))
		}
		for i, o := range slices.Insert(out.More, 0, out) {
			looks(t, readPicture(t, o.Path), 80, 60, colours[i])
		}
	}
	all := done(t, "extract_frames", videoOf(path).with("which", "all frames"))
	if len(all.More) != 19 || all.More[18].About.String() != "no. 20" {
		t.Errorf("there are %d frames", 1+len(all.More))
	}
	looks(t, readPicture(t, all.More[18].Path), 80, 60, "blue")
	long := clip(t, "long.mp4", append(lavfi("color=red:size=64x48:rate=25:duration=9"), "-pix_fmt", "yuv420p")...)
	holds(t, refused(t, "extract_frames", videoOf(long).with("which", "all frames")), "about 225 frames", "at most 100")
	holds(t, refused(t, "extract_frames", videoOf(long).with("every", "20 fps")), "180 frames", "at most 100")
	holds(t, refused(t, "extract_frames", videoOf(path).with("every", "60 fps")), "only 10 frames a second")
	holds(t, refused(t, "extract_frames", videoOf(path).with("at", "at 0:01 and 0:05")), "only 2 seconds long")
	holds(t, refused(t, "extract_frames", videoOf(path).with("moment", "0:10")), "only 2 seconds long")
	holds(t, refused(t, "extract_frames", videoOf(path).with("moment", "when she smiles")), "a moment of a video", "0:07")
}

func TestMakeGIF(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p", "-s", "640x480")
	out := done(t, "make_gif", videoOf(path))
	a := probe(t, out.Path)
	if a.codecs() != "video:gif" || a.Streams[0].Width != 480 || a.Streams[0].Height != 360 {
		t.Errorf("it is %+v", a.Streams)
	}
	near(t, "the length", a.seconds(), 2, 0.11)
	looks(t, frameAt(t, out.Path, 0.4), 20, 20, "red")
	looks(t, frameAt(t, out.Path, 1.6), 20, 20, "blue")

	long := clip(t, "long.mp4", append(lavfi("testsrc=size=320x240:rate=2:duration=40"), "-pix_fmt", "yuv420p")...)
	out = done(t, "make_gif", videoOf(long))
	near(t, "the length of a long one", probe(t, out.Path).seconds(), 30, 1)
	holds(t, out.Note.String(), "at most 30 seconds")

	moving := clip(t, "moving.mp4", append(lavfi("testsrc2=size=640x480:rate=25:duration=2"), "-pix_fmt", "yuv420p")...)
	out = done(t, "make_gif", videoOf(moving).with("format", "webp"))
	info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
	if err != nil || info.MIME != "image/webp" || info.Frames != 25 || info.Width != 480 || info.Height != 360 {
		t.Errorf("the WebP is %+v, %v", info, err)
	}
	near(t, "the length of the WebP", info.Length.Seconds(), 2, 0.11)
}

// TestMakeLargeGIF: the pictures of this GIF need 1.4 GB of memory together.
func TestMakeLargeGIF(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	large := clip(t, "large.mp4", append(lavfi("color=red:size=1280x720:rate=25:duration=30"), "-preset", "ultrafast", "-pix_fmt", "yuv420p")...)
	out := done(t, "make_gif", videoOf(large).with("width", "1280").with("rate", "12.5"))
	near(t, "the length", probe(t, out.Path).seconds(), 30, 0.2)
}

func TestConvertVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	for said, want := range map[string][2]string{
		"webm": {"matroska,webm", "video:vp9 audio:opus"}, "an .MKV file": {"matroska,webm", "video:h264 audio:aac"},
		"mov": {"mov,mp4,m4a,3gp,3g2,mj2", "video:h264 audio:aac"}, "mp4": {"mov,mp4,m4a,3gp,3g2,mj2", "video:h264 audio:aac"},
		"avi": {"avi", "video:mpeg4 audio:mp3"}, "mpeg": {"mpeg", "video:mpeg2video audio:mp2"},
		"ogv": {"ogg", "video:theora audio:vorbis"}, "flv": {"flv", "video:h264 audio:aac"}, "3gp": {"mov,mp4,m4a,3gp,3g2,mj2", "video:h264 audio:aac"},
		"m4v": {"mov,mp4,m4a,3gp,3g2,mj2", "video:h264 audio:aac"},
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			out := done(t, "convert_video", videoOf(path).with("format", said))
			a := probe(t, out.Path)
			if got := [2]string{a.Format.Name, a.codecs()}; got != want {
				t.Errorf("it is %v", got)
			}
			near(t, "the length", a.seconds(), 2, 0.25)
			looks(t, frameAt(t, out.Path, 0), 80, 60, "red")
		})
	}
	holds(t, refused(t, "convert_video", videoOf(path).with("format", "gif")), "MP4", `"gif"`)
	holds(t, refused(t, "convert_video", videoOf(path).with("format", "wmv")), "MP4", "WEBM", `"wmv"`)
}

// TestConvertedFrameRates checks that formats of fixed rates keep the rate or get the nearest that they have.
func TestConvertedFrameRates(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for rate, want := range map[string]map[string]float64{
		"50": {"avi": 50, "mpg": 50}, "30000/1001": {"avi": 29.97, "mpg": 29.97}, "12": {"avi": 12, "mpg": 23.976}, "120": {"avi": 60, "mpg": 60},
	} {
		path := clip(t, "clip.mkv", append(lavfi("testsrc=size=64x48:duration=2:rate="+rate), "-pix_fmt", "yuv420p")...)
		for format, want := range want {
			out := done(t, "convert_video", videoOf(path).with("format", format))
			near(t, format+" of "+rate, number(probe(t, out.Path).Streams[0].Rate), want, 0.01)
		}
	}
	quick := videoOf(clip(t, "quick.mkv", append(lavfi("testsrc=size=64x48:rate=240:duration=1"), "-pix_fmt", "yuv420p")...))
	for said, want := range map[string]float64{"120 fps": 120, "24 fps": 24} {
		out, err := perform(t, "change_frame_rate", quick.with("rate", said))
		if err != nil {
			t.Fatal(err)
		}
		near(t, said, number(probe(t, out.Path).Streams[0].Rate), want, 0.01)
	}
}

func TestFitVideoSize(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "noise.mp4", append(lavfi("testsrc2=size=320x240:rate=15:duration=2", "sine=frequency=440:duration=2"),
		"-vf", "noise=alls=60:allf=t", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "10", "-pix_fmt", "yuv420p")...)
	for said, most := range map[string]int64{"200 kB": 200_000, "under 0.06 MB": 60_000} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			out := done(t, "fit_video_size", videoOf(path).with("limit", said))
			a := playable(t, out.Path)
			if size := machine.SizeOf(out.Path); size > most || size < most/4 {
				t.Errorf("the file has %d bytes of %d", size, most)
			}
			if a.codecs() != "video:h264 audio:aac" {
				t.Errorf("it holds %s", a.codecs())
			}
			near(t, "the length", a.seconds(), 2, 0.12)
			if smaller := a.Streams[0].Width < 320; smaller == out.Note.IsZero() {
				t.Errorf("it is %d pixels wide, and the note is %q", a.Streams[0].Width, out.Note)
			}
		})
	}
	fast := clip(t, "fast.mp4", append(lavfi("testsrc2=size=320x240:rate=30:duration=2", "anoisesrc=duration=2:amplitude=0.1"),
		"-vf", "noise=alls=60:allf=t", "-preset", "ultrafast", "-qp", "10", "-pix_fmt", "yuv420p", "-ac", "2")...)
	holds(t, done(t, "fit_video_size", videoOf(fast).with("limit", "60 kB")).Note.String(), "24 frames per second instead of 30", "mono now")
	if said := done(t, "fit_video_size", videoOf(fast).with("limit", "1 MB")).Note.String(); said != "" {
		t.Errorf("it has the same frames and channels, and the note is %q", said)
	}
	small := redBlue(t, "small.mp4", "-pix_fmt", "yuv420p")
	out := done(t, "fit_video_size", videoOf(small).with("limit", "8"))
	playable(t, out.Path)
	holds(t, out.About.String(), "small enough already")
	holds(t, refused(t, "fit_video_size", videoOf(path).with("limit", "2 kB")), "2 seconds", "2 kB", "larger limit")
	holds(t, refused(t, "fit_video_size", videoOf(path).with("limit", "tiny")), "the size of a file", "8 MB")
}
