package improvise

import (
	"bytes"
	"context"
	"errors"
	"image"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		returns plan.Type
		inputs  []toolbox.Value
		program program
		files   []string // the names of the results; of a text none
		text    string
	}{
		{
			name: "a picture of a picture", returns: plan.Image, inputs: []toolbox.Value{picture(t, "photo.png", 40, 30)},
			program: program{
				Source: "from PIL import Image\nImage.open(INPUTS[0]['path']).rotate(90, expand=True).save(OUT + '/turned.png')",
				Checks: []check{{"files", "1"}, {"width", "30"}, {"height", "40"}, {"format", "PNG"}, {"most_bytes", "5000"}},
			},
			files: []string{"turned.png"},
		},
		{
			name: "a chart by another program", returns: plan.Image, inputs: []toolbox.Value{text("sales.csv", "1,2\n2,4\n")},
			program: program{
				Source: "import subprocess\nopen('data.csv', 'w').write(INPUTS[0]['text'])\n" +
					"subprocess.run(['gnuplot', '-e', \"set terminal png size 320,200; set datafile separator ','; set output 'out/chart.png'; plot 'data.csv' with lines\"], check=True)",
				Checks: []check{{"width", "320"}, {"height", "200"}},
			},
			files: []string{"chart.png"},
		},
		{
			name: "a video", returns: plan.Video,
			program: program{
				Source: "import subprocess\nsubprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'color=red:size=64x48:rate=10:duration=1'," +
					" '-f', 'lavfi', '-i', 'sine=duration=1', '-pix_fmt', 'yuv420p', OUT + '/red.mp4'], check=True)",
				Checks: []check{{"seconds", "1"}, {"sound", "yes"}, {"format", "mp4"}, {"width", "64"}},
			},
			files: []string{"red.mp4"},
		},
		{
			name: "a sound", returns: plan.Audio,
			program: program{
				Source: "import wave\nw = wave.open(OUT + '/silence.wav', 'wb')\nw.setparams((1, 2, 8000, 0, 'NONE', ''))\nw.writeframes(bytes(32000))\nw.close()",
				Checks: []check{{"seconds", "2"}, {"sound", "yes"}, {"format", ".wav"}},
			},
			files: []string{"silence.wav"},
		},
		{
			name: "a PDF", returns: plan.Document,
			program: program{
				Source: "from reportlab.pdfgen import canvas\nc = canvas.Canvas(OUT + '/two.pdf')\nfor word in 'one', 'two':\n  c.drawString(100, 700, word)\n  c.showPage()\nc.save()",
				Checks: []check{{"pages", "2"}, {"format", "pdf"}},
			},
			files: []string{"two.pdf"},
		},
		{
			name: "a table of a table", returns: plan.Text, inputs: []toolbox.Value{text("sales.csv", "Ort,Umsatz\nGraz,20\nLinz,22\n")},
			program: program{
				Source: "import csv, io\nrows = list(csv.reader(io.StringIO(INPUTS[0]['text'])))\n" +
					"rows.append(['Summe', sum(int(r[1]) for r in rows[1:])])\ncsv.writer(open(OUT + '/sales.csv', 'w')).writerows(rows)",
				Checks: []check{{"holds", "summe,42"}, {"format", "csv"}, {"most_characters", "60"}},
			},
			files: []string{"sales.csv"},
			text:  "Ort,Umsatz\r\nGraz,20\r\nLinz,22\r\nSumme,42",
		},
		{
			name: "a drawing of letters", returns: plan.Text, inputs: []toolbox.Value{text("words.txt", "Hi")},
			program: program{Source: "open(OUT + '/drawn.txt', 'w').write('\\n   o\\n  /|\\\\ \\n')"},
			files:   []string{"drawn.txt"},
			text:    "   o\n  /|\\",
		},
		{
			name: "several files, by its settings", returns: plan.Image, inputs: []toolbox.Value{picture(t, "wide.png", 60, 20)},
			program: program{
				Source: "from PIL import Image\nimg = Image.open(INPUTS[0]['path'])\nfor i in range(SETTINGS['tiles']):\n" +
					"  img.crop((20 * i, 0, 20 * i + 20, 20)).save(f\"{OUT}/{SETTINGS['title']} {i + 1}.png\")",
				Settings: []setting{{Name: "tiles", Type: "number", Value: "3.0"}, {Name: "title", Type: "text", Value: "tile"}},
				Checks:   []check{{"files", "3"}, {"width", "20"}},
			},
			files: []string{"tile 1.png", "tile 2.png", "tile 3.png"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.program.About = "what was wanted."
			w := &writer{answers: []string{"```json\n" + c.program.String() + "\n```"}}
			call := jobFor(t, c.returns, c.inputs...)
			out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, call)
			if err != nil {
				t.Fatal(err)
			}
			if out.About.String() != "what was wanted" || out.Note.IsZero() || out.Model != "scribe" || out.Usage.Input != 100 {
				t.Errorf("people are told %q and %q; %s took %+v", out.About, out.Note, out.Model, out.Usage)
			}
			if got := Source(out.Program); got != c.program.Source {
				t.Errorf("stored is %q", got)
			}
			if c.text != "" {
				if out.Value != c.text || !slices.Equal([]string{out.File}, c.files) || out.Path != "" || len(out.More) > 0 {
					t.Errorf("got %+v", out)
				}
				return
			}
			all := append([]toolbox.Output{out}, out.More...)
			if len(all) != len(c.files) {
				t.Fatalf("%d results", len(all))
			}
			for i, o := range all {
				if filepath.Base(o.Path) != c.files[i] || !strings.HasPrefix(o.Path, call.Dir) || !known(t, o.Path).Type.Fits(c.returns) {
					t.Errorf("result %d is %s, %+v", i+1, o.Path, known(t, o.Path))
				}
			}
		})
	}
}

