package tools_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/bot/tools"
)

// mirrorTool has an example that is not understood, one that another tool matches, and other mistakes.
const mirrorTool = `name: mirror_symmetry
description: Makes a picture symmetrical.
when: For a symmetrical picture.
examples:
  - "mirror the {upper half} of {it} onto the other half"
  - "send {photo.jpg} to the printer, the {left} half"
  - "take {the umbrella} out of {it}"
domain: mirrors
origins: [own]
args:
  - {name: image, type: image, about: the picture}
params:
  - {name: half, type: choice, about: the half that is kept, choices: {left: [left half], top: [top, upper half]}, optional: true, default: left}
  - {name: depth, type: integer, about: how deep it is, optional: true}
returns: image
made: "{image}, mirrored"
backends:
  - kind: command
    argv: [no-such-mirror, "{image}", "{half}", "{out:png}"]
    debian: mirrors
`

func TestCheckWarns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mirror_symmetry.yaml")
	bottest.Write(t, file, mirrorTool)
	status, stdout, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + t.TempDir()}, Args: []string{"tool", "check", file}}.Run(t)
	if status != fault.StatusDone || !strings.Contains(stdout, "the tool mirror_symmetry is valid") {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	for _, want := range []string{
		"no slot uses depth", "there are no effects", "no other tool has the domain mirrors; the domains are audio-editing",
		"the program no-such-mirror is not installed here, so the tool cannot run yet: apt-get install mirrors\n",
		`"send {photo.jpg} to the printer, the {left} half" is not understood`, `"take {the umbrella} out of {it}" is understood as a request for `,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not said:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "upper half") {
		t.Errorf("what is understood is warned of:\n%s", stdout)
	}
	bottest.Write(t, file, strings.Replace(mirrorTool, `"{half}"`, "{if: half = 'lefft', then: [-l]}", 1))
	status, _, stderr = clitest.Called{Args: []string{"tool", "check", file}}.Run(t)
	if status != fault.StatusUsage || !strings.Contains(stderr, "half is one of left, top") {
		t.Errorf("status %d: %s", status, stderr)
	}
	bottest.Write(t, file, strings.Replace(mirrorTool, "    debian: mirrors\n", "", 1))
	for _, args := range [][]string{{"tool", "check", file}, {"tool", "try", file}} {
		status, _, stderr = clitest.Called{Env: []string{"ATELIER_DATA=" + t.TempDir()}, Args: args}.Run(t)
		if status != fault.StatusUsage || !strings.Contains(stderr, "the program no-such-mirror is not installed: correct its name, or say") {
			t.Errorf("%q: status %d: %s", args, status, stderr)
		}
	}
}

// TestCheckShellLine checks that a command line in one piece is said to need an item for each argument, whether it starts
// with a program or a slot.
func TestCheckShellLine(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`["no-such-mirror {image} {out:png}"]`, `["mirror -l"]`} {
		file := filepath.Join(t.TempDir(), "mirror_symmetry.yaml")
		bottest.Write(t, file, regexp.MustCompile(`argv: .*`).ReplaceAllLiteralString(mirrorTool, "argv: "+line))
		status, _, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + t.TempDir()}, Args: []string{"tool", "check", file}}.Run(t)
		if status != fault.StatusUsage || !strings.Contains(stderr, "each argument is an item of the list") || strings.Contains(stderr, "the program  is") {
			t.Errorf("%s: status %d: %s", line, status, stderr)
		}
	}
}

