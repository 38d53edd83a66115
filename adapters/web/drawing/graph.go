// Package drawing lays out the steps of an answer as a graph.
package drawing

import (
	"time"

	"atelier/adapters"
	"atelier/adapters/web/markup"
)

// Work is the work done for an answer, as a graph.
type Work struct {
	Steps []Step
}

// Step is a step of a plan.
type Step struct {
	Text    string // what it makes, for people
	Model   string // "" if the tool has none
	State   adapters.StepState
	Took    time.Duration
	Takes   []Flow
	Makes   []Flow // with Name and Type only
	Problem string // why it failed, for people
	Program string // the source code of its program, "" if it has none
}

// Flow is a resource between steps.
type Flow struct {
	Name     string // name of the resource; "" if it was not made
	Type     string // as the catalogue calls it: image, text …
	From     int    // index of the step that makes it, -1 if it was given
	Argument string // name of the argument
	Text     string // the shortened value of a text
}

// Drawing is a Work laid out from left to right: the given resources, each step to the right of its inputs, and
// the results that no step uses. Lengths are in pixels; coordinates are of the upper left corner.
type Drawing struct {
	Width, Height int
	Pills         []pill
	Boxes         []box
	Arrows        []arrow
	Steps         []Step // the same in words
	Problems      []Step // failed steps
}

// pill is a given resource or a result.
type pill struct {
	rect

	Title, Label, Type string
	Result             bool
}

// box is a step.
type box struct {
	rect

	Title, Text, Model, Took string
	State                    adapters.StepState
}

// arrow is a resource passed to a step.
type arrow struct {
	Path, Head     string // d attributes of SVG paths
	Label          string
	LabelX, LabelY int // middle of the label's baseline
	State          adapters.StepState
	points         []spot // points of the path
}

// rect is the place of a node; Content is the height of its content.
type rect struct{ X, Y, W, H, Content int }

// Left, Right, Line and MiddleX return coordinates for its content.

func (r rect) Left(in int) int  { return r.X + in }
func (r rect) Right(in int) int { return r.X + r.W + in }
func (r rect) Line(at int) int  { return r.Y + (r.H-r.Content)/2 + at }
func (r rect) MiddleX() int     { return r.X + r.W/2 }

// spot is a point of the drawing.
type spot struct{ X, Y int }

// node is a step, a pill, or the place where an arrow passes through a column.
type node struct {
	rect

	kind  nodeKind
	step  int // index of a step in the Work
	pill  pill
	layer int
	ins   []*link
	outs  []*link
	rank  float64 // position in its column
}

type nodeKind int

const (
	stepNode nodeKind = iota
	pillNode
	passNode
)

// link is the part of an arrow from one column to the next.
type link struct {
	from, to *node
	label    string // only on the last part
}

// Draw lays out a Work.
func Draw(w Work) Drawing {
	g := newGraph(w)
	g.layers()
	g.columns()
	g.order()
	g.place()
	d := Drawing{Width: g.width, Height: g.height, Arrows: g.arrows(w), Steps: w.Steps}
	for _, n := range g.nodes {
		switch n.kind {
		case stepNode:
			d.Boxes = append(d.Boxes, newBox(w.Steps[n.step], n.rect))
		case pillNode:
			n.pill.rect = n.rect
			d.Pills = append(d.Pills, n.pill)
		case passNode:
		}
	}
	for _, s := range w.Steps {
		if s.Problem != "" {
			d.Problems = append(d.Problems, s)
		}
	}
	return d
}

func newBox(s Step, at rect) box {
	b := box{
		rect: at, State: s.State, Text: short(s.Text, widestText), Model: short(s.Model, widestLabel), Title: markup.Name(s.Text),
	}
	if s.Took > 0 {
		b.Took = adapters.FormatDuration(s.Took)
	}
	for _, more := range []string{s.Model, s.Problem} {
		if more != "" {
			b.Title += "\n" + markup.Name(more)
		}
	}
	return b
}

