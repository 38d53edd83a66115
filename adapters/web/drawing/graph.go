// Package drawing lays out the steps of an answer as a graph.
package drawing

import (
	"time"

	"atelier/adapters"
	"atelier/adapters/web/markup"
)

// Work is what was done for an answer, as a graph.
type Work struct {
	Steps []Step
}

// Step is an action that ran, or was to run.
type Step struct {
	Tool    string
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
	Name     string // of the resource; "" if it was not made
	Type     string // as the catalogue calls it: image, text …
	From     int    // the index of the step that makes it, -1 if it was given
	Argument string // that it is bound to
	Text     string // the shortened value of a text
}

// Drawing is a Work laid out from left to right: what was given, each step right of what it takes,
// and what was made and not used. Lengths are pixels; coordinates are of the upper left corner.
type Drawing struct {
	Width, Height int
	Pills         []pill
	Boxes         []box
	Arrows        []arrow
	Steps         []Step // the same in words
	Problems      []Step // those that failed
}

// pill is a resource that was given, or that came out.
type pill struct {
	rect

	Title, Label, Type string
	Result             bool
}

// box is a step.
type box struct {
	rect

	Title, Tool, Model, Took string
	State                    adapters.StepState
}

// arrow is a resource that flows.
type arrow struct {
	Path, Head     string // the d of an SVG path
	Label          string
	LabelX, LabelY int // of the middle of the label's base line
	State          adapters.StepState
	points         []spot // that the path goes through
}

// rect is the place of a node; its content takes Content of its height.
type rect struct{ X, Y, W, H, Content int }

// Left, Right, Line and MiddleX are coordinates for what stands within it.

func (r rect) Left(in int) int  { return r.X + in }
func (r rect) Right(in int) int { return r.X + r.W + in }
func (r rect) Line(at int) int  { return r.Y + (r.H-r.Content)/2 + at }
func (r rect) MiddleX() int     { return r.X + r.W/2 }

// spot is a place in the drawing.
type spot struct{ X, Y int }

// node is a step, a pill, or the place where an arrow passes through a column.
type node struct {
	rect

	kind  nodeKind
	step  int // of a step, by its place in the Work
	pill  pill
	layer int
	ins   []*link
	outs  []*link
	rank  float64 // where it wants to stand among those of its column
}

type nodeKind int

const (
	stepNode nodeKind = iota
	pillNode
	passNode
)

// link is the part of an arrow between two columns.
type link struct {
	from, to *node
	label    string // on the last part
}

// Draw lays a Work out.
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
		rect: at, State: s.State, Tool: short(s.Tool, widestLabel), Model: short(s.Model, widestLabel), Title: markup.Name(s.Tool),
	}
	if s.Took > 0 {
		b.Took = adapters.Took(s.Took)
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

// wire is an arrow before it is laid out.
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

// layers puts each node in a column behind all that lead to it, and drops arrows of cycles.
func (g *graph) layers() {
	g.wires = withoutCycles(g.nodes, g.wires)
	for range g.nodes { // the longest way has no more arrows than there are nodes
		for _, w := range g.wires {
			w.to.layer = max(w.to.layer, w.from.layer+1)
		}
	}
	given := false
	for _, n := range g.nodes {
		given = given || n.kind == pillNode && !n.pill.Result
	}
	for _, n := range g.nodes {
		if given && n.kind == stepNode && n.layer == 0 { // the first column is for what was given
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
