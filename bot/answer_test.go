package main

import (
	"strings"
	"testing"
)

// TestOtherWays: ways that have the same tools are told apart by what these work on.
func TestOtherWays(t *testing.T) {
	t.Parallel()
	way := func(rank int, steps ...stepLine) solutionLine {
		return solutionLine{Rank: rank, Score: 4, Steps: steps}
	}
	a := answer{ran: 1, Solutions: []solutionLine{
		way(1, stepLine{Tool: "edge", Inputs: []string{"a.png"}, Status: "done"}),
		way(2, stepLine{Tool: "edge", Inputs: []string{"b.png"}}),
		way(3, stepLine{Tool: "blur", Inputs: []string{"a.png", "3"}}, stepLine{Tool: "edge", Inputs: []string{"<step 1: image>"}}),
	}}
	var b strings.Builder
	if err := a.print(&b, false); err != nil {
		t.Fatal(err)
	}
	const want = "Other ways, to be run with --solution:\n  2  edge (b.png) (score 4.0)\n  3  blur, then edge (score 4.0)\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Error(b.String())
	}
}
