package toolbox

import (
	"image"
	"testing"

	"atelier/agent/toolbox/param"
)

func TestCanvas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size, shape string
		want        Canvas
	}{
		{"", "", Canvas{}},
		{"", "16:9", Canvas{Ratio: 16.0 / 9}},
		{"640x480", "", Canvas{640.0 / 480, image.Pt(640, 480)}},
		{"640x480", "16:9", Canvas{640.0 / 480, image.Pt(640, 480)}},
		{"640 wide", "", Canvas{1, image.Pt(640, 640)}},
		{"320 high", "2:1", Canvas{2, image.Pt(640, 320)}},
		{"320 longest at most", "1:2", Canvas{0.5, image.Pt(160, 320)}},
	} {
		got, err := CanvasOf(requesting(t, c.size, c.shape))
		if err != nil || got != c.want {
			t.Errorf("%q in %q is %v, %v; want %v", c.size, c.shape, got, err, c.want)
		}
	}
	for _, size := range []string{"63x640", "640x4097"} {
		if got, err := CanvasOf(requesting(t, size, "")); err == nil {
			t.Errorf("%s is drawn as %v", size, got)
		}
	}
}

// requesting is a call for a picture of a size and a shape; "" requests none.
func requesting(t *testing.T, size, shape string) Call {
	t.Helper()
	c := Call{Params: map[string]param.Value{}}
	for _, p := range []struct {
		param.Param
		said string
	}{{param.Param{Name: SizeParam, Type: param.Size, Unit: "px"}, size}, {param.Param{Name: ShapeParam, Type: param.Aspect}, shape}} {
		if p.said == "" {
			continue
		}
		v, err := p.Read(p.said)
		if err != nil {
			t.Fatal(err)
		}
		c.Params[p.Name] = v
	}
	return c
}
