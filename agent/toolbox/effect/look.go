package effect

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// Thresholds for pictures as a whole; values are of 255.
const (
	grey         = 4
	vivid        = 24
	vividShare   = 0.005
	translucent  = 200
	oneColour    = 3
	leastEdges   = 4.0 // mean step between neighbouring pixels below which nothing is sharp
	mostEdges    = 60.0
	leastRound   = 64   // minimum number of pixels to tell centre and edges apart
	leastChanged = 0.03 // minimum amount of an adjustment to check
	midtones     = 0.1  // minimum share of midtones that leaves room for an adjustment
)

func colour(ctx context.Context, c *Case, _ map[string]string) plan.Message {
	if c.Result.Pixels == nil {
		return plan.Message{}
	}
	l := lookAt(ctx, c.Result.Pixels)
	if l.count > 0 && (l.chroma > grey || l.vivid > vividShare) {
		return plan.Say("The picture should have no colours, but it still has some.")
	}
	return plan.Message{}
}

func transparency(_ context.Context, c *Case, rule map[string]string) plan.Message {
	now := c.Result.Pixels
	if now == nil {
		return plan.Message{}
	}
	if ground, filled := setting[color.NRGBA](c, rule, "unless"); filled && ground.A == 0xff {
		if !now.Opaque() {
			return plan.Say("No part of the picture should be transparent, but some of it is.")
		}
		return plan.Message{}
	}
	if rule["outside"] != "" {
		mask, ok := c.cover(rule["outside"])
		if !ok || !leavesOut(mask) {
			return plan.Message{}
		}
	}
	if !now.Opaque() {
		return plan.Message{}
	}
	return plan.Say("A part of the picture should be transparent, but none of it is.")
}

func leavesOut(mask *image.Alpha) bool {
	for y := range mask.Rect.Dy() {
		if slices.Contains(mask.Pix[y*mask.Stride:][:mask.Rect.Dx()], 0) {
			return true
		}
	}
	return false
}

func detail(ctx context.Context, c *Case, _ map[string]string) plan.Message {
	now := c.Result.Pixels
	if now == nil {
		return plan.Message{}
	}
	for y := range now.Rect.Dy() {
		if y%64 == 0 && ctx.Err() != nil {
			return plan.Message{}
		}
		row := now.Pix[y*now.Stride:][:4*now.Rect.Dx()]
		for i, v := range row {
			if absDiff(int(v), int(now.Pix[i%4])) > oneColour {
				return plan.Message{}
			}
		}
	}
	return plan.Say("The picture should show something, but it is a single colour.")
}

func sharpness(ctx context.Context, c *Case, rule map[string]string) plan.Message {
	was, now := c.only(rule["below"]), c.Result.Pixels
	if was == nil || now == nil || was.Rect.Size() != now.Rect.Size() || c.Result.MIME == "image/gif" { // GIF dithers its colours
		return plan.Message{}
	}
	before, after := lookAt(ctx, was), lookAt(ctx, now)
	if before.edges >= leastEdges && after.edges >= before.edges {
		return plan.Say("The picture should be less sharp than it was, but it is not.")
	}
	return plan.Message{}
}

// look is a summary of a picture.
type look struct {
	count int
	// mean holds the channels, light their brightness, spread its standard deviation, and chroma the
	// mean saturation. edges is the mean difference between a pixel and the mean of its neighbours,
	// which is 0 on a gradient. All values are of 255.
	mean                         [3]float64
	light, spread, chroma, edges float64
	// inner and outer are the brightness of the centre and the edges, divided halfway to the corners.
	inner, outer float64
	// vivid is the share of saturated pixels, middle that of midtones.
	vivid, middle float64
}

// mostLooked is the approximate maximum number of pixels to sample.
const mostLooked = 1 << 20