// TestMended checks that a failed program is sent back to the model with its traceback.
func TestMended(t *testing.T) {
	t.Parallel()
	wrong := answer("print('the columns are', 3)\nraise ValueError('no column 4')")
	w := &writer{answers: []string{wrong, answer(fine)}}
	out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text, text("", "a,b,c")))
	if err != nil {
		t.Fatal(err)
	}
	if out.Value != "it is fine" || out.Usage.Input != 200 || Source(out.Program) != fine {
		t.Errorf("got %+v", out)
	}
	second := w.talks[1]
	if second.Round != 2 || len(second.Turns) != 3 || second.Turns[1] != wrong {
		t.Errorf("round %d has the turns %q", second.Round, second.Turns)
	}
	for _, want := range []string{"it ended with an error.", "the columns are 3", `File "main.py", line 2`, "ValueError: no column 4"} {
		if !strings.Contains(second.Turns[2], want) {
			t.Errorf("%q is not told: %s", want, second.Turns[2])
		}
	}
	if strings.Contains(outside(t, second.Turns[2]), "column") {
		t.Errorf("what it printed is not data: %s", second.Turns[2])
	}
}

// TestMendedInVain checks that after two failed corrections people see one clear sentence.
func TestMendedInVain(t *testing.T) {
	t.Parallel()
	bad := answer("raise ValueError('no')")
	w := &writer{answers: []string{bad, bad, bad, answer(fine)}}
	out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text))
	if got := plan.Sentence(err, plan.Message{}).String(); got != "No tool does this, and the program that I wrote for it did not work." {
		t.Errorf("people read %q", got)
	}
	if len(w.talks) != 3 || out.Usage.Input != 300 || errors.Is(err, toolbox.ErrDown) {
		t.Errorf("asked %d times for %+v: %v", len(w.talks), out.Usage, err)
	}
}

// TestUnstarted checks that the model is not asked again about a program that cannot be started, since it cannot
// correct that.
func TestUnstarted(t *testing.T) {
	t.Parallel()
	given := picture(t, "photo.png", 8, 8)
	w := &writer{answers: []string{answer(fine), answer(fine)}, before: func() {
		if err := os.Remove(given.Path); err != nil { // what it may read must be there when it starts
			t.Error(err)
		}
	}}
	_, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text, given))
	if got := plan.OperatorSentence(err, plan.Message{}).String(); got != "The program python3 cannot be started here." || !errors.Is(err, toolbox.ErrDown) {
		t.Errorf("the operator reads %q: %v", got, err)
	}
	if len(w.talks) != 1 {
		t.Errorf("asked %d times", len(w.talks))
	}
}