// graph is a Work as nodes and the arrows between them.
type graph struct {
	nodes   []*node
	steps   []*node
	wires   []wire
	layered [][]*node // by column

	width, height int
	gaps          []gap // before each column
}

// wire is an arrow before layout.
type wire struct {
	from, to *node
	label    string
	parts    []*link
}

func newGraph(w Work) *graph {
	g := &graph{}
	for i := range w.Steps {
		g.steps = append(g.steps, g.add(&node{kind: stepNode, step: i, rect: boxSize(w.Steps[i])}))
	}
	given := map[Flow]*node{}
	used := map[Flow]bool{} // by name, type and step
	for i, s := range w.Steps {
		for _, f := range s.Takes {
			if f.From >= 0 && f.From < len(w.Steps) {
				used[Flow{Name: f.Name, Type: f.Type, From: f.From}] = true
				g.wires = append(g.wires, wire{from: g.steps[f.From], to: g.steps[i], label: f.Type})
				continue
			}
			what := Flow{Name: f.Name, Type: f.Type, Text: f.Text}
			if given[what] == nil {
				given[what] = g.add(newPill(what, false))
			}
			label := f.Argument
			if label == f.Type {
				label = ""
			}
			g.wires = append(g.wires, wire{from: given[what], to: g.steps[i], label: label})
		}
	}
	for i, s := range w.Steps {
		for _, f := range s.Makes {
			if !used[Flow{Name: f.Name, Type: f.Type, From: i}] && s.State != adapters.StepSkipped {
				g.wires = append(g.wires, wire{from: g.steps[i], to: g.add(newPill(f, true))})
			}
		}
	}
	return g
}

func (g *graph) add(n *node) *node {
	g.nodes = append(g.nodes, n)
	return n
}

func newPill(f Flow, result bool) *node {
	p := pill{Label: f.Name, Type: f.Type, Result: result}
	if p.Label == "" {
		p.Label = f.Text
	}
	if p.Label == "" {
		p.Label, p.Type = p.Type, ""
	}
	p.Title = p.Label
	p.Label = short(p.Label, widestLabel)
	p.Type = short(p.Type, widestLabel)
	return &node{kind: pillNode, pill: p, rect: rect{W: max(textWidth(p.Label), textWidth(p.Type)) + 28, H: pillHeight, Content: pillHeight}}
}

// layers puts each node in a column to the right of all its predecessors, and drops arrows that close cycles.
func (g *graph) layers() {
	g.wires = withoutCycles(g.nodes, g.wires)
	for range g.nodes { // the longest path has fewer arrows than there are nodes
		for _, w := range g.wires {
			w.to.layer = max(w.to.layer, w.from.layer+1)
		}
	}
	given := false
	for _, n := range g.nodes {
		given = given || n.kind == pillNode && !n.pill.Result
	}
	for _, n := range g.nodes {
		if given && n.kind == stepNode && n.layer == 0 { // the first column is for given resources
			n.layer = 1
		}
	}
	for range g.nodes {
		for _, w := range g.wires {
			w.to.layer = max(w.to.layer, w.from.layer+1)
		}
	}
}

// withoutCycles drops the arrows that close a cycle.
func withoutCycles(nodes []*node, wires []wire) []wire {
	outs := map[*node][]int{}
	for i, w := range wires {
		outs[w.from] = append(outs[w.from], i)
	}
	const open, closed = 1, 2
	state := map[*node]int{}
	back := map[int]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		state[n] = open
		for _, i := range outs[n] {
			switch state[wires[i].to] {
			case open:
				back[i] = true
			case closed:
			default:
				visit(wires[i].to)
			}
		}
		state[n] = closed
	}
	for _, n := range nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	var kept []wire
	for i, w := range wires {
		if !back[i] {
			kept = append(kept, w)
		}
	}
	return kept
}
