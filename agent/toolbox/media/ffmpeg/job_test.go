package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/slow"
)

// encode are the encoding options for a small MP4.
func encode(more ...string) []string {
	return append(more, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
}

func TestDo(t *testing.T) {
	t.Parallel()
	f := newFFmpeg(t, Config{})
	path := made(t, "our holiday in Spain.mp4", with(with(lavfi(pattern), lavfi(tone)...), "-pix_fmt", "yuv420p", "-metadata", "title=a secret place")...)
	var all [][]byte
	for range 2 {
		dir := t.TempDir()
		out := filepath.Join(dir, "cut.mp4")
		err := f.Do(t.Context(), Job{
			Inputs: []Input{{Path: path, Type: plan.Video, Before: []string{"-ss", Seconds(500 * time.Millisecond), "-t", Seconds(time.Second)}}},
			Args:   encode(),
			Output: out,
		})
		if err != nil {
			t.Fatal(err)
		}
		look, err := f.Look(t.Context(), out)
		if err != nil || look.Type != plan.Video || (look.Duration-time.Second).Abs() > 100*time.Millisecond || look.Video() == nil || look.Audio() == nil {
			t.Errorf("made %+v, %v", look, err)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("secret")) || bytes.Contains(b, []byte("Spain")) || bytes.Contains(b, []byte("Lavf")) {
			t.Error("it tells more than it shows")
		}
		all = append(all, b)
		alone(t, dir, "cut.mp4")
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("it is not the same each time")
	}
}

// alone checks that the folder contains nothing else.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	var found []string
	for _, entry := range left {
		found = append(found, entry.Name())
	}
	if err != nil || !slices.Equal(found, names) {
		t.Errorf("left are %q, %v", found, err)
	}
}

// TestDoReadsPictures that ffmpeg alone would decode differently.
func TestDoReadsPictures(t *testing.T) {
	t.Parallel()
	red, blue := color.NRGBA{R: 255, A: 255}, color.NRGBA{B: 255, A: 255}
	deep := image.NewNRGBA64(image.Rect(0, 0, 63, 47)) // 16 bits, odd sides
	animated := &gif.GIF{}
	for _, c := range []color.Color{red, blue} {
		frame := image.NewPaletted(image.Rect(0, 0, 64, 48), color.Palette{c})
		animated.Image, animated.Delay = append(animated.Image, frame), append(animated.Delay, 10)
	}
	for x := range 63 {
		for y := range 47 {
			deep.Set(x, y, red)
		}
	}
	for name, write := range map[string]func(b *bytes.Buffer) error{
		"deep.png":     func(b *bytes.Buffer) error { return png.Encode(b, deep) },
		"animated.gif": func(b *bytes.Buffer) error { return gif.EncodeAll(b, animated) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			path := filepath.Join(t.TempDir(), name)
			if err := errors.Join(write(&b), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			f := newFFmpeg(t, Config{})
			out := filepath.Join(t.TempDir(), "out.mp4")
			err := f.Do(t.Context(), Job{
				Inputs: []Input{{Path: path, Type: plan.Image, Before: []string{"-loop", "1", "-framerate", "10", "-t", "1"}}},
				Args:   encode("-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2"),
				Output: out,
			})
			if err != nil {
				t.Fatal(err)
			}
			frames, err := f.Frames(t.Context(), out, t.TempDir(), 2)
			if err != nil || len(frames) != 2 {
				t.Fatalf("%v, %v", frames, err)
			}
			for _, frame := range frames {
				p, err := media.ReadPicture(t.Context(), frame.Path, media.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if c := p.Image.NRGBAAt(30, 20); c.R < 200 || c.B > 60 {
					t.Errorf("at %s it is %v", frame.At, c)
				}
			}
		})
	}
}

// TestDoReadsFiles: filters find text files by their base names.
func TestDoReadsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	words := filepath.Join(dir, "words.srt")
	if err := os.WriteFile(words, []byte("1\n00:00:00,000 --> 00:00:02,000\nwords\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := newFFmpeg(t, Config{}).Do(t.Context(), Job{
		Inputs: []Input{{Path: made(t, "a.mp4", with(lavfi(pattern), "-pix_fmt", "yuv420p")...), Type: plan.Video}},
		Args:   encode("-vf", "subtitles=words.srt"),
		Output: filepath.Join(dir, "out.mp4"),
		Files:  []string{words},
	})
	if err != nil {
		t.Fatal(err)
	}
	alone(t, dir, "out.mp4", "words.srt")
}

