package effect

import (
	"context"
	"image"
	"image/draw"
	"math"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// How pictures are compared; values are of 255.
const (
	shownGrid  = 16 // cells per side for comparing two pictures
	shownSlack = 20 // mean difference
	keptGrid   = 48
	keptSlack  = 24
	leastKept  = 32 // minimum number of cells to compare
	sampled    = 16 // sampled pixels per cell, in each direction
	lostSlack  = 4  // mean difference caused by lossy formats
	lostSide   = 8  // side of the blocks whose means survive lossy formats
	meanSlack  = 2  // mean difference of these blocks
	noise      = 2  // difference caused by lossless formats
	opaque     = 250
)

// cell is the mean colour of a part of a picture; it only counts if all of it is opaque.
type cell struct {
	mean   [3]float64
	opaque bool
}

// gridOf divides a part of a picture into cells, row by row.
func gridOf(ctx context.Context, img *image.NRGBA, part image.Rectangle, columns, rows int) []cell {
	all := make([]cell, columns*rows)
	for j := range rows {
		if ctx.Err() != nil {
			return all
		}
		for i := range columns {
			all[j*columns+i] = cellOf(img, part, i, j, columns, rows)
		}
	}
	return all
}

func cellOf(img *image.NRGBA, part image.Rectangle, i, j, columns, rows int) cell {
	c := cell{opaque: true}
	at := func(low, side, i, of, k int) int {
		return low + min(int((float64(i)+(float64(k)+0.5)/sampled)*float64(side)/float64(of)), side-1)
	}
	for l := range sampled {
		y := at(part.Min.Y, part.Dy(), j, rows, l)
		for k := range sampled {
			p := img.Pix[img.PixOffset(at(part.Min.X, part.Dx(), i, columns, k), y):][:4]
			for v := range c.mean {
				c.mean[v] += float64(p[v]) / (sampled * sampled)
			}
			c.opaque = c.opaque && p[3] >= opaque
		}
	}
	return c
}

// apart returns the difference of two cells, of 255; false if one is transparent.
func (c cell) apart(o cell) (float64, bool) {
	sum := 0.0
	for v := range c.mean {
		sum += math.Abs(c.mean[v]-o.mean[v]) / 3
	}
	return sum, c.opaque && o.opaque
}

// only returns the single picture of an argument, nil if it was not measured.
func (c *Case) only(arg string) *image.NRGBA {
	if of := c.Args[arg]; len(of) == 1 {
		return of[0].Pixels
	}
	return nil
}

func shows(ctx context.Context, c *Case, rule map[string]string) plan.Message {
	was, now := c.only(rule["of"]), c.Result.Pixels
	if was == nil || now == nil {
		return plan.Message{}
	}
	if c.Result.MIME == iconMIME {
		now = onIcon(now, was.Rect.Size())
	}
	switch {
	case rule["boxes"] != "":
		return c.showsBox(ctx, rule, was, now)
	case rule["part"] != "":
		if part, _, ok := c.cropped(rule, was.Rect.Size()); ok && !alike(ctx, was, part, now, same) {
			return plan.Say("The picture should show the requested part, but it shows something else.")
		}
	case rule["turned_by"] != "":
		turn, ok := c.angle(rule)
		quarters := math.Mod(turn, 360) / 90
		if ok && quarters == math.Trunc(quarters) && !alike(ctx, was, was.Rect, now, quarterTurns(int(quarters))) {
			return plan.Say("The picture should be turned as asked, but it is not.")
		}
	case rule["mirrored"] != "":
		horizontal, vertical, ok := c.flip(rule)
		if ok && !alike(ctx, was, was.Rect, now, mirrored(horizontal, vertical)) {
			return plan.Say("The picture should be mirrored as asked, but it is not.")
		}
	default:
		if !alike(ctx, was, was.Rect, now, same) {
			return plan.Say("The picture should show the same as before, but it shows something else.")
		}
	}
	return plan.Message{}
}

// onIcon returns the part of a square icon that shows a picture of that size.
func onIcon(icon *image.NRGBA, size image.Point) *image.NRGBA {
	inner := fitted(size, icon.Rect.Size())
	part := image.Rectangle{Max: inner}.Add(icon.Rect.Size().Sub(inner).Div(2))
	if cut, ok := icon.SubImage(part).(*image.NRGBA); ok {
		return cut
	}
	return icon
}

// showsBox checks that the picture is the content of one of the boxes.
func (c *Case) showsBox(ctx context.Context, rule map[string]string, was, now *image.NRGBA) plan.Message {
	for _, m := range c.Args[rule["boxes"]] {
		boxes, err := plan.DecodeValue[plan.Box](plan.Resource{Value: m.Value})
		if err != nil {
			return plan.Message{}
		}
		for _, b := range boxes {
			part := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax).Intersect(was.Rect)
			if ctx.Err() != nil || absDiff(part.Dx(), now.Rect.Dx()) <= sideSlack && absDiff(part.Dy(), now.Rect.Dy()) <= sideSlack &&
				!part.Empty() && alike(ctx, was, part, now, same) {
				return plan.Message{}
			}
		}
	}
	return plan.Say("The picture should show the requested part, but it shows something else.")
}

