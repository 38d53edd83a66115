package program

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/slow"
	"atelier/agent/toolbox/toolboxtest"
)

// commands returns the tools of the catalogue that are command lines.
func commands(t *testing.T) []toolbox.Tool {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(tools(t)), func(tool toolbox.Tool) bool { return recipeOf(tool) < 0 })
}

// recipeOf returns the index of a tool's command among its backends, or -1.
func recipeOf(tool toolbox.Tool) int {
	return slices.IndexFunc(tool.Backends, func(b toolbox.Backing) bool { return b.Recipe != nil })
}

// subtitled returns ffmpeg's arguments for a video of two seconds with two subtitle tracks.
func subtitled(codec string) []string {
	track := func(words string) string {
		return "data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte("1\n00:00:00,500 --> 00:00:01,500\n"+words+"\n"))
	}
	return append(lavfi("testsrc2=size=128x72:rate=8:duration=2", "sine=duration=2"), "-i", track("Good evening"), "-i", track("Guten Abend"),
		"-map", "0", "-map", "1", "-map", "2", "-map", "3", "-pix_fmt", "yuv420p", "-c:s", codec)
}

// drawn returns ffmpeg's arguments for a video with a track of two empty subtitles that are pictures.
func drawn() []string {
	const shown = "UEcAAK/IAAAAABYACwCAAEgQAACAAAAAUEcAAK/IAAAAAIAAAFBHAAIPWAAAAAAWAAsAgABIEAAAgAAAAFBHAAIPWAAAAACAAAA="
	return append(lavfi("testsrc2=size=128x72:rate=8:duration=2"), "-f", "sup", "-i", "data:application/octet-stream;base64,"+shown,
		"-map", "0", "-map", "1", "-pix_fmt", "yuv420p", "-c:s", "copy")
}

// sample returns a value for a resource.
func sample(t *testing.T, tool string, a toolbox.Arg, n int) any {
	t.Helper()
	switch {
	case tool == "extract_subtitles":
		return fileOf(plan.Video, clip(t, "subtitled.mp4", subtitled("mov_text")...))
	case tool == "set_cover" && a.Type == plan.Audio:
		return fileOf(plan.Audio, clip(t, "sample.mp3", lavfi("sine=frequency=300:duration=2")...))
	}
	switch a.Type { //nolint:exhaustive // the others are pictures
	case plan.Video:
		return fileOf(plan.Video, clip(t, "sample.mp4", append(lavfi("testsrc2=size=128x72:rate=8:duration=2", "sine=duration=2"), "-pix_fmt", "yuv420p")...))
	case plan.Audio:
		return fileOf(plan.Audio, clip(t, fmt.Sprintf("sample-%d.wav", n), lavfi("sine=frequency=300:duration=2")...))
	case plan.Document:
		return fileOf(plan.Document, pdfOf(t, "sample.pdf", "Hello world", "Second page"))
	case plan.Text:
		return `It's 100%: a "quoted", \ back[slash]; {and} more`
	}
	size := "160x120"
	if n > 0 {
		size = "60x40"
	}
	return fileOf(plan.Image, clip(t, fmt.Sprintf("sample-%d.png", n), append(lavfi("testsrc2=size="+size+",drawbox=color=white:thickness=6"), "-frames:v", "1")...))
}

// TestCommands runs every command line of the catalogue on files that ffmpeg makes: with the required settings
// alone, and with each value of each setting. Each result must have the tool's effects.
func TestCommands(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, tool := range commands(t) {
		for name, told := range tellings(tool) {
			t.Run(tool.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				given := args{}
				for n, a := range tool.Args {
					switch {
					case a.Param != nil:
					case a.Type == plan.Image && strings.Contains(tool.Name, "animation"):
						given[a.Name] = fileOf(plan.Image, clip(t, "sample.gif", lavfi("testsrc2=size=96x64:rate=10:duration=2")...))
					case a.Many:
						given[a.Name] = list(sample(t, tool.Name, a, n).(toolbox.Value), sample(t, tool.Name, a, n+1).(toolbox.Value)) //nolint:errcheck,forcetypeassert // only texts are none
					default:
						given[a.Name] = sample(t, tool.Name, a, n)
					}
				}
				for param, value := range told {
					given[param] = value
				}
				if tool.Name == "image_to_video" { // panning refuses both
					delete(given, "without")
					delete(given, "results")
				}
				out, err := runCommand(t, tool, given)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range append([]toolbox.Output{out}, out.More...) {
					if tool.Returns == plan.Text && o.Value != "" {
						continue
					}
					if info, err := os.Stat(o.Path); err != nil || info.Size() == 0 {
						t.Errorf("nothing was written: %v", err)
					}
				}
			})
		}
	}
}

