package drawing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/adapters"
)

// Sizes in pixels.
const (
	margin      = 8
	pillHeight  = 44
	boxHeight   = 52
	portGap     = 22 // between two arrows that end at the same box
	nodeGap     = 18 // between two nodes of a column
	curve       = 36 // horizontal room for the bend of an arrow
	headLength  = 7
	widestLabel = 22 // in letters
	widestText  = 34 // of a step
)

// gap is the space before a column.
type gap struct{ width, label int }

// columns sorts the nodes into columns, and splits each arrow into links from column to column.
func (g *graph) columns() {
	for i := range g.wires {
		w := &g.wires[i]
		from := w.from
		for layer := w.from.layer + 1; layer <= w.to.layer; layer++ {
			to := w.to
			if layer < w.to.layer {
				to = g.add(&node{kind: passNode, layer: layer, rect: rect{H: 2}})
			}
			part := &link{from: from, to: to}
			from.outs, to.ins = append(from.outs, part), append(to.ins, part)
			w.parts = append(w.parts, part)
			from = to
		}
		w.parts[len(w.parts)-1].label = short(w.label, widestLabel)
	}
	for _, n := range g.nodes {
		for len(g.layered) <= n.layer {
			g.layered = append(g.layered, nil)
		}
		g.layered[n.layer] = append(g.layered[n.layer], n)
		n.H = max(n.H, portGap*max(len(n.ins), len(n.outs))+8)
		if n.kind == passNode {
			n.H = 2
		}
	}
}

// order sorts each column to reduce crossings, by the mean rank of the linked nodes in the previous and the next
// column in turn.
func (g *graph) order() {
	for _, column := range g.layered {
		for i, n := range column {
			n.rank = float64(i)
		}
	}
	for sweep := range 8 {
		for at := range g.layered {
			if sweep%2 == 1 {
				at = len(g.layered) - 1 - at
			}
			column := g.layered[at]
			want := map[*node]float64{}
			for _, n := range column {
				want[n] = n.middle(sweep%2 == 0)
			}
			slices.SortStableFunc(column, func(a, b *node) int { return cmp.Compare(want[a], want[b]) })
			for i, n := range column {
				n.rank = float64(i)
			}
		}
	}
}

// middle returns the mean rank of the neighbours on one side, or the node's own rank if there are none.
func (n *node) middle(before bool) float64 {
	sum, all := 0.0, n.neighbours(before)
	for _, other := range all {
		sum += other.rank
	}
	if len(all) == 0 {
		return n.rank
	}
	return sum / float64(len(all))
}

func (n *node) neighbours(before bool) []*node {
	var all []*node
	if before {
		for _, l := range n.ins {
			all = append(all, l.from)
		}
		return all
	}
	for _, l := range n.outs {
		all = append(all, l.to)
	}
	return all
}

// place sets the coordinates of all nodes.
func (g *graph) place() {
	x := margin
	for at, column := range g.layered {
		wide, label := 0, 0
		for _, n := range column {
			wide = max(wide, n.W)
			for _, l := range n.ins {
				label = max(label, textWidth(l.label))
			}
		}
		if at > 0 {
			label += 10 + headLength
			x += curve + label
		}
		g.gaps = append(g.gaps, gap{width: curve + label, label: label})
		for _, n := range column {
			n.X, n.W = x, wide
		}
		x += wide
	}
	g.width = x + margin
	for _, column := range g.layered {
		spread(column, func(*node) float64 { return 0 })
	}
	for sweep := range 6 {
		for at := range g.layered {
			if sweep%2 == 1 {
				at = len(g.layered) - 1 - at
			}
			spread(g.layered[at], func(n *node) float64 { return n.level(sweep%2 == 0) })
		}
	}
	top := 0
	for _, n := range g.nodes {
		top = min(top, n.Y)
	}
	for _, n := range g.nodes {
		n.Y += margin - top
		g.height = max(g.height, n.Y+n.H+margin)
	}
}

// level returns the best height for the middle of the node: the mean of its neighbours'.
func (n *node) level(before bool) float64 {
	all := n.neighbours(before)
	if len(all) == 0 {
		all = n.neighbours(!before)
	}
	if len(all) == 0 {
		return float64(n.Y) + float64(n.H)/2
	}
	sum := 0.0
	for _, other := range all {
		sum += float64(other.Y) + float64(other.H)/2
	}
	return sum / float64(len(all))
}

// spread moves the nodes of a column, keeping their order, as close to the wanted heights as their sizes allow.
// Overlapping nodes form a block at their mean (pool adjacent violators).
func spread(column []*node, want func(*node) float64) {
	type block struct {
		sum   float64
		count int
	}
	mean := func(b block) float64 { return b.sum / float64(b.count) }
	var blocks []block
	offsets := make([]int, len(column)) // of the top, relative to the first node
	for i, n := range column {
		if i > 0 {
			offsets[i] = offsets[i-1] + column[i-1].H + nodeGap
		}
		b := block{want(n) - float64(n.H)/2 - float64(offsets[i]), 1}
		for len(blocks) > 0 && mean(blocks[len(blocks)-1]) >= mean(b) {
			last := blocks[len(blocks)-1]
			b = block{b.sum + last.sum, b.count + last.count}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range b.count {
			column[i].Y = int(mean(b)) + offsets[i]
			i++
		}
	}
}

// arrows draws the arrows. They bend just before a column and are horizontal elsewhere, so that none passes behind
// a box.
func (g *graph) arrows(w Work) []arrow {
	var all []arrow
	for _, wire := range g.wires {
		a := arrow{State: adapters.StepDone}
		if wire.from.kind == stepNode {
			a.State = w.Steps[wire.from.step].State
		}
		var path strings.Builder
		for i, part := range wire.parts {
			start := spot{part.from.X + part.from.W, port(part.from, part.from.outs, part)}
			end := spot{part.to.X, port(part.to, part.to.ins, part)}
			bend := spot{end.X - g.gaps[part.to.layer].label, end.Y}
			if i == 0 {
				fmt.Fprintf(&path, "M%d %d", start.X, start.Y)
			}
			if start.X != bend.X {
				half := (start.X + bend.X) / 2
				fmt.Fprintf(&path, " C%d %d %d %d %d %d", half, start.Y, half, bend.Y, bend.X, bend.Y)
			}
			a.points = append(a.points, start, bend)
			if i == len(wire.parts)-1 {
				tip := end.X - 1
				fmt.Fprintf(&path, " L%d %d", tip-headLength+1, end.Y)
				a.Head = fmt.Sprintf("M%d %d l%d %d v%d Z", tip, end.Y, -headLength, -4, 8)
				a.Label, a.LabelX, a.LabelY = part.label, (bend.X+tip-headLength)/2, end.Y-5
				a.points = append(a.points, spot{tip, end.Y})
			} else {
				fmt.Fprintf(&path, " L%d %d", end.X+part.to.W, end.Y)
			}
		}
		a.Path = path.String()
		all = append(all, a)
	}
	return all
}

// port returns the height at which a link meets the node.
func port(n *node, side []*link, l *link) int {
	sorted := slices.Clone(side)
	slices.SortStableFunc(sorted, func(a, b *link) int {
		return cmp.Or(cmp.Compare(a.other(n).Y, b.other(n).Y), cmp.Compare(a.label, b.label))
	})
	at := slices.Index(sorted, l)
	return n.Y + n.H/2 + (2*at-(len(sorted)-1))*portGap/2
}

// other returns the node at the other end.
func (l *link) other(n *node) *node {
	if l.from == n {
		return l.to
	}
	return l.from
}
