package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/ask"
	"atelier/bot/clitest"
)

// trial is a file of testdata/cases: a conversation with the whole program, with real programs, and with a local
// server if a model is needed.
type trial struct {
	// Server describes the tool server; without it there is none.
	Server *struct {
		// Models are the models of a task, instead of its only one.
		Models map[string][]string `yaml:"models"`
		// Words are the names of objects by their colour.
		Words map[string]string `yaml:"words"`
		Heard string            `yaml:"heard"`
		// Together is how many concurrent requests of a task must arrive before they are answered.
		Together map[string]int `yaml:"together"`
	} `yaml:"server"`
	// Local reports whether there is a LocalAI server, too.
	Local bool `yaml:"local"`
	Turns []struct {
		Wish string `yaml:"wish"`
		// Planner is how a model understands the request; without it, the rules plan.
		Planner []scripted `yaml:"planner"`
		// Files are made by prop, under these names.
		Files map[string]string `yaml:"files"`
		// Other is the tool of the alternative to choose, instead of the best solution.
		Other string `yaml:"other"`
		// Faults are the faults of the server, by task or model.
		Faults map[string]struct {
			Kind  hftasktest.Kind `yaml:"kind"`
			Times int             `yaml:"times"`
			After int             `yaml:"after"`
		} `yaml:"faults"`
		Want outcome `yaml:"want"`
	} `yaml:"turns"`
}

// outcome is the expected outcome of a request.
type outcome struct {
	Status string `yaml:"status"` // done, unless told
	// Steps are the tools that must run, with the number of runs.
	Steps map[string]int `yaml:"steps"`
	// From has the inputs of tools: results, by the tools that made them, and given files, by their original
	// names.
	From map[string][]string `yaml:"from"`
	// Asked is how often the server does a task.
	Asked map[string]int `yaml:"asked"`
	Says  []string       `yaml:"says"`
	Hides []string       `yaml:"hides"` // what the answer must not say
	// Offers are the tools of the alternatives.
	Offers []string `yaml:"offers"`
	// Files are the files of the answer, in any order.
	Files []measure `yaml:"files"`
}

// TestCases runs the files of testdata/cases.
func TestCases(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c trial
			dec := yaml.NewDecoder(bytes.NewReader(b))
			dec.KnownFields(true)
			if err := dec.Decode(&c); err != nil {
				t.Fatal(err)
			}
			c.run(t)
		})
	}
}

func (c *trial) run(t *testing.T) {
	t.Helper()
	data := t.TempDir()
	base := []string{"ATELIER_DATA=" + data}
	server := c.serve(t)
	if server != nil {
		base = append(base, "TOOL_SERVER_URL="+server.URL())
	}
	if c.Local {
		base = append(base, "LOCALAI_URL="+localaitest.New(t, localaitest.Config{}).URL())
	}
	var last ask.Answer
	for i, turn := range c.Turns {
		env := append(slices.Clone(base), plannerOf(t, turn.Planner)...)
		for where, f := range turn.Faults {
			server.Break(where, hftasktest.Fault{Kind: f.Kind, Times: f.Times, After: f.After})
		}
		args := []string{"ask", "--json", "--thread", "case", "--out", filepath.Join(data, "out"+strconv.Itoa(i))}
		for _, name := range slices.Sorted(maps.Keys(turn.Files)) {
			args = append(args, "--file", prop(t, data, name, turn.Files[name]))
		}
		if turn.Other != "" {
			args = append(args, "--solution", strconv.Itoa(rankWith(t, last, turn.Other)))
		}
		before := tasksAsked(server)
		an := heard(t, env, append(args, turn.Wish)...)
		last = an
		after := tasksAsked(server)
		for task, n := range before {
			after[task] -= n
		}
		t.Logf("%q: asked were %v\n%s", turn.Wish, after, describe(an))
		turn.Want.judge(t, an, after)
		for where := range turn.Faults {
			server.Mend(where)
		}
	}
}

// serve starts the tool server, or returns nil if the case has none.
func (c *trial) serve(t *testing.T) *hftasktest.Server {
	t.Helper()
	if c.Server == nil {
		return nil
	}
	models := hftasktest.Models()
	maps.Copy(models, c.Server.Models)
	server := hftasktest.New(t, hftasktest.Config{Models: models, Words: c.Server.Words, Heard: c.Server.Heard})
	for task, n := range c.Server.Together {
		gather(t, server.Hold(task), n)
	}
	return server
}

