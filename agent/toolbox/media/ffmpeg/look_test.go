package ffmpeg

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/slow"
)

// made makes a file with ffmpeg.
func made(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	program(t, "ffmpeg", append(append([]string{"-v", "error", "-nostdin"}, args...), path)...)
	return path
}

func lavfi(source string) []string { return []string{"-f", "lavfi", "-i", source} }

func with(args []string, more ...string) []string { return append(args, more...) }

const (
	pattern = "testsrc=size=64x48:rate=10:duration=2"
	tone    = "sine=frequency=440:duration=2"
)

func TestLook(t *testing.T) {
	t.Parallel()
	both := with(lavfi(pattern), lavfi(tone)...)
	upright := made(t, "upright.mp4", with(lavfi(pattern), "-pix_fmt", "yuv420p")...)
	for name, c := range map[string]struct {
		path string
		want Look
	}{
		"sound and pictures": {made(t, "a.mp4", with(both, "-pix_fmt", "yuv420p")...), video("video/mp4", h264(), changed(aac(), func(s *Stream) { s.Index = 1 }))},
		"pictures alone":     {upright, video("video/mp4", h264())},
		"PCM": {made(t, "camera.mov", with(both, "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le")...),
			video("video/quicktime", h264(), changed(sound("pcm_s16le"), func(s *Stream) { s.Index = 1 }))},
		"turned": {made(t, "turned.mp4", "-i", upright, "-c", "copy", "-metadata:s:v:0", "rotate=90"),
			video("video/mp4", changed(h264(), func(s *Stream) { s.Width, s.Height = 48, 64 }))},
		"odd": {made(t, "odd.webm", with(lavfi("testsrc=size=63x47:rate=10:duration=2"), "-c:v", "libvpx")...),
			video("video/webm", Stream{Kind: "video", Codec: "vp8", Pixels: "yuv420p", Width: 63, Height: 47, Rate: 10})},
		"transparent": {made(t, "alpha.mov", with(lavfi(pattern), "-vf", "format=rgba", "-c:v", "png")...),
			video("video/quicktime", Stream{Kind: "video", Codec: "png", Pixels: "rgba", Width: 64, Height: 48, Rate: 10, Alpha: true})},
		"transparent WebM": {made(t, "alpha.webm", with(lavfi(pattern), "-vf", "format=yuva420p", "-c:v", "libvpx", "-auto-alt-ref", "0")...),
			video("video/webm", Stream{Kind: "video", Codec: "vp8", Pixels: "yuv420p", Width: 64, Height: 48, Rate: 10, Alpha: true})},
		"MP3":  {made(t, "a.mp3", lavfi(tone)...), audio("audio/mpeg", sound("mp3"))},
		"WAV":  {made(t, "a.wav", lavfi(tone)...), audio("audio/wav", sound("pcm_s16le"))},
		"FLAC": {made(t, "a.flac", lavfi(tone)...), audio("audio/flac", sound("flac"))},
		"FLAC of long packets": {made(t, "slow.flac", with(lavfi(tone), "-ar", "8000", "-frame_size", "4096")...),
			audio("audio/flac", changed(sound("flac"), func(s *Stream) { s.Frequency = 8000 }))},
		"Ogg":               {made(t, "a.ogg", with(lavfi(tone), "-c:a", "libvorbis")...), audio("audio/ogg", sound("vorbis"))},
		"AAC":               {made(t, "a.aac", lavfi(tone)...), audio("audio/aac", sound("aac"))},
		"M4A":               {made(t, "a.m4a", lavfi(tone)...), audio("audio/x-m4a", sound("aac"))},
		"AIFF":              {made(t, "a.aiff", lavfi(tone)...), audio("audio/aiff", sound("pcm_s16be"))},
		"sound in an MP4":   {made(t, "sound.mp4", lavfi(tone)...), audio("audio/mp4", sound("aac"))},
		"without length":    {made(t, "live.webm", with(lavfi(tone), "-c:a", "libvorbis", "-live", "1")...), audio("audio/webm", sound("vorbis"))},
		"without its sound": {made(t, "still.mkv", with(both, "-af", "atrim=end=0", "-c:v", "mpeg4")...), video("video/x-matroska", Stream{Kind: "video", Codec: "mpeg4", Pixels: "yuv420p", Width: 64, Height: 48, Rate: 10})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newFFmpeg(t, Config{}).Look(t.Context(), c.path)
			if err != nil {
				t.Fatal(err)
			}
			if got.Type != c.want.Type || got.MIME != c.want.MIME || len(got.Streams) != len(c.want.Streams) || (got.Duration-c.want.Duration).Abs() > 150*time.Millisecond {
				t.Fatalf("got %+v, want %+v", got, c.want)
			}
			for i, s := range got.Streams {
				if s.Packets < 4 {
					t.Errorf("stream %d has %d packets", i, s.Packets)
				}
				s.Packets, s.Duration = 0, 0
				if s != c.want.Streams[i] {
					t.Errorf("stream %d is %+v, want %+v", i, s, c.want.Streams[i])
				}
			}
		})
	}
}

