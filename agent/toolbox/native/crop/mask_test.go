package crop

import (
	"context"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestMaskKeepsExactlyWhatItCovers(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Colourful(40, 30)
	v := w.Given("a.jpg.png", src)
	covered := func(x, y int) int {
		switch {
		case math.Hypot(float64(x-12), float64(y-12)) < 8:
			return 1
		case x > 30:
			return 2
		}
		return 0
	}
	m := media.NewMask(40, 30, 2)
	for i := range m.Index {
		m.Index[i] = uint8(covered(i%40, i/40))
	}
	mask := filepath.Join(w.Dir, "mask.png")
	if err := media.WriteMask(context.Background(), mask, m); err != nil {
		t.Fatal(err)
	}
	at := func(path string) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Type: plan.Mask}, Path: path}
	}
	p := w.Picture("mask_image", nativetest.Args{"image": {v}, "mask": {at(mask)}})
	w.Same(p.Image, 40, 30, func(x, y int) color.NRGBA {
		if covered(x, y) == 0 {
			return color.NRGBA{}
		}
		return src.NRGBAAt(x, y)
	})

	// Half the size and rounded, as models make them.
	small := w.Picture("mask_image", nativetest.Args{"image": {v}, "mask": {w.Given("small.png", nativetest.Uniform(20, 15, color.White))}})
	w.Same(small.Image, 40, 30, src.NRGBAAt)
	w.Refused("mask_image", nativetest.Args{"image": {v}, "mask": {w.Given("other.png", nativetest.Uniform(30, 40, color.White))}}, "does not fit", "30 × 40")
	w.Refused("mask_image", nativetest.Args{"image": {v}, "mask": {w.Given("black.png", nativetest.Uniform(40, 30, color.Black))}}, "covers no part")
}

// A mask of boxes covers exactly them, and fits the picture.
func TestMaskFromBoxes(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("a.png", nativetest.Colourful(20, 10))
	two := w.Boxes(plan.Box{XMin: 2, YMin: 1, XMax: 5, YMax: 4}, plan.Box{XMin: 15, YMin: 6, XMax: 40, YMax: 9})
	out := w.Do("mask_from_boxes", nativetest.Args{"image": {v}, "bbox": {two}})
	m, err := media.ReadMask(t.Context(), out.Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Width != 20 || m.Height != 10 || m.Parts != 1 {
		t.Errorf("it has %d × %d pixels and %d parts", m.Width, m.Height, m.Parts)
	}
	for y := range 10 {
		for x := range 20 {
			within := image.Pt(x, y).In(image.Rect(2, 1, 5, 4)) || image.Pt(x, y).In(image.Rect(15, 6, 20, 9))
			if covered := m.At(x, y) != 0; covered != within {
				t.Fatalf("at %d,%d it covers: %v", x, y, covered)
			}
		}
	}
	w.Refused("mask_from_boxes", nativetest.Args{"image": {v}, "bbox": {w.Boxes()}}, "Nothing was found or marked")
}
