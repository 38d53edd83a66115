package improvise

import (
	"errors"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// kept is a program as it is stored. Its checks hold for no result of the test.
const kept = `{"refusal": "", "about": "said of the first file",
	"settings": [
		{"name": "size", "type": "number", "value": "2", "about": "how wide it is"},
		{"name": "paint", "type": "colour", "value": "Red", "about": ""},
		{"name": "tone", "type": "colour", "value": "ansi:31", "about": "a colour of a terminal"},
		{"name": "words", "type": "text", "value": "", "about": "what is\nwritten"}],
	"checks": [{"measure": "holds", "value": "nothing of this"}, {"measure": "files", "value": "7"}],
	"program": "open(OUT + '/said.txt', 'w').write(' '.join([i['type'] + ':' + i['name'] for i in INPUTS] + [repr(SETTINGS)]))"}`

func TestParams(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range Params(kept) {
		if faults := p.Check(); len(faults) > 0 || !p.Optional {
			t.Errorf("%s: %v", p.Name, faults)
		}
		got = append(got, strings.Join([]string{p.Name, string(p.Type), p.Default, p.About}, "|"))
	}
	want := "size|number|2|how wide it is; paint|colour|Red|paint; tone|text|ansi:31|a colour of a terminal; words|text||what is written"
	if strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
	if len(Params("no program")) > 0 || Check("no program") == nil || Check(`{"refusal": "no"}`) == nil || Check(kept) != nil {
		t.Error("what is no program is taken for one")
	}
}

// TestAKeptProgramNeedsNoModel: it is given the resources in their order and the settings of the call,
// and what was promised of its first results is not measured.
func TestAKeptProgramNeedsNoModel(t *testing.T) {
	t.Parallel()
	b := backend(t, Config{Off: true})
	c := toolbox.Candidate{Backing: toolbox.Backing{Kind: "improvise", Run: "python", Program: "no program", Inputs: "text image"}}
	if err := b.Probe(t.Context(), c); err == nil || plan.Sentence(err, plan.Message{}).String() != "The program of this tool cannot be read." {
		t.Errorf("what is no program is live: %v", err)
	}
	c.Program = kept
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
	for _, p := range Params(kept) {
		said := map[string]string{"size": "3", "paint": "red", "words": "two words"}[p.Name]
		if said != "" {
			v, err := p.Read(said)
			if err != nil {
				t.Fatal(err)
			}
			call.Params[p.Name] = v
		}
	}
	out, err := b.Run(t.Context(), c, call)
	if err != nil {
		t.Fatal(err)
	}
	if want := "text:note.txt image:dot.png {'paint': 'Red', 'size': 3, 'tone': 'ansi:31', 'words': 'two words'}"; out.Value != want {
		t.Errorf("it made %q", out.Value)
	}
	if !out.About.IsZero() || !out.Note.IsZero() || Source(out.Program) == "" {
		t.Errorf("%+v", out)
	}
	c.Program = strings.Replace(kept, "open(OUT", "open('/nowhere' + OUT", 1)
	call.Dir = t.TempDir()
	_, err = b.Run(t.Context(), c, call)
	if fault, ok := errors.AsType[*plan.Fault](err); !ok || fault.Sentence.String() != "The program of this tool did not work." {
		t.Errorf("it failed with %v", err)
	}
}
