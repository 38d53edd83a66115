package verify_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/verify"
)

func TestMain(m *testing.M) {
	sandbox.Enter()
	os.Exit(m.Run())
}

// bench makes small media.
type bench struct {
	*testing.T
	dir    string
	player *ffmpeg.FFmpeg
	tools  *toolbox.Catalogue
}

// embedded is read once for all tests.
var embedded = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

func newBench(t *testing.T) bench {
	t.Helper()
	player, err := ffmpeg.New(ffmpeg.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	return bench{t, t.TempDir(), player, tools}
}

// film returns a file made by ffmpeg.
func (b bench) film(name string, args ...string) string {
	b.Helper()
	path := filepath.Join(b.dir, name)
	out, err := exec.CommandContext(b.Context(), "ffmpeg", append(append([]string{"-v", "error", "-nostdin"}, args...), path)...).CombinedOutput() //nolint:gosec // the test's own words
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}

// picture returns a file with a picture.
func (b bench) picture(name string, img image.Image) string {
	b.Helper()
	path := filepath.Join(b.dir, name)
	if err := media.EncodeImage(b.Context(), path, img, media.FormatFor(filepath.Ext(name)[1:])); err != nil {
		b.Fatal(err)
	}
	return path
}

// colourful returns a picture with four different corners.
func colourful(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(40 + x), uint8(220 - y), 90, 255}
			if x < w/2 && y < h/2 {
				c = color.NRGBA{200, uint8(30 + x%7*10), 30, 255}
			}
			if (x/3+y/3)%2 == 0 {
				c.G /= 2
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func file(t plan.Type, path string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Type: t, Name: filepath.Base(path)}, Path: path}
}

func words(s string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: s}}
}

type args map[string]toolbox.Value

// verify checks an output against what a tool of the catalogue promises.
func (b bench) verify(tool string, given args, out toolbox.Output) error {
	b.Helper()
	t, ok := b.tools.Tool(tool)
	if !ok {
		b.Fatalf("unknown tool %s", tool)
	}
	call := toolbox.Call{Tool: tool, Returns: t.Returns, Args: map[string][]toolbox.Value{}, Dir: b.TempDir()}
	for name, v := range given {
		call.Args[name] = []toolbox.Value{v}
	}
	call, err := t.Typed(call)
	if err != nil {
		b.Fatal(err)
	}
	return verify.New(verify.Config{Call: call, Effects: t.Effects, Player: b.player}).Verify(b.Context(), out)
}

