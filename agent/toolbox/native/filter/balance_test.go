package filter

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// scene is a picture with a card of five greys, sky, grass and an orange wall, in the light of a lamp.
func scene(lamp [3]float64) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 200, 120))
	things := []color.NRGBA{{B: 230, R: 120, G: 170}, {R: 60, G: 130, B: 50}, {R: 230, G: 120, B: 40}}
	greys := []uint8{40, 90, 140, 190, 230}
	for y := range 120 {
		for x := range 200 {
			c := things[x*len(things)/200]
			if g := greys[x/40]; y >= 60 {
				c = color.NRGBA{R: g, G: g, B: g}
			}
			for i, v := range []*uint8{&c.R, &c.G, &c.B} {
				*v = uint8(float64(*v)*lamp[i] + 0.5)
			}
			c.A = 255
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// TestWhiteBalance: under a lamp of any colour a grey card becomes grey, and a picture in white light stays as it is.
func TestWhiteBalance(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	colours := nativetest.Args{"what": {nativetest.Text("colours")}}
	for name, lamp := range map[string][3]float64{
		"yellow": {1, 0.92, 0.6}, "blue": {0.7, 0.85, 1}, "green": {0.8, 1, 0.8}, "faint": {1, 0.98, 0.93}, "bulb": {1, 0.8, 0.45},
	} {
		colours["image"] = []toolbox.Value{w.Given(name+".png", scene(lamp))}
		got := w.Picture("auto_enhance", colours).Image
		for x := 20; x < 200; x += 40 {
			c := got.NRGBAAt(x, 90)
			if high, low := max(c.R, c.G, c.B), min(c.R, c.G, c.B); high-low > 4 {
				t.Errorf("%s light: the grey card is %v", name, c)
			}
		}
	}
	neutral := scene([3]float64{1, 1, 1})
	colours["image"] = []toolbox.Value{w.Given("neutral.png", neutral)}
	out := w.Do("auto_enhance", colours)
	w.Same(w.Read(out).Image, 200, 120, neutral.NRGBAAt)
	if said := out.Note.String(); said != "The white balance was already correct." {
		t.Errorf("the note is %q", said)
	}
}

// TestAutoEnhance stretches the light from black to white, and gives nothing grey a colour. What is of one light stays so.
func TestAutoEnhance(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	hazy := image.NewNRGBA(image.Rect(0, 0, 200, 60))
	for y := range 60 {
		for x := range 200 {
			g := uint8(90 + x/2)
			hazy.SetNRGBA(x, y, color.NRGBA{R: g, G: g, B: g, A: 255})
		}
	}
	got := w.Picture("auto_enhance", nativetest.Args{"image": {w.Given("hazy.png", hazy)}}).Image
	if dark, light := got.NRGBAAt(0, 30), got.NRGBAAt(199, 30); dark.R > 12 || light.R < 235 {
		t.Errorf("the light goes from %v to %v", dark, light)
	}
	for x := range 200 {
		if c := got.NRGBAAt(x, 30); c.R != c.G || c.G != c.B {
			t.Fatalf("a grey became %v", c)
		}
	}
	plain := nativetest.Uniform(20, 20, color.NRGBA{R: 235, G: 235, B: 235, A: 255})
	w.Same(w.Picture("auto_enhance", nativetest.Args{"image": {w.Given("plain.png", plain)}}).Image, 20, 20, plain.NRGBAAt)
}

// drawn is a logo: an orange disc and letters of navy on a ground.
func drawn(ground color.NRGBA) *image.NRGBA {
	img := nativetest.Uniform(120, 80, ground)
	for y := 20; y < 60; y++ {
		for x := 10; x < 50; x++ {
			if dx, dy := x-30, y-40; dx*dx+dy*dy < 400 {
				img.SetNRGBA(x, y, color.NRGBA{R: 235, G: 95, B: 25, A: 255})
			}
			if x%10 < 6 {
				img.SetNRGBA(x+60, y, color.NRGBA{R: 20, G: 30, B: 90, A: 255})
			}
		}
	}
	return img
}

// TestGraphicsKeepTheirColours: what is drawn has the light that it should have, and a ground of one colour is no cast.
func TestGraphicsKeepTheirColours(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	for name, ground := range map[string]color.NRGBA{
		"white.png": {R: 255, G: 255, B: 255, A: 255}, "clear.png": {}, "navy.png": {R: 24, G: 30, B: 58, A: 255}, "grey.png": {R: 200, G: 200, B: 200, A: 255},
	} {
		logo := drawn(ground)
		out := w.Do("auto_enhance", nativetest.Args{"image": {w.Given(name, logo)}})
		w.Same(w.Read(out).Image, 120, 80, logo.NRGBAAt)
		if said := out.Note.String(); said != "It has plain areas of colour, like a logo, so its brightness was left as it is." {
			t.Errorf("%s: it says %q", name, said)
		}
	}
	onWhite := drawn(color.NRGBA{R: 255, G: 255, B: 255, A: 255})
	for y := 62; y < 78; y++ {
		for x := range 120 {
			onWhite.SetNRGBA(x, y, color.NRGBA{R: 245, G: 240, B: 225, A: 255})
		}
	}
	balanced := w.Picture("auto_enhance", nativetest.Args{"image": {w.Given("balanced.png", onWhite)}, "what": {nativetest.Text("white balance")}})
	w.Same(balanced.Image, 120, 80, onWhite.NRGBAAt)
}

// TestLightKeepsHueAndSaturation: a colour becomes lighter or darker, but neither paler nor another colour.
func TestLightKeepsHueAndSaturation(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	dim := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	for y := range 100 {
		for x := range 200 {
			v := 40 + float64(x+y)/4 // of the brightest channel
			hue := [3]float64{1, 0.4, 0.1}
			if y >= 50 {
				hue = [3]float64{0, 0.2, 1}
			}
			dim.SetNRGBA(x, y, color.NRGBA{R: uint8(v * hue[0]), G: uint8(v * hue[1]), B: uint8(v * hue[2]), A: 255})
		}
	}
	got := w.Picture("auto_enhance", nativetest.Args{"image": {w.Given("dim.png", dim)}}).Image
	if c := got.NRGBAAt(199, 49); c.R < 150 {
		t.Errorf("the brightest orange became %v", c)
	}
	for x := 20; x < 200; x++ {
		orange, blue := got.NRGBAAt(x, 30), got.NRGBAAt(x, 70)
		ratio := float64(orange.G) / float64(orange.R)
		if ratio < 0.35 || ratio > 0.45 || blue.R != 0 || blue.B < blue.G {
			t.Fatalf("orange became %v, and blue %v", orange, blue)
		}
	}
}
