package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"atelier/agent/toolbox/native/canvas"
)

// slice is a slice of the pie.
type slice struct {
	label string
	value float64
}

// pie draws the first series as a pie, with values and percentages in a legend on the right.
func (d *drawing) pie() error {
	parts, sum, err := d.slices()
	if err != nil {
		return err
	}
	radius := min((d.area.bottom-d.area.top)/2, d.width*0.29)
	centre := canvas.Point{X: d.area.left + 40 + radius, Y: (d.area.top + d.area.bottom) / 2}
	from := -math.Pi / 2 // start at the top
	for i, s := range parts {
		to := from + s.value/sum*2*math.Pi
		d.Sector(centre, radius, from, to, palette[i])
		from = to
	}
	edge := func(angle float64) canvas.Point {
		sin, cos := math.Sincos(angle)
		return canvas.Point{X: centre.X + radius*cos, Y: centre.Y + radius*sin}
	}
	from = -math.Pi / 2
	for _, s := range parts {
		share := s.value / sum
		if len(parts) > 1 {
			d.Line([]canvas.Point{centre, edge(from)}, 3, ground)
		}
		if share >= 0.05 {
			sin, cos := math.Sincos(from + share*math.Pi)
			d.Write(d.text, percent(share), centre.X+0.68*radius*cos, centre.Y+0.68*radius*sin, 0.5, ground)
		}
		from += share * 2 * math.Pi
	}
	const line = 42
	x, y := centre.X+radius+60, centre.Y-float64(len(parts)-1)/2*line
	for i, s := range parts {
		figure := Figure(s.value) + " (" + percent(s.value/sum) + ")"
		d.Box(x, y-10, x+20, y+10, palette[i])
		width := d.text.Width(figure)
		d.Write(d.text, d.text.Shorten(s.label, d.width-50-x-32-width-20), x+32, y, 0, ink)
		d.Write(d.text, figure, d.width-40, y, 1, faint)
		y += line
	}
	return nil
}

func percent(share float64) string {
	if share < 0.01 && share > 0 {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// slices returns the slices of the pie, largest first. Values with the same label are added up, and
// the smallest slices are merged if there are too many.
func (d *drawing) slices() (all []slice, sum float64, err error) {
	at := map[string]int{} // by label
	for i, v := range d.Series[0].Values {
		switch {
		case !finite(v) || v == 0:
			continue
		case v < 0:
			return nil, 0, ErrNegative
		}
		sum += v
		known, ok := at[d.Labels[i]]
		if !ok {
			at[d.Labels[i]] = len(all)
			all = append(all, slice{d.Labels[i], v})
			continue
		}
		all[known].value += v
	}
	if sum == 0 {
		return nil, 0, ErrNoNumbers
	}
	slices.SortStableFunc(all, func(a, b slice) int { return cmp.Compare(b.value, a.value) })
	if len(all) > MostSlices {
		rest := slice{label: "other"}
		for _, s := range all[MostSlices-1:] {
			rest.value += s.value
		}
		all = append(all[:MostSlices-1:MostSlices-1], rest)
	}
	return all, sum, nil
}
