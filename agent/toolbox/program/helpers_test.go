package program

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/toolboxtest"
)

// newBackend returns a backend with ordinary limits.
func newBackend(t *testing.T) *Backend {
	t.Helper()
	box, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{Sandbox: box, FFmpeg: toolboxtest.Player(t)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tool runs a program for the test, and returns its output.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput() //nolint:gosec // the tests' own words
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

// clips caches the files that ffmpeg has made for the tests of this package.
var clips struct {
	sync.Mutex

	dir  string
	made map[string]func() (string, error) // by the arguments of ffmpeg
}

// clip makes a sound or video with ffmpeg: args are all arguments but the name of the file. Tests that use the
// same file share it and must not change it.
func clip(t *testing.T, name string, args ...string) string {
	t.Helper()
	key := strings.Join(append([]string{name}, args...), "\x00")
	clips.Lock()
	made, ok := clips.made[key]
	if !ok {
		path := filepath.Join(clips.dir, strconv.Itoa(len(clips.made)), name)
		made = sync.OnceValues(func() (string, error) {
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				return "", err
			}
			all := slices.Concat([]string{"-v", "error", "-nostdin", "-threads", "1"}, args, []string{path})
			if out, err := exec.Command("ffmpeg", all...).CombinedOutput(); err != nil { //nolint:gosec,noctx // the tests' own words, for all of them
				return "", fmt.Errorf("ffmpeg %q: %w: %s", all, err, out)
			}
			return path, os.Chmod(path, 0o400)
		})
		clips.made[key] = made
	}
	clips.Unlock()
	path, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// lavfi returns the arguments for inputs that ffmpeg generates: "color=red:size=160x120:rate=10:duration=1".
func lavfi(sources ...string) []string {
	var args []string
	for _, s := range sources {
		args = append(args, "-f", "lavfi", "-i", s)
	}
	return args
}

// args are the arguments of a call: a string is a text, anything else values.
type args map[string]any

// list returns several values of an argument.
func list(vs ...toolbox.Value) []toolbox.Value { return vs }

// fileOf returns a media file as an argument.
func fileOf(typ plan.Type, path string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Name: filepath.Base(path), Type: typ}, Path: path}
}

// callOf returns a call with its own empty folder.
func callOf(t *testing.T, a args) toolbox.Call {
	t.Helper()
	c := toolbox.Call{Dir: t.TempDir(), Args: map[string][]toolbox.Value{}, Now: time.Unix(1_700_000_000, 0).UTC(), Seed: 1}
	for name, v := range a {
		switch v := v.(type) {
		case string:
			c.Args[name] = []toolbox.Value{{Resource: plan.Resource{Name: name, Type: plan.Text, Value: v}}}
		case toolbox.Value:
			c.Args[name] = []toolbox.Value{v}
		case []toolbox.Value:
			c.Args[name] = v
		default:
			t.Fatalf("an argument of type %T", v)
		}
	}
	return c
}

// catalogue is read once: each run of a tool needs it.
var catalogue = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

// tools returns the tools of the catalogue.
func tools(t *testing.T) []toolbox.Tool {
	t.Helper()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return c.Tools()
}

// backing returns how the catalogue runs an operation, or the tool of a command.
func backing(t *testing.T, b *Backend, run string) (toolbox.Candidate, toolbox.Backend) {
	t.Helper()
	for _, tool := range tools(t) {
		for _, way := range tool.Backends {
			switch {
			case way.Kind == "command" && (way.Run == run || tool.Name == run):
				return toolbox.Candidate{Backing: way}, b.Commands()
			case way.Run != run:
			case way.Kind == "program":
				return toolbox.Candidate{Backing: way}, b
			}
		}
	}
	t.Fatalf("no tool runs %s", run)
	return toolbox.Candidate{}, nil
}

// perform runs an operation, and checks that it leaves only its output behind.
func perform(t *testing.T, run string, a args) (toolbox.Output, error) {
	t.Helper()
	return performOn(t, newBackend(t), run, a)
}

// performOn is perform on a backend.
func performOn(t *testing.T, b *Backend, run string, a args) (toolbox.Output, error) {
	t.Helper()
	candidate, backend := backing(t, b, run)
	c, err := toolboxtest.Typed(t, candidate.Backing, callOf(t, a))
	if err != nil {
		return toolbox.Output{}, err
	}
	c.Tool = run
	for _, tool := range tools(t) {
		if tool.Name == run {
			c.Returns = tool.Returns
		}
	}
	out, err := backend.Run(t.Context(), candidate, c)
	if err == nil {
		toolboxtest.Effects(t, candidate, c, out)
	}
	var want, left []string
	for _, o := range append([]toolbox.Output{out}, out.More...) {
		if o.Path != "" && err == nil {
			want = append(want, filepath.Base(o.Path))
		}
	}
	entries, readErr := os.ReadDir(c.Dir)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(want, left) {
		t.Errorf("%s left %v behind, and said %v (%v)", run, left, want, err)
	}
	return out, err
}

// done returns the output of an operation that must succeed.
func done(t *testing.T, run string, a args) toolbox.Output {
	t.Helper()
	out, err := perform(t, run, a)
	if err != nil {
		t.Fatalf("%s: %v", run, err)
	}
	if out.About.IsZero() {
		t.Errorf("%s does not say what it made", run)
	}
	return out
}

// refused returns the sentence of an operation that must fail, and must not blame itself for its input.
func refused(t *testing.T, run string, a args) string {
	t.Helper()
	_, err := perform(t, run, a)
	if err == nil {
		t.Fatalf("%s succeeded", run)
	}
	if errors.Is(err, toolbox.ErrDown) {
		t.Errorf("%s takes the blame: %v", run, err)
	}
	sentence := plan.Sentence(err, plan.Message{}).String()
	if sentence == "" || strings.ContainsRune(sentence, filepath.Separator) {
		t.Errorf("%s says %q (%v)", run, sentence, err)
	}
	return sentence
}