// TestProgramThatHidesWhatItPrinted checks that a program that hides its output counts as started, and is
// corrected.
func TestProgramThatHidesWhatItPrinted(t *testing.T) {
	t.Parallel()
	turn := told(t, jobFor(t, plan.Text), answer("import os\nos.remove('said.txt')\nraise ValueError('no')"), answer(fine))
	if !strings.Contains(turn, "it ended with an error.") {
		t.Errorf("the model is told %s", turn)
	}
}

// TestDrafts checks that one process writes drafts, and another one without a model runs them.
func TestDrafts(t *testing.T) {
	t.Parallel()
	wrong := answer("raise ValueError('no column 4')")
	w := &writer{answers: []string{"no object", wrong, answer(fine)}}
	writes, runs := backend(t, Config{Writer: w}), backend(t, Config{RunsOnly: true})
	var drafts []plan.Draft
	for range plan.MaxDrafts {
		d, err := writes.Write(t.Context(), pythonRun, jobFor(t, plan.Text, text("", "a,b,c")), drafts)
		if err != nil || d.Model != "scribe" || d.Usage.Input != 100 {
			t.Fatalf("%+v, %v", d, err)
		}
		if d.Trouble == nil {
			call := jobFor(t, plan.Text, text("", "a,b,c"))
			call.Program = d.Program
			out, err := runs.Run(t.Context(), pythonRun, call)
			d.Trouble, _ = errors.AsType[*plan.Trouble](err)
			if (d.Trouble == nil) != (out.Value == "it is fine") {
				t.Errorf("got %+v, %v", out, err)
			}
		}
		drafts = append(drafts, d)
	}
	if drafts[2].Trouble != nil || len(w.talks[2].Turns) != 5 || w.talks[2].Round != 3 {
		t.Fatalf("the last of %+v was asked for by %q", drafts, w.talks[2].Turns)
	}
	if turns := w.talks[2].Turns; turns[1] != "no object" || !strings.Contains(turns[2], "not one JSON object") ||
		turns[3] != wrong || !strings.Contains(turns[4], "no column 4") {
		t.Errorf("it was told %q", turns)
	}
	if _, err := runs.Write(t.Context(), pythonRun, jobFor(t, plan.Text), nil); !errors.Is(err, toolbox.ErrDown) {
		t.Errorf("without a model it writes: %v", err)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	w := &writer{answers: []string{`{"refusal":" Zum Kolorieren fehlt ein neuronales Modell. "}`}}
	out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Image))
	if got := plan.Sentence(err, plan.Message{}).String(); got != "It cannot be done here: Zum Kolorieren fehlt ein neuronales Modell." {
		t.Errorf("people read %q", got)
	}
	if len(w.talks) != 1 || out.Usage.Input != 100 {
		t.Errorf("asked %d times for %+v", len(w.talks), out.Usage)
	}
}