// fitting has values that fit the samples, for types whose examples do not.
var fitting = map[param.Type][]string{
	param.Pages: {"page 2", "2,1", "all"}, param.Duration: {"1 second", "0.5 s"}, param.TimeRange: {"0:00.5-0:01.5", "the last second"}, param.Moment: {"0:01", "the last frame"},
	param.Moments: {"at 0:00.5 and 0:01"}, param.TimeRanges: {"0:00.5-0:01.5", "without 0:00.5-0:01", "the last second"},
}

// elsewhere has settings with their own tests: their tool takes either them or its other setting.
var elsewhere = map[string]string{"change_opacity": "colour"}

// tellings returns the settings of a tool by a name: the required ones alone, and rounds in which each setting has
// its next value.
func tellings(tool toolbox.Tool) map[string]map[string]string {
	alone, rounds := map[string]string{}, 0
	values := map[string][]string{}
	for _, p := range tool.Params {
		if elsewhere[tool.Name] == p.Name {
			continue
		}
		all := slices.Sorted(maps.Keys(p.Choices))
		if fit := fitting[p.Type]; len(all) == 0 && fit != nil {
			all = fit
		} else if len(all) == 0 {
			all = slices.DeleteFunc(slices.Concat(p.Examples, p.Type.Examples()), func(v string) bool { return !p.Reads(v) })
		}
		if p.Type == param.Format { // each has its own test
			all = all[:2]
		}
		values[p.Name], rounds = all, max(rounds, 1, min(len(p.Choices), len(all)), len(fitting[p.Type]))
		if !p.Optional || elsewhere[tool.Name] != "" {
			alone[p.Name] = all[0]
		}
	}
	tellings := map[string]map[string]string{"alone": alone}
	for n := range rounds {
		told := map[string]string{}
		for name, all := range values {
			told[name] = all[n%len(all)]
		}
		if !maps.Equal(told, alone) {
			tellings[fmt.Sprintf("round %d", n+1)] = told
		}
	}
	return tellings
}

// runCommand runs the command line of a tool and checks its effects.
func runCommand(t *testing.T, tool toolbox.Tool, a args) (toolbox.Output, error) {
	t.Helper()
	how := toolbox.Candidate{Backing: tool.Backends[recipeOf(tool)]}
	c, err := toolboxtest.Typed(t, how.Backing, callOf(t, a))
	if err != nil {
		t.Fatal(err)
	}
	c.Tool, c.Returns = tool.Name, tool.Returns
	out, err := newBackend(t).Commands().Run(t.Context(), how, c)
	if err != nil {
		return out, err
	}
	toolboxtest.Effects(t, how, c, out)
	left, err := os.ReadDir(c.Dir)
	made := 1 + len(out.More)
	if out.Path == "" {
		made = 0
	}
	if err != nil || len(left) != made {
		t.Errorf("%d files are left: %v", len(left), err)
	}
	return out, nil
}

// TestCommandRefuses checks that a refusal says what is wrong, and that the backend never takes the blame for the
// input.
func TestCommandRefuses(t *testing.T) {
	t.Parallel()
	video := clip(t, "sample.mp4", append(lavfi("testsrc2=size=128x72:rate=8:duration=2", "sine=duration=2"), "-pix_fmt", "yuv420p")...)
	sound := clip(t, "sample-0.wav", lavfi("sine=frequency=300:duration=2")...)
	mute := clip(t, "mute.mp4", append(lavfi("testsrc2=size=128x72:rate=8:duration=2"), "-pix_fmt", "yuv420p")...)
	silent := clip(t, "silent.mp4", append(lavfi("testsrc2=size=128x72:rate=8:duration=2", "anullsrc=d=2"), "-pix_fmt", "yuv420p")...)
	hush := clip(t, "hush.wav", lavfi("anullsrc=d=2")...)
	for _, c := range []struct {
		tool string
		args
		want string
	}{
		{"flip_video", args{"video": fileOf(plan.Video, stored(t, "bad.mp4", contents(t, video)[:2000]))}, "bad.mp4"},
		{"change_volume", args{"audio": fileOf(plan.Audio, video), "volume": "half"}, ""},
		{"flip_video", args{"video": fileOf(plan.Video, sound)}, "has no video"},
		{"extract_subtitles", args{"video": fileOf(plan.Video, video)}, "has no subtitle track"},
		{"extract_subtitles", args{"video": fileOf(plan.Video, clip(t, "drawn.mkv", drawn()...))}, "are pictures"},
		{"extract_subtitles", args{"video": fileOf(plan.Video, clip(t, "subtitled.mp4", subtitled("mov_text")...)), "track": "3"}, "no subtitle track 3"},
		{"set_cover", args{"audio": fileOf(plan.Audio, sound), "image": fileOf(plan.Image, clip(t, "cover.png", cover()...))}, "Only MP3, M4A and FLAC"},
		{"crop_video", args{"video": fileOf(plan.Video, video), "part": "100x200+900+900"}, "128 × 72"},
		{"change_volume_video", args{"video": fileOf(plan.Video, mute)}, "It has no sound that could be changed."},
		{"change_volume_video", args{"video": fileOf(plan.Video, mute), "volume": "half"}, "It has no sound that could be changed."},
		{"change_volume_video", args{"video": fileOf(plan.Video, silent)}, "so it cannot be made louder"},
		{"change_volume", args{"audio": fileOf(plan.Audio, hush)}, "so it cannot be made louder"},
		{"change_volume", args{"audio": fileOf(plan.Audio, hush), "volume": "half"}, ""},
		{"extract_audio", args{"video": fileOf(plan.Video, mute)}, "has no sound."},
	} {
		t.Run(c.tool+" "+c.want, func(t *testing.T) {
			t.Parallel()
			all := commands(t)
			tool := all[slices.IndexFunc(all, func(o toolbox.Tool) bool { return o.Name == c.tool })]
			_, err := runCommand(t, tool, c.args)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || errors.Is(err, toolbox.ErrDown) {
				t.Fatalf("the error is %v", err)
			}
			if said := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(said, c.want) || strings.ContainsRune(said, filepath.Separator) {
				t.Errorf("it says %q", said)
			}
			if strings.Contains(c.want, "sound") && !plan.Final(err) {
				t.Error("another way is tried")
			}
		})
	}
}