func video(mime string, streams ...Stream) Look {
	return Look{Type: plan.Video, MIME: mime, Duration: 2 * time.Second, Streams: streams}
}

func audio(mime string, streams ...Stream) Look {
	return Look{Type: plan.Audio, MIME: mime, Duration: 2 * time.Second, Streams: streams}
}

func h264() Stream {
	return Stream{Kind: "video", Codec: "h264", Pixels: "yuv420p", Width: 64, Height: 48, Rate: 10}
}

func aac() Stream { return sound("aac") }

func sound(codec string) Stream {
	return Stream{Kind: "audio", Codec: codec, Frequency: 44100, Channels: 1}
}

func changed(s Stream, change func(*Stream)) Stream {
	change(&s)
	return s
}

func TestLookOfVariableRate(t *testing.T) {
	t.Parallel()
	path := made(t, "phone.mp4", with(lavfi(pattern), "-vf", "select='not(mod(n,3))+lt(n,7)'", "-vsync", "vfr", "-pix_fmt", "yuv420p")...)
	look, err := newFFmpeg(t, Config{}).Look(t.Context(), path)
	if err != nil || look.Video() == nil || !look.Video().Variable {
		t.Errorf("got %+v, %v", look, err)
	}
}

func TestLookRefuses(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	half := func(path string) string {
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, b[:len(b)/2], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	small := with(lavfi(pattern), "-pix_fmt", "yuv420p")
	for name, c := range map[string]struct {
		config Config
		path   string
		want   string
	}{
		"half an MP4":          {path: half(made(t, "half.mp4", small...)), want: "is damaged"},
		"half a quick MP4":     {path: half(made(t, "half.mp4", with(small, "-movflags", "+faststart")...)), want: "is cut off"},
		"half a Matroska":      {path: half(made(t, "half.mkv", with(lavfi(pattern), "-c:v", "mpeg4")...)), want: "is cut off"},
		"half a WAV":           {path: half(made(t, "half.wav", lavfi(tone)...)), want: "is cut off"},
		"half a FLAC":          {path: half(made(t, "half.flac", lavfi(tone)...)), want: "is cut off"},
		"half of long packets": {path: half(made(t, "half.flac", with(lavfi("anoisesrc=duration=3"), "-ar", "8000", "-frame_size", "4096")...)), want: "is cut off"},
		"no samples":           {path: made(t, "none.wav", with(lavfi(tone), "-t", "0")...), want: "\"none.wav\" has no sound in it; please send it again."},
		"nothing at all":       {path: file("empty.mp3", ""), want: "is empty"},
		"a playlist":           {path: file("list.mp4", "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"), want: "does not match its file extension"},
		"a picture":            {path: file("photo.mp3", "\x89PNG\r\n\x1a\n"), want: "cut off"},
		"notes":                {path: file("tune.mid", "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x00\x60MTrk\x00\x00\x00\x04\x00\xff\x2f\x00"), want: "is a MIDI file"},
		"a text":               {path: file("words.txt", "words"), want: "but sound or a video is needed"},
		"an hour":              {config: Config{Longest: 30 * time.Minute}, path: made(t, "hour.flac", "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "3600"), want: "is 60 minutes long, and the limit is 30 minutes"},
		"more than 8K":         {config: Config{}, path: made(t, "wide.avi", with(lavfi("color=size=16384x4096:rate=1:duration=1"), "-c:v", "mjpeg", "-q:v", "31")...), want: "has frames of 16384 × 4096 pixels, and the limit is 64 million"},
		"larger than it may":   {config: Config{}, path: filepath.Join(t.TempDir(), "none.mp4"), want: "There is no file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			look, err := newFFmpeg(t, c.config).Look(t.Context(), c.path)
			if got := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) || strings.Contains(got, filepath.Dir(c.path)) {
				t.Errorf("got %q (%v, %+v), want %q", got, err, look, c.want)
			}
		})
	}
}

// FuzzParse: any output of ffprobe gives valid values or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"streams":[{"codec_type":"video","width":320,"height":240,"avg_frame_rate":"30000/1001","r_frame_rate":"30/1","pix_fmt":"yuv420p",
		"nb_frames":"30","nb_read_packets":"30","duration":"3.0","side_data_list":[{"rotation":-90}]},
		{"codec_type":"audio","sample_rate":"44100","channels":2,"nb_read_packets":"131"}],"format":{"duration":"3.000000"}}`))
	f.Add([]byte(`{"streams":[{"codec_type":"video","width":-1,"height":1,"nb_read_packets":"9"}],"format":{"duration":"1e400"}}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parse(b)
		if err != nil {
			return
		}
		if d := a.duration(); d < 0 {
			t.Errorf("it is %s long", d)
		}
		a.cutOff()
		for _, s := range a.streams(true) {
			switch {
			case s.Kind == "video" && (s.Width <= 0 || s.Height <= 0 || s.Rate < 0):
				t.Errorf("its pictures are %+v", s)
			case s.Kind == "audio" && (s.Frequency <= 0 || s.Channels < 0):
				t.Errorf("its sound is %+v", s)
			case s.Kind != "video" && s.Kind != "audio":
				t.Errorf("it holds %+v", s)
			}
		}
	})
}

