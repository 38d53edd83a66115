package template

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
)

func read(t *testing.T, text string) *Argv {
	t.Helper()
	a := new(Argv)
	if err := yaml.Unmarshal([]byte(text), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// names is the scope of these tests.
var names = Scope{
	"video": File, "video.width": Number, "video.duration": Number, "video.sound": Number, "caption": Words, "way": Closed, "count": Number, "colour": Closed, "format": Closed,
	"clips": Files, "clips.count": Number, "clips.width": Number, "clips#.start": Number,
}

// may is what the command of these tests may write.
var may = Written{Endings: []string{"mp4", "gif", "txt"}, Choices: map[string][]string{"format": {"gif", "mp4"}, "way": {"in", "gif"}}}

// files returns file names that say what they stand for.
type files struct{}

func (files) In(arg string) (string, error)    { return "in-" + arg, nil }
func (files) Words(arg string) (string, error) { return "words-" + arg, nil }
func (files) Out(ending string, many bool) (string, error) {
	if many {
		ending = "%d." + ending
	}
	return "out." + ending, nil
}

func (files) Printed(string) {}

func facts(given map[string]Value) Facts {
	return func(name string) (Value, error) { return given[name], nil }
}

func TestExpand(t *testing.T) {
	t.Parallel()
	given := facts(map[string]Value{
		"video": {Kind: File, Text: "video"}, "video.width": Num(1921), "video.duration": Num(10), "video.sound": Num(1),
		"caption": {Kind: Words, Text: "Łódź\nat night\r\n"},
		"way":     Text("in"), "colour": Text("0xFF0000"), "format": Text("gif"),
		"clips": {Kind: File, Text: "clips"}, "clips.count": Num(2), "clips#0.width": Num(10), "clips#1.width": Num(20),
	})
	for argv, want := range map[string]string{
		`[ffmpeg, -i, "{video}", "{out:mp4}"]`:                           "ffmpeg -i in-video out.mp4",
		`[x, "a={even(video.width)}:{video.duration / 4}", "{out:mp4}"]`: "x a=1920:2.5 out.mp4",
		`[x, {if: video.sound, then: [-af, areverse]}, "{out:mp4}"]`:     "x -af areverse out.mp4",
		`[x, {if: count, then: [-n, "{count}"], else: [-a]}, "{out:a}"]`: "x -a out.a",
		`[x, {if: "way = 'in' and not count", then: [yes]}, "{out:a}"]`:  "x yes out.a",
		`[x, {if: "way != 'in' or count", then: [yes]}, "{out:a}"]`:      "x out.a",
		`[x, "{if(way = 'in', 'a', 'b')}", "{out:a}"]`:                   "x a out.a",
		`[x, "{max(1, min(5, 2 + 3 * 2)) - -1}", "{out:a}"]`:             "x 6 out.a",
		`[x, "{round(2.5)}{floor(2.9)}{1 / 3}", "{out:a}"]`:              "x 320.333333 out.a",
		`[x, "{lines(caption)}", "{sqrt(16)}", "{out:a}"]`:               "x 2 4 out.a",
		`[x, "{stdout:txt}"]`: "x",
		`[x, {if: count, then: [-n], else: ["{stdout:txt}"]}]`:                                    "x",
		`[x, "{letters(caption)}", "{out:a}"]`:                                                    "x 8 out.a",
		`[x, "{(1 < 2) + (2 <= 2) + (1 > 2) + (3 >= 2)}", "{out:a}"]`:                             "x 3 out.a",
		`[x, "text={file:caption}:c={colour}@0.5", "{out:a}"]`:                                    "x text=words-caption:c=0xFF0000@0.5 out.a",
		`[x, "{{braces}}", "{out:a}"]`:                                                            "x {braces} out.a",
		`[x, "{out:a*}"]`:                                                                         "x out.%d.a",
		`[x, "{out:format}"]`:                                                                     "x out.gif",
		`[x, "{out:format*}"]`:                                                                    "x out.%d.gif",
		`[x, {each: clips, then: [-i, "{item}", "{item.width}/{index}"]}, "{out:a}"]`:             "x -i in-clips#0 10/0 -i in-clips#1 20/1 out.a",
		`[x, {text: ["n={clips.count};", {each: clips, then: ["[{index}]"]}, "end"]}, "{out:a}"]`: "x n=2;[0][1]end out.a",
		`[x, {text: [a, {if: count, then: [b], else: [c]}]}, "{out:a}"]`:                          "x ac out.a",
		`[x, "{if(given(count), 1, 2)}", "{out:a}"]`:                                              "x 2 out.a",
		`[x, "{if(given(video.width), 4, 1 / 0)}", "{out:a}"]`:                                    "x 4 out.a",
	} {
		got, err := read(t, argv).Expand(given, files{})
		if text := strings.Join(got, " "); err != nil || text != want {
			t.Errorf("%s gives %q, %v, want %q", argv, text, err, want)
		}
	}
}

func TestExpandFails(t *testing.T) {
	t.Parallel()
	for _, argv := range []string{`[x, "{1 / 0}", "{out:a}"]`, `[x, "{count}", "{out:a}"]`} {
		if got, err := read(t, argv).Expand(facts(nil), files{}); err == nil {
			t.Errorf("%s gives %q", argv, got)
		}
	}
	broken := func(string) (Value, error) { return Value{}, errors.New("broken") }
	if got, err := read(t, `[x, "{count + 1}", "{out:a}"]`).Expand(broken, files{}); err == nil {
		t.Errorf("a fact that cannot be had gives %q", got)
	}
}

// TestNoNumber: a division by 0 is an error of the settings, not a missing file.
func TestNoNumber(t *testing.T) {
	t.Parallel()
	_, err := read(t, `[x, "{1 / (count - 1)}", "{out:a}"]`).Expand(facts(map[string]Value{"count": Num(1)}), files{})
	if fault, ok := errors.AsType[*plan.Fault](err); !ok || !fault.Final || errors.Is(err, ErrNoValue) {
		t.Errorf("%v", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		`[ffmpeg, -i, "{video}", "{out:mp4}"]`:                                          "",
		`[ffmpeg, "{file:caption}", "{out:mp4}"]`:                                       "",
		`["ffmpeg -i x", "{out:mp4}"]`:                                                  "starts with \"ffmpeg -i x\"",
		`[/bin/sh, -c, x, "{out:mp4}"]`:                                                 "starts with a program name",
		`["{video}", "{out:mp4}"]`:                                                      "must start with",
		`[ffmpeg, "{film}", "{out:mp4}"]`:                                               "there is no {film}",
		`[ffmpeg, "{video.size}", "{out:mp4}"]`:                                         "there is no {video.size}; the names are video.",
		`[ffmpeg, "{caption}", "{out:mp4}"]`:                                            "{file:caption}",
		`[ffmpeg, "drawtext={caption}", "{out:mp4}"]`:                                   "{file:caption}",
		`[ffmpeg, "{if(count, caption, caption)}", "{out:mp4}"]`:                        "is a file",
		`[ffmpeg, "movie={video}", "{out:mp4}"]`:                                        "argument of its own",
		`[ffmpeg, "{file:video}", "{out:mp4}"]`:                                         "needs an argument called video",
		`[ffmpeg, -i, "{video}"]`:                                                       "{out:…}",
		`[ffmpeg, "{out:mp4}", "{out:mp4}"]`:                                            "has {out:…} 2 times; write it once",
		`[ffmpeg, "{out:exe}"]`:                                                         ".exe cannot be written",
		`[ffmpeg, "{way + 1}", "{out:mp4}"]`:                                            "way must be a number",
		`[ffmpeg, "{way = 1}", "{out:mp4}"]`:                                            "compares a number with a text",
		`[ffmpeg, {if: film, then: [a]}, "{out:mp4}"]`:                                  "there is no {film}",
		`[ffmpeg, {if: way = out, then: [a]}, "{out:mp4}"]`:                             "a text is written as 'out'",
		`[ffmpeg, {if: count, then: [a], else: ["{film}"]}, "{out:mp4}"]`:               "there is no {film}",
		`[ffmpeg, "{if(count, 1, way)}", "{out:mp4}"]`:                                  "always a text",
		`[ffmpeg, "{video.width}x{count}", "{colour}", "{way}", "{out:mp4}"]`:           "",
		`[ffmpeg, {each: clips, then: [-i, "{item}", "{item.width}"]}, "{out:format}"]`: "",
		`[ffmpeg, {each: video, then: [a]}, "{out:mp4}"]`:                               "many: true",
		`[ffmpeg, {each: clips, then: ["{item.height}"]}, "{out:mp4}"]`:                 "there is no {item.height}",
		`[ffmpeg, {each: clips, then: [{each: clips, then: [a]}]}, "{out:mp4}"]`:        "nested in another one",
		`[ffmpeg, {each: clips, then: ["{item.start}"]}, "{out:mp4}"]`:                  "",
		`[ffmpeg, "{clips.start}", "{out:mp4}"]`:                                        "there is no {clips.start}; the names are clips.",
		`[ffmpeg, {each: clips, then: [a]}, "{item}", "{out:mp4}"]`:                     "there is no {item}",
		`[ffmpeg, {text: ["a{item}"]}, "{out:mp4}"]`:                                    "there is no {item}",
		`[ffmpeg, "{clips}", "{out:mp4}"]`:                                              "{each: clips",
		`[ffmpeg, "{clips + 1}", "{out:mp4}"]`:                                          "is a file",
		`[ffmpeg, "{out:way}"]`:                                                         ".in cannot be written",
		`[ffmpeg, "{out:gif*}"]`:                                                        "ffmpeg can only write several files as {out:png*}",
		`[qpdf, "{out:gif*}"]`:                                                          "",
		`[pdfinfo, "{video}", "{stdout:txt}"]`:                                          "",
		`[ffmpeg, -i, "{video}", "{stdout:txt}"]`:                                       "another program than ffmpeg",
		`[pdfinfo, "--to={stdout:txt}"]`:                                                "an argument of its own",
		`[pdfinfo, "{stdout:gif}"]`:                                                     "{stdout:txt}",
		`[pdfinfo, "{stdout:txt}", "{out:txt}"]`:                                        "write it once",
		`[pdfinfo, "{stdout:srt}"]`:                                                     ".srt cannot be written",
		`[ffmpeg, "{made}", "{out:mp4}"]`:                                               "there is no {made}",
		`[ffmpeg, "{span(count)}", "{out:mp4}"]`:                                        "in a sentence",
		`[ffmpeg, {if: caption and given(video), then: [a]}, "{out:mp4}"]`:              "",
	} {
		faults := read(t, argv).check(names, may, false)
		said := errors.Join(faults...)
		switch {
		case want == "" && said != nil:
			t.Errorf("%s: %v", argv, said)
		case want != "" && (said == nil || !strings.Contains(said.Error(), want)):
			t.Errorf("%s: %v, want %q", argv, said, want)
		}
	}
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		`ffmpeg -i x | sh`:                            "not a shell command",
		`[x, [y]]`:                                    "an argument must be a text",
		`[x, ""]`:                                     "empty",
		`[x, "{video"]`:                               "unmatched {",
		`[x, "video}"]`:                               "unmatched }",
		`[x, "{sh:ls}"]`:                              "unknown slot",
		`[x, "{stdout:}"]`:                            "should have the kind of text",
		`[x, "{stdout:txt*}"]`:                        "should have the kind of text",
		`[x, "{out:}"]`:                               "should have an ending alone",
		`[x, "{out:../../etc}"]`:                      "should have an ending alone",
		`[x, "{if: a = 'b', then: [c]}"]`:             "write {if: CONDITION, then: [ARGUMENT, …], else: [ARGUMENT, …]} without them",
		`[x, "{each: a, then: [b]}"]`:                 "write {each: ARGUMENTS, then: [ARGUMENT, …]} without them",
		`[x, "{1 +}"]`:                                "incomplete",
		`[x, "{1 2}"]`:                                "unexpected",
		`[x, "{a b}"]`:                                "unexpected",
		`[x, "{(1}"]`:                                 "missing )",
		`[x, "{'a}"]`:                                 "missing '",
		`[x, "{pow(1, 2)}"]`:                          "unknown function pow",
		`[x, "{min(1)}"]`:                             "unknown function min with 1",
		`[x, "{1.2.3}"]`:                              "not a number",
		`[x, "{a; b}"]`:                               "unexpected",
		`[x, {if: a}]`:                                "have the form",
		`[x, {then: [a]}]`:                            "have the form",
		`[x, {if: a, then: [b], also: [c]}]`:          "also",
		`[x, {if: a, each: b, then: [c]}]`:            "have the form",
		`[x, {each: b, then: [c], else: [d]}]`:        "have the form",
		`[x, {each: b}]`:                              "have the form",
		`[x, {text: [a], then: [b]}]`:                 "have the form",
		`[x, "{file:a*}"]`:                            "should have the name of an argument",
		"[x, \"{" + strings.Repeat("(", 100) + "\"]":  "unmatched {",
		"[x, \"{" + strings.Repeat("(", 100) + "}\"]": "too deeply",
	} {
		err := yaml.Unmarshal([]byte(argv), new(Argv))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", argv, err, want)
		}
	}
}

// FuzzArgv: an argv without faults expands without people's words in any argument, and nothing panics.
func FuzzArgv(f *testing.F) {
	for _, s := range []string{"{video.width * 2}", "crop={even(count)}:{if(way = 'in', 1, 2)}", "{file:caption}", "{caption}", "{{x}}", "{min(1, max(2, -3))}"} {
		f.Add(s, "; rm -rf /")
	}
	f.Fuzz(func(t *testing.T, text, words string) {
		pieces, err := readText(text)
		if err != nil {
			return
		}
		a := Argv{parts: []part{{text: []piece{{text: "x"}}}, {text: pieces}, {text: []piece{{role: "out", text: "a"}}}}}
		if len(a.check(names, Written{Endings: []string{"a"}}, false)) > 0 {
			return
		}
		given := facts(map[string]Value{
			"video": {Kind: File, Text: "video"}, "video.width": Num(640), "video.duration": Num(1.5), "video.sound": Num(1),
			"caption": {Kind: Words, Text: "said: " + words}, "way": Text("in"), "count": Num(3), "colour": Text("0x000000"),
		})
		args, err := a.Expand(given, files{})
		if err == nil && slices.ContainsFunc(args, func(s string) bool { return strings.Contains(s, "said: ") && !strings.Contains(text, "said: ") }) {
			t.Errorf("%q gives %q", text, args)
		}
	})
}

// recipe parses a recipe.
func recipe(text string) (*Recipe, error) {
	r := new(Recipe)
	return r, yaml.Unmarshal([]byte(text), r)
}

func TestCheckRecipe(t *testing.T) {
	t.Parallel()
	const argv = "\nargv: [x, \"{out:mp4}\"]"
	for text, want := range map[string]string{
		"let: {half: video.duration / 2, twice: half * 4}\nlength: twice" + argv: "",
		"let: {count: 1}" + argv:                                          "{count} is already defined",
		"let: {made: 1}" + argv:                                           "{made} is already defined",
		"let: {a: b, b: 1}" + argv:                                        "there is no {b}",
		"let: {a: video}" + argv:                                          "must be a number or a text",
		"wrap: -1" + argv:                                                 "wrap must be a width",
		"length: way" + argv:                                              "length must be a number",
		"length: film" + argv:                                             "there is no {film}",
		"refuse: [{if: count > film, say: no}]" + argv:                    "there is no {film}",
		"refuse: [{if: written = 0, say: no}]" + argv:                     "",
		"notes: [{if: written = 0, say: no}]" + argv:                      "there is no {written}",
		"about: \"{item} of {span(count)}\"" + argv:                       "",
		"notes: \"{item}\"" + argv:                                        "there is no {item}",
		"notes: \"{caption}\"" + argv:                                     "is a file",
		"about: \"{video}\"" + argv:                                       "is a file",
		"first: [x, \"{out:pdf}\"]\nargv: [x, \"{made}\", \"{out:mp4}\"]": "",
		"first: [x, \"{out:mp4}\"]" + argv:                                ".mp4 cannot be written here; use one of {out:pdf}",
		"first: [x, \"{made}\", \"{out:pdf}\"]" + argv:                    "there is no {made}",
		"first: [ffmpeg, \"a={out:trf}\"]\nargv: [ffmpeg, \"b={made}\", \"{out:mp4}\"]": "",
		"first: [ffmpeg, \"a={out:trf}\"]\nargv: [ffmpeg, \"{made}\", \"{out:mp4}\"]":   "{made} is a .trf here",
		"first: [ffmpeg, \"a={out:trf}\"]\nargv: [x, \"b={made}\", \"{out:mp4}\"]":      "{made} is a .trf here",
		"first: [x, \"{out:trf}\"]\nargv: [ffmpeg, \"b={made}\", \"{out:mp4}\"]":        "not by x",
		"first: [x, \"{out:wav}\"]\nargv: [ffmpeg, \"b={made}\", \"{out:mp4}\"]":        "argument of its own",
		"argv: [ffmpeg, \"b={made}\", \"{out:mp4}\"]":                                   "there is no {made}",
		"argv: [ffmpeg, \"a={out:trf}\"]":                                               ".trf cannot be written here",
	} {
		r, err := recipe(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		said := errors.Join(r.Check(names, may, nil)...)
		switch {
		case want == "" && said != nil:
			t.Errorf("%s: %v", text, said)
		case want != "" && (said == nil || !strings.Contains(said.Error(), want)):
			t.Errorf("%s: %v, want %q", text, said, want)
		}
	}
	for text, want := range map[string]string{
		"let: [a]":                   "have the form",
		"let: {A: 1}":                "lower-case letters",
		"let: {a: 1 +}":              "incomplete",
		"length: 1 +":                "incomplete",
		"about: {a: b}":              "a sentence, or a list",
		"notes: [{if: a, tell: b}]":  "is empty",
		"notes: [{if: 1 +, say: b}]": "incomplete",
		"about: \"{out:mp4}\"":       "a sentence cannot contain {out:",
		"about: \"{file:caption}\"":  "a sentence cannot contain {file:",
	} {
		if _, err := recipe(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestUses: a name counts as used in every field.
func TestUses(t *testing.T) {
	t.Parallel()
	r, err := recipe("let: {a: one}\nfirst: [x, '{two}']\nargv: [x, {each: three, then: ['{file:four}']}, {text: [{if: five, then: [y]}]}, '{out:six}']\n" +
		"length: seven\ntimes: eight + 1\nabout: '{nine}'\nrefuse: [{if: ten, say: no}]")
	if err != nil {
		t.Fatal(err)
	}
	used := r.Uses()
	for name := range strings.FieldsSeq("one two three four five six seven eight nine ten") {
		if !used[name] {
			t.Errorf("%s is not used", name)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	r, err := recipe(`
let: {half: video.duration / 2}
notes:
  - {if: half > 3, say: "It is {span(video.duration)} long, half of it {clock(half)}, 100% of {count}."}
  - {if: half > 300, say: never}
  - {say: always}
argv: [x, "{out:mp4}"]`)
	if err != nil {
		t.Fatal(err)
	}
	said, err := r.Notes.Say(r.Of(facts(map[string]Value{"video.duration": Num(123), "count": Num(2)})))
	if err != nil || len(said) != 2 {
		t.Fatalf("%v, %v", said, err)
	}
	if got, want := said[0].String(), "It is 2 minutes and 3 seconds long, half of it 1:01.5, 100% of 2."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got, want := r.Sentences(), []string{"It is %s long, half of it %s, 100%% of %s.", "never", "always"}; !slices.Equal(got, want) {
		t.Errorf("the formats are %q, want %q", got, want)
	}
	again, err := yaml.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := recipe(string(again)); err != nil || !back.Equal(r) {
		t.Errorf("it is written as %s, %v", again, err)
	}
}

func TestOnClock(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{0: "0:00", 10: "0:10", 61.49: "1:01.5", 59.97: "1:00", 3723: "1:02:03"} {
		if got := Clock(seconds); got != want {
			t.Errorf("%g s is %q, want %q", seconds, got, want)
		}
	}
}
