package skeleton_test

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/toolbox/hftask/skeleton"
)

// TestDraw checks that the neck is midway between the shoulders, and joined to both.
func TestDraw(t *testing.T) {
	t.Parallel()
	given := map[string]image.Point{"left_shoulder": {70, 30}, "right_shoulder": {30, 30}}
	img, drawn := skeleton.Draw(image.Pt(100, 100), []skeleton.Skeleton{skeleton.New(given)})
	if !drawn || len(given) != 2 {
		t.Fatalf("drawn %v, from %v", drawn, given)
	}
	for at, want := range map[image.Point]color.NRGBA{
		{50, 30}: {255, 85, 0, 255}, {30, 30}: {255, 170, 0, 255}, {70, 30}: {85, 255, 0, 255}, {40, 30}: {153, 0, 0, 255}, {50, 80}: {0, 0, 0, 255},
	} {
		if got := img.NRGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v is %v, want %v", at, got, want)
		}
	}
}

func TestDrawNobody(t *testing.T) {
	t.Parallel()
	if _, drawn := skeleton.Draw(image.Pt(10, 10), []skeleton.Skeleton{skeleton.New(nil)}); drawn {
		t.Error("a person without points is drawn")
	}
}
