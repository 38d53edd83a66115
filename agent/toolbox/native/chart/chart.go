// Package chart draws charts of numbers: lines, bars, pies, histograms and points.
//
// Guarantees:
//   - It is pure: the same data gives the same picture. It does no I/O.
//   - Axes have round numbers, and labels do not overlap: those without room are left out or shortened.
//   - Values that are not finite are gaps.
package chart

import (
	"cmp"
	"errors"
	"image"
	"image/color"
	"math"
	"slices"

	"atelier/agent/toolbox/native/canvas"
)

// Kind is a kind of chart.
type Kind string

// The kinds.
const (
	Line      Kind = "line"
	Bar       Kind = "bar"
	Pie       Kind = "pie"
	Histogram Kind = "histogram"
	Scatter   Kind = "scatter"
)

// Series is a named list of values. NaN is a gap.
type Series struct {
	Name   string
	Values []float64
}

// Chart is the data and style of a chart.
type Chart struct {
	Kind  Kind
	Title string
	// XName is the title of the label axis, YName of the value axis. Both may be empty.
	XName, YName string
	// Labels name the values of each series, in order. A scatter chart has X instead, and a histogram neither.
	Labels []string
	X      []float64
	Series []Series
	// Colour is the colour of the first series; zero means the palette's. Pies ignore it.
	Colour color.NRGBA
	// Size is the size in pixels; zero means the usual one.
	Size image.Point
}

// The usual size of a chart in pixels. A larger one has larger letters and thicker lines.
const (
	Width  = 1200
	Height = 760
)

// MostSeries is the maximum number of series, and MostSlices that of slices; the smallest slices of a
// larger pie are merged.
const (
	MostSeries = 10
	MostSlices = 12
)

// ErrNoNumbers is returned for a chart without numbers.
var ErrNoNumbers = errors.New("no numbers to draw")

// ErrNegative is returned for a pie with a negative value.
var ErrNegative = errors.New("a pie chart cannot have negative values")

var (
	ground  = color.NRGBA{255, 255, 255, 255}
	ink     = color.NRGBA{31, 41, 55, 255}
	faint   = color.NRGBA{107, 114, 128, 255}
	grid    = color.NRGBA{229, 231, 235, 255}
	palette = [MostSlices]color.NRGBA{
		{37, 99, 235, 255}, {234, 88, 12, 255}, {22, 163, 74, 255}, {220, 38, 38, 255}, {124, 58, 237, 255}, {8, 145, 178, 255},
		{219, 39, 119, 255}, {101, 163, 13, 255}, {180, 83, 9, 255}, {71, 85, 105, 255}, {20, 184, 166, 255}, {156, 163, 175, 255},
	}
)

// drawing is a chart being drawn. area is the rectangle inside the axes.
type drawing struct {
	canvas.Canvas
	Chart

	title, text, small canvas.Letters
	width, height      float64 // in units, of which the usual size has one for each pixel
	area               struct{ left, top, right, bottom float64 }
}

// Draw draws a chart.
func Draw(c Chart) (*image.NRGBA, error) {
	size := cmp.Or(c.Size, image.Pt(Width, Height))
	d := drawing{Canvas: canvas.New(size.X, size.Y, ground), Chart: c}
	d.Unit = min(float64(size.X)/Width, float64(size.Y)/Height)
	d.width, d.height = float64(size.X)/d.Unit, float64(size.Y)/d.Unit
	var errs [3]error
	d.title, errs[0] = canvas.NewLettersOf(canvas.Bold, 30, d.Unit)
	d.text, errs[1] = canvas.NewLettersOf(canvas.Regular, 22, d.Unit)
	d.small, errs[2] = canvas.NewLettersOf(canvas.Regular, 20, d.Unit)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.Series, func(s Series) bool { return slices.ContainsFunc(s.Values, finite) }) {
		return nil, ErrNoNumbers
	}
	d.area.left, d.area.top, d.area.right, d.area.bottom = 40, 40, d.width-40, d.height-40
	if c.Title != "" {
		d.Write(d.title, d.title.Shorten(c.Title, d.width-80), d.width/2, 44, 0.5, ink)
		d.area.top = 92
	}
	if c.Kind == Pie {
		return d.NRGBA, d.pie()
	}
	if len(c.Series) > 1 {
		d.legend()
	}
	switch c.Kind {
	case Histogram:
		d.histogram()
	case Scatter:
		d.scatter()
	case Line:
		d.lines()
	default:
		d.bars()
	}
	return d.NRGBA, nil
}