// TestKept checks that a kept program runs as it is, without a model.
func TestKept(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]Writer{
		"a model is there": &writer{}, "it is down": &writer{down: errors.New("down")}, "none is set up": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := jobFor(t, plan.Text)
			call.Program = answer(fine, check{"holds", "fine"})
			out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, call)
			if err != nil || out.Value != "it is fine" || out.Model != "" || out.Usage != (plan.Tokens{}) || Source(out.Program) != fine {
				t.Errorf("got %+v, %v", out, err)
			}
			if s, ok := w.(*writer); ok && len(s.talks) > 0 {
				t.Error("the model was asked")
			}
		})
	}
	for name, kept := range map[string]string{
		"it fails now": answer("1 / 0"), "its check does not hold now": answer(fine, check{"holds", "well"}), "it is no program": "print()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, call := &writer{}, jobFor(t, plan.Text)
			call.Program = kept
			_, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, call)
			if plan.Sentence(err, plan.Message{}).IsZero() || len(w.talks) > 0 {
				t.Errorf("asked %d times: %v", len(w.talks), err)
			}
		})
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	away := &plan.Fault{Sentence: plan.Say("The model server does not answer.")}
	other := pythonRun
	other.Run = "perl"
	for _, c := range []struct {
		name      string
		config    Config
		candidate toolbox.Candidate
		want      string // by the operator; "" is that it is live
	}{
		{"all is there", Config{Writer: &writer{}}, pythonRun, ""},
		{"it is switched off", Config{Writer: &writer{}, Off: true}, pythonRun, "ATELIER_PROGRAMS=false"},
		{"it is switched off, and no model is there", Config{Off: true}, pythonRun, "ATELIER_PROGRAMS=false"},
		{"no model", Config{}, pythonRun, "OPENAI_API_KEY"},
		{"the model is away", Config{Writer: &writer{down: away}}, pythonRun, "does not answer"},
		{"no model, where others write", Config{RunsOnly: true}, pythonRun, ""},
		{"it is switched off, where others write", Config{RunsOnly: true, Off: true}, pythonRun, "ATELIER_PROGRAMS=false"},
		{"another language", Config{Writer: &writer{}}, other, "programs of that kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := backend(t, c.config).Probe(t.Context(), c.candidate)
			if got := plan.OperatorSentence(err, plan.Message{}).String(); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("told %q: %v", got, err)
			}
		})
	}
}

// TestProbeAgain checks that a probe that ends before Python has started says so, and that the next one uses what
// the first began.
func TestProbeAgain(t *testing.T) {
	t.Parallel()
	b := backend(t, Config{Writer: &writer{}})
	b.inspection = nil
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Probe(ended, pythonRun); !errors.Is(err, toolbox.ErrLoading) {
		t.Errorf("a probe that was stopped says %v", err)
	}
	begun := b.inspection
	if begun == nil {
		t.Fatal("the inspection was given up")
	}
	if err := b.Probe(t.Context(), pythonRun); err != nil || b.inspection != begun {
		t.Errorf("it was begun anew: %v", err)
	}
}

// TestProbeAfterAFailure checks that a missing part is found at a later probe, and is logged once.
func TestProbeAfterAFailure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, lockFile), requirements, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	b := backend(t, Config{Writer: &writer{}, Environment: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	b.inspection = nil
	for range 2 {
		if err := b.Probe(t.Context(), pythonRun); err == nil {
			t.Error("an environment without Python runs programs")
		}
	}
	if n := strings.Count(log.String(), "programs cannot run here"); n != 1 {
		t.Errorf("it is logged %d times: %s", n, &log)
	}
	if err := os.Remove(filepath.Join(dir, lockFile)); err != nil { // Debian's Python is used
		t.Fatal(err)
	}
	if err := b.Probe(t.Context(), pythonRun); err != nil {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("it works without a sandbox")
	}
	if _, err := newBackend(Config{Timeout: -time.Second}); err == nil {
		t.Error("it takes a negative time")
	}
}

// TestContract runs the contract suite of backends.
func TestContract(t *testing.T) { //nolint:paralleltest // the suite sets the environment
	good := answer("from PIL import Image\nImage.open(INPUTS[0]['path']).rotate(180).save(OUT + '/turned.png')")
	bad := answer("raise ValueError('no')")
	b := backend(t, Config{Writer: steady(good)})
	kept := toolbox.Call{Returns: plan.Image, Program: bad}
	onPhoto := toolbox.Call{Returns: plan.Image, Args: map[string][]toolbox.Value{toolbox.ImprovisedInputs: {picture(t, "photo.png", 8, 8)}}}
	unknown := pythonRun
	unknown.Run = "perl"
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: b,
		Good:    toolboxtest.Use{Candidate: pythonRun, Call: onPhoto},
		Bad:     toolboxtest.Use{Candidate: pythonRun, Call: kept},
		Unknown: unknown,
		Down:    backend(t, Config{}),
	})
}

// steady gives the same answer to everything.
type steady string

func (steady) Ready(context.Context) error { return nil }

func (steady) MaySee() bool { return true }

func (s steady) Converse(context.Context, Conversation) (Reply, error) {
	return Reply{Text: string(s)}, nil
}

