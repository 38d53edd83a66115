package rules_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// All tests share the catalogue and the planner.
var (
	catalogue = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })
	made      = sync.OnceValues(func() (*rules.Planner, error) {
		c, err := catalogue()
		if err != nil {
			return nil, err
		}
		return rules.New(rules.Config{Catalogue: c})
	})
)

func thePlanner(tb testing.TB) *rules.Planner {
	tb.Helper()
	m, err := made()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// allTools returns the names of the catalogue's tools.
func allTools(tb testing.TB) []string {
	tb.Helper()
	c, err := catalogue()
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

// A case is a part of a file in testdata/decompose that begins with "== name". Its lines are the request and the
// expected result:
//
//	given TYPE NAME       a file that came with the message; "earlier" is one of the thread
//	on NAME               the picture on which the resource above is marked
//	holds CONTENT         the content of the file above, to be compared with that of others
//	lasts SECONDS         the length of the sound or the video above
//	called NAME           the user's own name for the file above
//	turn WISH             an earlier message of the thread; "made NAME..." names its results
//	asked QUESTION        the open question; "about WISH" the wish that led to it
//	wish WISH             Go syntax if it begins with a quotation mark and ends with one
//	type NAME TYPE        the type of a resource, according to the wish
//	-> TYPE: ARG, ARG…    a subtask, and after " | " the tools of which one must be its head
//	left PART & WORD      a part of the wish that is left undone, and its unknown words
//	? PART & PART         a question that contains the parts, ignoring case
//	reply PART            conversation that contains the part; "refuse" is a refusal
//	brings NAME           an earlier result that comes with the reply
//
// An ARG is the name of a resource, the number of an earlier subtask ("<1>"), or a meaning with a text:
// `prompt "a red fox"` for exactly that, `prompt ~fox` for one that contains it, followed by "<1>" for the results
// that the text quotes. `place? ~up` is optional.
type testCase struct {
	name    string
	request plan.Request
	types   map[string]plan.Type
	brings  []string
	tasks   []wantTask
	left    [][]string
	asks    []string
	reply   string
	refuse  string
}

type wantTask struct {
	returns plan.Type
	args    []string
	heads   []string
}

func readCases(tb testing.TB) []testCase {
	tb.Helper()
	files, err := filepath.Glob("testdata/decompose/*.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var all []testCase
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		n := 0
		for line := range bytes.Lines(b) {
			n++
			text := strings.TrimRight(string(line), "\n")
			if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
				continue
			}
			if name, ok := strings.CutPrefix(text, "== "); ok {
				base := strings.TrimSuffix(filepath.Base(file), ".txt")
				all = append(all, testCase{name: base + "/" + name, types: map[string]plan.Type{}})
				continue
			}
			if len(all) == 0 {
				tb.Fatalf("%s:%d: a line before the first case", file, n)
			}
			if err := all[len(all)-1].read(text); err != nil {
				tb.Fatalf("%s:%d: %v", file, n, err)
			}
		}
	}
	return all
}

// read parses one line of a case.
func (c *testCase) read(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	r := &c.request
	switch word {
	case "given", "earlier":
		typ, name, ok := strings.Cut(rest, " ")
		if !ok {
			return fmt.Errorf("%q lacks a name", line)
		}
		if word == "given" {
			r.Given = append(r.Given, plan.Resource{Name: name, Type: plan.Type(typ)})
		} else {
			r.Earlier = append(r.Earlier, plan.Resource{Name: name, Type: plan.Type(typ)})
		}
	case "on":
		switch {
		case len(r.Given) > 0:
			r.Given[len(r.Given)-1].On = rest
		case len(r.Earlier) > 0:
			r.Earlier[len(r.Earlier)-1].On = rest
		default:
			return fmt.Errorf("%q: no resource before it", line)
		}
	case "holds":
		r.Given[len(r.Given)-1].Blob = rest
	case "lasts":
		r.Given[len(r.Given)-1].Facts = rest + " seconds"
	case "called":
		switch {
		case len(r.Given) > 0:
			r.Given[len(r.Given)-1].File = rest
		case len(r.Earlier) > 0:
			r.Earlier[len(r.Earlier)-1].File = rest
		default:
			return fmt.Errorf("%q: no resource before it", line)
		}
	case "turn":
		r.Turns = append(r.Turns, plan.Turn{Wish: rest, Reply: "Done."})
	case "made":
		last := &r.Turns[len(r.Turns)-1]
		last.Made = append(last.Made, strings.Fields(rest)...)
	case "asked":
		r.Question = &plan.Question{Text: rest}
	case "about":
		r.Question.Wish = rest
	case "wish":
		if len(rest) > 1 && strings.HasPrefix(rest, `"`) && strings.HasSuffix(rest, `"`) {
			wish, err := strconv.Unquote(rest)
			if err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
			rest = wish
		}
		r.Wish = rest
	case "type":
		name, typ, _ := strings.Cut(rest, " ")
		c.types[name] = plan.Type(typ)
	case "->":
		rest, heads, _ := strings.Cut(rest, " | ")
		typ, args, _ := strings.Cut(rest, ":")
		w := wantTask{returns: plan.Type(typ), args: splitArgs(args)}
		if heads != "" {
			w.heads = strings.Fields(strings.ReplaceAll(heads, "/", " "))
		}
		c.tasks = append(c.tasks, w)
	case "left":
		c.left = append(c.left, strings.Split(rest, " & "))
	case "?":
		c.asks = strings.Split(rest, " & ")
	case "reply":
		c.reply = rest
	case "brings":
		c.brings = append(c.brings, rest)
	case "refuse":
		c.refuse = rest
	default:
		return fmt.Errorf("%q: unknown line", line)
	}
	return nil
}

// splitArgs splits at commas outside quotation marks.
func splitArgs(s string) []string {
	var args []string
	quoted, begin := false, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && !quoted:
			if a := strings.TrimSpace(s[begin:i]); a != "" {
				args = append(args, a)
			}
			begin = i + 1
		case s[i] == '"':
			quoted = !quoted
		}
	}
	return args
}