// TestCheckListsEverything checks that all files are checked, and that all mistakes are listed with their lines.
func TestCheckListsEverything(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	wrong, misnamed, angle := filepath.Join(folder, "mirror_symmetry.yaml"), filepath.Join(folder, "mirror.yaml"), filepath.Join(folder, "swirl_picture.yaml")
	bottest.Write(t, wrong, strings.NewReplacer("    debian: mirrors\n", "", "returns: image", "retuns: image", `"{half}"`, `"{haff}"`).Replace(mirrorTool))
	bottest.Write(t, misnamed, mirrorTool)
	bottest.Write(t, angle, `name: swirl_picture
description: Twists a picture.
when: For a twist.
examples: ["swirl {photo.jpg} by {120} degrees", "swirl {it}", "swirl {the picture}"]
domain: image-editing
origins: [own]
args: [{name: image, type: image, about: the picture}]
params: [{name: degrees, type: number, about: how far, optional: true, default: "90"}]
returns: image
made: "{image}, twisted"
backends: [{kind: command, argv: [ffmpeg, -i, "{image}", -vf, "hue=h={degrees}", "{out:png}"]}]
`)
	status, stdout, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + folder}, Args: []string{"tool", "check", wrong, misnamed, angle}}.Run(t)
	for _, want := range []string{
		": there is no field retuns; did you mean returns?\n", ": argv: there is no {haff}; the names are depth, half, image\n",
		": the program no-such-mirror is not installed", "it contains the tool mirror_symmetry, so it must be called mirror_symmetry.yaml",
	} {
		if status != fault.StatusUsage || !strings.Contains(stderr, want) {
			t.Errorf("status %d, %q is not said:\n%s", status, want, stderr)
		}
	}
	if strings.Contains(stderr, "returns: it is missing") {
		t.Errorf("a misspelt field is also said to be missing:\n%s", stderr)
	}
	if want := `No setting takes "120 degrees": that needs the type angle.`; !strings.Contains(stdout, want) {
		t.Errorf("%q is not said:\n%s", want, stdout)
	}
}

// TestTryTellsWhatAProgramSaid checks that the author of a tool sees the program's own messages.
func TestTryTellsWhatAProgramSaid(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, photo := filepath.Join(folder, "some_tool.yaml"), filepath.Join(folder, "photo.png")
	b, err := (&tools.NewToolCommand{Name: "some_tool", Kind: settings.CommandKind, Takes: "image"}).File()
	bottest.Check(t, err)
	bottest.Write(t, file, strings.Replace(string(b), "vflip", "vflipp", 1))
	bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
	try := clitest.Called{Env: []string{"ATELIER_DATA=" + folder}, Args: []string{"tool", "try", file, "--file", photo, "--out", folder}}
	status, _, stderr := try.Run(t)
	said, told := strings.Index(stderr, "No such filter: 'vflipp'"), strings.Index(stderr, "People see: This tool does not work here")
	if status != fault.StatusFailed || said < 0 || told < said {
		t.Errorf("status %d: %s", status, stderr)
	}
	bare, _, _ := strings.Cut(string(b), "\neffects:")
	for text, want := range map[string]string{
		string(b):                              "some_tool.png was written, and its effects were checked.",
		bare:                                   "some_tool.png was written, but not checked, since the tool declares no effects.",
		bare + "\neffects: [none: a reason]\n": "some_tool.png was written, but not checked, since",
	} {
		bottest.Write(t, file, text)
		if status, stdout, stderr := try.Run(t); status != fault.StatusDone || !strings.Contains(stdout, want) {
			t.Errorf("status %d: %s%s, want %q", status, stdout, stderr, want)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{file, "image=" + photo}, "image is a file, which is given without its name: --file " + photo},
		{[]string{file, "--file", "image=" + photo}, "--file takes a path without a name: --file " + photo + ". Files are assigned"},
		{[]string{file, "--file", photo, "--file", "brightness=20"}, "brightness is not a file: give it without --file, as brightness=VALUE."},
		{[]string{file, "--file", photo, "--brightness", "20"}, "unknown flag --brightness. Try: bot tool try --help"},
		{[]string{file, photo}, photo + " is a file: give it with --file " + photo},
		{[]string{file}, "image (the picture to work on) is missing: give a file of type image with --file FILE."},
		{[]string{file, "--file", photo, "bright"}, "bright must have the form NAME=VALUE."},
		{[]string{file, "--file", photo, "light=3"}, "some_tool has no argument light: expected one of image, brightness."},
		{[]string{file, "--file", photo, "brightness=300"}, `brightness: "300" is not possible here: it must be from -100 to 100.`},
		{[]string{photo}, photo + " is not a tool file, NAME.yaml. Give a file to work on with --file " + photo},
		{[]string{strings.TrimSuffix(file, ".yaml")}, "some_tool is a tool name: expected a file, such as " + file},
		{[]string{"some_tool"}, "some_tool is a tool name: expected a file, such as " + file},
		{[]string{"flip_image"}, "flip_image is a built-in tool: expected"},
		{[]string{"other_tool"}, "There is no file other_tool. Give a tool file, NAME.yaml"},
	} {
		try.Args = append([]string{"tool", "try"}, c.args...)
		try.Env = []string{"ATELIER_DATA=" + folder, "ATELIER_CATALOGUE=" + folder}
		if status, _, stderr := try.Run(t); status != fault.StatusUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d: %s", c.args, status, stderr)
		}
	}
	bottest.Write(t, file, strings.Replace(string(b), "    optional: true\n    default: \"0\"\n", "", 1))
	try.Args = []string{"tool", "try", file, "--file", photo}
	if status, _, stderr := try.Run(t); status != fault.StatusUsage ||
		!strings.Contains(stderr, `is missing: give it as brightness=VALUE, with a number: "10", "0.5". It can be -100 to 100.`) {
		t.Errorf("status %d: %s", status, stderr)
	}
	for _, args := range [][]string{{"tool", "new", "dim.yaml"}, {"tool", "keep", "abc", "tools/dim.yaml"}} {
		status, _, stderr := clitest.Called{Args: args}.Run(t)
		if status != fault.StatusUsage || !strings.Contains(stderr, "is a file: expected a tool name, such as dim.") {
			t.Errorf("%q: status %d: %s", args, status, stderr)
		}
	}
}

