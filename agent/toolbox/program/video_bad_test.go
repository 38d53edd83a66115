package program

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// stored writes a file for the test.
func stored(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBadVideos checks that each has a clear sentence, whatever the request.
func TestBadVideos(t *testing.T) {
	t.Parallel()
	good := redBlue(t, "good.mp4", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
	whole := contents(t, good)
	late := contents(t, redBlue(t, "late.mp4", "-pix_fmt", "yuv420p"))
	operations := map[string]args{"mute_video": {}, "convert_video": {"format": "webm"}}
	for name, c := range map[string]struct{ path, want string }{
		"cut off":         {stored(t, "cut.mp4", whole[:len(whole)*2/3]), "cut off"},
		"without its end": {stored(t, "late.mp4", late[:len(late)/2]), "damaged"},
		"empty":           {stored(t, "empty.mp4", nil), "empty"},
		"a playlist":      {stored(t, "list.mp4", []byte("ffconcat version 1.0\nfile '"+good+"'\n")), "list.mp4"},
		"a picture":       {stored(t, "photo.mp4", contents(t, writePNG(t, "photo.png", filled(8, 8, color.White)))), "photo.mp4"},
		"a text":          {stored(t, "notes.mp4", []byte("these are only words\n")), "notes.mp4"},
		"a sound":         {tone(t, "song.mp3", "440", "1"), "has no video"},
		"a sound with a cover": {
			clip(t, "cover.mp3", append(lavfi("sine=duration=1", "color=red:size=32x32:duration=1:rate=1"),
				"-map", "0", "-map", "1", "-c:v", "mjpeg", "-disposition:v", "attached_pic")...),
			"has no video",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for run, a := range operations {
				holds(t, refused(t, run, a.with("video", fileOf(plan.Video, c.path))), c.want)
			}
		})
	}
	holds(t, refused(t, "mute_video", args{}), "missing")
}

// TestBadSounds checks that the sound under a video must be audible.
func TestBadSounds(t *testing.T) {
	t.Parallel()
	good := silentRedBlue(t, "good.mp4", "-pix_fmt", "yuv420p")
	for name, c := range map[string]struct{ path, want string }{
		"without samples": {clip(t, "none.wav", append(lavfi("sine=duration=1"), "-t", "0")...), "none.wav"},
		"no sound":        {silentRedBlue(t, "silent.mp4", "-pix_fmt", "yuv420p"), "has no sound"},
		"empty":           {stored(t, "empty.mp3", nil), "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds(t, refused(t, "dub_video", videoOf(good).with("audio", fileOf(plan.Audio, c.path))), c.want)
		})
	}
}

// TestHourOfVideo checks that an hour is not re-encoded, but that parts of it are, and that it may be copied.
func TestHourOfVideo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	hour := clip(t, "hour.mp4", append(lavfi("color=red:size=32x32:rate=1:duration=3600"), "-preset", "ultrafast", "-pix_fmt", "yuv420p")...)
	for run, a := range map[string]args{
		"change_speed": {"factor": "half"}, "convert_video": {"format": "webm"}, "add_subtitles": {"subtitles": "Hello"},
		"fit_video_size": {"limit": "20 kB"}, "cut_video": {"range": "0:00 to 45:00"},
	} {
		holds(t, refused(t, run, a.with("video", fileOf(plan.Video, hour))), "the limit is 30 minutes", "trim it to a shorter part")
	}
	holds(t, refused(t, "join_videos", args{"videos": list(fileOf(plan.Video, hour), fileOf(plan.Video, hour))}), "the limit is 30 minutes")
	near(t, "the part", probe(t, done(t, "cut_video", videoOf(hour).with("range", "50:00-50:05")).Path).seconds(), 5, 1)
	near(t, "the silent one", probe(t, done(t, "mute_video", videoOf(hour)).Path).seconds(), 3600, 2)
}

// sideways marks the pictures of an MP4 as rotated by 90 degrees: the matrix of the track's header (ISO/IEC
// 14496-12, 8.3.2).
func sideways(t *testing.T, path string) string {
	t.Helper()
	b := contents(t, path)
	at := bytes.Index(b, []byte("tkhd"))
	if at < 0 {
		t.Fatal("no track")
	}
	for i, v := range []uint32{0, 1 << 16, 0, 0xFFFF0000, 0, 0, 0, 0, 1 << 30} {
		binary.BigEndian.PutUint32(b[at+44+4*i:], v)
	}
	return stored(t, "turned.mp4", b)
}

