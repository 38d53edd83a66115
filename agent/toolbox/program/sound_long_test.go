package program

import (
	"path/filepath"
	"strconv"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/slow"
	"atelier/agent/toolbox/toolboxtest"
)

// long repeats half a minute of a tone as MP3 without re-encoding it, so that hours of it are made quickly.
func long(t *testing.T, name string, seconds int) string {
	t.Helper()
	part := clip(t, "part.mp3", append(lavfi("sine=frequency=300:sample_rate=44100:duration=30"), "-b:a", "32k")...)
	path := filepath.Join(t.TempDir(), name)
	tool(t, "ffmpeg", "-v", "error", "-nostdin", "-stream_loop", "-1", "-i", part, "-t", strconv.Itoa(seconds), "-c", "copy", path)
	return path
}

// TestLongSoundIsNotMadeTooLarge checks that people are told in advance that a result would be too large, and what
// to ask for.
func TestLongSoundIsNotMadeTooLarge(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	sound := fileOf(plan.Audio, long(t, "talk.mp3", 1200))
	said := refused(t, "convert_audio", args{"audio": sound, "format": "wav"})
	if want := "As WAV it would have 105.9 MB, and the limit is 100 MB; ask for MP3 or FLAC."; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
}

// small returns a backend with a file limit of half a megabyte.
func small(t *testing.T) *Backend {
	t.Helper()
	limits := media.Limits{Bytes: 500_000}
	box, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ffmpeg.New(ffmpeg.Config{Sandbox: box, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{Sandbox: box, FFmpeg: f, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSamplesMayBeMoreThanFiles checks that a compressed sound is accepted even if its samples exceed the limit of
// a file. If these would be the result, they are compressed losslessly.
func TestSamplesMayBeMoreThanFiles(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b := small(t)
	minute := fileOf(plan.Audio, long(t, "minute.mp3", 60))
	part := fileOf(plan.Audio, clip(t, "part.wav", lavfi("sine=frequency=300:sample_rate=44100:duration=4")...))
	for run, a := range map[string]args{
		"waveform_image": {"audio": minute}, "spectrogram_image": {"audio": minute}, "join_audio": {"audios": list(part, part)},
	} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			how, backend := backing(t, b, run)
			c, err := toolboxtest.Typed(t, how.Backing, callOf(t, a))
			if err != nil {
				t.Fatal(err)
			}
			c.Tool = run
			out, err := backend.Run(t.Context(), how, c)
			if err != nil {
				t.Fatalf("%q: %v", plan.Sentence(err, plan.Message{}), err)
			}
			switch run {
			case "spectrogram_image":
				return
			case "waveform_image":
				img := readPicture(t, out.Path)
				for _, x := range []int{40, 800, 1560} { // all of it is drawn
					if _, loud, _, _ := img.At(x, 200).RGBA(); loud < 0x8000 {
						t.Errorf("it is not to be seen at %d", x)
					}
				}
				return
			}
			if want := "As WAV it would have 706 kB, and the limit is 500 kB, so it is saved as FLAC."; out.Note.String() != want || probe(t, out.Path).codecs() != "audio:flac" {
				t.Errorf("it says %q, want %q", out.Note, want)
			}
		})
	}
}

// TestSniffedSoundIsUsed covers a file that begins with an audio stream without samples.
func TestSniffedSoundIsUsed(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	path := clip(t, "two.mkv", append(lavfi("sine=frequency=1500:sample_rate=48000:duration=2", "sine=frequency=900:duration=2"),
		"-filter_complex", "[0:a]atrim=end_sample=0[none]", "-map", "[none]", "-map", "1:a", "-c:a", "flac")...)
	if codecs := probe(t, path).codecs(); codecs != "audio:flac audio:flac" {
		t.Fatalf("the file has %s", codecs)
	}
	sound := fileOf(plan.Audio, path)
	for run, a := range map[string]args{
		"convert_audio": {"audio": sound, "format": "wav"}, "cut_audio": {"audio": sound, "range": "1 s"}, "join_audio": {"audios": list(sound, sound)},
		"normalize_loudness": {"audio": sound},
	} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			if got := loudest(t, done(t, run, a).Path, 0.2, 0.8, notes...); got != 900 {
				t.Errorf("it is of %g Hz", got)
			}
		})
	}
	done(t, "waveform_image", args{"audio": sound})
}