// TestCommandWithoutItsProgram checks that a missing program is a fault of the backend, and that the sentence
// names the package.
func TestCommandWithoutItsProgram(t *testing.T) {
	tool := commands(t)[0]
	b := newBackend(t).Commands()
	t.Setenv("PATH", t.TempDir())
	how := toolbox.Candidate{Backing: tool.Backends[recipeOf(tool)]}
	if err := b.Probe(context.Background(), how); err == nil || !strings.Contains(plan.OperatorSentence(err, plan.Message{}).String(), "apt-get install") {
		t.Errorf("the probe says %v", err)
	}
	if _, err := b.Run(t.Context(), how, callOf(t, args{})); !errors.Is(err, toolbox.ErrDown) {
		t.Errorf("the error is %v", err)
	}
}

// toolOf returns the tool of the catalogue with that name.
func toolOf(t *testing.T, name string) toolbox.Tool {
	t.Helper()
	all := tools(t)
	i := slices.IndexFunc(all, func(tool toolbox.Tool) bool { return tool.Name == name })
	if i < 0 {
		t.Fatalf("there is no tool %s", name)
	}
	return all[i]
}

// TestUnwrittenOutput checks that the log of a tool that writes nothing names the output that its author meant.
func TestUnwrittenOutput(t *testing.T) {
	t.Parallel()
	picture := fileOf(plan.Image, writePNG(t, "white.png", filled(8, 8, color.White)))
	for argv, want := range map[string]string{
		`["true", "{image}", "{out:png}"]`:                                                "{out:png} in argv was not written by true",
		`["true", "{image}", "{out:png*}"]`:                                               "{out:png} in argv was not written by true",
		`[ffmpeg, -i, "{image}", {if: image.width > 0, then: [-f, "null"]}, "{out:png}"]`: "{out:png} in argv was not written by ffmpeg",
	} {
		tool, err := toolbox.ReadTool([]byte(`name: some_tool
description: Does nothing.
when: For a test.
examples: [do nothing, do nothing at all, nothing please]
domain: image-editing
origins: [own]
args: [{name: image, type: image, about: a picture}]
returns: image
made: "nothing"
backends: [{kind: command, debian: coreutils, argv: ` + argv + `}]
`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = runCommand(t, tool, args{"image": picture})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", argv, err, want)
		}
		holds(t, plan.Sentence(err, plan.Message{}).String(), "wrote nothing")
	}
}

// TestPrintedOutput: a tool's result may be what its program prints. The folder of the file is left out of it.
func TestPrintedOutput(t *testing.T) {
	t.Parallel()
	for argv, c := range map[string]struct{ want, fault string }{
		`[echo, "{document}", "{stdout:txt}"]`:    {"report.pdf", ""},
		`[pdfinfo, "{document}", "{stdout:txt}"]`: {"Pages:", ""},
		`["true", "{document}", "{stdout:txt}"]`:  {"", "The program true wrote nothing."},
	} {
		tool, err := toolbox.ReadTool([]byte(`name: some_tool
description: Says something about a document.
when: For a test.
examples: [do nothing, do nothing at all, nothing please]
domain: document-processing
origins: [own]
args: [{name: document, type: document, about: a document}]
returns: text
made: "nothing"
backends: [{kind: command, debian: coreutils, argv: ` + argv + `}]
effects: [{none: it is a test}]
`))
		if err != nil {
			t.Fatal(err)
		}
		document := three(t)
		out, err := runCommand(t, tool, args{"document": document})
		switch said := plan.Sentence(err, plan.Message{}).String(); {
		case c.fault != said:
			t.Errorf("%s: %v, want %q", argv, err, c.fault)
		case !strings.Contains(out.Value, c.want) || strings.Contains(out.Value, filepath.Dir(document.Path)):
			t.Errorf("%s: %q, want %q", argv, out.Value, c.want)
		}
	}
}