func TestDoRefuses(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const rejects = "This tool does not work here: ffmpeg rejects its options."
	silent := made(t, "silent.mp4", with(lavfi(pattern), "-pix_fmt", "yuv420p")...)
	sounding := made(t, "sound.mp3", lavfi(tone)...)
	for name, c := range map[string]struct {
		config Config
		job    Job
		want   string
	}{
		"a video without sound":      {job: Job{Inputs: []Input{{Path: silent, Type: plan.Audio}}}, want: "\"silent.mp4\" has no sound."},
		"sound in place of a video":  {job: Job{Inputs: []Input{{Path: sounding, Type: plan.Video}}}, want: "\"sound.mp3\" has no video."},
		"a video in place of others": {job: Job{Inputs: []Input{{Path: silent, Type: plan.Image}}}, want: "\"silent.mp4\" is of type video/mp4, but a picture is needed."},
		"nothing there":              {job: Job{Inputs: []Input{{Path: "/nowhere/a.mp4"}}}, want: "There is no file called \"a.mp4\""},
		"what ffmpeg gives up":       {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-map", "0:a"}}, want: "\"silent.mp4\" is damaged or in an unsupported format"},
		"an unknown filter":          {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-vf", "vflipp"}}, want: rejects},
		"an unknown option":          {job: Job{Inputs: []Input{{Path: silent}, {Path: sounding}}, Args: []string{"-nonsense", "3"}}, want: rejects},
		"an option out of range":     {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-vf", "lagfun=decay=7"}}, want: rejects},
		"no option of the filter":    {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-vf", "lagfun=dcay=0.5"}}, want: rejects},
		"a formula that is none":     {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-vf", "scale=wide:high"}}, want: rejects},
		"an unknown encoder":         {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-c:v", "no-such"}}, want: rejects},
		"a crop beyond the picture":  {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-vf", "crop=9000:9000"}}, want: "is damaged or in an unsupported format"},
		"what it gives up of two":    {job: Job{Inputs: []Input{{Path: silent}, {Path: sounding}}, Args: []string{"-map", "0:a"}}, want: "One of the files is damaged"},
		"nothing in the end":         {job: Job{Inputs: []Input{{Path: silent}}, Args: []string{"-t", "0"}}, want: "ffmpeg's result is not valid"},
		"too large in the end":       {config: Config{Limits: media.Limits{Bytes: 40_000}}, job: Job{Inputs: []Input{{Path: sounding}}, Output: "out.wav"}, want: "The result would be larger than 40 kB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.job.Output = filepath.Join(dir, "out.mp4")
			if c.config.Limits.Bytes > 0 {
				c.job.Output = filepath.Join(dir, "out.wav")
			}
			err := newFFmpeg(t, c.config).Do(t.Context(), c.job)
			if got := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) || strings.Contains(got, dir) {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			alone(t, dir)
		})
	}
}

func TestDoOverwritesNothing(t *testing.T) {
	t.Parallel()
	path := made(t, "a.mp3", lavfi(tone)...)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = newFFmpeg(t, Config{}).Do(t.Context(), Job{Inputs: []Input{{Path: path}}, Output: path})
	if got := plan.Sentence(err, plan.Message{}).String(); got != "\"a.mp3\" could not be written." {
		t.Errorf("got %q (%v)", got, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("it was written to: %v", err)
	}
}

func TestDoStopsWithItsContext(t *testing.T) {
	t.Parallel()
	path := made(t, "a.mp3", lavfi(tone)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	err := newFFmpeg(t, Config{}).Do(ctx, Job{Inputs: []Input{{Path: path}}, Output: filepath.Join(dir, "out.mp3")})
	if !errors.Is(err, context.Canceled) || plan.Sentence(err, plan.Message{}).String() == "" {
		t.Errorf("got %v", err)
	}
	alone(t, dir)
}
