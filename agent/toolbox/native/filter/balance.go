package filter

import (
	"bytes"
	"context"
	"image"
	"maps"
	"math"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
)

const (
	mostSampled = 1 << 18 // pixels that a correction is estimated from, about
	nearGrey    = 0.25    // saturation up to which a pixel may be something grey
	surelyGrey  = 0.08    // and up to which it is
	leastLit    = 30      // what is darker is noise
	mostLit     = 250     // what is brighter is clipped
	leastGrey   = 0.005   // share of such pixels that is enough to tell the light from
	mostGain    = 3.0     // of a channel
	leastGain   = 1.01    // below which a picture is balanced
	clipped     = 0.001   // share of the pixels at each end that may become black or white
	mostStretch = 2.5
	darkMiddle  = 100.0 // mean light below which the middle is lifted
	lightMiddle = 127.5 // and up to which it does not become darker
	fewColours  = 16    // colours that a graphic may be made of, besides the edges of its areas
	nearlyFlat  = 0.6   // share of the areas of these from which a picture is a graphic
	alreadyGrey = 0.5   // share of the grey points that are grey in white light, from which there is no cast
	trulyGrey   = 0.03  // saturation up to which a pixel is grey in white light
	mostOdd     = 1.25  // of the gain of green beside that of red and blue: lamps and skies are yellow or blue
)

// corrected corrects the light or the white balance.
func corrected(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	what, _ := toolbox.Param[string](c, "what")
	out := picture.Edited{Image: p.Image, About: plan.Say("its light corrected")}
	if what == "colours" || what == "both" {
		gains, found := whiteBalance(sampled(p.Image))
		switch {
		case !found:
			out.Note = plan.Say("Nothing in the picture is grey or white, so its white balance stays as it was.")
		case max(gains[0], gains[1], gains[2]) < leastGain:
			out.Note = plan.Say("The white balance was already correct.")
		default:
			if err := mixed(ctx, p.Image, [3][3]float64{{gains[0], 0, 0}, {0, gains[1], 0}, {0, 0, gains[2]}}); err != nil {
				return picture.Edited{}, err
			}
		}
		out.About = plan.Say("its white balance corrected")
	}
	if what == "both" {
		out.About = plan.Say("its light and white balance corrected")
	}
	if what == "colours" {
		return out, nil
	}
	if graphic(p.Image) {
		out.Note = plan.Sentences(out.Note, plan.Say("It has plain areas of colour, like a logo, so its brightness was left as it is."))
		return out, nil
	}
	return out, relit(ctx, p.Image, levels(sampled(p.Image)))
}

// graphic reports whether most of the picture are areas of a few plain colours, as in logos and diagrams, whose light
// is as it was meant. What is black or white may be clipped in a photo, and does not count.
func graphic(img *image.NRGBA) bool {
	const black, white = 8, 247
	counted, areas := 0, map[[4]uint8]int{}
	for y := range img.Rect.Dy() - 1 {
		row, below := img.Pix[y*img.Stride:], img.Pix[(y+1)*img.Stride:]
		for x := range img.Rect.Dx() - 1 {
			p := row[4*x:][:4]
			if p[3] < 128 || max(p[0], p[1], p[2]) < black || min(p[0], p[1], p[2]) > white {
				continue
			}
			counted++
			if bytes.Equal(p, row[4*x+4:][:4]) && bytes.Equal(p, below[4*x:][:4]) {
				areas[[4]uint8(p)]++
			}
		}
	}
	sizes := slices.SortedFunc(maps.Values(areas), func(a, b int) int { return b - a })
	flat := 0
	for _, n := range sizes[:min(fewColours, len(sizes))] {
		flat += n
	}
	return float64(flat) >= nearlyFlat*float64(counted)
}