// showArg returns an argument in the notation of the case files.
func showArg(a plan.Arg) string {
	if a.Source.Kind == plan.OfResource {
		return a.Source.Name
	}
	if a.Source.Kind == plan.OfSubtask {
		return fmt.Sprintf("<%d>", a.Source.Index+1)
	}
	if a.Source.Kind == plan.OfText {
		parts := []string{fmt.Sprintf("%s %q", a.Meaning, a.Source.Value)}
		for _, p := range a.Source.Parts {
			parts = append(parts, showArg(plan.Arg{Source: p}))
		}
		return strings.Join(parts, " ")
	}
	if a.Type != plan.Text {
		return fmt.Sprintf("%s %q", a.Type, a.Source.Value)
	}
	return fmt.Sprintf("%s %q", a.Meaning, a.Source.Value)
}

// fits reports whether an argument is the expected one.
func fits(a plan.Arg, want string) bool {
	meaning, part, loose := strings.Cut(want, " ~")
	if !loose {
		return showArg(a) == want
	}
	have := showArg(a)
	for {
		rest, quoted, ok := strings.Cut(part, " <")
		if !ok {
			break
		}
		if !strings.Contains(have, "<"+quoted) {
			return false
		}
		part = rest
	}
	return strings.HasPrefix(have, meaning+" ") && strings.Contains(strings.ToLower(have), strings.ToLower(part))
}

// argsAndSettings returns the arguments of a subtask, and its settings as texts.
func argsAndSettings(s plan.Subtask) []plan.Arg {
	all := slices.Clone(s.Args)
	for _, said := range s.Said {
		all = append(all, plan.Arg{Type: plan.Text, Source: plan.FromValue(said.Text()), Meaning: param.Type(said.Type).Meaning()})
	}
	return all
}

// showTasks writes subtasks as the case files do.
func showTasks(d planner.Decomposition) string {
	var b strings.Builder
	for _, s := range d.Subtasks {
		var args []string
		for _, a := range argsAndSettings(s) {
			args = append(args, showArg(a))
		}
		fmt.Fprintf(&b, "\n    -> %s: %s", s.Returns, strings.Join(args, ", "))
	}
	switch {
	case d.Question != "":
		fmt.Fprintf(&b, "\n    ? %s", d.Question)
	case d.Refused:
		fmt.Fprintf(&b, "\n    refuse %s", d.Reply)
	case d.Reply != "":
		fmt.Fprintf(&b, "\n    reply %s", d.Reply)
	}
	return b.String()
}

// wrong returns what is wrong with the subtask, or "". The arguments may be in any order.
func (w wantTask) wrong(m *rules.Planner, tools []string, c testCase, s plan.Subtask) (string, error) {
	if s.Returns != w.returns {
		return fmt.Sprintf("returns %s, want %s", s.Returns, w.returns), nil
	}
	left := argsAndSettings(s)
	for _, want := range w.args {
		may := strings.Contains(want, "? ")
		want = strings.Replace(want, "? ", " ", 1)
		i := slices.IndexFunc(left, func(a plan.Arg) bool { return fits(a, want) })
		if i < 0 && may {
			continue
		}
		if i < 0 {
			return "lacks " + want, nil
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		return "should not have " + showArg(left[0]), nil
	}
	if len(w.heads) == 0 {
		return "", nil
	}
	scores, err := m.Assess(context.Background(), c.request, []planner.Assessment{{Subtask: s, Candidates: tools}}, nil)
	if err != nil {
		return "", err
	}
	best := slices.Max(scores[0])
	var heads []string
	for i, tool := range tools {
		if scores[0][i] == best {
			heads = append(heads, tool)
		}
	}
	if !slices.Contains(w.heads, heads[0]) {
		return fmt.Sprintf("is done by %v, want %v", heads, w.heads), nil
	}
	return "", nil
}

func TestDecompose(t *testing.T) {
	t.Parallel()
	m, tools, cases := thePlanner(t), allTools(t), readCases(t)
	if len(cases) < 60 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := m.Decompose(t.Context(), c.request, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkPlan(t, c.request, d)
			if len(d.Subtasks) != len(c.tasks) {
				t.Fatalf("%q gives %d subtasks, want %d:%s", c.request.Wish, len(d.Subtasks), len(c.tasks), showTasks(d))
			}
			for i, w := range c.tasks {
				wrong, err := w.wrong(m, tools, c, d.Subtasks[i])
				if err != nil {
					t.Fatal(err)
				}
				if wrong != "" {
					t.Errorf("%q: subtask %d %s:%s", c.request.Wish, i+1, wrong, showTasks(d))
				}
			}
			for name, typ := range c.types {
				if d.Types[name] != typ {
					t.Errorf("%q: %s is of type %q, want %s", c.request.Wish, name, d.Types[name], typ)
				}
			}
			c.checkLeft(t, d)
			c.checkWords(t, d)
		})
	}
}

