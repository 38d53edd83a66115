package format

import (
	"slices"
	"strings"
	"testing"
)

// TestCodingYields checks in each format that a rate or quality of the command line is the only one, and that its
// codec gets its own options.
func TestCodingYields(t *testing.T) {
	t.Parallel()
	type packed struct {
		Coding
		of Stream
	}
	all := map[string]packed{}
	for name, f := range Sounds() {
		all["sound "+name] = packed{f.Coding, SoundStream}
	}
	for name, f := range Videos() {
		all["video "+name], all["sound of "+name] = packed{f.Pictures, PictureStream}, packed{f.Sound, SoundStream}
	}
	for name, p := range all {
		own, other := string(p.of), "v"
		if p.of == PictureStream {
			other = "a"
		}
		for _, c := range []struct {
			args           string
			codec, quality bool // of ours are added
		}{
			{"", true, true},
			{"-b:" + own + " 64k", true, false},
			{"-b:" + own + ":0 64k", true, false},
			{"-" + own + "b 64k", true, false},
			{"-b 64k", true, false},
			{"-q:" + own + " 5", true, false},
			{"-qscale:" + own + " 5", true, false},
			{"-q 5", true, false},
			{"-crf 30", true, false},
			{"-crf:" + own + " 30", true, false},
			{"-qp 30", true, false},
			{"-" + own + "q 5", true, own == "v"}, // -vq is none
			{"-c:" + own + " copy", false, false},
			{"-codec:" + own + " copy", false, false},
			{"-" + own + "codec copy", false, false},
			{"-c copy", false, false},
			{"-" + own + "n", false, false},
			{"-b:" + other + " 64k", true, true},
			{"-q:" + other + " 5", true, true},
			{"-crf:" + other + " 30", true, true},
			{"-c:" + other + " copy", true, true},
			{"-" + other + "n", true, true},
			{"-" + other + "f crf -metadata title=b", true, true},
		} {
			args := p.Lacking(strings.Fields(c.args), p.of)
			holds := func(part []string) bool {
				return len(part) > 0 && strings.Contains(strings.Join(args, " "), strings.Join(part, " "))
			}
			if holds(p.Codec) != c.codec || len(p.Quality) > 0 && holds(p.Quality) != c.quality {
				t.Errorf("%s: %q is given %q", name, c.args, args)
			}
		}
		for i, option := range p.More {
			if i%2 == 0 && slices.Contains(p.Lacking([]string{option, "1"}, p.of), option) {
				t.Errorf("%s: %s is given twice", name, option)
			}
		}
	}
}
