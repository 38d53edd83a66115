package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakePlanner returns a fixed decomposition, scores tools from a table, ranks by these scores, and counts its calls.
type fakePlanner struct {
	decomposition planner.Decomposition
	scores        map[string]float64 // 1 if absent
	text          string
	settle        func([]planner.Contest) []planner.Settlement // nil: by score

	mu    sync.Mutex
	calls []string
	asked []planner.Assessment
	// From the last request.
	improvises bool
	wish       string
}

var _ planner.Planner = (*fakePlanner)(nil)

func (m *fakePlanner) Decompose(_ context.Context, r plan.Request, _ *plan.Thinking) (planner.Decomposition, error) {
	m.count("decompose")
	m.improvises, m.wish = r.Improvises, r.Wish
	return m.decomposition, nil
}

func (m *fakePlanner) Assess(_ context.Context, _ plan.Request, tasks []planner.Assessment, _ *plan.Thinking) ([][]float64, error) {
	m.count("assess")
	m.asked = tasks
	out := make([][]float64, len(tasks))
	for i, t := range tasks {
		for _, name := range t.Candidates {
			out[i] = append(out[i], max(1, m.scores[name]))
		}
	}
	return out, nil
}

func (m *fakePlanner) Settle(_ context.Context, _ plan.Request, tasks []planner.Contest, _ *plan.Thinking) ([]planner.Settlement, error) {
	m.count("settle")
	if m.settle != nil {
		return m.settle(tasks), nil
	}
	out := make([]planner.Settlement, len(tasks))
	for i, t := range tasks {
		for _, s := range t.Solutions {
			s.Score = 5
			for _, name := range s.Tools() {
				s.Score = min(s.Score, t.Scores[name])
			}
			// length counts against it, and the last tool most
			s.Score += 0.01*t.Scores[s.Actions[len(s.Actions)-1].Tool] - 0.1*float64(len(s.Actions)-1)
			out[i].Solutions = append(out[i].Solutions, s)
		}
	}
	return out, nil
}

func (m *fakePlanner) Respond(context.Context, planner.Account, *plan.Thinking) (string, error) {
	m.count("respond")
	if m.text == "" {
		return "", errors.New("no words")
	}
	return m.text, nil
}

func (m *fakePlanner) count(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, name)
}

// memBlobs keeps blobs in memory.
type memBlobs struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (b *memBlobs) Put(_ context.Context, key string, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data[key] = data
	return nil
}

func (b *memBlobs) Get(_ context.Context, key string) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.data[key]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// maker is a backend: each operation is a function.
type maker map[string]func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)

var (
	_ toolbox.Backend = maker(nil)
	_ toolbox.Writing = maker(nil)
)

// Writes and Write write programs with a function.
func (m maker) Writes(context.Context, toolbox.Candidate) error {
	if m["write"] == nil {
		return &plan.Fault{Sentence: plan.Say("It needs a model.")}
	}
	return nil
}

func (m maker) Write(ctx context.Context, _ toolbox.Candidate, c toolbox.Call, drafts []plan.Draft) (plan.Draft, error) {
	out, err := m["write"](ctx, c)
	return plan.Draft{Program: fmt.Sprintf("%s %d", out.Value, len(drafts)+1), Usage: out.Usage}, err
}

func (m maker) Probe(_ context.Context, b toolbox.Candidate) error {
	if m[b.Run] == nil {
		return &plan.Fault{Sentence: plan.Say("It needs a %s.", b.Run)}
	}
	return nil
}

func (m maker) Run(ctx context.Context, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	return m[b.Run](ctx, c)
}

// says returns a small value.
func says(v string) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(context.Context, toolbox.Call) (toolbox.Output, error) { return toolbox.Output{Value: v}, nil }
}

// fails returns an error with a sentence.
func fails(sentence string) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(context.Context, toolbox.Call) (toolbox.Output, error) {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Quote(sentence)}
	}
}

// refuses fails for good.
func refuses(sentence string) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(context.Context, toolbox.Call) (toolbox.Output, error) {
		return toolbox.Output{}, fmt.Errorf("native: %w", &plan.Fault{Sentence: plan.Quote(sentence), Final: true})
	}
}

// draws writes a small picture.
func draws(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	path := filepath.Join(c.Dir, "out.png")
	return toolbox.Output{Path: path, About: plan.Quote("a small picture")}, os.WriteFile(path, picture(), 0o600)
}

// writes makes a file with the content.
func writes(name, content string) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
		path := filepath.Join(c.Dir, name)
		return toolbox.Output{Path: path}, os.WriteFile(path, []byte(content), 0o600)
	}
}

// picture is a PNG of two by two pixels.
func picture() []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	img.Set(1, 1, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return b.Bytes()
}

// tool is a catalogue entry that runs the named operations, by default the one with its own name.
func tool(name string, returns plan.Type, args []plan.Type, runs ...string) toolbox.Tool {
	t := toolbox.Tool{Name: name, Domain: "general", Returns: returns}
	for i, a := range args {
		t.Args = append(t.Args, toolbox.Arg{Name: string('a' + rune(i)), Type: a, About: "the " + string(a)})
	}
	if len(runs) == 0 {
		runs = []string{name}
	}
	for _, r := range runs {
		t.Backends = append(t.Backends, toolbox.Backing{Kind: "native", Run: r, Device: "cpu"})
	}
	return t
}

// world is an agent with its dependencies.
type world struct {
	*agent.Agent
	planner *fakePlanner
	blobs   *memBlobs
}

func newWorld(t *testing.T, m *fakePlanner, ops toolbox.Backend, c agent.Config, tools ...toolbox.Tool) world {
	t.Helper()
	tb, err := toolbox.New(toolbox.Config{
		Catalogue: toolbox.NewCatalogue(tools),
		Servers:   []toolbox.Server{{Kind: "native", Backend: ops}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := world{planner: m, blobs: &memBlobs{data: map[string][]byte{"blob": picture()}}}
	c.Planner, c.Toolbox, c.Blobs, c.Scratch = m, tb, w.blobs, t.TempDir()
	if w.Agent, err = agent.New(c); err != nil {
		t.Fatal(err)
	}
	return w
}

// photo is a picture attached to a request.
var photo = plan.Resource{Name: "photo-1234.png", Type: plan.Image, Blob: "blob", File: "photo.png"}

func request(given ...plan.Resource) plan.Request {
	return plan.Request{ID: "r1", Wish: "do it", Given: given}
}

// wants is a subtask over resources.
func wants(returns plan.Type, given ...plan.Resource) plan.Subtask {
	s := plan.Subtask{Description: "get the " + string(returns), Returns: returns}
	for _, r := range given {
		s.Args = append(s.Args, plan.Arg{Type: r.Type, Source: plan.FromResource(r.Name)})
	}
	return s
}

// with adds a text argument.
func with(s plan.Subtask, text string) plan.Subtask {
	s.Args = append(s.Args, plan.Arg{Type: plan.Text, Source: plan.FromValue(text), Meaning: plan.Prompt})
	return s
}