// TestTryGivesAllFiles checks that an argument for several files gets all of them, wherever they are.
func TestTryGivesAllFiles(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	bottest.Write(t, "own_row.yaml", `name: own_row
description: Puts pictures in a row.
when: For pictures in a row.
examples: ["put {these pictures} in a row", "a row of {a.png} and {b.png}", "line up {these pictures}"]
domain: image-editing
origins: [own]
args:
  - {name: images, type: image, about: the pictures, many: true}
returns: image
made: "a row of {images}"
backends:
  - kind: command
    argv: [ffmpeg, {each: images, then: [-i, "{item}"]}, -filter_complex, "hstack=inputs={images.count}", "{out:png}"]
    debian: ffmpeg
effects:
  - files: 1
`)
	bottest.Write(t, "a.png", string(bottest.PictureBytes(40, 20)))
	bottest.Write(t, "b.png", string(bottest.PictureBytes(40, 20)))
	try := clitest.Called{Env: []string{"ATELIER_DATA=" + folder}, Args: []string{"tool", "try", "own_row.yaml", "--file", "a.png", "--file", "b.png", "--out", folder}}
	if status, stdout, stderr := try.Run(t); status != fault.StatusDone || !strings.Contains(stdout, "own_row.png was written") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}

// TestBuiltinNames checks that new and check reject the names of built-in tools.
func TestBuiltinNames(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "text_to_image.yaml")
	bottest.Write(t, file, strings.Replace(mirrorTool, "mirror_symmetry", "text_to_image", 1))
	for _, args := range [][]string{{"tool", "new", "text_to_image"}, {"tool", "check", file}} {
		status, stdout, stderr := clitest.Called{Args: args}.Run(t)
		if status != fault.StatusUsage || !strings.Contains(stderr, "text_to_image is the name of a built-in tool; choose another name.") {
			t.Errorf("%q: status %d: %s%s", args, status, stdout, stderr)
		}
	}
}

func TestHelpIsACommandToo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"help", "tool", "new"}} {
		status, stdout, stderr := clitest.Called{Args: args}.Run(t)
		if status != fault.StatusDone || !strings.Contains(stdout, "Usage: bot "+strings.Join(args[1:], " ")) {
			t.Errorf("%q: status %d: %s%s", args, status, stdout, stderr)
		}
	}
}

// TestToolEffects checks that each effect is listed, wrapped.
func TestToolEffects(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := clitest.Called{Args: []string{"tool", "effects"}}.Run(t)
	if status != fault.StatusDone || !strings.Contains(stdout, "\nbytes {below, most}, of html, image, video, audio, document, archive\n  {most: SETTING}, or {below: ARG}: smaller than the argument. Exact.\n") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	for line := range strings.Lines(stdout) {
		if len([]rune(line)) > 104 {
			t.Errorf("too long: %s", line)
		}
	}
}

// TestToolNeedsACommand checks that a shortened list of commands ends properly.
func TestToolNeedsACommand(t *testing.T) {
	t.Parallel()
	status, _, stderr := (clitest.Called{Args: []string{"tool"}}).Run(t)
	if status != fault.StatusUsage || !strings.Contains(stderr, `"keep", ... Try: bot tool --help`) {
		t.Errorf("status %d: %s", status, stderr)
	}
}
