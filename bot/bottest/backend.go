package bottest

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// IdleBackend can run everything, and does nothing.
type IdleBackend struct{ Err error }

// Probe fails as it is told.
func (b IdleBackend) Probe(context.Context, toolbox.Candidate) error { return b.Err }

// Run gives nothing.
func (b IdleBackend) Run(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return toolbox.Output{Value: "done"}, b.Err
}

// Capacity is how much it does at a time.
func (IdleBackend) Capacity(context.Context) int { return 3 }

// ModelOf is the model for everything.
func (b IdleBackend) ModelOf(context.Context, toolbox.Candidate) string { return "idle-1" }

// Builtin gives the tools that come with the program, read once for all tests.
var Builtin = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

// Painters is a toolbox of two tools: paint runs on the server far, which fails, or natively; film runs only
// on the server gone, which does not answer.
func Painters(t *testing.T) *toolbox.Toolbox {
	t.Helper()
	const entry = `{name: %s, description: d, when: w, examples: [a, b, c], domain: d, origins: [atelier],
  args: [{name: text, type: text, meaning: content, about: a}], returns: text, backends: [%s]}`
	catalogue, err := toolbox.LoadCatalogue(fstest.MapFS{
		"paint.yaml": {Data: fmt.Appendf(nil, entry, "paint", "{kind: hftask, run: draw, device: gpu}, {kind: native, run: scribble, device: cpu}")},
		"film.yaml":  {Data: fmt.Appendf(nil, entry, "film", "{kind: localai, run: video, device: gpu}")},
	})
	Check(t, err)
	away := &plan.Fault{Sentence: plan.Quote("Nobody answers at 10.0.0.7."), Err: toolbox.ErrDown}
	tools, err := toolbox.New(toolbox.Config{Catalogue: catalogue, Servers: []toolbox.Server{
		{Name: "native", Kind: "native", Backend: IdleBackend{}},
		{Name: "far", Kind: "hftask", Backend: clumsy{err: away}, Parallel: 2},
		{Name: "gone", Kind: "localai", Backend: IdleBackend{away}},
	}})
	Check(t, err)
	return tools
}

// clumsy can run everything and fails at it.
type clumsy struct {
	IdleBackend

	err error
}

func (c clumsy) Run(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return toolbox.Output{}, c.err
}

// Wear makes the server far fail until its circuit opens and the other server takes over.
func Wear(t *testing.T, tools *toolbox.Toolbox) {
	t.Helper()
	for range 3 {
		_, err := tools.Run(t.Context(), "paint", "far:draw", toolbox.Call{Tool: "paint", Returns: plan.Text, Dir: t.TempDir()},
			func(toolbox.Output) error { return nil })
		Check(t, err)
	}
}

// Object is a JSON object of an answer.
type Object map[string]any

// Generated is the name of what a subtask makes.
func Generated(i int) string { return "<GENERATED>-" + strconv.Itoa(i) }

var (
	madeFile = regexp.MustCompile(`"file":"([^"]+)"`)
	toldMark = regexp.MustCompile(`\[\[told \d+\]\]`)
)

// Respond names the files of the record, and what the answer must tell.
func Respond(record string) string {
	var names []string
	for _, m := range madeFile.FindAllStringSubmatch(record, -1) {
		names = append(names, m[1])
	}
	return fmt.Sprintf("This is what came of it: %s. %s", strings.Join(names, ", "), strings.Join(toldMark.FindAllString(record, -1), " "))
}

// AProgram is one as it is stored, that writes a greeting.
const AProgram = `{"refusal":"","about":"a greeting","settings":[{"name":"greeting","type":"text","value":"Hello","about":"what is said first"}],` +
	`"checks":[{"measure":"files","value":"1"}],"program":"open(OUT + '/greeting.txt', 'w').write(SETTINGS['greeting'] + ', you')\n"}`
