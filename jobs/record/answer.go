package record

import (
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Status is the state of a run.
type Status string

// Statuses. In the first three, the run has not ended.
const (
	Waiting   Status = "waiting" // for its turn in the thread
	Planning  Status = "planning"
	Running   Status = "running"
	Done      Status = "done"
	Asking    Status = "asking"  // ended with a question that is still open
	Partial   Status = "partial" // some steps succeeded, others did not
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Answer is the message that ends a run. It is written once.
type Answer struct {
	Status Status         `json:"status"`
	Reply  adapters.Reply `json:"reply"`
	// Silent answers are not posted: the message was deleted or edited, or only a plan was wanted.
	Silent bool `json:"silent,omitempty"`
	// Offers are the offers behind the reply's choices, in the same order.
	Offers []plan.Offer `json:"offers,omitempty"`
	// Turn and Resources are added to the thread's memory.
	Turn      *plan.Turn      `json:"turn,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  string          `json:"question,omitempty"`
	// Thinking is the model usage of the whole run.
	Thinking plan.Thinking `json:"thinking,omitzero"`
}

// Remember adds results to the thread's memory of the answer.
func (a *Answer) Remember(results []plan.Resource) {
	a.Resources = slices.Concat(a.Resources, results)
	if a.Turn == nil { // not part of the conversation
		return
	}
	for _, m := range results {
		a.Turn.Made = append(a.Turn.Made, m.Name)
	}
}

// Guesses returns the guesses of the answer's question.
func (a *Answer) Guesses() []string {
	var all []string
	for _, o := range a.Offers {
		if o.Guess != "" {
			all = append(all, o.Guess)
		}
	}
	return all
}

// Generated files get readable names, unique in their thread. A run claims them in the thread's log before
// its answer is written, so the order of the log decides between concurrent runs.

// nameClaim claims readable names for the files of a run.
type nameClaim struct {
	Files []namedFile `json:"files"`
	// Taken are the names of people's own files when the claim was made.
	Taken []string `json:"taken,omitempty"`
}

type namedFile struct {
	// Name is the chained name.
	Name string `json:"name"`
	// File is the wanted name. It gets a number if it is taken.
	File string `json:"file"`
}

// fileNames holds the readable names of the generated files of a thread.
type fileNames struct {
	names map[string]string // by the chained name
	taken map[string]bool   // in lower case
}

func newFiles() fileNames { return fileNames{names: map[string]string{}, taken: map[string]bool{}} }

// wantedNames returns the claim for the files that a run made, those that people get first. Variations are numbered from
// 1, as in the list to choose from.
func wantedNames(route *plan.Route) *nameClaim {
	made := route.Delivered("")
	for _, m := range route.Made() {
		if !slices.ContainsFunc(made, func(o plan.Resource) bool { return o.Name == m.Name }) {
			made = append(made, m)
		}
	}
	variations, n := map[string]int{}, map[string]int{}
	for _, m := range made {
		if m.Seed != 0 {
			variations[m.File]++
		}
	}
	c := &nameClaim{}
	for _, m := range made {
		file := m.File
		if file == "" {
			continue
		}
		if m.Seed != 0 && variations[file] > 1 {
			n[file]++
			file = plan.Numbered(file, n[file])
		}
		c.Files = append(c.Files, namedFile{m.Name, file})
	}
	return c
}

// add names the files of a claim. A file that has a name keeps it.
func (f fileNames) add(c *nameClaim) {
	for _, file := range c.Taken {
		f.taken[strings.ToLower(file)] = true
	}
	for _, file := range c.Files {
		if _, has := f.names[file.Name]; has {
			continue
		}
		name := file.File
		for i := 2; f.taken[strings.ToLower(name)]; i++ {
			name = plan.Numbered(file.File, i)
		}
		f.names[file.Name], f.taken[strings.ToLower(name)] = name, true
	}
}

// FileNames returns the readable names of the files in an answer.
func (a *Answer) FileNames() map[string]string {
	names := map[string]string{}
	for _, r := range a.Resources {
		if r.File != "" {
			names[r.Name] = r.File
		}
	}
	return names
}