// place maps a cell of the result to its cell in the original picture, with n cells per side.
type place func(x, y, n int) (int, int)

func same(x, y, _ int) (int, int) { return x, y }

func quarterTurns(count int) place {
	return func(x, y, n int) (int, int) {
		for range count {
			x, y = y, n-1-x
		}
		return x, y
	}
}

func mirrored(horizontal, vertical bool) place {
	return func(x, y, n int) (int, int) {
		if horizontal {
			x = n - 1 - x
		}
		if vertical {
			y = n - 1 - y
		}
		return x, y
	}
}

// alike reports whether a picture shows a part of another one at any scale. Small pictures are
// compared with fewer cells: when four pixels become one, or one becomes four, only the means of
// larger areas stay the same.
func alike(ctx context.Context, was *image.NRGBA, part image.Rectangle, now *image.NRGBA, from place) bool {
	least := min(part.Dx(), part.Dy(), now.Rect.Dx(), now.Rect.Dy())
	if least < 1 {
		return true
	}
	n := max(1, min(shownGrid, least/4))
	a, b := gridOf(ctx, was, part, n, n), gridOf(ctx, now, now.Rect, n, n)
	sum, count := 0.0, 0
	for y := range n {
		for x := range n {
			sx, sy := from(x, y, n)
			if d, ok := b[y*n+x].apart(a[sy*n+sx]); ok {
				sum += d
				count++
			}
		}
	}
	return count < (n*n+3)/4 || sum/float64(count) <= shownSlack
}

func changed(ctx context.Context, c *Case, rule map[string]string) plan.Message {
	now := c.Result.Pixels
	for _, m := range c.Args[rule["of"]] {
		if m.Pixels == nil || now == nil {
			continue
		}
		if m.Pixels.Rect.Size() != now.Rect.Size() {
			continue
		}
		inside, known := c.covered(rule, "inside", m.Pixels.Rect.Size())
		if !known {
			continue
		}
		if !differs(ctx, m.Pixels, now, inside) {
			return plan.Say("The picture should have changed, but it has not.")
		}
	}
	return plan.Message{}
}

// differs reports whether two pictures of the same size differ inside the mask, or anywhere if it is
// nil. An empty mask counts as different, since nothing could change.
func differs(ctx context.Context, a, b *image.NRGBA, inside *image.Alpha) bool {
	w, h := a.Rect.Dx(), a.Rect.Dy()
	looked := false
	for y := range h {
		if y%64 == 0 && ctx.Err() != nil {
			return true
		}
		p, q := a.Pix[y*a.Stride:][:4*w], b.Pix[y*b.Stride:][:4*w]
		for x := range w {
			if inside != nil && inside.Pix[y*inside.Rect.Dy()/h*inside.Stride+x*inside.Rect.Dx()/w] == 0 {
				continue
			}
			looked = true
			for v := range 4 {
				if absDiff(int(p[4*x+v]), int(q[4*x+v])) > noise {
					return true
				}
			}
		}
	}
	return !looked
}

// cover returns the covered area of a mask; false if unknown.
func (c *Case) cover(arg string) (*image.Alpha, bool) {
	if of := c.Args[arg]; len(of) == 1 && of[0].Cover != nil {
		return of[0].Cover, true
	}
	return nil, false
}

// covered returns the part of a picture that a rule names by a mask or a region; nil means all of it.
// It returns false if the part is unknown.
func (c *Case) covered(rule map[string]string, key string, size image.Point) (*image.Alpha, bool) {
	name := rule[key]
	if name == "" {
		return nil, true
	}
	if _, resource := c.Args[name]; resource {
		return c.cover(name)
	}
	if _, said := c.Settings[name]; !said {
		return nil, key == "inside" // the whole picture
	}
	area, ok := setting[quantity.Area](c, rule, key)
	if !ok {
		return nil, false
	}
	part, ok := area.Of(size.X, size.Y)
	if !ok {
		return nil, false
	}
	in, out := image.Opaque, image.Transparent
	if where, _ := setting[string](c, rule, "where"); where == "outside" {
		in, out = out, in
	}
	cover := image.NewAlpha(image.Rectangle{Max: size})
	draw.Draw(cover, cover.Rect, out, image.Point{}, draw.Src)
	draw.Draw(cover, part, in, image.Point{}, draw.Src)
	return cover, true
}

