package text

import (
	"strings"
	"testing"

	"atelier/agent/toolbox/native/nativetest"
)

func TestSubtitlesAreMoved(t *testing.T) {
	t.Parallel()
	const srt = "1\n00:00:01,000 --> 00:00:03,000\nHello\n\n2\n00:00:04,000 --> 00:00:06,000\nBye\n"
	for name, c := range map[string]struct {
		text, by, way string
		want, fault   string
	}{
		"too late":         {srt, "2 seconds", "too late", "1\n00:00:00,000 --> 00:00:01,000\nHello\n\n2\n00:00:02,000 --> 00:00:04,000\nBye", ""},
		"later":            {srt, "500 ms", "later", "1\n00:00:01,500 --> 00:00:03,500\nHello\n\n2\n00:00:04,500 --> 00:00:06,500\nBye", ""},
		"a letter":         {"Dear Ann", "1 s", "later", "", "SRT or VTT"},
		"before the start": {srt, "1 minute", "earlier", "", "before the start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := nativetest.New(t, Operations()).Typed("shift_subtitles", "subtitles", c.text, "by", c.by, "way", c.way)
			if c.fault != "" {
				nativetest.WantFault(t, err, c.fault)
				return
			}
			if err != nil || strings.TrimSpace(out.Value) != c.want {
				t.Errorf("got %q and %v, want %q", out.Value, err, c.want)
			}
		})
	}
}