// TestInputs checks that the model gets the facts of each input, and sees the first pictures.
func TestInputs(t *testing.T) {
	t.Parallel()
	w := &writer{answers: []string{answer(fine)}}
	inputs := []toolbox.Value{text("notes.txt", "one\ntwo")}
	for range mostShown + 1 {
		inputs = append(inputs, picture(t, "photo.png", 40, 30))
	}
	if _, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text, inputs...)); err != nil {
		t.Fatal(err)
	}
	talk := w.talks[0]
	if len(talk.Pictures) != mostShown || talk.Request != "request-1" || talk.Round != 1 {
		t.Errorf("%d pictures are shown in round %d of %s", len(talk.Pictures), talk.Round, talk.Request)
	}
	for _, want := range []string{"The job:\ndo it\n", "0. text, 7 characters, 2 lines", `name: "notes.txt"`, "one\ntwo", "5. image, image/png, 109 bytes, 40 × 30 pixels"} {
		if !strings.Contains(talk.Turns[0], want) {
			t.Errorf("%q is not told: %s", want, talk.Turns[0])
		}
	}
	for _, want := range []string{"The results are of the type text", "120 seconds, 1024 MB", "numpy ", "gnuplot"} {
		if !strings.Contains(talk.System, want) {
			t.Errorf("%q is not told: %s", want, talk.System)
		}
	}
	if img := known(t, talk.Pictures[0]); image.Pt(img.Width, img.Height) != image.Pt(40, 30) {
		t.Errorf("shown is %+v", img)
	}
}

// TestLongText checks that the model sees a part of a long text, and the program gets all of it.
func TestLongText(t *testing.T) {
	t.Parallel()
	w := &writer{answers: []string{answer(`open(OUT + "/n.txt", "w").write(str(len(INPUTS[0]["text"])))`)}}
	long := strings.Repeat("ä", 50_000)
	out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text, text("long.txt", long)))
	if err != nil || out.Value != "50000" {
		t.Errorf("got %q, %v", out.Value, err)
	}
	if turn := w.last(t); len(turn) > 4000 || !strings.Contains(turn, "it goes on") {
		t.Errorf("the model is shown %d bytes", len(turn))
	}
}

// TestTokens checks that no program is written or corrected if the request would exceed its budget.
func TestTokens(t *testing.T) {
	t.Parallel()
	const empty = `{"program":" "}` // which is to be mended
	for name, c := range map[string]struct {
		tokens, spent int
		asked         int
		most          int // tokens of the first answer; 0 is no bound
	}{
		"no limit":                       {0, 1_000_000, plan.MaxDrafts, 0},
		"enough":                         {100_000, 50_000, plan.MaxDrafts, 50_000},
		"enough for one":                 {52_500, 50_000, 1, 2500},
		"planning has taken all":         {50_000, 49_500, 0, 0},
		"planning has taken even more":   {50_000, 60_000, 0, 0},
		"the prompt alone is more":       {1100, 0, 0, 0},
		"the first answer has taken all": {51_200 + 1500, 50_000, 1, 2700},
	} {
		w := &writer{answers: []string{empty, empty, empty}, usage: plan.Tokens{Input: 1500, Output: 200}}
		b := backend(t, Config{Writer: w, Tokens: c.tokens})
		call := jobFor(t, plan.Text)
		call.Spent = c.spent
		out, err := b.Run(t.Context(), pythonRun, call)
		dear := strings.HasPrefix(plan.Sentence(err, plan.Message{}).String(), "This needs more work by the language model than one request may use.")
		if want := c.asked < plan.MaxDrafts; len(w.talks) != c.asked || dear != want || plan.Final(err) != want || out.Usage.Input != 1500*c.asked {
			t.Errorf("%s: asked %d times, %+v: %v", name, len(w.talks), out.Usage, err)
		}
		if c.asked > 0 && (w.talks[0].Most > c.most || c.most > 0 && w.talks[0].Most < c.most-1500) {
			t.Errorf("%s: the answer may have %d tokens", name, w.talks[0].Most)
		}
		// Tokens of earlier drafts count, even if another process writes the next one.
		d, err := b.Write(t.Context(), pythonRun, call, nil)
		if want := c.asked == 0; errors.Is(err, plan.ErrOverBudget) != want || (d.Usage.Input == 0) != want && len(w.talks) < 3 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}
