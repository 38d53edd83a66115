package hftasktest_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
)

// probed is ffprobe's description of a file.
type probed struct {
	Format struct {
		Name     string `json:"format_name"`
		Duration string `json:"duration"`
	} `json:"format"`
	Streams []struct {
		Codec  string `json:"codec_name"`
		Width  int    `json:"width"`
		Height int    `json:"height"`
		Rate   string `json:"sample_rate"`
		Frames string `json:"nb_frames"`
	} `json:"streams"`
}

func probe(t *testing.T, b []byte) probed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", path).Output() //nolint:gosec // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	var p probed
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestVideos checks with ffprobe that videos are valid, with the requested frames and size, and that every
// frame can be decoded.
func TestVideos(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	for _, c := range []struct {
		task                  string
		body                  m
		width, height, frames int
	}{
		{"text-to-video", m{"inputs": "a red ball"}, 192, 108, 16},
		{"text-to-video", m{"inputs": "a red ball", "parameters": m{"num_frames": 20}}, 192, 108, 20},
		{"image-to-video", m{"inputs": in64(t, three())}, 192, 80, 16},
		{"image-to-video", m{"inputs": in64(t, three()), "parameters": m{"target_size": m{"width": 65, "height": 31}, "num_frames": 1}}, 64, 30, 1},
	} {
		r := send(t, s, "/pipeline/"+c.task, "", c.body)
		if r.status != 200 || r.kind != "video/mp4" {
			t.Fatalf("%s: %d %s", c.task, r.status, r.body)
		}
		p := probe(t, r.body)
		seconds, err := strconv.ParseFloat(p.Format.Duration, 64)
		if err != nil || len(p.Streams) != 1 || !strings.Contains(p.Format.Name, "mp4") || seconds != float64(c.frames)/8 {
			t.Fatalf("%s: %+v", c.task, p)
		}
		if v := p.Streams[0]; v.Codec != "mjpeg" || v.Width != c.width || v.Height != c.height || v.Frames != strconv.Itoa(c.frames) {
			t.Errorf("%s: %+v", c.task, v)
		}
		path := filepath.Join(t.TempDir(), "video.mp4")
		if err := os.WriteFile(path, r.body, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", path, "-f", "null", "-").CombinedOutput() //nolint:gosec // the test's own file
		if err != nil || len(out) > 0 {
			t.Errorf("%s: decoded with %v: %s", c.task, err, out)
		}
	}
	for _, params := range []m{{"num_frames": 0}, {"num_frames": 1000}, {"target_size": m{"width": 0, "height": 9}}} {
		if r := send(t, s, "/pipeline/image-to-video", "", m{"inputs": in64(t, three()), "parameters": params}); r.status != 400 {
			t.Errorf("%v: %d", params, r.status)
		}
	}
}

// TestSounds checks that sounds are valid, as long as their words, and transcribed correctly.
func TestSounds(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	seconds := func(b []byte) float64 {
		p := probe(t, b)
		n, err := strconv.ParseFloat(p.Format.Duration, 64)
		if err != nil || p.Format.Name != "wav" || len(p.Streams) != 1 || p.Streams[0].Codec != "pcm_s16le" || p.Streams[0].Rate != "16000" {
			t.Fatalf("%+v", p)
		}
		return n
	}
	short := send(t, s, "/pipeline/text-to-speech", "", m{"inputs": "one word"}).body
	long := send(t, s, "/pipeline/text-to-speech", "", m{"inputs": "one word and many more words behind it"}).body
	music := send(t, s, "/pipeline/text-to-audio", "", m{"inputs": "calm"}).body
	if a, b, c := seconds(short), seconds(long), seconds(music); a < 0.5 || a > 1 || b < 2*a || c < 4 {
		t.Errorf("they last %v, %v and %v seconds", a, b, c)
	}
	silence := append([]byte(nil), short...)
	clear(silence[44:])
	for _, c := range []struct {
		name         string
		sound        []byte
		class, heard string
	}{
		{"speech", short, "Speech", "take the umbrella out"},
		{"silence", silence, "Silence", ""},
		{"another format", []byte("fLaC and more"), "Music", "take the umbrella out"},
	} {
		if got := into[[]struct{ Label string }](t, send(t, s, "/pipeline/audio-classification", "audio/wav", c.sound)); got[0].Label != c.class {
			t.Errorf("%s is %v", c.name, got)
		}
		if got := into[struct{ Text string }](t, send(t, s, "/pipeline/automatic-speech-recognition", "audio/wav", c.sound)); got.Text != c.heard {
			t.Errorf("%s says %q", c.name, got.Text)
		}
	}
	timed := into[struct {
		Chunks []struct {
			Text      string
			Timestamp [2]float64
		}
	}](t, send(t, s, "/pipeline/automatic-speech-recognition", "", m{"inputs": base64.StdEncoding.EncodeToString(short), "parameters": m{"return_timestamps": true}}))
	if len(timed.Chunks) != 4 || timed.Chunks[3].Text != " out" || timed.Chunks[3].Timestamp[1] != seconds(short) {
		t.Errorf("timed: %v", timed)
	}
	for _, c := range []struct{ sound []byte }{{short}, {[]byte("fLaC and more")}} {
		got := into[[]struct{ Label, Blob string }](t, send(t, s, "/pipeline/audio-to-audio", "audio/flac", c.sound))
		b, err := base64.StdEncoding.DecodeString(got[0].Blob)
		if err != nil || len(b) != len(c.sound) {
			t.Errorf("cleaned: %d bytes of %d, %v", len(b), len(c.sound), err)
		}
	}
}

// TestVideoDescription checks that the description of a video has its length.
func TestVideoDescription(t *testing.T) {
	t.Parallel()
	s := hftasktest.New(t, hftasktest.Config{})
	for frames, want := range map[int]string{4: "moving something", 88: "walking"} {
		video := send(t, s, "/pipeline/text-to-video", "", m{"inputs": "a ball", "parameters": m{"num_frames": frames}}).body
		if got := into[[]struct{ Label string }](t, send(t, s, "/pipeline/video-classification", "video/mp4", video)); got[0].Label != want {
			t.Errorf("%d frames: %v", frames, got)
		}
	}
	r := send(t, s, "/pipeline/video-text-to-text", "video/webm", []byte("\x1A\x45\xDF\xA3 and more"))
	if got := into[map[string]string](t, r); !strings.HasPrefix(got["generated_text"], "a short video") {
		t.Errorf("got %v", got)
	}
}
