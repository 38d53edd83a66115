package effect

import (
	"image"
	"strconv"
	"time"

	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// setting returns the parameter named by a key of the rule; false if the call has none.
func setting[T any](c *Case, rule map[string]string, key string) (T, bool) {
	return param.As[T](c.Settings[rule[key]])
}

// given reports whether the setting that a key names has a value.
func (c *Case) given(rule map[string]string, key string) bool { return !c.Settings[rule[key]].IsZero() }

// amount returns the number in a key, or the value of the parameter that it names.
func (c *Case) amount(rule map[string]string, key string) (float64, bool) {
	if v, err := strconv.ParseFloat(rule[key], 64); err == nil {
		return v, true
	}
	if n, ok := setting[int](c, rule, key); ok {
		return float64(n), true
	}
	return setting[float64](c, rule, key)
}

// passage returns the total duration of the selected part or parts of a recording.
func (c *Case) passage(rule map[string]string, length time.Duration) (time.Duration, bool) {
	all, ok := setting[[]quantity.Passage](c, rule, "part")
	if p, one := setting[quantity.Passage](c, rule, "part"); one {
		all, ok = []quantity.Passage{p}, true
	}
	var sum time.Duration
	for _, p := range all {
		from, to, there := p.Of(length)
		sum, ok = sum+to-from, ok && there
	}
	return sum, ok
}

func (c *Case) tempo(rule map[string]string) (float64, bool) {
	return setting[float64](c, rule, "divided_by")
}

// scaled returns the scaled size of a picture; with several sizes, the one for this result.
func (c *Case) scaled(rule map[string]string, was image.Point) (image.Point, bool) {
	z, ok := setting[quantity.Sizing](c, rule, "scaled_by")
	if several, many := setting[[]quantity.Sizing](c, rule, "scaled_by"); many && c.At < len(several) {
		z, ok = several[c.At], true
	}
	if !ok {
		return image.Point{}, false
	}
	w, h := z.Of(was.X, was.Y)
	return image.Pt(w, h), true
}

// within returns the size of a picture scaled to fit another size; a single side means the longer one.
func (c *Case) within(rule map[string]string, was image.Point) (image.Point, bool) {
	z, ok := setting[quantity.Sizing](c, rule, "within")
	if !ok {
		return image.Point{}, false
	}
	box := image.Pt(z.Width, z.Height)
	switch long := max(z.Width, z.Height, z.Longest); {
	case z.Factor > 0:
		box.X, box.Y = z.Of(was.X, was.Y)
	case z.Width == 0 || z.Height == 0:
		box = image.Pt(long, long)
	}
	return fitted(was, box), true
}

// angle returns the rotation of a picture in degrees clockwise. It is 0 for "upright", since pictures
// are measured upright.
func (c *Case) angle(rule map[string]string) (float64, bool) {
	turn, ok := setting[param.Turn](c, rule, "turned_by")
	return turn.Degrees, ok
}

// region returns the selected part of a picture of that size.
func (c *Case) region(rule map[string]string, size image.Point) (image.Rectangle, bool) {
	area, ok := setting[quantity.Area](c, rule, "part")
	if !ok {
		return image.Rectangle{}, false
	}
	return area.Of(size.X, size.Y)
}

// flip returns the direction of mirroring, by the names of a choice.
func (c *Case) flip(rule map[string]string) (horizontal, vertical, ok bool) {
	way, ok := setting[string](c, rule, "mirrored")
	horizontal, vertical = way == "horizontal" || way == "both", way == "vertical" || way == "both"
	return horizontal, vertical, ok && (horizontal || vertical)
}

func (c *Case) limit(rule map[string]string) (int64, bool) {
	return setting[int64](c, rule, "most")
}

// adjustment returns the only requested adjustment of a picture; false if there are several.
func (c *Case) adjustment(rule map[string]string) (quantity.Adjustment, bool) {
	all, ok := setting[[]quantity.Adjustment](c, rule, "by")
	if !ok || len(all) != 1 {
		return quantity.Adjustment{}, false
	}
	return all[0], true
}
