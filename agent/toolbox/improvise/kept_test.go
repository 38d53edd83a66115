package improvise

import (
	"errors"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// kept is a program as it is stored. No result of the test passes its checks.
const kept = `{"refusal": "", "about": "said of the first file",
	"settings": [
		{"name": "size", "type": "number", "value": "2", "about": "how wide it is"},
		{"name": "paint", "type": "colour", "value": "Red", "about": ""},
		{"name": "tone", "type": "colour", "value": "ansi:31", "about": "a colour of a terminal"},
		{"name": "words", "type": "text", "value": "", "about": "what is\nwritten"}],
	"checks": [{"measure": "holds", "value": "nothing of this"}, {"measure": "files", "value": "7"}],
	"program": "open(OUT + '/said.txt', 'w').write(' '.join([i['type'] + ':' + i['name'] for i in INPUTS] + [repr(SETTINGS)]))"}`

func TestKeep(t *testing.T) {
	t.Parallel()
	source, params := Keep(kept)
	var got []string
	for _, p := range params {
		if faults := p.Check(); len(faults) > 0 || !p.Optional {
			t.Errorf("%s: %v", p.Name, faults)
		}
		got = append(got, strings.Join([]string{p.Name, string(p.Type), p.Default, p.About}, "|"))
	}
	want := "size|number|2|how wide it is; paint|colour|Red|paint; tone|text|ansi:31|a colour of a terminal; words|text||what is written"
	if strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(source, "SETTINGS.setdefault(\"words\", \"\")\nopen(OUT") {
		t.Errorf("what has no default is lost: %s", source)
	}
	for _, none := range []string{"no program", `{"refusal": "no"}`} {
		if source, params := Keep(none); source != "" || params != nil {
			t.Errorf("%s is taken for a program", none)
		}
	}
	if Check(source) != nil || Check(kept) == nil {
		t.Error("Python is no program, or JSON is one")
	}
}

// TestKeepNumbers checks that a tool file's numbers have no exponent. A number that would be too long stays in the
// program, behind imports that must be first.
func TestKeepNumbers(t *testing.T) {
	t.Parallel()
	source, params := Keep(`{"settings": [{"name": "tiny", "type": "number", "value": "1e-3"}, {"name": "huge", "type": "number", "value": "1e30"}],
		"program": "# It adds.\nfrom __future__ import annotations\nprint(1)"}`)
	if want := "# It adds.\nfrom __future__ import annotations\nSETTINGS.setdefault(\"huge\", 1e30)\nprint(1)"; source != want || params[0].Default != "0.001" {
		t.Errorf("%q %+v", source, params)
	}
}

// TestKeptProgramNeedsNoModel checks that a kept program gets the resources in their order and the given settings,
// and that the checks of its first results are not used.
func TestKeptProgramNeedsNoModel(t *testing.T) {
	t.Parallel()
	b := backend(t, Config{Off: true})
	source, params := Keep(kept)
	params = append(params,
		param.Param{Name: "count", Type: param.Integer, Optional: true},
		param.Param{Name: "loud", Type: param.Boolean, Optional: true},
		param.Param{Name: "share", Type: param.Factor, Optional: true},
		param.Param{Name: "pause", Type: param.Duration, Optional: true},
		param.Param{Name: "absent", Type: param.Integer, Optional: true},
	)
	c := toolbox.Candidate{Backing: toolbox.Backing{Kind: "improvise", Run: "python", Program: kept, Inputs: "text image", Settings: params}}
	if err := b.Probe(t.Context(), c); err == nil || plan.Sentence(err, plan.Message{}).String() != "The program of this tool cannot be read." {
		t.Errorf("a program of an earlier version is live: %v", err)
	}
	c.Program = source
	if err := b.Probe(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	call := toolbox.Call{
		Returns: plan.Text, Dir: t.TempDir(),
		Args: map[string][]toolbox.Value{
			"image": {picture(t, "dot.png", 4, 4)},
			"text":  {text("note.txt", "Hello")},
		},
		Params: map[string]param.Value{},
	}
	said := map[string]string{"size": "3", "paint": "red", "words": "two words", "count": "4", "loud": "yes", "share": "half", "pause": "2 s"}
	for _, p := range params {
		v := p.DefaultValue()
		if text := said[p.Name]; text != "" {
			var err error
			if v, err = p.Read(text); err != nil {
				t.Fatal(err)
			}
		}
		call.Params[p.Name] = v
	}
	out, err := b.Run(t.Context(), c, call)
	if err != nil {
		t.Fatal(err)
	}
	if want := "text:note.txt image:dot.png {'count': 4, 'loud': True, 'paint': 'Red', 'pause': 2, 'share': 0.5, 'size': 3, 'tone': 'ansi:31', 'words': 'two words'}"; out.Value != want {
		t.Errorf("it made %q", out.Value)
	}
	if want := "size 3, paint Red, tone ansi:31, words two words, count 4, loud true, share 0.5, pause 2"; out.About.String() != want {
		t.Errorf("it is about %q", out.About)
	}
	if !out.Note.IsZero() || Source(out.Program) == "" {
		t.Errorf("%+v", out)
	}
	c.Program = strings.Replace(source, "open(OUT", "open('/nowhere' + OUT", 1)
	call.Dir = t.TempDir()
	_, err = b.Run(t.Context(), c, call)
	if fault, ok := errors.AsType[*plan.Fault](err); !ok || fault.Sentence.String() != "The program of this tool did not work." {
		t.Errorf("it failed with %v", err)
	}
}
