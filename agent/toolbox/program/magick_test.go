package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// imageMagick is the program convert of ImageMagick as this machine calls it. Without it tests are skipped, and in CI they fail.
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

// magickTool is an operator's tool that runs ImageMagick with these arguments.
func magickTool(t *testing.T, argv string, more ...string) toolbox.Tool {
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
  - {kind: command, debian: imagemagick, argv: [` + imageMagick(t) + ", " + argv + `]` + strings.Join(more, "") + `}
`))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestImageMagick does ordinary work for an operator's tool, and its policy keeps it from all else.
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
			out, err := command(t, magickTool(t, c.argv), photo)
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

// TestImageMagickSeveralTimes: the picture and the policy are there for each run of a recipe.
func TestImageMagickSeveralTimes(t *testing.T) {
	t.Parallel()
	photo := args{"image": fileOf(plan.Image, clip(t, "sample-0.png", append(lavfi("testsrc2=size=160x120"), "-frames:v", "1")...))}
	tool := magickTool(t, `"{image}", -rotate, "90", "{out:png}"`, ", times: 3")
	out, err := command(t, tool, photo)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.More) != 2 {
		t.Errorf("it made %d files", 1+len(out.More))
	}
}
