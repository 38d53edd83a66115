package doctor

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/program"
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/bottest"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// TestDoctorOfMissingPrograms checks that they are named, with the packages that have them.
func TestDoctorOfMissingPrograms(t *testing.T) {
	t.Parallel()
	f := programsFinding(
		[]program.Program{{Name: "espeak-ng", Debian: "espeak-ng", Found: true}, {Name: "ffmpeg", Debian: "ffmpeg", Tools: 90},
			{Name: "ffprobe", Debian: "ffmpeg", Tools: 1}, {Name: "theirs", Tools: 1}},
		[]improvise.Need{{Name: "python3", Debian: "python3", Found: true}, {Name: "numpy", Debian: "python3-numpy"},
			{Name: "convert", Debian: "imagemagick", Optional: true}, {Name: "ffmpeg", Debian: "ffmpeg", Optional: true}},
	)
	want := "Not installed, with what does not run without it: ffmpeg (package ffmpeg, 90 tools), ffprobe (package ffmpeg, 1 tool), theirs (1 tool), " +
		"numpy (package python3-numpy, all programs that are written for requests or kept), " +
		"convert (package imagemagick, some programs that are written for requests). " +
		"Install them, on Debian with: apt-get install ffmpeg python3-numpy imagemagick"
	if f.State != Missing || f.Says != want {
		t.Errorf("%+v", f)
	}
	f = confinementFinding(sandbox.Confinement{User: "As somebody.", Lacks: errors.Join(errors.New("one thing"), errors.New("another"))})
	if f.State != Missing || !strings.Contains(f.Says, ": one thing; another. ") || !strings.HasSuffix(f.Says, " As somebody.") {
		t.Errorf("%+v", f)
	}
	if f := confinementFinding(sandbox.Confinement{User: "As somebody."}); f.State != Healthy || !strings.HasSuffix(f.Says, " As somebody.") {
		t.Errorf("%+v", f)
	}
	for limit, want := range map[int64]Health{1_000_000_000: Missing, 4_000_000_000: Healthy} {
		b, err := memory.New(memory.Config{Limit: limit})
		bottest.Check(t, err)
		if f := (examination{Workshop: workshop.Workshop{Config: settings.Config{Memory: b, Pixels: 64}}}).memoryFinding(); f.State != want || !strings.HasPrefix(f.Says, fmt.Sprintf("This process and its programs may use %d MB", limit/1_000_000)) {
			t.Errorf("%+v", f)
		}
	}
}

func TestDoctorOfNoSettings(t *testing.T) {
	t.Parallel()
	if f := examineSettings(nil); f.State != Healthy || !strings.HasPrefix(f.Says, "None is set, and none is required.") {
		t.Errorf("%+v", f)
	}
}
