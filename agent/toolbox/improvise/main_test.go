package improvise

import (
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/sandbox"
)

// secret stands in the environment of this process and in files that no program may read.
const secret = "the-secret-of-the-house"

func TestMain(m *testing.M) {
	sandbox.Enter()
	if err := os.Setenv("IMPROVISE_TEST_SECRET", secret); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// writer answers as it is scripted, and keeps what it was asked.
type writer struct {
	answers []string
	private bool        // media may not go to it
	down    error       // why it cannot be asked
	usage   plan.Tokens // of each answer; 100 and 10 by default
	before  func()      // each answer; nil does nothing

	mu    sync.Mutex
	talks []Conversation
}

var _ Writer = (*writer)(nil)

func (w *writer) Ready(context.Context) error { return w.down }

func (w *writer) MaySee() bool { return !w.private }

func (w *writer) Converse(_ context.Context, t Conversation) (Reply, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.before != nil {
		w.before()
	}
	t.Turns = slices.Clone(t.Turns)
	w.talks = append(w.talks, t)
	n := len(w.talks)
	if n > len(w.answers) {
		return Reply{}, errors.New("nothing more is scripted")
	}
	return Reply{Text: w.answers[n-1], Model: "scribe", Usage: cmp.Or(w.usage, plan.Tokens{Input: 100, Output: 10})}, nil
}

// last is the latest turn that the model was shown.
func (w *writer) last(t *testing.T) string {
	t.Helper()
	if len(w.talks) == 0 {
		t.Fatal("no model was asked")
	}
	turns := w.talks[len(w.talks)-1].Turns
	return turns[len(turns)-1]
}

// here is what programs find on this machine. It is looked up once.
var here = sync.OnceValues(func() (machine, error) {
	b, err := newBackend(Config{})
	if err != nil {
		return machine{}, err
	}
	return b.look(context.Background())
})

func newBackend(c Config) (*Backend, error) {
	var err error
	if c.Sandbox == nil {
		if c.Sandbox, err = sandbox.New(sandbox.Config{}); err != nil {
			return nil, err
		}
	}
	if c.Films, err = ffmpeg.New(ffmpeg.Config{}); err != nil {
		return nil, err
	}
	return New(c)
}

// backend is one that has looked at the machine. Where no program can run, tests are skipped, and in CI they
// fail.
func backend(t *testing.T, c Config) *Backend {
	t.Helper()
	m, err := here()
	if why := plan.OperatorSentence(err, plan.Message{}); err != nil && os.Getenv("CI") != "" {
		t.Fatal(why, err)
	} else if err != nil {
		t.Skip(why, err)
	}
	b, err := newBackend(c)
	if err != nil {
		t.Fatal(err)
	}
	b.inspection = &inspection{done: make(chan struct{}), machine: m}
	close(b.inspection.done)
	return b
}

var pythonRun = toolbox.Candidate{Backing: toolbox.Backing{Kind: "improvise", Run: python, Device: "cpu"}}

// job is a call for a result of the type.
func jobFor(t *testing.T, returns plan.Type, inputs ...toolbox.Value) toolbox.Call {
	t.Helper()
	return toolbox.Call{
		Tool: "make_by_program", Request: "request-1", Returns: returns, Dir: t.TempDir(),
		Args: map[string][]toolbox.Value{toolbox.ImprovisedTask: {text("", "do it")}, toolbox.ImprovisedInputs: inputs},
	}
}

// text is a text, which came in a file of that name if it has one.
func text(name, content string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: content, File: name}}
}

// picture is a red picture in a file of that name.
func picture(t *testing.T, name string, w, h int) toolbox.Value {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, color.NRGBA{220, 30, 30, 255})
	}
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		t.Fatal(err)
	}
	return toolbox.Value{Resource: plan.Resource{Name: name, Type: plan.Image, Blob: name}, Path: path}
}

// answer is what a model says to have a program run.
func answer(source string, checks ...check) string {
	return program{About: "the result", Checks: checks, Source: source}.String()
}

// fine is a program that makes a text.
const fine = `open(OUT + "/fine.txt", "w").write("it is fine")`

// told runs a program that does not do its job, and then one that does. It returns what the model
// was told after the first.
func told(t *testing.T, call toolbox.Call, first, second string) string {
	t.Helper()
	w := &writer{answers: []string{first, second}}
	if _, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, call); err != nil {
		t.Fatalf("%v; the model was told: %s", err, w.last(t))
	}
	if len(w.talks) != 2 {
		t.Fatalf("the model was asked %d times", len(w.talks))
	}
	return w.last(t)
}

// outside is a turn without its parts that are data. A part that is not closed is a failure.
func outside(t *testing.T, turn string) string {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(turn, "<data>\n")
		b.WriteString(before)
		if !ok {
			break
		}
		if _, turn, ok = strings.Cut(rest, "\n</data>"); !ok {
			t.Fatalf("data has no end: %s", rest)
		}
	}
	if rest := strings.ToLower(b.String()); strings.Contains(rest, "data>") {
		t.Fatalf("a part ended too early, or began too late: %s", rest)
	}
	return b.String()
}

// known is what a file is.
func known(t *testing.T, path string) media.Info {
	t.Helper()
	info, err := media.Inspect(t.Context(), path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return info
}