// gather releases held requests once n of them wait.
func gather(t *testing.T, hold *hftasktest.Hold, n int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), clitest.Busy)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer hold.Release()
		for i := range n {
			select {
			case <-hold.Held:
			case <-ctx.Done():
				t.Errorf("%d requests came together, not %d", i, n)
				return
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

// tasksAsked returns how often each task was done.
func tasksAsked(server *hftasktest.Server) map[string]int {
	n := map[string]int{}
	if server != nil {
		for _, call := range server.Calls() {
			if call.Refused == "" {
				n[call.Task]++
			}
		}
	}
	return n
}

// heard calls ask, and parses its output.
func heard(t *testing.T, env []string, args ...string) ask.Answer {
	t.Helper()
	status, stdout, stderr := clitest.Called{Env: env, Args: args}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return an
}

// describe returns the answer, the steps, and the alternatives.
func describe(a ask.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", a.Status, a.Text)
	for _, s := range a.Solutions {
		for _, l := range s.Steps {
			if s.Rank == followed(a).Rank || l.With != "" {
				fmt.Fprintf(&b, "%d: %s%q → %s with %q, %s\n", s.Rank, l.Tool, l.Inputs, l.Output, l.With, l.Status)
			}
		}
	}
	for _, f := range a.Files {
		fmt.Fprintf(&b, "%s: %s\n", f.Type, f.Name)
	}
	return b.String()
}

// rankWith returns the number of the first solution with that tool.
func rankWith(t *testing.T, a ask.Answer, with string) int {
	t.Helper()
	for _, s := range a.Solutions {
		if slices.ContainsFunc(s.Steps, func(l ask.StepLine) bool { return l.With == with }) {
			return s.Rank
		}
	}
	t.Fatalf("nothing runs with %s: %+v", with, a.Solutions)
	return 0
}

// followed returns the solution that ran.
func followed(a ask.Answer) ask.SolutionLine {
	for _, s := range a.Solutions {
		if slices.ContainsFunc(s.Steps, func(l ask.StepLine) bool { return l.Status != string(plan.Waiting) }) {
			return s
		}
	}
	return ask.SolutionLine{}
}

// given matches what the name of a given file has in addition to its original name.
var given = regexp.MustCompile(`-[0-9a-f]{4,}\.`)

func (o outcome) judge(t *testing.T, a ask.Answer, tasks map[string]int) {
	t.Helper()
	if want := o.Status; a.Status != want && (want != "" || a.Status != ask.DoneStatus) {
		t.Errorf("the status is %s", a.Status)
	}
	ran, made := map[string]int{}, map[string]string{}
	for _, s := range followed(a).Steps {
		ran[s.Tool]++
		made[s.Output] = s.Tool
	}
	if o.Steps != nil && !maps.Equal(ran, o.Steps) {
		t.Errorf("what ran is %v", ran)
	}
	for _, s := range followed(a).Steps {
		var from []string
		for _, in := range s.Inputs {
			if tool, ok := made[in]; ok {
				from = append(from, tool)
			} else if given.MatchString(in) {
				from = append(from, given.ReplaceAllString(in, "."))
			}
		}
		if want, ok := o.From[s.Tool]; ok && !slices.Equal(from, want) {
			t.Errorf("%s took %q", s.Tool, from)
		}
	}
	for task, n := range o.Asked {
		if tasks[task] != n {
			t.Errorf("%s was done %d times", task, tasks[task])
		}
	}
	for _, text := range o.Says {
		if !strings.Contains(a.Text, text) {
			t.Errorf("the answer lacks %q", text)
		}
	}
	for _, text := range o.Hides {
		if strings.Contains(a.Text, text) {
			t.Errorf("the answer says %q", text)
		}
	}
	o.judgeOffers(t, a)
	judgeFiles(t, o.Files, a.Files)
}

// judgeOffers checks the alternatives.
func (o outcome) judgeOffers(t *testing.T, a ask.Answer) {
	t.Helper()
	ran := followed(a).Rank
	for _, with := range o.Offers {
		if !slices.ContainsFunc(a.Solutions, func(s ask.SolutionLine) bool {
			return s.Rank != ran && slices.ContainsFunc(s.Steps, func(l ask.StepLine) bool { return l.With == with })
		}) {
			t.Errorf("no other way is with %s", with)
		}
	}
}
