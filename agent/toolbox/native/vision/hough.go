package vision

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"
)

// Segment is a straight line segment between two pixels.
type Segment struct{ A, B image.Point }

// Length returns the length of the segment, in pixels.
func (s Segment) Length() float64 {
	return math.Hypot(float64(s.B.X-s.A.X), float64(s.B.Y-s.A.Y))
}

const (
	directions  = 180 // one per degree
	maxSegments = 1000
	// dense is the minimum fraction of a segment's steps that meet an edge pixel.
	dense = 0.75
)

// Segments finds the straight line segments of a picture, strongest first. Every edge pixel votes for
// the lines through it that run along its edge (within three degrees). The line with the most votes is
// followed through the picture, its pixels are removed and their votes withdrawn, until no line has
// enough votes.
func Segments(ctx context.Context, img *image.NRGBA) ([]Segment, error) {
	g, edges, err := edgesOf(ctx, img)
	if err != nil {
		return nil, err
	}
	long := max(g.width, g.height)
	h := &hough{
		g: g, edges: edges.Pix,
		offset:   int(math.Ceil(math.Hypot(float64(g.width), float64(g.height)))),
		shortest: max(20, float64(long)/20),
		gap:      max(3, long/150),
	}
	for d := range directions {
		h.sin[d], h.cos[d] = math.Sincos(float64(d) * math.Pi / directions)
	}
	return h.run(ctx)
}

type hough struct {
	g        gradient
	edges    []uint8 // those not yet used
	votes    []int32 // by direction and distance
	offset   int     // of distance 0
	sin, cos [directions]float64
	shortest float64 // minimum length of a segment, in pixels
	gap      int     // maximum gap within a segment, in pixels
}

// line is an accumulator cell with its number of votes at the last check.
type line struct {
	cell  int
	votes int32
}

func (h *hough) run(ctx context.Context) ([]Segment, error) {
	h.votes = make([]int32, directions*(2*h.offset+1))
	for at, e := range h.edges {
		if e != 0 {
			h.vote(at, 1)
		}
	}
	enough := int32(h.shortest * dense)
	var lines []line
	for cell, v := range h.votes {
		if v >= enough {
			lines = append(lines, line{cell, v})
		}
	}
	byVotes := func(a, b line) int { return cmp.Or(cmp.Compare(a.votes, b.votes), cmp.Compare(b.cell, a.cell)) }
	slices.SortFunc(lines, byVotes)
	var found []Segment
	for len(lines) > 0 && len(found) < maxSegments {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		best := lines[len(lines)-1]
		lines = lines[:len(lines)-1]
		if now := h.votes[best.cell]; now != best.votes { // other segments used some of its pixels
			if now >= enough {
				best.votes = now
				at, _ := slices.BinarySearchFunc(lines, best, byVotes)
				lines = slices.Insert(lines, at, best)
			}
			continue
		}
		found = append(found, h.follow(best.cell)...)
	}
	return found, nil
}

// vote adds by to every line that may contain the edge pixel.
func (h *hough) vote(at, by int) {
	x, y := float64(at%h.g.width), float64(at/h.g.width)
	normal := math.Atan2(float64(h.g.dy[at]), float64(h.g.dx[at])) * directions / math.Pi
	const tolerance = 3
	for d := int(math.Round(normal)) - tolerance; d <= int(math.Round(normal))+tolerance; d++ {
		dir := (d%directions + directions) % directions
		r := int(math.Round(x*h.cos[dir] + y*h.sin[dir]))
		h.votes[dir*(2*h.offset+1)+r+h.offset] += int32(by)
	}
}

// follow walks along a line pixel by pixel and collects the segments whose edge pixels lie on it or
// next to it. Their pixels are removed.
func (h *hough) follow(cell int) []Segment {
	dir, r := cell/(2*h.offset+1), float64(cell%(2*h.offset+1)-h.offset)
	cos, sin := h.cos[dir], h.sin[dir]
	var found []Segment
	var run []int // edge pixels of the current segment
	var first, last image.Point
	met, skipped := 0, 0
	end := func() {
		s := Segment{first, last}
		steps := max(abs(last.X-first.X), abs(last.Y-first.Y)) + 1
		if len(run) > 0 && s.Length() >= h.shortest && float64(met) >= dense*float64(steps) {
			found = append(found, s)
			for _, at := range run {
				if h.edges[at] != 0 {
					h.edges[at] = 0
					h.vote(at, -1)
				}
			}
		}
		run, met, skipped = run[:0], 0, 0
	}
	// Step along the axis that is closer to the line.
	steps := h.g.width
	if math.Abs(sin) < math.Abs(cos) {
		steps = h.g.height
	}
	for i := range steps {
		p := image.Pt(i, 0)
		if math.Abs(sin) < math.Abs(cos) {
			p = image.Pt(int(math.Round((r-float64(i)*sin)/cos)), i)
		} else {
			p.Y = int(math.Round((r - float64(i)*cos) / sin))
		}
		hits := h.near(p, math.Abs(sin) < math.Abs(cos), dir)
		if len(hits) == 0 {
			if skipped++; skipped > h.gap && len(run) > 0 {
				end()
			}
			continue
		}
		if len(run) == 0 {
			first = p
		}
		last, skipped = p, 0
		met++
		run = append(run, hits...)
	}
	end()
	if len(found) == 0 {
		h.votes[cell] = 0 // scattered pixels: do not try again
	}
	return found
}

// near returns the edge pixels at p or one pixel to either side whose edge runs along the line.
func (h *hough) near(p image.Point, sideways bool, dir int) []int {
	var hits []int
	for k := -1; k <= 1; k++ {
		q := image.Pt(p.X, p.Y+k)
		if sideways {
			q = image.Pt(p.X+k, p.Y)
		}
		if q.X < 0 || q.Y < 0 || q.X >= h.g.width || q.Y >= h.g.height {
			continue
		}
		at := q.Y*h.g.width + q.X
		if h.edges[at] == 0 {
			continue
		}
		dx, dy := float64(h.g.dx[at]), float64(h.g.dy[at])
		const along = 0.966 // the cosine of 15 degrees
		if math.Abs(dx*h.cos[dir]+dy*h.sin[dir]) >= along*math.Hypot(dx, dy) {
			hits = append(hits, at)
		}
	}
	return hits
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