// TestOddVideos checks that unusual videos become usual ones.
func TestOddVideos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	red := func(name, source string, more ...string) string {
		return clip(t, name, append(lavfi("color=red"+source), more...)...)
	}
	for name, c := range map[string]struct {
		path          string
		width, height int
		colour        string // in the middle at first
	}{
		"odd sides":        {red("odd.mkv", ":size=161x121:rate=10:duration=1", "-c:v", "ffv1"), 160, 120, "red"},
		"a quarter turned": {sideways(t, red("flat.mp4", ":size=160x80:rate=10:duration=1", "-pix_fmt", "yuv420p")), 80, 160, "red"},
		"transparent":      {red("alpha.mov", "@0.0:size=160x120:rate=10:duration=1,format=argb", "-c:v", "qtrle"), 160, 120, "black"},
		"transparent in WebM": {
			red("alpha.webm", "@0.0:size=160x120:rate=10:duration=1,format=yuva420p", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"), 160, 120, "black",
		},
		"pictures at uneven times": {
			red("uneven.mkv", ":size=160x120:rate=30:duration=1", "-vf", "select='not(mod(n\\,7))+gt(n\\,20)'", "-fps_mode", "vfr", "-c:v", "mpeg4"), 160, 120, "red",
		},
		"wide pixels":     {red("wide.mkv", ":size=80x120:rate=10:duration=1", "-vf", "setsar=2", "-c:v", "mpeg4"), 160, 120, "red"},
		"ten bits":        {red("ten.mp4", ":size=160x120:rate=10:duration=1", "-pix_fmt", "yuv420p10le", "-c:v", "libx264"), 160, 120, "red"},
		"quick":           {red("quick.mkv", ":size=160x120:rate=240:duration=1", "-c:v", "mpeg4"), 160, 120, "red"},
		"as in a browser": {red("live.webm", ":size=160x120:rate=10:duration=1", "-c:v", "libvpx", "-deadline", "realtime", "-f", "webm", "-live", "1"), 160, 120, "red"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "convert_video", videoOf(c.path).with("format", "mp4"))
			made := playable(t, out.Path)
			shot := frameAt(t, out.Path, 0.1)
			if size := shot.Bounds().Size(); size.X != c.width || size.Y != c.height {
				t.Errorf("it is %v", size)
			}
			looks(t, shot, c.width/2, c.height/2, c.colour)
			near(t, "the length", made.seconds(), 1, 0.15)
			if rate := number(made.Streams[0].Rate); rate > 60.5 {
				t.Errorf("it has %g pictures a second", rate)
			}
		})
	}
}

// TestWidePixels checks that tools take the parts of an old film where people see them.
func TestWidePixels(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	film := func(picture string) args {
		return videoOf(clip(t, "wide.mkv", append(lavfi("color=red:size=80x120:rate=10:duration=1"), "-vf", picture+",setsar=2", "-c:v", "ffv1")...))
	}
	halves := film("drawbox=x=40:color=blue:t=fill")
	for name, c := range map[string]struct {
		tool  string
		given args
		size  image.Point
		at    [2]string // the colours on the left and on the right
	}{
		"cropped":  {"crop_video", halves.with("part", "right half"), image.Pt(80, 120), [2]string{"blue", "blue"}},
		"fitted":   {"pad_video", halves.with("shape", "1:1"), image.Pt(160, 160), [2]string{"red", "blue"}},
		"halved":   {"resize_video", halves.with("size", "half"), image.Pt(80, 60), [2]string{"red", "blue"}},
		"a frame":  {"extract_frames", halves.with("moment", "0:00.5"), image.Pt(160, 120), [2]string{"red", "blue"}},
		"animated": {"make_gif", halves, image.Pt(160, 120), [2]string{"red", "blue"}},
		"two beside": {
			"side_by_side_videos", args{"first": halves["video"], "second": halves["video"]}, image.Pt(320, 120), [2]string{"red", "blue"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := perform(t, c.tool, c.given)
			if err != nil {
				t.Fatal(err)
			}
			shot := frameAt(t, out.Path, 0.5)
			if size := shot.Bounds().Size(); size != c.size {
				t.Errorf("it is %v", size)
			}
			looks(t, shot, c.size.X/8, c.size.Y/2, c.at[0])
			looks(t, shot, c.size.X*7/8, c.size.Y/2, c.at[1])
		})
	}

	out := done(t, "blur_video_region", film("geq=lum='16+219*mod(floor(Y/2),2)':cb=128:cr=128").with("part", "right half"))
	shot := frameAt(t, out.Path, 0.5)
	looks(t, shot, 40, 63, "white")
	looks(t, shot, 150, 63, "grey")
	barred := film("drawbox=color=black:t=fill,drawbox=x=20:w=40:color=red:t=fill")
	looks(t, frameAt(t, done(t, "crop_black_bars", barred).Path, 0.5), 2, 60, "red")
}

