package main

import (
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/bot/export"
)

// measure is what a file must be, measured without the program's own code.
type measure struct {
	Type string `yaml:"type"`
	// Seconds is its duration by ffprobe, within a fifth of a second.
	Seconds float64 `yaml:"seconds"`
	// Streams are the streams that ffprobe finds.
	Streams []string `yaml:"streams"`
	// Size is the size of a picture or a video.
	Size []int `yaml:"size"`
	// Shows and Lacks are colours of which it has a hundred pixels, or at most a few.
	Shows []string `yaml:"shows"`
	Lacks []string `yaml:"lacks"`
	// Tones is the maximum number of its colours.
	Tones int `yaml:"tones"`
	// Has are texts that it contains.
	Has []string `yaml:"has"`
}

// colours are the colours of the objects in the pictures.
var colours = map[string]color.NRGBA{
	"red": {220, 30, 30, 255}, "blue": {40, 70, 220, 255}, "green": {30, 160, 50, 255}, "white": {255, 255, 255, 255},
}

// tool runs a program, which must succeed.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output() //nolint:gosec // a test's own words
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}

// prop makes a file: "clip 3" is a video of that many seconds without sound, "discs 3 red" a picture of discs in
// that colour, "scene" one of a red and a blue disc, and "voice" with words a recording of them.
func prop(t *testing.T, dir, name, what string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	kind, rest, _ := strings.Cut(what, " ")
	switch kind {
	case "clip":
		tool(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=8:duration="+rest, "-pix_fmt", "yuv420p", path)
	case "voice":
		tool(t, "espeak-ng", "-v", "en-us", "-s", "140", "-w", path, rest)
	case "scene":
		img := ground()
		disc(img, image.Pt(80, 80), 40, colours["red"])
		disc(img, image.Pt(220, 140), 40, colours["blue"])
		writePNG(t, path, img)
	case "discs":
		number, colour, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		img := ground()
		for i := range n {
			disc(img, image.Pt(30+i%5*60, 40+i/5*70), 20, colours[colour])
		}
		writePNG(t, path, img)
	default:
		t.Fatalf("there is no %q", what)
	}
	return path
}

func ground() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 320, 240))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	return img
}

func disc(img *image.NRGBA, at image.Point, radius int, c color.NRGBA) {
	for y := -radius; y <= radius; y++ {
		for x := -radius; x <= radius; x++ {
			if x*x+y*y <= radius*radius {
				img.SetNRGBA(at.X+x, at.Y+y, c)
			}
		}
	}
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// judgeFiles checks each file against its measure.
func judgeFiles(t *testing.T, want []measure, got []export.File) {
	t.Helper()
	if want == nil {
		return
	}
	left := got
	for _, m := range want {
		found := -1
		for i, f := range left {
			if f.Type == m.Type && found < 0 {
				found = i
			}
		}
		if found < 0 {
			t.Errorf("there is no %s among %v", m.Type, got)
			continue
		}
		m.judge(t, left[found].Path)
		left = append(append([]export.File{}, left[:found]...), left[found+1:]...)
	}
	if len(left) > 0 {
		t.Errorf("nobody asked for %v", left)
	}
}

func (m measure) judge(t *testing.T, path string) {
	t.Helper()
	if m.Seconds > 0 || m.Streams != nil {
		m.probe(t, path)
	}
	if m.Shows != nil || m.Lacks != nil || m.Size != nil || m.Tones > 0 {
		m.look(t, path)
	}
	for _, text := range m.Has {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), text) {
			t.Errorf("the %s lacks %q", m.Type, text)
		}
	}
}

// probe measures sound and video.
func (m measure) probe(t *testing.T, path string) {
	t.Helper()
	var found struct {
		Format struct {
			Duration string `json:"duration"`
		} `json:"format"`
		Streams []struct {
			Type string `json:"codec_type"`
		} `json:"streams"`
	}
	if err := json.Unmarshal([]byte(tool(t, "ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", path)), &found); err != nil {
		t.Fatal(err)
	}
	if seconds, err := strconv.ParseFloat(found.Format.Duration, 64); m.Seconds > 0 && (err != nil || math.Abs(seconds-m.Seconds) > 0.2) {
		t.Errorf("the %s takes %q seconds", m.Type, found.Format.Duration)
	}
	var streams []string
	for _, s := range found.Streams {
		streams = append(streams, s.Type)
	}
	if m.Streams != nil && strings.Join(streams, " ") != strings.Join(m.Streams, " ") {
		t.Errorf("the %s has %v", m.Type, streams)
	}
}

// look measures pictures, and the first picture of a video.
func (m measure) look(t *testing.T, path string) {
	t.Helper()
	still := filepath.Join(t.TempDir(), "still.png")
	tool(t, "ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", still)
	f, err := os.Open(still)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was read
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); m.Size != nil && (size.X != m.Size[0] || size.Y != m.Size[1]) {
		t.Errorf("the %s is %v", m.Type, size)
	}
	near, tones := map[string]int{}, map[color.Color]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			c, _ := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) //nolint:errcheck // the model makes it so
			tones[c] = true
			for name, of := range colours {
				if apart(c.R, of.R)+apart(c.G, of.G)+apart(c.B, of.B) < 110 {
					near[name]++
				}
			}
		}
	}
	for _, name := range m.Shows {
		if near[name] < 100 {
			t.Errorf("the %s has %d pixels of %s", m.Type, near[name], name)
		}
	}
	for _, name := range m.Lacks {
		if near[name] > 10 {
			t.Errorf("the %s has %d pixels of %s", m.Type, near[name], name)
		}
	}
	if m.Tones > 0 && len(tones) > m.Tones {
		t.Errorf("the %s has %d colours", m.Type, len(tones))
	}
}

func apart(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }
