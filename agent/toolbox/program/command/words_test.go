package command

import (
	"context"
	"fmt"
	"image"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/template"
	"atelier/agent/toolbox/toolboxtest"
)

// mark is in all words of TestWordsNeverBecomeArguments.
const mark = "zqx"

// hostile are words that a program would take for an option, a filter, another file, or several arguments.
var hostile = []string{
	"-zqx", "--zqx=/etc/passwd", "-i zqx", `zqx'`, `zqx"; rm -rf /`, "zqx:x=y", "zqx,movie=/etc/passwd", `zqx\`, `\zqx\\:'`, "zqx%{pts}%n%", "zqx\n-y\n/etc/passwd",
	"[zqx]", "zqx;null", "@zqx", "file:zqx", "/etc/zqx", "../zqx", "$(zqx)", "{zqx}", "title=zqx", "zqx=1;comment=-x\\",
}

// TestWordsNeverBecomeArguments: in each text and each setting of each tool with a command line, words
// are read as a value or refused, or are passed in a file. They are never an argument or a part of one.
func TestWordsNeverBecomeArguments(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(t.TempDir(), "picture.png")
	if err := media.EncodePlainPNG(t.Context(), picture, image.NewNRGBA(image.Rect(0, 0, 160, 120))); err != nil {
		t.Fatal(err)
	}
	rendered := map[string]bool{}
	for _, tool := range catalogue.Tools() {
		i := slices.IndexFunc(tool.Backends, func(b toolbox.Backing) bool { return b.Recipe != nil })
		if i < 0 {
			continue
		}
		given := map[string][]toolbox.Value{}
		for _, a := range tool.Args {
			switch {
			case a.Param == nil && a.Type == plan.Text:
				given[a.Name] = texts("some words")
			case a.Param == nil:
				given[a.Name] = []toolbox.Value{{Resource: plan.Resource{Name: a.Name, Type: a.Type}, Path: picture}}
				if a.Many {
					given[a.Name] = append(given[a.Name], given[a.Name][0])
				}
			case !a.Optional:
				all := slices.Concat(slices.Sorted(maps.Keys(a.Param.Choices)), a.Param.Examples, a.Param.Type.Examples())
				given[a.Name] = texts(all[slices.IndexFunc(all, a.Param.Reads)])
			}
		}
		for _, a := range tool.Args {
			if a.Param == nil && a.Type != plan.Text {
				continue
			}
			for _, words := range hostile {
				said := maps.Clone(given)
				said[a.Name] = texts(words)
				for _, args := range rendering(t, tool.Backends[i], said) {
					rendered[tool.Name] = true
					if strings.Contains(fmt.Sprintf("%q", args), mark) {
						t.Errorf("%s: %s: %q becomes %q", tool.Name, a.Name, words, args)
					}
				}
			}
		}
	}
	if len(rendered) < 40 {
		t.Errorf("hostile words reached the command lines of only %d tools", len(rendered))
	}
}

func texts(words string) []toolbox.Value {
	return []toolbox.Value{{Resource: plan.Resource{Name: "text", Type: plan.Text, Value: words}}}
}

// rendering returns the command lines of a tool without the files that they name; none if a setting is refused.
func rendering(t *testing.T, backing toolbox.Backing, given map[string][]toolbox.Value) [][]string {
	t.Helper()
	call, err := toolboxtest.Typed(t, backing, toolbox.Call{Dir: t.TempDir(), Args: given})
	if err != nil {
		return nil
	}
	r := newRun(t.Context(), machine.Machine{Limits: media.Limits{}.OrDefault()}, call)
	r.known = facts.New(t.Context(), call, minute{}, r.Limits)
	r.made, r.known.Item, r.facts = "made", 1, backing.Recipe.Of(r.fact)
	var all [][]string
	for _, argv := range []*template.Argv{backing.Recipe.First, backing.Recipe.Argv} {
		if argv == nil {
			continue
		}
		args, err := argv.Expand(r.facts, &line{run: r, program: argv.Program(), base: "out"})
		if err == nil {
			all = append(all, args)
		}
	}
	return all
}

// minute measures every file as a video of a minute with sound, and as a document of a hundred pages.
type minute struct{}

func (minute) Look(context.Context, string) (ffmpeg.Look, error) {
	return ffmpeg.Look{Type: plan.Video, MIME: "video/mp4", Duration: time.Minute, Streams: []ffmpeg.Stream{
		{Kind: "video", Codec: "h264", Width: 640, Height: 480, Rate: 25}, {Index: 1, Kind: "audio", Codec: "aac", Frequency: 48_000, Channels: 2},
	}}, nil
}

func (minute) Listen(context.Context, toolbox.Value, ffmpeg.Look) (facts.Heard, error) {
	return facts.Heard{Length: time.Minute}, nil
}

func (minute) Audible(context.Context, toolbox.Value, ffmpeg.Look) ([2]time.Duration, error) {
	return [2]time.Duration{time.Second, 59 * time.Second}, nil
}

func (minute) Font(context.Context, string) (facts.Font, error) {
	return facts.Font{Lacking: true}, nil
}

func (minute) Loudness(context.Context, toolbox.Value, ffmpeg.Look) (ffmpeg.Loudness, error) {
	return ffmpeg.Loudness{LUFS: -20, Peak: -3}, nil
}

func (minute) Pages(context.Context, string) ([]float64, error) {
	return slices.Repeat([]float64{500_000}, 100), nil
}
