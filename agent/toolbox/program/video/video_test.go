package video

import (
	"testing"
	"time"

	"atelier/agent/toolbox/subtitle"
)

func TestLasting(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "unknown", 12400 * time.Millisecond: "0:12 (12.4 seconds)", 3723 * time.Second: "1:02:03 (3723 seconds)",
	} {
		if got := lasting(d); got != want {
			t.Errorf("%v is %q, not %q", d, got, want)
		}
	}
}

func TestSubtitlesAreCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "with one subtitle", 2: "with 2 subtitles"} {
		if got := counted(make([]subtitle.Cue, n)).String(); got != want {
			t.Errorf("%d are told as %q, want %q", n, got, want)
		}
	}
}