func unchanged(ctx context.Context, c *Case, rule map[string]string) plan.Message {
	was, now := c.only(rule["of"]), c.Result.Pixels
	if was == nil || now == nil {
		return plan.Message{}
	}
	if _, masked := c.Args[rule["outside"]]; !masked {
		return c.unchangedOutside(rule, was, now)
	}
	mask, ok := c.cover(rule["outside"])
	if !ok || !sameShape(was.Rect.Size(), now.Rect.Size()) || min(was.Rect.Dx(), was.Rect.Dy()) < keptGrid {
		return plan.Message{}
	}
	covered := coveredCells(ctx, mask)
	a, b := gridOf(ctx, was, was.Rect, keptGrid, keptGrid), gridOf(ctx, now, now.Rect, keptGrid, keptGrid)
	sum, count := 0.0, 0
	for i := range a {
		if d, ok := a[i].apart(b[i]); ok && !covered[i] {
			sum += d
			count++
		}
	}
	if count < leastKept || sum/float64(count) <= keptSlack {
		return plan.Message{}
	}
	return plan.Say("Only the marked part of the picture should have changed, but the rest has changed too.")
}

// unchangedOutside checks that a picture is the same outside a region. Nothing blends there, so only
// compression losses are allowed: small differences of pixels, or large ones of fine detail that leave
// the means of small blocks unchanged.
func (c *Case) unchangedOutside(rule map[string]string, was, now *image.NRGBA) plan.Message {
	mask, ok := c.covered(rule, "outside", was.Rect.Size())
	if !ok || was.Rect.Size() != now.Rect.Size() || blockDifference(was, now, mask, 1) <= lostSlack {
		return plan.Message{}
	}
	if slices.Contains(lossyMIMEs, c.Result.MIME) && blockDifference(was, now, mask, lostSide) <= meanSlack {
		return plan.Message{}
	}
	return plan.Say("Only a part of the picture should have changed, but the rest has changed too.")
}

// lossyMIMEs are formats that lose fine detail.
var lossyMIMEs = []string{"image/jpeg", "image/webp", "image/avif", "image/heic", "image/heif", "image/jxl", "image/gif"}

// blockDifference returns the mean difference of block means outside the mask.
func blockDifference(was, now *image.NRGBA, mask *image.Alpha, side int) float64 {
	size := was.Rect.Size()
	columns := (size.X + side - 1) / side
	apart, counted := make([][4]int, columns), make([]int, columns)
	sum, count := 0.0, 0
	for y := range size.Y {
		p, q := was.Pix[y*was.Stride:], now.Pix[y*now.Stride:]
		for x, v := range mask.Pix[y*mask.Stride:][:size.X] {
			if v != 0 {
				continue
			}
			for k := range 4 {
				apart[x/side][k] += int(p[4*x+k]) - int(q[4*x+k])
			}
			counted[x/side]++
		}
		if (y+1)%side != 0 && y+1 != size.Y {
			continue
		}
		for i, block := range apart {
			for _, v := range block {
				sum += math.Abs(float64(v))
			}
			count += 4 * counted[i]
		}
		clear(apart)
		clear(counted)
	}
	return sum / float64(max(count, 1))
}

// coveredCells returns the cells that the mask touches and their neighbours, since redrawn areas blend
// into their surroundings.
func coveredCells(ctx context.Context, mask *image.Alpha) [keptGrid * keptGrid]bool {
	var all [keptGrid * keptGrid]bool
	w, h := mask.Rect.Dx(), mask.Rect.Dy()
	for y := range h {
		if y%64 == 0 && ctx.Err() != nil {
			return all
		}
		row := mask.Pix[y*mask.Stride:][:w]
		for x, v := range row {
			if v == 0 {
				continue
			}
			for j := max(0, y*keptGrid/h-1); j <= min(keptGrid-1, y*keptGrid/h+1); j++ {
				for i := max(0, x*keptGrid/w-1); i <= min(keptGrid-1, x*keptGrid/w+1); i++ {
					all[j*keptGrid+i] = true
				}
			}
		}
	}
	return all
}