// TestUnchangedInputIsRejected of a tool that should change it.
func TestUnchangedInputIsRejected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	img := colourful(120, 80)
	photo, flat := b.picture("photo.png", img), b.picture("photo.jpg", img)
	clip := b.film("clip.mp4", "-f", "lavfi", "-i", "testsrc=size=128x96:rate=10:duration=6", "-f", "lavfi", "-i", "sine=duration=6", "-pix_fmt", "yuv420p", "-shortest")
	song := b.film("song.wav", "-f", "lavfi", "-i", "sine=duration=6", "-af", "volume=-25dB")
	covered := media.NewMask(120, 80, 1)
	for i := range 2000 {
		covered.Index[i] = 1
	}
	mask := filepath.Join(b.dir, "mask.png")
	if err := media.WriteMask(t.Context(), mask, covered); err != nil {
		t.Fatal(err)
	}
	boxes := toolbox.Value{Resource: plan.Resource{Type: plan.BBox, Value: `[{"xmin":10,"ymin":10,"xmax":50,"ymax":60}]`}}
	with := func(path string, typ plan.Type, more args) args {
		all := args{map[plan.Type]string{plan.Image: "image", plan.Video: "video", plan.Audio: "audio"}[typ]: file(typ, path)}
		maps.Copy(all, more)
		return all
	}
	for _, c := range []struct {
		tool string
		path string
		typ  plan.Type
		more args
		says string
	}{
		{"cut_video", clip, plan.Video, args{"range": words("seconds 2 to 4")}, "The video should last 2 seconds, but it lasts 6."},
		{"change_speed", clip, plan.Video, args{"factor": words("2x")}, "The video should last 3 seconds, but it lasts 6."},
		{"mute_video", clip, plan.Video, nil, "The video should be silent, but it has sound."},
		{"convert_video", clip, plan.Video, args{"format": words("webm")}, "The video should be in the format WebM, but it is in another one."},
		{"fit_video_size", clip, plan.Video, args{"limit": words("10 kB")}, "The video should have at most 10 kB, but it has "},
		{"cut_audio", song, plan.Audio, args{"range": words("the first 2 seconds")}, "The sound should last 2 seconds, but it lasts 6."},
		{"convert_audio", song, plan.Audio, args{"format": words("mp3")}, "The sound should be in the format MP3, but it is in another one."},
		{"normalize_loudness", song, plan.Audio, nil, "The sound should have a loudness of -16 LUFS, but it has "},
		{"greyscale_image", photo, plan.Image, nil, "The picture should have no colours, but it still has some."},
		{"greyscale_image", flat, plan.Image, nil, "The picture should have no colours"},
		{"blur_image", photo, plan.Image, nil, "The picture should be less sharp than it was, but it is not."},
		{"adjust_image", photo, plan.Image, args{"adjustment": words("brighter")}, "The requested change cannot be seen in the picture."},
		{"resize_image", photo, plan.Image, args{"size": words("50%")}, "The picture should have 60 × 40 pixels, but it has 120 × 80."},
		{"make_thumbnail", photo, plan.Image, args{"size": words("64 px")}, "The picture should have 64 × 43 pixels"},
		{"upscale_image", photo, plan.Image, nil, "The picture should have 240 × 160 pixels"},
		{"rotate_image", photo, plan.Image, nil, "The picture should have 80 × 120 pixels"},
		{"rotate_image", photo, plan.Image, args{"angle": words("180 degrees")}, "The picture should be turned as asked, but it is not."},
		{"flip_image", photo, plan.Image, nil, "The picture should be mirrored as asked, but it is not."},
		{"crop_region", photo, plan.Image, args{"region": words("the left half")}, "The picture should have 60 × 80 pixels"},
		{"convert_image", photo, plan.Image, args{"format": words("jpg")}, "The picture should be in the format JPEG, but it is in another one."},
		{"fit_image_size", photo, plan.Image, args{"limit": words("200 bytes")}, "The picture should have at most 200 bytes, but it has "},
		{"add_text_to_image", photo, plan.Image, args{"caption": words("Hello")}, "The picture should have changed, but it has not."},
		{"highlight_object_on_image", photo, plan.Image, args{"bbox": boxes}, "The picture should have changed"},
		{"image_cropping", photo, plan.Image, args{"bbox": boxes}, "The picture should show the requested part"},
		{"image_inpainting", photo, plan.Image, args{"mask": file(plan.Mask, mask)}, "The picture should have changed"},
		{"mask_image", photo, plan.Image, args{"mask": file(plan.Mask, mask)}, "A part of the picture should be transparent"},
		{"remove_background", photo, plan.Image, nil, "A part of the picture should be transparent"},
		{"text_image_editing", photo, plan.Image, args{"instruction": words("make it a cartoon")}, "The picture should have changed"},
		{"image_to_image", photo, plan.Image, nil, "The picture should have changed"},
		{"image_to_depth", photo, plan.Image, nil, "The picture should have changed"},
		{"image_to_edge", photo, plan.Image, nil, "The picture should have no colours"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			b := b
			b.T = t
			err := b.verify(c.tool, with(c.path, c.typ, c.more), toolbox.Output{Path: c.path})
			missed, ok := errors.AsType[*verify.MissedEffectError](err)
			if got := plan.Sentence(err, plan.Message{}).String(); !ok || missed.Error() == "" || !strings.HasPrefix(got, c.says) {
				t.Errorf("it says %q (%v), want %q", got, err, c.says)
			}
		})
	}
}

