package filter

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kovidgoyal/imaging"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestBlurSpreadsAndKeepsTheLight(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(81, 81, color.Black)
	for y := 38; y < 43; y++ {
		for x := 38; x < 43; x++ {
			src.Set(x, y, color.White)
		}
	}
	v := w.Given("a.png", src)
	light := func(img *image.NRGBA) (sum, peak float64) {
		for i := 0; i < len(img.Pix); i += 4 {
			sum += float64(img.Pix[i])
			peak = max(peak, float64(img.Pix[i]))
		}
		return sum, peak
	}
	total, last := light(src)
	for _, said := range []string{"a little", "4 pixels", "strongly"} {
		sum, peak := light(w.Picture("blur_image", nativetest.Args{"image": {v}, "strength": {nativetest.Text(said)}}).Image)
		if peak >= last {
			t.Errorf("%q: the peak is %.0f, want less than %.0f", said, peak, last)
		}
		if math.Abs(sum-total) > 0.1*total {
			t.Errorf("%q: the light went from %.0f to %.0f", said, total, sum)
		}
		last = peak
	}
	w.Do("blur_image", nativetest.Args{"image": {v}})
	w.Refused("blur_image", nativetest.Args{"image": {v}, "strength": {nativetest.Text("nicely")}}, "a little", "5 pixels")
}

// The blur looks like a Gaussian at any strength.
func TestBlurredIsNearlyGaussian(t *testing.T) {
	t.Parallel()
	for _, sigma := range []float64{0.8, 5.5, 16} {
		img := nativetest.Colourful(300, 250)
		img.SetNRGBA(80, 45, color.NRGBA{A: 255})
		inner := img.Rect.Inset(int(3 * sigma)) // near the border the two differ intentionally
		want := imaging.Crop(imaging.Blur(img, sigma), inner)
		got := image.NewNRGBA(img.Rect)
		if err := blurred(t.Context(), got, img, sigma); err != nil {
			t.Fatal(err)
		}
		if d := nativetest.Difference(imaging.Crop(got, inner), want); d > 1.5 {
			t.Errorf("sigma %g: %.2f greys off", sigma, d)
		}
		if err := blurred(t.Context(), img, img, sigma); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got.Pix, img.Pix); diff != "" {
			t.Errorf("sigma %g: in place it becomes another one", sigma)
		}
	}
	half := image.NewNRGBA(image.Rect(0, 0, 40, 40)) // transparency next to red must not cause a dark rim
	for y := range 40 {
		for x := range 20 {
			half.SetNRGBA(x, y, color.NRGBA{200, 0, 0, 255})
		}
	}
	if err := blurred(t.Context(), half, half, 3); err != nil {
		t.Fatal(err)
	}
	if c := half.NRGBAAt(20, 20); math.Abs(float64(c.R)-200) > 3 || c.A < 90 || c.A > 160 {
		t.Errorf("the border is %v", c)
	}
}

// BenchmarkBlur shows that the time does not depend on the strength.
func BenchmarkBlur(b *testing.B) {
	img := nativetest.Colourful(2000, 1000)
	for _, sigma := range []float64{2, 100} {
		b.Run(map[float64]string{2: "weak", 100: "strong"}[sigma], func(b *testing.B) {
			for b.Loop() {
				if err := blurred(b.Context(), img, img, sigma); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