// holds checks that a sentence has all the words.
func holds(t *testing.T, sentence string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(sentence, w) {
			t.Errorf("%q lacks %q", sentence, w)
		}
	}
}

// about is the report of ffprobe on a file.
type about struct {
	Streams []struct {
		Type      string `json:"codec_type"`
		Codec     string `json:"codec_name"`
		Pixels    string `json:"pix_fmt"`
		Width     int    `json:"width"`
		Height    int    `json:"height"`
		Rate      string `json:"avg_frame_rate"`
		Frequency string `json:"sample_rate"`
		Duration  string `json:"duration"`
		Frames    string `json:"nb_read_frames"`
	} `json:"streams"`
	Format struct {
		Name     string            `json:"format_name"`
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

// probe measures a file with ffprobe.
func probe(t *testing.T, path string) about {
	t.Helper()
	out := tool(t, "ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", path)
	var a about
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return a
}

// codecs returns the streams in their order: "video:h264 audio:aac".
func (a about) codecs() string {
	var all []string
	for _, s := range a.Streams {
		all = append(all, s.Type+":"+s.Codec)
	}
	return strings.Join(all, " ")
}

// seconds returns the duration of the file.
func (a about) seconds() float64 { return number(a.Format.Duration) }

func number(s string) float64 {
	above, below, ratio := strings.Cut(s, "/")
	v, err := strconv.ParseFloat(above, 64)
	if err != nil {
		return -1
	}
	if d, err := strconv.ParseFloat(below, 64); ratio && err == nil {
		v /= d
	}
	return v
}

// near compares two numbers.
func near(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if d := got - want; !(d >= -off && d <= off) {
		t.Errorf("%s is %g, want %g ± %g", what, got, want, off)
	}
}

// frameAt returns the first picture of a video that is shown at that time or later, in seconds; after the end, the
// last one.
func frameAt(t *testing.T, path string, at float64) image.Image {
	t.Helper()
	frames := framesOf(t, path)
	if len(frames) == 0 {
		t.Fatalf("%s has no pictures", path)
	}
	i, _ := slices.BinarySearchFunc(frames, at, func(f frame, at float64) int { return cmp.Compare(f.at, at) })
	return frames[min(i, len(frames)-1)].image
}

// frame is a picture of a video, with the time at which it is first shown, in seconds.
type frame struct {
	at    float64
	image image.Image
}

var shownFrame = regexp.MustCompile(`pts_time:(\S+) .* s:(\d+)x(\d+) `)

// decoded caches the pictures of videos by path.
var decoded sync.Map

// framesOf returns all pictures of a short video, which is decoded once.
func framesOf(t *testing.T, path string) []frame {
	t.Helper()
	if all, ok := decoded.Load(path); ok {
		return all.([]frame) //nolint:errcheck,forcetypeassert // nothing else is in it
	}
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-hide_banner", "-nostdin", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", //nolint:gosec // a file of a test
		"-vf", "format=rgba,showinfo", "-f", "rawvideo", "-")
	var log strings.Builder
	cmd.Stderr = &log
	pixels, err := cmd.Output()
	if err != nil {
		t.Fatalf("decode %s: %v: %s", path, err, &log)
	}
	var all []frame
	for _, m := range shownFrame.FindAllStringSubmatch(log.String(), -1) {
		img := image.NewNRGBA(image.Rect(0, 0, int(number(m[2])), int(number(m[3]))))
		pixels = pixels[copy(img.Pix, pixels):]
		all = append(all, frame{number(m[1]), img})
	}
	if len(pixels) > 0 {
		t.Fatalf("%s has more pictures than the %d that ffmpeg tells of", path, len(all))
	}
	decoded.Store(path, all)
	return all
}

// readPicture decodes a PNG, JPEG or GIF.
func readPicture(t *testing.T, path string) image.Image {
	t.Helper()
	p, err := media.ReadPicture(t.Context(), path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Image
}

// writePNG stores a picture that a test has drawn.
func writePNG(t *testing.T, name string, img image.Image) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// filled returns a picture of one colour.
func filled(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

// looks checks the colour of a pixel: red, green, blue, black, white or grey.
func looks(t *testing.T, img image.Image, x, y int, want string) {
	t.Helper()
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) //nolint:errcheck,forcetypeassert // the model makes it so
	high := func(v uint8) string {
		switch {
		case v > 170:
			return "1"
		case v < 85:
			return "0"
		}
		return "-"
	}
	names := map[string]string{
		"100": "red", "010": "green", "001": "blue", "000": "black", "111": "white", "110": "yellow", "---": "grey",
	}
	if got := names[high(c.R)+high(c.G)+high(c.B)]; got != want {
		t.Errorf("the pixel at %d, %d is %v (%q), want %s", x, y, c, got, want)
	}
}

// volume returns the mean volume of a part of a sound, in decibels, from -91 (silence) to 0.
func volume(t *testing.T, path string, from, length float64) float64 {
	t.Helper()
	const rate = 16_000
	if int(from*rate) >= len(pcm(t, path, rate)) {
		t.Fatalf("%s ends before %g s", filepath.Base(path), from)
	}
	return max(level(t, path, from, from+length), -91)
}

// difference returns the mean difference of the values of two pictures of the same size, of 255.
func difference(a, b *image.NRGBA) float64 {
	sum := 0
	for i := range a.Pix {
		sum += max(int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return float64(sum) / float64(len(a.Pix))
}
