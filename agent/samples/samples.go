// Package samples holds example requests for people to try. Help and greetings show those that work
// here.
package samples

import (
	_ "embed"
	"strings"
)

//go:embed samples.txt
var file string

// Sample is a request and the tool that does it. Each tool has at most one sample, so the tool is
// its key.
type Sample struct{ Tool, Wish string }

// All returns all samples, best first.
func All() []Sample {
	var all []Sample
	for line := range strings.Lines(file) {
		tool, wish, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.HasPrefix(line, "#") {
			all = append(all, Sample{tool, wish})
		}
	}
	return all
}

// Of returns the sample of a tool, "" if it has none.
func Of(tool string) string {
	for _, s := range All() {
		if s.Tool == tool {
			return s.Wish
		}
	}
	return ""
}

// Live returns the first samples whose tools can run, at most most.
func Live(runs func(tool string) bool, most int) []Sample {
	var live []Sample
	for _, s := range All() {
		if len(live) < most && runs(s.Tool) {
			live = append(live, s)
		}
	}
	return live
}
