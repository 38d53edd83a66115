// Package samples has requests that people can try. Help and greetings show those that work here.
package samples

import (
	_ "embed"
	"strings"
)

//go:embed samples.txt
var file string

// Count is how many samples are shown at once.
const Count = 3

// Sample is a request and the tool that does it. The tool is its key: there is one sample of a tool.
type Sample struct{ Tool, Wish string }

// All lists the samples, the most telling first.
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

// Live are the first samples, [Count] at most, whose tools can run.
func Live(runs func(tool string) bool) []Sample {
	var live []Sample
	for _, s := range All() {
		if len(live) < Count && runs(s.Tool) {
			live = append(live, s)
		}
	}
	return live
}