// TestHighDynamicRange checks that the videos of phones become ordinary ones: grey stays as bright as it is.
func TestHighDynamicRange(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, transfer := range []string{"arib-std-b67", "smpte2084"} { // 0.38 is the grey of a test chart
		film := clip(t, "hdr.mkv", append(lavfi("color=black:size=160x120:rate=10:duration=1"), "-vf", "format=yuv420p10le,lutyuv=y=397:u=512:v=512",
			"-c:v", "libx264", "-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc", "-color_range", "tv")...)
		for run, given := range map[string]args{
			"convert_video":     videoOf(film).with("format", "mp4"),
			"blur_video_region": videoOf(film).with("part", "left half"),
			"extract_frames":    videoOf(film).with("moment", "0:00.5"),
			"make_gif":          videoOf(film),
		} {
			out, err := perform(t, run, given)
			if err != nil {
				t.Fatal(err)
			}
			r, _, _, _ := frameAt(t, out.Path, 0.5).At(80, 60).RGBA()
			near(t, run+" makes the grey of "+transfer, float64(r>>8), 108, 5)
			said := tool(t, "ffprobe", "-v", "error", "-show_entries", "stream=color_transfer", "-of", "default=nw=1:nk=1", out.Path)
			if strings.Contains(said, transfer) {
				t.Errorf("%s says that it is of %s", run, said)
			}
		}
	}
}

// TestEmptySoundTrack checks that a track without samples is not taken for the sound.
func TestEmptySoundTrack(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "two.mkv", append(lavfi("testsrc=size=160x120:rate=10:duration=2", "sine=frequency=440:duration=0.1", "sine=frequency=880:duration=2"),
		"-map", "0:v", "-map", "1:a", "-map", "2:a", "-c:v", "mpeg4", "-c:a", "pcm_s16le", "-filter:a:0", "atrim=start=1")...)
	for run, given := range map[string]args{
		"blur_video_region": videoOf(path).with("part", "left half"),
		"mix_audio":         {"voice": fileOf(plan.Audio, path), "music": fileOf(plan.Audio, tone(t, "t.wav", "220", "2"))},
	} {
		out, err := perform(t, run, given)
		if err != nil {
			t.Fatal(err)
		}
		if got := loudest(t, out.Path, 0.5, 1.5, 440, 880); got != 880 {
			t.Errorf("%s: it sounds of %g Hz", run, got)
		}
	}
}

// TestFurtherSoundTracks checks that the answer says that they are left out.
func TestFurtherSoundTracks(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "languages.mkv", append(lavfi("testsrc=size=160x120:rate=10:duration=1", "sine=duration=1", "sine=frequency=880:duration=1"),
		"-map", "0:v", "-map", "1:a", "-map", "2:a", "-c:v", "mpeg4")...)
	for run, given := range map[string]args{
		"convert_video": {"format": "mp4"}, "blur_video_region": {"part": "left half"}, "reverse_video": {}, "fit_video_size": {"limit": "1 MB"}, "extract_audio": {},
		"add_subtitles": {"subtitles": "Hello"}, "mute_video": nil, "extract_frames": nil,
	} {
		out, err := perform(t, run, given.with("video", fileOf(plan.Video, path)))
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(out.Note.String(), "It has 2 sound tracks; only the first was used."); told != (given != nil) {
			t.Errorf("%s says %q", run, out.Note)
		}
	}
}

// TestTransparencyStays checks this for formats that support it.
func TestTransparencyStays(t *testing.T) {
	t.Parallel()
	path := clip(t, "alpha.mov", append(lavfi("color=red@0.0:size=64x48:rate=10:duration=1,format=argb"), "-c:v", "qtrle")...)
	out := done(t, "convert_video", videoOf(path).with("format", "webm"))
	said := tool(t, "ffprobe", "-v", "error", "-show_entries", "stream_tags=alpha_mode", "-of", "default=nw=1", out.Path)
	if !strings.Contains(strings.ToLower(said), "alpha_mode=1") {
		t.Errorf("ffprobe says %q", said)
	}
}