// TestUnmarkedPartStays: a server that redraws the whole picture has failed.
func TestUnmarkedPartStays(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	img := colourful(120, 80)
	covered := media.NewMask(120, 80, 1)
	hole := image.Rect(10, 10, 50, 40)
	for y := hole.Min.Y; y < hole.Max.Y; y++ {
		for x := hole.Min.X; x < hole.Max.X; x++ {
			covered.Index[y*120+x] = 1
		}
	}
	mask := filepath.Join(b.dir, "mask.png")
	if err := media.WriteMask(t.Context(), mask, covered); err != nil {
		t.Fatal(err)
	}
	given := args{"image": file(plan.Image, b.picture("photo.jpg", img)), "mask": file(plan.Mask, mask), "prompt": words("a ball")}
	filled := image.NewNRGBA(img.Rect)
	copy(filled.Pix, img.Pix)
	draw.Draw(filled, hole, image.White, image.Point{}, draw.Src)
	anew := image.NewNRGBA(img.Rect)
	draw.Draw(anew, anew.Rect, image.NewUniform(color.NRGBA{10, 10, 80, 255}), image.Point{}, draw.Src)
	for _, tool := range []string{"image_inpainting", "partial_image_editing"} {
		if err := b.verify(tool, given, toolbox.Output{Path: b.picture(tool+".jpg", filled)}); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
		err := b.verify(tool, given, toolbox.Output{Path: b.picture(tool+"-anew.png", anew)})
		if got := plan.Sentence(err, plan.Message{}).String(); got != "Only the marked part of the picture should have changed, but the rest has changed too." {
			t.Errorf("%s: %q (%v)", tool, got, err)
		}
	}
}

// away is a Player on a machine that cannot play anything.
type away struct{ verify.Player }

func (away) Probe(context.Context) error { return errors.New("no programs") }