// sampled are the colours of evenly spread pixels that can be seen.
func sampled(img *image.NRGBA) (all [][3]float64) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	step := max(1, int(math.Sqrt(float64(w)*float64(h)/mostSampled)))
	for y := 0; y < h; y += step {
		row := img.Pix[y*img.Stride:][:4*w]
		for x := 0; x < w; x += step {
			if p := row[4*x:][:4]; p[3] >= 128 {
				all = append(all, [3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
			}
		}
	}
	return all
}

// whiteBalance are the factors of the channels, the least of them 1, under which what is nearly grey becomes grey on
// average: grey world, over grey points alone, so that colourful things do not count. Each round finds the points
// anew. It begins at white light, and at the light that the brightest tenth shows (white patch), which is taken where
// it makes far more of the picture grey. If much of that is grey already, there is no cast: a cast lies over
// the whole picture. It tells whether anything is nearly grey.
func whiteBalance(pixels [][3]float64) (gains [3]float64, found bool) {
	none := [3]float64{1, 1, 1}
	grey := 0.0
	for _, p := range pixels {
		if high, low := max(p[0], p[1], p[2]), min(p[0], p[1], p[2]); high >= leastLit && high-low < trulyGrey*high {
			grey++
		}
	}
	best := leastGrey * float64(len(pixels))
	for _, start := range [][3]float64{none, whitePatch(pixels)} {
		light := start
		for range 20 {
			sum, n := greyPoints(pixels, light, nearGrey)
			if n == 0 {
				break
			}
			light = leveled(sum)
		}
		odd := light[1] / math.Sqrt(light[0]*light[2])
		if _, n := greyPoints(pixels, light, surelyGrey); n > best && odd < mostOdd && odd > 1/mostOdd/mostOdd {
			gains, found, best = light, true, 1.5*n
			if grey >= alreadyGrey*n {
				gains = none
			}
		}
	}
	return gains, found
}

// greyPoints are the sum and the number of the pixels that are nearly grey under these factors.
func greyPoints(pixels [][3]float64, gains [3]float64, saturation float64) (sum [3]float64, n float64) {
	for _, p := range pixels {
		if high := max(p[0], p[1], p[2]); high > mostLit || high < leastLit {
			continue
		}
		q := [3]float64{p[0] * gains[0], p[1] * gains[1], p[2] * gains[2]}
		if high, low := max(q[0], q[1], q[2]), min(q[0], q[1], q[2]); high-low < saturation*high {
			sum, n = [3]float64{sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]}, n+1
		}
	}
	return sum, n
}

// leveled are the factors that make a colour grey, the least of them 1: white stays white.
func leveled(light [3]float64) (gains [3]float64) {
	high := max(light[0], light[1], light[2])
	for c, v := range light {
		gains[c] = min(high/max(v, 1), mostGain)
	}
	return gains
}

// whitePatch are the factors that make the brightest tenth of the pixels grey, without those that are clipped.
func whitePatch(pixels [][3]float64) [3]float64 {
	var counts [256]int
	total := 0
	for _, p := range pixels {
		if max(p[0], p[1], p[2]) <= mostLit {
			counts[int(luma(p)+0.5)]++
			total++
		}
	}
	from := 255
	for above := counts[from]; from > 0 && above < total/10; above += counts[from] {
		from--
	}
	var sum [3]float64
	for _, p := range pixels {
		if max(p[0], p[1], p[2]) <= mostLit && luma(p)+0.5 >= float64(from) {
			sum = [3]float64{sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]}
		}
	}
	return leveled(sum)
}

func luma(p [3]float64) float64 { return 0.299*p[0] + 0.587*p[1] + 0.114*p[2] }

// levels is what the brightest channel of each pixel becomes: from black to white, and a dark middle is lifted.
func levels(pixels [][3]float64) (to [256]float64) {
	var counts [256]int
	for _, p := range pixels {
		counts[int(max(p[0], p[1], p[2]))]++
	}
	most := int(clipped * float64(len(pixels)))
	low, high := 0, 255
	for n := counts[low]; low < 255 && n <= most; n += counts[low] {
		low++
	}
	for n := counts[high]; high > low && n <= most; n += counts[high] {
		high--
	}
	width := float64(high - low)
	slope := min(255/max(1, width), mostStretch)
	start := float64(low) * (255 - slope*width) / max(1, 255-width) // what cannot reach both ends stays as bright or dark as it is
	was, mean := 0.0, 0.0
	for v := range to {
		was += float64(v) * float64(counts[v]) / float64(max(1, len(pixels)))
		to[v] = min(max(start+float64(v-low)*slope, 0), 255)
		mean += to[v] * float64(counts[v]) / float64(max(1, len(pixels)))
	}
	if middle := max(darkMiddle, min(was, lightMiddle)); mean > 1 && mean < middle {
		gamma := max(0.5, math.Log(middle/255)/math.Log(mean/255))
		for v := range to {
			to[v] = 255 * math.Pow(to[v]/255, gamma)
		}
	}
	return to
}

// relit changes the light of each pixel, by one factor for all channels: hue and saturation stay, and nothing is
// clipped.
func relit(ctx context.Context, img *image.NRGBA, to [256]float64) error {
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(from, last int) {
		for i := from * img.Stride; i < last*img.Stride; i += 4 {
			p := img.Pix[i:][:3]
			high := max(p[0], p[1], p[2])
			by := to[high] / max(float64(high), 1)
			for c, v := range p {
				p[c] = uint8(float64(v)*by + 0.5)
			}
		}
	})
}