// checkLeft checks the parts of the wish that are left undone.
func (c *testCase) checkLeft(t *testing.T, d planner.Decomposition) {
	t.Helper()
	if len(d.Left) != len(c.left) {
		t.Errorf("%q leaves %q, want %q", c.request.Wish, d.Left, c.left)
		return
	}
	for i, l := range d.Left {
		if want := c.left[i]; !strings.Contains(l.Part, want[0]) || !slices.Equal(l.Unknown, want[1:]) && len(l.Unknown)+len(want) > 1 {
			t.Errorf("%q leaves %q, want %q", c.request.Wish, l, want)
		}
	}
}

// checkWords checks the question, refusal or reply.
func (c *testCase) checkWords(t *testing.T, d planner.Decomposition) {
	t.Helper()
	holds := func(text, part string) bool {
		return part != "" && strings.Contains(strings.ToLower(text), strings.ToLower(part))
	}
	switch {
	case len(c.asks) > 0:
		for _, part := range c.asks {
			if !holds(d.Question, part) {
				t.Errorf("%q: the question does not contain %q:%s", c.request.Wish, part, showTasks(d))
			}
		}
	case c.refuse != "":
		if !d.Refused || !holds(d.Reply, c.refuse) {
			t.Errorf("%q: the refusal does not contain %q:%s", c.request.Wish, c.refuse, showTasks(d))
		}
	case c.reply != "":
		if d.Refused || !holds(d.Reply, c.reply) || !slices.Equal(d.Brings, c.brings) {
			t.Errorf("%q is not answered with %q and %q:%s\n    %q", c.request.Wish, c.reply, c.brings, showTasks(d), d.Brings)
		}
	case len(c.tasks) == 0:
		t.Errorf("the case expects nothing")
	}
}

// checkPlan checks the guarantees of every decomposition: it has exactly one of subtasks, question and reply, and
// refers only to existing resources.
func checkPlan(t *testing.T, r plan.Request, d planner.Decomposition) {
	t.Helper()
	said := 0
	for _, is := range []bool{len(d.Subtasks) > 0, d.Question != "", d.Reply != ""} {
		if is {
			said++
		}
	}
	if said != 1 || d.Refused && d.Reply == "" {
		t.Fatalf("%q: want exactly one of subtasks, question and reply:%s", r.Wish, showTasks(d))
	}
	p := plan.Plan{Resources: slices.Clone(r.Resources())}
	for i := range p.Resources {
		typ, told := d.Types[p.Resources[i].Name]
		if told {
			p.Resources[i].Type = typ
		}
	}
	for name := range d.Types {
		if !slices.ContainsFunc(p.Resources, func(r plan.Resource) bool { return r.Name == name }) {
			t.Fatalf("%q: a type for the unknown resource %q", r.Wish, name)
		}
	}
	for i, s := range d.Subtasks {
		if s.Returns == "" || s.Description == "" {
			t.Fatalf("%q: subtask %d lacks a description or a type", r.Wish, i+1)
		}
		for _, a := range s.Args {
			for _, leaf := range a.Source.Leaves() {
				if leaf.Kind == plan.OfSubtask && !slices.Contains(s.After, leaf.Index) {
					t.Fatalf("%q: subtask %d uses the result of %d, which is not before it", r.Wish, i+1, leaf.Index+1)
				}
			}
			if a.Source.Kind == plan.Blank || a.Source.Kind == plan.OfValue && strings.TrimSpace(a.Source.Value) == "" {
				t.Fatalf("%q: subtask %d has an empty argument", r.Wish, i+1)
			}
		}
		p.Tasks = append(p.Tasks, plan.Task{Subtask: s})
	}
	if err := p.Validate(); err != nil {
		t.Fatalf("%q: %v:%s", r.Wish, err, showTasks(d))
	}
}
