package face

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func writePNG(t *testing.T, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return nativetest.WriteFile(t, "picture.png", b.Bytes())
}

// blob is an ellipse with a soft edge, in fractions of the face's side from its centre.
type blob struct {
	x, y, rx, ry float64
	light        float64 // 0 to 255
}

// faceBlobs draw a face as light and shade, which is what a face detector looks at.
var faceBlobs = []blob{
	{0, -0.08, 0.50, 0.62, 60},     // hair
	{0, 0.10, 0.40, 0.55, 190},     // head
	{0, -0.22, 0.30, 0.12, 215},    // forehead
	{-0.19, -0.10, 0.14, 0.08, 95}, // eye sockets
	{0.19, -0.10, 0.14, 0.08, 95},
	{-0.19, -0.17, 0.14, 0.03, 60}, // brows
	{0.19, -0.17, 0.14, 0.03, 60},
	{-0.19, -0.08, 0.05, 0.035, 25}, // pupils
	{0.19, -0.08, 0.05, 0.035, 25},
	{0, 0.02, 0.05, 0.16, 220},     // bridge of the nose
	{-0.05, 0.16, 0.04, 0.025, 90}, // nostrils
	{0.05, 0.16, 0.04, 0.025, 90},
	{-0.24, 0.12, 0.10, 0.09, 210}, // cheeks
	{0.24, 0.12, 0.10, 0.09, 210},
	{0, 0.33, 0.16, 0.035, 85},  // mouth
	{0, 0.41, 0.11, 0.025, 150}, // under the lip
}

// drawFace draws a face of the given side around a point.
func drawFace(img *image.NRGBA, cx, cy, side int) {
	s := float64(side)
	near := image.Rect(cx-side, cy-side, cx+side, cy+side).Intersect(img.Rect)
	for _, b := range faceBlobs {
		for y := near.Min.Y; y < near.Max.Y; y++ {
			for x := near.Min.X; x < near.Max.X; x++ {
				dx, dy := (float64(x-cx)/s-b.x)/b.rx, (float64(y-cy)/s-b.y)/b.ry
				alpha := math.Min(1, math.Max(0, (1.15-math.Hypot(dx, dy))/0.3))
				if alpha == 0 {
					continue
				}
				old := float64(img.NRGBAAt(x, y).R)
				v := uint8(old + alpha*(b.light-old))
				img.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
			}
		}
	}
}

// scene is a plain picture.
func scene(w, h int, light uint8) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = light
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// landscape is sky over rolling hills with trees, a sun and grain: texture without a face.
func landscape() *image.NRGBA {
	img := scene(640, 400, 0)
	grain := uint32(1)
	for y := range 400 {
		for x := range 640 {
			grain = grain*1664525 + 1013904223
			c := color.NRGBA{uint8(120 + y/4), uint8(160 + y/5), 235, 255}
			ridge := 220 + 30*math.Sin(float64(x)/70) + 12*math.Sin(float64(x)/19)
			if math.Hypot(float64(x-520), float64(y-80)) < 35 {
				c = color.NRGBA{255, 240, 170, 255}
			}
			if float64(y) > ridge {
				v := uint8(grain >> 27)
				c = color.NRGBA{60 + v, 110 + v, 50, 255}
			}
			if x%90 < 14 && y > 180 && y < 290 {
				c = color.NRGBA{50, 35, 20 + uint8(grain>>28), 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func TestDetectFaces(t *testing.T) {
	t.Parallel()
	three := landscape()
	drawFace(three, 120, 120, 80)
	drawFace(three, 330, 150, 110)
	drawFace(three, 540, 200, 60)
	edge := scene(300, 300, 90)
	drawFace(edge, 60, 230, 90)
	large := scene(1600, 300, 128)
	drawFace(large, 1000, 150, 160)
	tests := map[string]struct {
		img  *image.NRGBA
		want []plan.Box // approximate; sides as drawn
	}{
		"one":         {face(400, 300, 200, 150, 100), []plan.Box{around(200, 150, 100)}},
		"small":       {face(400, 300, 300, 100, 40), []plan.Box{around(300, 100, 40)}},
		"three":       {three, []plan.Box{around(120, 120, 80), around(330, 150, 110), around(540, 200, 60)}},
		"at a corner": {edge, []plan.Box{around(60, 230, 90)}},
		"scaled down": {large, []plan.Box{around(1000, 150, 160)}},
		"blank":       {scene(400, 300, 200), nil},
		"black":       {scene(400, 300, 0), nil},
		"landscape":   {landscape(), nil},
		"tiny":        {scene(3, 2, 90), nil},
		"thin":        {scene(900, 1, 90), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := nativetest.New(t, Operations(media.Limits{})).Perform("detect_faces", nativetest.FileCall("image", plan.Image, writePNG(t, tt.img)))
			if err != nil {
				t.Fatal(err)
			}
			boxes, err := plan.DecodeValue[plan.Box](plan.Resource{Value: out.Value})
			if err != nil {
				t.Fatal(err)
			}
			if len(boxes) != len(tt.want) || (out.Note.String() == "") != (len(boxes) > 0) {
				t.Fatalf("found %v with the note %q, not %d", boxes, out.Note.String(), len(tt.want))
			}
			for i, b := range boxes {
				if b.Label != "face" || b.Score <= 0.5 || b.Score > 1 || b.XMin < 0 || b.YMin < 0 || b.XMax > tt.img.Rect.Dx() || b.YMax > tt.img.Rect.Dy() {
					t.Errorf("bad box %v", b)
				}
				for _, o := range boxes[:i] {
					if overlap(b, o) > 0.3 {
						t.Errorf("%v and %v overlap", b, o)
					}
				}
			}
			for _, w := range tt.want {
				if !hit(boxes, w) {
					t.Errorf("no face near %v in %v", w, boxes)
				}
			}
		})
	}
}

// face is a plain picture with one face.
func face(w, h, cx, cy, side int) *image.NRGBA {
	img := scene(w, h, 128)
	drawFace(img, cx, cy, side)
	return img
}

func around(cx, cy, side int) plan.Box {
	return plan.Box{XMin: cx - side/2, YMin: cy - side/2, XMax: cx + side/2, YMax: cy + side/2}
}

// hit reports whether a box covers most of the wanted one.
func hit(boxes []plan.Box, want plan.Box) bool {
	for _, b := range boxes {
		if overlap(b, want) > 0.7 && b.XMax-b.XMin < 2*(want.XMax-want.XMin) {
			return true
		}
	}
	return false
}

func TestDetectFacesRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	_, err := nativetest.New(t, Operations(media.Limits{})).Perform("detect_faces", nativetest.FileCall("image", plan.Image, nativetest.WriteFile(t, "photo.png", []byte("no picture at all"))))
	nativetest.WantFault(t, err, "photo.png")
	_, err = nativetest.New(t, Operations(media.Limits{})).Perform("detect_faces", nativetest.Call())
	nativetest.WantFault(t, err, "no picture")
}