// TestUnmeasurableEffectsPass: without programs, or with too little memory to compare.
func TestUnmeasurableEffectsPass(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sound := b.film("song.wav", "-f", "lavfi", "-i", "sine=duration=1")
	cut, _ := b.tools.Tool("cut_audio")
	call := toolbox.Call{
		Tool: "cut_audio", Returns: plan.Audio, Dir: t.TempDir(),
		Args: map[string][]toolbox.Value{"audio": {file(plan.Audio, sound)}, "range": {words("0.2 seconds")}},
	}
	call, err := cut.Typed(call)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.New(verify.Config{Call: call, Effects: cut.Effects, Player: away{}}).Verify(t.Context(), toolbox.Output{Path: sound}); err != nil {
		t.Errorf("nothing plays here: %v", err)
	}
	photo := b.picture("photo.png", colourful(400, 300))
	little, err := memory.New(memory.Config{Limit: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	edit, _ := b.tools.Tool("text_image_editing")
	call = toolbox.Call{Tool: "text_image_editing", Returns: plan.Image, Dir: t.TempDir(), Args: map[string][]toolbox.Value{"image": {file(plan.Image, photo)}}}
	made := toolbox.Output{Path: photo}
	if err := verify.New(verify.Config{Call: call, Effects: edit.Effects}).Verify(t.Context(), made); err == nil {
		t.Error("with enough memory it is not compared")
	}
	if err := verify.New(verify.Config{Call: call, Effects: edit.Effects, Memory: little}).Verify(t.Context(), made); err != nil {
		t.Errorf("with little memory: %v", err)
	}
}

// counting counts how often files are inspected.
type counting struct {
	*ffmpeg.FFmpeg
	played, looked *int
}

func (c counting) Plays(ctx context.Context, path string) (ffmpeg.Look, error) {
	*c.played++
	return c.FFmpeg.Plays(ctx, path)
}

func (c counting) Look(ctx context.Context, path string) (ffmpeg.Look, error) {
	*c.looked++
	return c.FFmpeg.Look(ctx, path)
}

// TestEachFileIsInspectedOnce, the arguments once for all attempts.
func TestEachFileIsInspectedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	clip := b.film("clip.mp4", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-pix_fmt", "yuv420p")
	tool, _ := b.tools.Tool("convert_video")
	call := toolbox.Call{
		Tool: "convert_video", Returns: plan.Video, Dir: t.TempDir(),
		Args: map[string][]toolbox.Value{"video": {file(plan.Video, clip)}, "format": {words("mp4")}},
	}
	call, err := tool.Typed(call)
	if err != nil {
		t.Fatal(err)
	}
	played, looked := 0, 0
	v := verify.New(verify.Config{Call: call, Effects: tool.Effects, Player: counting{b.player, &played, &looked}})
	for range 2 {
		if err := v.Verify(t.Context(), toolbox.Output{Path: clip}); err != nil {
			t.Fatal(err)
		}
	}
	if played != 2 || looked != 1 {
		t.Errorf("outputs were played %d times, and the argument looked at %d times", played, looked)
	}
	plain := verify.New(verify.Config{Call: call, Player: counting{b.player, &played, &looked}})
	if err := plain.Verify(t.Context(), toolbox.Output{Path: clip}); err != nil || looked != 1 {
		t.Errorf("without effects the argument was looked at %d times: %v", looked, err)
	}
	left, err := os.ReadDir(call.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("it left %v behind: %v", left, err)
	}
}

// TestEveryToolDeclaresItsEffects, or says why it has none.
func TestEveryToolDeclaresItsEffects(t *testing.T) {
	t.Parallel()
	for _, tool := range newBench(t).tools.Tools() {
		if len(tool.Effects) == 0 {
			t.Errorf("%s declares no effects", tool.Name)
		}
	}
}

// BenchmarkVerify measures the cost of checking effects after a step.
func BenchmarkVerify(b *testing.B) {
	player, err := ffmpeg.New(ffmpeg.Config{})
	if err != nil {
		b.Fatal(err)
	}
	tools, err := embedded()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	photo, clip := filepath.Join(dir, "photo.jpg"), filepath.Join(dir, "clip.mp4")
	if err := media.EncodeImage(b.Context(), photo, colourful(4000, 3000), media.JPEG); err != nil {
		b.Fatal(err)
	}
	out, err := exec.CommandContext(b.Context(), "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=640x480:rate=25:duration=60", //nolint:gosec // the test's own words
		"-f", "lavfi", "-i", "sine=duration=60", "-pix_fmt", "yuv420p", "-preset", "ultrafast", clip).CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for name, c := range map[string]struct {
		given args
		path  string
	}{
		"text_image_editing": {args{"image": file(plan.Image, photo)}, photo},
		"convert_image":      {args{"image": file(plan.Image, photo), "format": words("jpg")}, photo},
		"rotate_image":       {args{"image": file(plan.Image, photo), "angle": words("360 degrees")}, photo},
		"greyscale_image":    {args{"image": file(plan.Image, photo)}, photo},
		"convert_video":      {args{"video": file(plan.Video, clip), "format": words("mp4")}, clip},
	} {
		tool, _ := tools.Tool(name)
		call := toolbox.Call{Tool: name, Returns: tool.Returns, Args: map[string][]toolbox.Value{}, Dir: dir}
		for arg, v := range c.given {
			call.Args[arg] = []toolbox.Value{v}
		}
		for how, config := range map[string]verify.Config{
			"type":    {Call: call, Player: player},
			"effects": {Call: call, Player: player, Effects: tool.Effects},
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				for b.Loop() {
					_ = verify.New(config).Verify(b.Context(), toolbox.Output{Path: c.path}) //nolint:errcheck // the time counts
				}
			})
		}
	}
}
