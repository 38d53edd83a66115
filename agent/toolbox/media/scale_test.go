package media

import (
	"image"
	"image/color"
	"testing"
)

func TestSizeIn(t *testing.T) {
	t.Parallel()
	for shape, want := range map[float64]image.Point{
		1: image.Pt(1024, 1024), 16.0 / 9: image.Pt(1344, 768), 9.0 / 16: image.Pt(768, 1344), 3.0 / 2: image.Pt(1280, 832), 100: image.Pt(10240, 128),
	} {
		if got := SizeIn(shape, 1<<20, 64); got != want {
			t.Errorf("%g: %v, not %v", shape, got, want)
		}
	}
}

func TestShapedIsTheMiddle(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 9, 4))
	img.SetNRGBA(4, 1, color.NRGBA{R: 255, A: 255})
	for shape, want := range map[float64]image.Point{1: image.Pt(4, 4), 9.0 / 4: image.Pt(9, 4), 9: image.Pt(9, 1), 1e-9: image.Pt(1, 4)} {
		got := Shaped(img, shape)
		if size := got.Rect.Size(); size != want {
			t.Errorf("%g: %v, not %v", shape, size, want)
		}
		if r := got.NRGBAAt(got.Rect.Min.X+(want.X-1)/2, got.Rect.Min.Y+min(1, want.Y-1)); want == image.Pt(9, 4) && r.R != 255 {
			t.Errorf("%g: it is not the middle", shape)
		}
	}
}
