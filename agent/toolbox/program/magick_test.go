package program

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/slow"
)

// imageMagick returns the name of ImageMagick's program convert on this machine. Without it tests are skipped, and
// in CI they fail.
func imageMagick(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"convert-im6.q16", "magick", "convert"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Base(path)
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("ImageMagick is not installed")
	}
	t.Skip("ImageMagick is not installed")
	return ""
}

// magickTool returns an operator's tool that runs ImageMagick with these arguments.
func magickTool(t *testing.T, argv string, more ...string) toolbox.Tool {
	t.Helper()
	return pictureTool(t, imageMagick(t)+", "+argv, more...)
}

// pictureTool returns a tool file that takes one picture and runs argv.
func pictureTool(t *testing.T, argv string, more ...string) toolbox.Tool {
	t.Helper()
	tool, err := toolbox.ReadTool([]byte(`
name: by_magick
description: Makes a picture by ImageMagick.
when: Never.
examples: ["magick {a.jpg}", "do {a.png}", "go {b.png}"]
domain: image-editing
origins: [own]
args: [{name: image, type: image, about: the picture}]
returns: image
made: "a picture"
backends:
  - {kind: command, debian: imagemagick, argv: [` + argv + `]` + strings.Join(more, "") + `}
`))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestImageMagick checks that it does ordinary work for an operator's tool, and that its policy prevents
// everything else.
func TestImageMagick(t *testing.T) {
	t.Parallel()
	photo := args{"image": fileOf(plan.Image, clip(t, "sample-0.png", append(lavfi("testsrc2=size=160x120"), "-frames:v", "1")...))}
	const forbidden, large = "not allowed to read or write that", "too large a picture"
	for name, c := range map[string]struct{ argv, want string }{
		"an ordinary conversion": {`"{image}", -resize, "50%", -sepia-tone, "80%", "{out:jpg}"`, ""},
		"an address":             {`"https:example.com/a.png", "{image}", "{out:png}"`, forbidden},
		"a script":               {`"msl:in-image.png", "{image}", "{out:png}"`, forbidden},
		"a drawing":              {`"mvg:in-image.png", "{image}", "{out:png}"`, forbidden},
		"a text":                 {`"text:policy.xml", "{image}", "{out:png}"`, forbidden},
		"a file by @":            {`"label:@policy.xml", "{image}", "{out:png}"`, forbidden},
		"a file that is deleted": {`"ephemeral:policy.xml", "{image}", "{out:png}"`, forbidden},
		"a bomb":                 {`-size, 100000x100000, "xc:red", "{image}", "{out:png}"`, large},
		"a growing picture":      {`"{image}", -resize, "100000x100000!", "{out:png}"`, large},
		"too many pixels":        {`-size, 29000x29000, "xc:red", "{image}", "{out:png}"`, large},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := runCommand(t, magickTool(t, c.argv), photo)
			said := plan.Sentence(err, plan.Message{}).String()
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "":
				if _, err := os.Stat(out.Path); err != nil {
					t.Error(err)
				}
			case !strings.Contains(said, c.want):
				t.Errorf("it says %q: %v", said, err)
			}
		})
	}
}

// TestImageMagickSeveralTimes checks that each run of a recipe has the picture and the policy.
func TestImageMagickSeveralTimes(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	photo := args{"image": fileOf(plan.Image, clip(t, "sample-0.png", append(lavfi("testsrc2=size=160x120"), "-frames:v", "1")...))}
	tool := magickTool(t, `"{image}", -rotate, "90", "{out:png}"`, ", times: 3")
	out, err := runCommand(t, tool, photo)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.More) != 2 {
		t.Errorf("it made %d files", 1+len(out.More))
	}
}

// TestPictureFormats checks that a command writes each format that a tool file may name, whichever program it
// runs.
func TestPictureFormats(t *testing.T) {
	t.Parallel()
	png := clip(t, "still.png", append(lavfi("testsrc2=size=80x60"), "-frames:v", "1")...)
	for ending, programs := range map[string][]string{
		"webp": {`ffmpeg, -i, "{image}", -vf, hflip`, imageMagick(t) + `, "{image}", -flop`},
		"avif": {`ffmpeg, -i, "{image}", -vf, hflip`},
		"jpg":  {`ffmpeg, -i, "{image}", -vf, hflip`, imageMagick(t) + `, "{image}", -flop`},
	} {
		for _, program := range programs {
			out, err := runCommand(t, pictureTool(t, program+`, "{out:`+ending+`}"`), args{"image": fileOf(plan.Image, png)})
			if err != nil {
				t.Errorf("%s by %s: %v", ending, program, err)
				continue
			}
			if info, err := media.Describe(t.Context(), out.Path, media.Limits{}); err != nil || info.Ext != "."+ending || info.Width != 80 {
				t.Errorf("%s by %s: %+v, %v", ending, program, info, err)
			}
		}
	}
}

// TestImageMagickKeepsFrames checks that a program that does not know animations runs for each frame, and that a
// result that cannot be animated is not. A photo stays a photo.
func TestImageMagickKeepsFrames(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	gif := clip(t, "moving.gif", append(lavfi("testsrc2=size=80x60:rate=5"), "-t", "1")...)
	webp := filepath.Join(t.TempDir(), "moving.webp")
	if err := media.EditAnimation(t.Context(), gif, webp, media.Limits{}, func(f *image.NRGBA) (*image.NRGBA, error) { return f, nil }); err != nil {
		t.Fatal(err)
	}
	jpg := clip(t, "still.jpg", append(lavfi("testsrc2=size=80x60"), "-frames:v", "1")...)
	for _, c := range []struct {
		from, out, ext string
		frames         int
	}{
		{gif, "picture", ".gif", 5}, {webp, "picture", ".webp", 5}, {webp, "gif", ".gif", 5}, {gif, "png", ".png", 1}, {jpg, "picture", ".jpg", 1},
	} {
		out, err := runCommand(t, magickTool(t, `"{image}", -resize, "50%", "{out:`+c.out+`}"`), args{"image": fileOf(plan.Image, c.from)})
		if err != nil {
			t.Errorf("%s to %s: %v", c.from, c.out, err)
			continue
		}
		info, err := media.Describe(t.Context(), out.Path, media.Limits{})
		if err != nil || max(info.Frames, 1) != c.frames || info.Width != 40 || info.Ext != c.ext {
			t.Errorf("%s to %s: %+v, %v", c.from, c.out, info, err)
		}
		if said := !out.Note.IsZero(); said != (c.from != jpg && c.frames == 1) {
			t.Errorf("%s to %s: it notes %q", c.from, c.out, out.Note)
		}
	}
}