// colour returns the colour of a series.
func (d *drawing) colour(i int) color.NRGBA {
	if i == 0 && d.Colour != (color.NRGBA{}) {
		return d.Colour
	}
	if i > 0 && palette[i] == d.Colour {
		return palette[0]
	}
	return palette[i]
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// legend draws the names of the series in rows above the area.
func (d *drawing) legend() {
	const gap, side = 30, 18
	x, y := d.area.left, d.area.top+8
	for i, s := range d.Series {
		name := d.text.Shorten(s.Name, 400)
		width := side + 10 + d.text.Width(name)
		if x > d.area.left && x+width > d.area.right {
			x, y = d.area.left, y+34
		}
		d.Box(x, y-side/2, x+side, y+side/2, d.colour(i))
		d.Write(d.text, name, x+side+10, y, 0, ink)
		x += width + gap
	}
	d.area.top = y + 36
}

// bounds returns the smallest and the largest value of all series.
func (d *drawing) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range d.Series {
		for _, v := range s.Values {
			if finite(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	return low, high
}

// lines draws each series as a line with a dot at each value.
func (d *drawing) lines() {
	low, high := d.bounds()
	if low > 0 && low < 0.6*high { // far from zero: including zero would flatten the line
		low = 0
	}
	y := newScale(low, high)
	d.valueAxis(y)
	x := d.labelAxis(false)
	for i, s := range d.Series {
		var run []canvas.Point
		for j, v := range s.Values {
			if !finite(v) {
				d.Line(run, 3.5, d.colour(i))
				run = nil
				continue
			}
			run = append(run, canvas.Point{X: x(j), Y: d.y(y, v)})
		}
		d.Line(run, 3.5, d.colour(i))
		for j, v := range s.Values {
			if finite(v) && len(s.Values) <= 60 {
				d.Disc(canvas.Point{X: x(j), Y: d.y(y, v)}, 6, d.colour(i))
			}
		}
	}
}

// bars draws the series side by side.
func (d *drawing) bars() {
	low, high := d.bounds()
	y := newScale(min(low, 0), max(high, 0))
	d.valueAxis(y)
	x := d.labelAxis(true)
	slot := (d.area.right - d.area.left) / float64(len(d.Labels))
	wide := min(slot*0.8/float64(len(d.Series)), 140)
	zero := d.y(y, 0)
	for i, s := range d.Series {
		for j, v := range s.Values {
			if !finite(v) {
				continue
			}
			left := x(j) + (float64(i)-float64(len(d.Series))/2)*wide
			at := d.y(y, v)
			d.Box(left, min(at, zero), left+max(wide*0.94, 1), max(at, zero), d.colour(i))
			if figure := Figure(v); d.small.Width(figure) < wide && len(d.Labels)*len(d.Series) <= 30 {
				above := at - 14
				if v < 0 {
					above = at + 14
				}
				d.Write(d.small, figure, left+wide*0.47, above, 0.5, faint)
			}
		}
	}
	d.Line([]canvas.Point{{X: d.area.left, Y: zero}, {X: d.area.right, Y: zero}}, 2, faint)
}

// histogram draws the number of values of the first series in each of several equal ranges.
func (d *drawing) histogram() {
	values := slices.DeleteFunc(slices.Clone(d.Series[0].Values), func(v float64) bool { return !finite(v) })
	low, high := slices.Min(values), slices.Max(values)
	x := newScale(low, high)
	step := x.step
	// About as many ranges as the square root of the count.
	for steps := math.Ceil(math.Sqrt(float64(len(values)))); (x.high-x.low)/step < steps && step > x.step/8; {
		step /= 2
	}
	counts := make([]float64, max(1, int(math.Round((x.high-x.low)/step))))
	for _, v := range values {
		counts[min(int((v-x.low)/step), len(counts)-1)]++
	}
	y := newScale(0, slices.Max(counts))
	y.step = max(y.step, 1)
	d.YName = "count"
	d.valueAxis(y)
	d.numberAxis(x)
	for i, n := range counts {
		left, right := d.x(x, x.low+float64(i)*step), d.x(x, x.low+float64(i+1)*step)
		d.Box(left+1, d.y(y, n), right-1, d.area.bottom, d.colour(0))
	}
}

// scatter draws a point for each pair of values.
func (d *drawing) scatter() {
	all := slices.DeleteFunc(slices.Clone(d.X), func(v float64) bool { return !finite(v) })
	if len(all) == 0 {
		return
	}
	y := newScale(d.bounds())
	x := newScale(slices.Min(all), slices.Max(all))
	d.valueAxis(y)
	d.numberAxis(x)
	for i, s := range d.Series {
		shade := d.colour(i)
		shade.A = 190
		for j, v := range s.Values {
			if j < len(d.X) && finite(v) && finite(d.X[j]) {
				d.Disc(canvas.Point{X: d.x(x, d.X[j]), Y: d.y(y, v)}, 7, shade)
			}
		}
	}
}
