package transform

import (
	"image"
	"image/color"
	"math"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
)

// letter is a white page with lines of black words.
func letter(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	picture.Fill(img, img.Rect, color.NRGBA{255, 255, 255, 255})
	for y := height / 8; y < height*7/8; y += height / 16 {
		for x := width / 8; x < width*7/8; x += width / 12 {
			picture.Fill(img, image.Rect(x, y, x+width/16, y+height/50), color.NRGBA{20, 20, 20, 255})
		}
	}
	return img
}

func TestSkewIsMeasured(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{0, 1, 3.5, 8, 352, 357} {
		img, err := turned(t.Context(), letter(900, 700), degrees)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(img.Pix); i += 4 { // new corners
			if img.Pix[i+3] < 255 {
				copy(img.Pix[i:], []uint8{255, 255, 255, 255})
			}
		}
		skew, err := skewOf(t.Context(), img)
		if err != nil {
			t.Fatal(err)
		}
		want := degrees
		if want > 180 {
			want -= 360
		}
		if math.Abs(skew-want) > 0.3 {
			t.Errorf("a page that is turned by %.1f degrees is measured as %.2f", want, skew)
		}
	}
}

func TestNothingToStraighten(t *testing.T) {
	t.Parallel()
	flat := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	picture.Fill(flat, flat.Rect, color.NRGBA{120, 90, 60, 255})
	for name, img := range map[string]*image.NRGBA{"a level page": letter(600, 500), "one colour": flat, "a pixel": image.NewNRGBA(image.Rect(0, 0, 1, 1))} {
		if skew, err := skewOf(t.Context(), img); err != nil || math.Abs(skew) >= leastSkew {
			t.Errorf("%s: %.2f degrees, %v", name, skew, err)
		}
		kept, err := straighten(t.Context(), media.Picture{Image: img}, toolbox.Call{})
		if err != nil || kept.Image != image.Image(img) || kept.Note.IsZero() {
			t.Errorf("%s does not pass through as it is: %v, %v", name, kept.Note, err)
		}
	}
}