// lookAt summarizes the opaque pixels, or a sample of them.
func lookAt(ctx context.Context, img *image.NRGBA) look {
	var l look
	w, h := img.Rect.Dx(), img.Rect.Dy()
	step := max(1, int(math.Sqrt(float64(w)*float64(h)/mostLooked)))
	var sum, squares float64
	steps, inside := 0, 0
	far := float64(w*w+h*h) / 4
	for y := 0; y < h; y += step {
		if ctx.Err() != nil {
			return look{}
		}
		row := img.Pix[y*img.Stride:][:4*w]
		for x := 0; x < w; x += step {
			p := row[4*x:][:4]
			if p[3] < translucent {
				continue
			}
			l.count++
			for v := range l.mean {
				l.mean[v] += float64(p[v])
			}
			light := lightOf(p)
			sum, squares = sum+light, squares+light*light
			if dx, dy := float64(2*x-w)/2, float64(2*y-h)/2; (dx*dx+dy*dy)/far < 0.25 {
				l.inner, inside = l.inner+light, inside+1
			} else {
				l.outer += light
			}
			chroma := float64(max(p[0], p[1], p[2]) - min(p[0], p[1], p[2]))
			l.chroma += chroma
			if chroma > vivid {
				l.vivid++
			}
			if light > 16 && light < 239 {
				l.middle++
			}
			if x > 0 && x+1 < w && row[4*x-1] >= translucent && row[4*x+7] >= translucent {
				l.edges += math.Abs(light - (lightOf(row[4*x-4:][:4])+lightOf(row[4*x+4:][:4]))/2)
				steps++
			}
		}
	}
	n := float64(max(l.count, 1))
	for v := range l.mean {
		l.mean[v] /= n
	}
	if outside := l.count - inside; min(inside, outside) > leastRound {
		l.inner, l.outer = l.inner/float64(inside), l.outer/float64(outside)
	} else {
		l.inner, l.outer = 0, 0
	}
	l.light, l.chroma, l.vivid, l.middle = sum/n, l.chroma/n, l.vivid/n, l.middle/n
	l.spread = math.Sqrt(max(0, squares/n-l.light*l.light))
	l.edges /= float64(max(steps, 1))
	return l
}

func lightOf(p []uint8) float64 {
	return 0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])
}

func adjusted(ctx context.Context, c *Case, rule map[string]string) plan.Message {
	was, now := c.only(rule["of"]), c.Result.Pixels
	a, ok := c.adjustment(rule)
	if was == nil || now == nil || !ok || math.Abs(a.By) < leastChanged {
		return plan.Message{}
	}
	before, after := lookAt(ctx, was), lookAt(ctx, now)
	if before.count == 0 || after.count == 0 || before.middle < midtones || c.Result.MIME == "image/gif" && a.Property == quantity.Sharpness {
		return plan.Message{}
	}
	if follows(a, before, after) {
		return plan.Message{}
	}
	return plan.Say("The requested change cannot be seen in the picture.")
}

// follows reports whether the picture changed as the adjustment says, or had no room to change.
func follows(a quantity.Adjustment, before, after look) bool {
	// grown reports whether a value changed in the right direction. There is room for that between low and high.
	grown := func(was, is, low, high float64) bool {
		if was < low || was > high {
			return true
		}
		return (a.By > 0) == (is > was) && is != was
	}
	switch a.Property {
	case quantity.Brightness, quantity.Exposure:
		return grown(before.light, after.light, 10, 245)
	case quantity.Contrast:
		if before.light < 64 || before.light > 192 { // nearly black or white pictures are clipped
			return true
		}
		return grown(before.spread, after.spread, 8, 90)
	case quantity.Saturation:
		return grown(before.chroma, after.chroma, 8, 120)
	case quantity.Warmth:
		return before.light < 10 || grown(before.mean[0]-before.mean[2], after.mean[0]-after.mean[2], -200, 200)
	case quantity.Sharpness:
		return grown(before.edges, after.edges, leastEdges, mostEdges)
	case quantity.Vignette:
		return before.outer < 10 || after.outer*before.inner < before.outer*after.inner
	case quantity.Sepia:
		return before.light < 20 || after.mean[0] >= after.mean[1] && after.mean[1] >= after.mean[2] && after.mean[0]-after.mean[2] >= 3
	case quantity.Invert:
		const slack = 25
		for v := range before.mean {
			if math.Abs(255-before.mean[v]-after.mean[v]) > slack {
				return false
			}
		}
	}
	return true
}
