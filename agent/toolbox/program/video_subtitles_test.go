package program

import (
	"testing"

	"atelier/agent/toolbox/program/subtitle"
)

func TestSubtitlesAreCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "with one subtitle", 2: "with 2 subtitles"} {
		if got := counted(make([]subtitle.Cue, n)).String(); got != want {
			t.Errorf("%d are told as %q, want %q", n, got, want)
		}
	}
}
