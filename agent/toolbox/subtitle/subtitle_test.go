package subtitle

import (
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	t.Parallel()
	const second = time.Second
	cue := func(from, to float64, text string) Cue {
		return Cue{time.Duration(from * float64(second)), time.Duration(to * float64(second)), text}
	}
	for name, c := range map[string]struct {
		text string
		want []Cue
	}{
		"SRT": {
			"1\n00:00:01,000 --> 00:00:02,500\nHello\n<i>there</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nBye &amp; thanks\n",
			[]Cue{cue(1, 2.5, "Hello\nthere"), cue(3, 4, "Bye & thanks")},
		},
		"SRT of Windows, with a mark": {
			"\uFEFF1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n\r\n", []Cue{cue(1, 2, "Hello")},
		},
		"SRT without blank lines and numbers": {
			"00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,000\nTwo\n00:03 --> 00:04\nThree", []Cue{cue(1, 2, "One"), cue(2, 3, "Two"), cue(3, 4, "Three")},
		},
		"WebVTT": {
			"WEBVTT\n\nNOTE a remark\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:02.000 align:start position:10%\n<v Ann>Hi <c.loud>you</c>\n\n01:00:00.000 --> 01:00:01.000\nlate",
			[]Cue{cue(1, 2, "Hi you")},
		},
		"out of order, backwards, empty and too long": {
			"00:00:05,000 --> 00:00:99,000\nlast\n\n00:00:01,000 --> 00:00:02,000\nfirst\n\n00:00:04,000 --> 00:00:03,000\nbackwards\n\n00:00:03,000 --> 00:00:04,000\n\n",
			[]Cue{cue(1, 2, "first"), cue(5, 10, "last")},
		},
		"lines with times":               {"0:00 One\n0:02.5 Two\n", []Cue{cue(0, 2.5, "One"), cue(2.5, 10, "Two")}},
		"a song":                         {"[00:01.00] la\n[00:02.00]\n[00:03.00] lo", []Cue{cue(1, 2, "la"), cue(3, 10, "lo")}},
		"lines with beginnings and ends": {"0:01-0:02: One\n(0:03 to 0:04) Two", []Cue{cue(1, 2, "One"), cue(3, 4, "Two")}},
		"one sentence":                   {"Thanks for watching!", []Cue{cue(0, 10, "Thanks for watching!")}},
		"two sentences":                  {"Thanks for watching us. Thanks for watching us.", []Cue{cue(0, 5, "Thanks for watching us."), cue(5, 10, "Thanks for watching us.")}},
		"two lines":                      {"a line of some length\n\na line of some length", []Cue{cue(0, 5, "a line of some length"), cue(5, 10, "a line of some length")}},
		"a sentence of two lines": {
			"This is one sentence that is too long for a line of its own", []Cue{cue(0, 10, "This is one sentence that is too long for\na line of its own")},
		},
		"a number is no end":  {"It costs 3.50 today", []Cue{cue(0, 10, "It costs 3.50 today")}},
		"Chinese":             {"今天天气很好。我们去公园吧。", []Cue{cue(0, 5, "今天天气很好。"), cue(5, 10, "我们去公园吧。")}},
		"instructions stay":   {`{\an8}up {\pos(0,0)} C:\new`, []Cue{cue(0, 10, `{\an8}up {\pos(0,0)} C:\new`)}},
		"nothing":             {" \n\t\n", nil},
		"only behind the end": {"00:00:20,000 --> 00:00:21,000\nlate", nil},
		"control characters":  {"a\x00b\x1bc", []Cue{cue(0, 10, "abc")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Of(c.text, 10*second)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOfLongTexts(t *testing.T) {
	t.Parallel()
	got := Of(strings.Repeat("word ", 100)+strings.Repeat("字", 100)+strings.Repeat("x", 200), time.Minute)
	if len(got) < 7 || got[0].From != 0 || got[len(got)-1].To != time.Minute {
		t.Errorf("got %v", got)
	}
	for i, c := range got {
		if i > 0 && c.From != got[i-1].To {
			t.Errorf("cue %d begins at %s, behind %s", i, c.From, got[i-1].To)
		}
		for line := range strings.SplitSeq(c.Text, "\n") {
			if width(line) > lineWidth || line == "" {
				t.Errorf("a line is %q", line)
			}
		}
	}
	if got := Of(strings.Repeat("a\n", 2*Most), time.Hour); len(got) != Most {
		t.Errorf("%d cues", len(got))
	}
}

// usual is the default style of subtitles.
var usual = Style{Colour: color.NRGBA{255, 255, 255, 255}, Size: 1}

func TestStyle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		style Style
		want  string
	}{
		{usual, "Style: Default,sans-serif,45,&H00FFFFFF,&H00000000,&H80000000,0,1,3,0,2,64,64,36"},
		{Style{Colour: color.NRGBA{255, 200, 0, 255}, Size: 2, Top: true}, "Style: Default,sans-serif,90,&H0000C8FF,&H00000000,&H80000000,0,1,7,0,8,64,64,36"},
		{Style{Colour: color.NRGBA{0, 0, 139, 255}, Size: 1}, "Style: Default,sans-serif,45,&H008B0000,&H00FFFFFF,"},
		{Style{Colour: color.NRGBA{255, 255, 255, 255}, Size: 1, Outline: &color.NRGBA{0, 0, 139, 255}}, "Style: Default,sans-serif,45,&H00FFFFFF,&H008B0000,&H80000000,0,1,3,"},
		{Style{Colour: color.NRGBA{255, 255, 0, 255}, Size: 1, Box: &color.NRGBA{0, 0, 139, 255}}, "Style: Default,sans-serif,45,&H0000FFFF,&H008B0000,&H80000000,0,3,9,0,2,"},
	} {
		if got := Script(nil, 1280, 720, c.style); !strings.Contains(got, c.want) {
			t.Errorf("%s\nlacks %q", got, c.want)
		}
	}
}

func TestShifted(t *testing.T) {
	t.Parallel()
	const srt = "1\n00:00:01,000 --> 00:00:03,000\nHello\n\n2\n00:00:04,000 --> 00:00:06,000\nBye\n"
	second := time.Second
	for _, c := range []struct {
		text string
		by   time.Duration
		want []Cue
		lost int
	}{
		{srt, 2 * second, []Cue{{3 * second, 5 * second, "Hello"}, {6 * second, 8 * second, "Bye"}}, 0},
		{srt, -2 * second, []Cue{{0, second, "Hello"}, {2 * second, 4 * second, "Bye"}}, 0},
		{srt, -3 * second, []Cue{{second, 3 * second, "Bye"}}, 1},
		{srt, -9 * second, nil, 2},
		{"0:05 la la\n0:07 li", second, []Cue{{6 * second, 8 * second, "la la"}, {8 * second, longest + second, "li"}}, 0},
		{"no times here", second, nil, 0},
	} {
		got, lost := Shifted(c.text, c.by)
		if diff := cmp.Diff(c.want, got); diff != "" || lost != c.lost {
			t.Errorf("%q by %v: lost %d %s", c.text, c.by, lost, diff)
		}
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	got := Script([]Cue{{1500 * time.Millisecond, 3723*time.Second + 40*time.Millisecond, "{\\an8}C:\\new\nline"}}, 320, 180, usual)
	for _, want := range []string{
		"PlayResX: 320\nPlayResY: 180\n", "\nDialogue: 0,0:00:01.50,1:02:03.04,Default,\\{\\\u2060an8\\}C:\\\u2060new\\Nline\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the script lacks %q: %s", want, got)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		"1\n00:00:01,000 --> 00:00:02,500\nHello\n", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hi", "0:01 a\n0:02 b", "Hello. World!", "字字字。\n{\\an8}", "999:99:99.999 --> 0:00\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const length = time.Minute
		var last time.Duration
		cues := Of(text, length)
		for _, c := range cues {
			if c.From < last || c.To <= c.From || c.To > length || strings.TrimSpace(c.Text) == "" {
				t.Errorf("%q gives %v", text, c)
			}
			last = c.From
		}
		if n := strings.Count(Script(cues, 160, 120, usual), "\nDialogue: "); n != len(cues) {
			t.Errorf("%d events of %d cues", n, len(cues))
		}
	})
}