// TestLooksAreRemembered only while the content is the same.
func TestLooksAreRemembered(t *testing.T) {
	t.Parallel()
	var started atomic.Int32
	box, err := sandbox.New(sandbox.Config{Starting: func(sandbox.Command) { started.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	f := newFFmpeg(t, Config{Sandbox: box})
	content, err := os.ReadFile(made(t, "tone.wav", lavfi(tone)...))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tone.wav")
	put := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	programs := func(do func() error) int32 {
		t.Helper()
		before := started.Load()
		if err := do(); err != nil {
			t.Error(err)
		}
		return started.Load() - before
	}
	look := func(path string) func() error {
		return func() error {
			found, err := f.Look(t.Context(), path)
			if err == nil {
				found.Streams[0].Kind = "spoilt by the caller"
			}
			return err
		}
	}

	put(content)
	if first, again := programs(look(path)), programs(look(path)); first == 0 || again != 0 {
		t.Errorf("%d programs look first, and %d again", first, again)
	}
	if found, err := f.Look(t.Context(), path); err != nil || found.Audio() == nil {
		t.Errorf("what is remembered was changed: %+v, %v", found, err)
	}
	out := filepath.Join(t.TempDir(), "made.wav")
	job := Job{Inputs: []Input{{Path: path, Type: plan.Audio}}, Output: out}
	work := programs(func() error { return f.Do(t.Context(), job) })
	if again := programs(look(out)); work == 0 || again != 0 {
		t.Errorf("%d programs make it, and %d look at it again", work, again)
	}

	if played := programs(func() error { _, err := f.Plays(t.Context(), out); return err }); played != 0 {
		t.Errorf("%d programs see whether it plays, which they saw when it was made", played)
	}

	other := filepath.Join(t.TempDir(), "copy.wav")
	if err := os.Rename(path, other); err != nil {
		t.Fatal(err)
	}
	put(content)
	if again := programs(look(other)) + programs(look(path)); again != 0 {
		t.Errorf("%d programs look at a copy", again)
	}
	changed := slices.Clone(content)
	changed[len(changed)-1]++
	put(changed)
	if err := os.Chtimes(path, time.Time{}, time.Unix(1_700_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if again := programs(look(path)); again == 0 {
		t.Error("a file with another content is not looked at")
	}
	put(content[:len(content)/2])
	if _, err := f.Look(t.Context(), path); err == nil {
		t.Error("a file that was cut off since is taken")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Look(t.Context(), path); err == nil {
		t.Error("a file that is gone is taken")
	}
}
