package chart

import (
	"math"
	"strconv"
	"strings"

	"atelier/agent/toolbox/native/canvas"
)

// scale is the range of an axis, with a tick at each step.
type scale struct{ low, high, step float64 }

// newScale returns a range of round numbers that includes both values.
func newScale(low, high float64) scale {
	if low == high {
		room := max(math.Abs(low)/2, 0.5)
		low, high = low-room, high+room
	}
	const marks = 6
	rough := (high - low) / marks
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, nice := range []float64{1, 2, 5} {
		if nice*power >= rough*0.999 {
			step = nice * power
			break
		}
	}
	return scale{math.Floor(low/step+1e-9) * step, math.Ceil(high/step-1e-9) * step, step}
}

// marks returns the tick values of an axis.
func (s scale) marks() []float64 {
	var all []float64
	for i := 0; ; i++ {
		v := s.low + float64(i)*s.step
		if v > s.high+s.step/2 || i > 100 {
			return all
		}
		if math.Abs(v) < s.step/1e6 {
			v = 0
		}
		all = append(all, v)
	}
}

// Figure formats a number briefly: "1,200", "2.5M".
func Figure(v float64) string {
	size := math.Abs(v)
	switch {
	case size >= 1e15 || size > 0 && size < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case size >= 1e9:
		return short(v/1e9) + "B"
	case size >= 1e6:
		return short(v/1e6) + "M"
	}
	decimals := 2
	if size < 1 {
		decimals = 4
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > len(whole)-len(strings.TrimLeft(whole, "-")); i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return whole + fraction
}

func short(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
}

func (d *drawing) x(s scale, v float64) float64 {
	return d.area.left + (v-s.low)/(s.high-s.low)*(d.area.right-d.area.left)
}

func (d *drawing) y(s scale, v float64) float64 {
	return d.area.bottom - (v-s.low)/(s.high-s.low)*(d.area.bottom-d.area.top)
}

// valueAxis draws the left axis with grid lines through the area. It leaves room below for the other axis.
func (d *drawing) valueAxis(s scale) {
	widest := 0.0
	for _, v := range s.marks() {
		widest = max(widest, d.small.Width(Figure(v)))
	}
	if d.YName != "" {
		d.Write(d.small, d.small.Shorten(d.YName, 500), d.area.left, d.area.top+4, 0, faint)
		d.area.top += 34
	}
	d.area.left += widest + 14
	d.area.bottom -= 40
	if d.XName != "" {
		d.area.bottom -= 32
	}
	for _, v := range s.marks() {
		at := d.y(s, v)
		d.Line([]canvas.Point{{X: d.area.left, Y: at}, {X: d.area.right, Y: at}}, 1.5, grid)
		d.Write(d.small, Figure(v), d.area.left-12, at, 1, faint)
	}
	if d.XName != "" {
		d.Write(d.text, d.text.Shorten(d.XName, d.width-300), (d.area.left+d.area.right)/2, d.height-34, 0.5, faint)
	}
}

// numberAxis draws a numeric axis at the bottom.
func (d *drawing) numberAxis(s scale) {
	free := math.Inf(-1) // where the next label may start
	for _, v := range s.marks() {
		at := d.x(s, v)
		d.Line([]canvas.Point{{X: at, Y: d.area.bottom}, {X: at, Y: d.area.bottom + 8}}, 2, faint)
		half := d.small.Width(Figure(v)) / 2
		if at-half >= free {
			d.Write(d.small, Figure(v), min(at, d.width-8-half), d.area.bottom+26, 0.5, faint)
			free = at + half + 12
		}
	}
	d.Line([]canvas.Point{{X: d.area.left, Y: d.area.bottom}, {X: d.area.right, Y: d.area.bottom}}, 2, faint)
}

// labelAxis draws the labels at the bottom and returns the position of each. With slots, each label is
// in the middle of its share of the axis; otherwise the first and last are at the ends.
func (d *drawing) labelAxis(slots bool) func(i int) float64 {
	n := len(d.Labels)
	at := func(i int) float64 {
		switch {
		case slots || n == 1:
			return d.area.left + (float64(i)+0.5)/float64(n)*(d.area.right-d.area.left)
		default:
			return d.area.left + 12 + float64(i)/float64(n-1)*(d.area.right-d.area.left-24)
		}
	}
	widest := 0.0
	for _, label := range d.Labels {
		widest = max(widest, d.small.Width(label))
	}
	room := (d.area.right - d.area.left) / float64(n)
	every := 1
	if widest+16 > room {
		widest = min(widest, max(room-16, 110))
		every = int(math.Ceil((widest + 16) / room))
	}
	for i := 0; i < n; i += every {
		label := d.small.Shorten(d.Labels[i], widest)
		half := d.small.Width(label) / 2
		d.Write(d.small, label, max(half+4, min(at(i), d.width-4-half)), d.area.bottom+26, 0.5, faint)
	}
	d.Line([]canvas.Point{{X: d.area.left, Y: d.area.bottom}, {X: d.area.right, Y: d.area.bottom}}, 2, faint)
	return at
}
