package native

import (
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/slow"
)

// TestCorrectResultsShowTheirEffects checks that correct results pass the effects of their tool,
// whatever the pictures are.
func TestCorrectResultsShowTheirEffects(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	contents := map[string]func(x, y int) color.NRGBA{
		"white": func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} },
		"slope": func(x, y int) color.NRGBA { return color.NRGBA{uint8(x), uint8(y), 128, 255} },
		"noise": func(x, y int) color.NRGBA {
			r := rand.New(rand.NewPCG(uint64(x), uint64(y)))
			return color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255}
		},
		"checks":  func(x, y int) color.NRGBA { return grey(255 * ((x + y) % 2)) },
		"writing": func(x, y int) color.NRGBA { return grey(255 * min(1, (x*7+y*13)%11/2)) },
		"dark":    func(x, y int) color.NRGBA { return color.NRGBA{uint8(x % 30), uint8(y % 20), 10, 255} },
		"photo": func(x, y int) color.NRGBA {
			return color.NRGBA{uint8(128 + 100*math.Sin(float64(x)/9)), uint8(128 + 100*math.Cos(float64(y)/7)), uint8(90 + (x*y)%23), 255}
		},
		"glass": func(x, y int) color.NRGBA { return color.NRGBA{200, uint8(3 * x), 40, uint8(x * y % 256)} },
	}
	settings := map[string][]nativetest.Args{
		"adjust_image": {
			said("adjustment", "brighter"), said("adjustment", "10% darker"), said("adjustment", "more contrast"), said("adjustment", "less contrast"),
			said("adjustment", "more colourful"), said("adjustment", "less colourful"), said("adjustment", "warmer"), said("adjustment", "cooler"),
			said("adjustment", "sepia"), said("adjustment", "vignette"), said("adjustment", "invert"), said("adjustment", "sharper"), said("adjustment", "brighter and more contrast"),
		},
		"blur_image":      {{}, said("strength", "a little"), said("strength", "0.5 pixels")},
		"convert_image":   {said("format", "png"), said("format", "jpg"), said("format", "gif"), said("format", "bmp"), said("format", "tiff"), said("format", "webp"), said("format", "avif"), said("format", "ico")},
		"crop_region":     {said("region", "the left half"), said("region", "a square"), said("region", "top right quarter"), said("region", "16:9")},
		"fit_image_size":  {said("limit", "3 kB"), said("limit", "1 MB")},
		"flip_image":      {{}, said("direction", "vertically"), said("direction", "both ways")},
		"greyscale_image": {{}},
		"make_thumbnail":  {{}, said("size", "40 px"), said("size", "30x10")},
		"resize_image":    {said("size", "50%"), said("size", "64x64"), said("size", "300 px wide"), said("size", "three times as large")},
		"rotate_image":    {{}, said("angle", "left"), said("angle", "180"), said("angle", "30 degrees")},
		"upscale_image":   {{}, said("factor", "3x")},
		"image_to_edge":   {{}},
		"image_to_line":   {{}},
		"add_text_to_image": {
			said("caption", "Hi"), {"caption": {nativetest.Text("Good morning, everyone")}, "place": {nativetest.Text("top left")}},
		},
	}
	formats := []string{"png", "jpg", "gif", "tiff", "bmp", "webp", "avif"}
	for name, draw := range contents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := built(t)
			w := nativetest.New(t, n.table)
			for i, size := range []image.Point{{1, 1}, {3, 2}, {37, 61}, {200, 130}} {
				img := image.NewNRGBA(image.Rectangle{Max: size})
				for y := range size.Y {
					for x := range size.X {
						img.SetNRGBA(x, y, draw(x, y))
					}
				}
				given := w.Given(fmt.Sprintf("%d.%s", i, formats[(i+len(name))%len(formats)]), img)
				made := 0
				for op, all := range settings {
					for _, a := range all {
						call := nativetest.Args{"image": {given}}
						maps.Copy(call, a)
						if _, err := w.Try(op, call); err == nil { // a rejected call has no result to check
							made++
						}
					}
				}
				if made < 20 {
					t.Errorf("of a picture of %v only %d were made", size, made)
				}
				tryMany(w, given, size)
			}
		})
	}
}

// tryMany runs the operations with a mask, boxes or several pictures.
func tryMany(w nativetest.Workbench, given toolbox.Value, size image.Point) {
	w.Helper()
	box := plan.Box{XMin: 0, YMin: 0, XMax: (size.X + 1) / 2, YMax: (size.Y + 2) / 3}
	boxes := w.Boxes(box, plan.Box{XMin: size.X / 2, YMin: 0, XMax: size.X, YMax: size.Y})
	w.Do("image_cropping", nativetest.Args{"image": {given}, "bbox": {boxes}})
	w.Do("highlight_object_on_image", nativetest.Args{"image": {given}, "bbox": {boxes}})
	mask := w.Do("mask_from_boxes", nativetest.Args{"image": {given}, "bbox": {w.Boxes(box)}})
	w.Do("mask_image", nativetest.Args{"image": {given}, "mask": {{Resource: plan.Resource{Type: plan.Mask}, Path: mask.Path}}})
	w.Do("collage_images", nativetest.Args{"images": {given, given}})
	w.Do("images_to_gif", nativetest.Args{"images": {given, given, given}})
	depth := given
	depth.Type = plan.Depth
	w.Do("normal_from_depth", nativetest.Args{"depth": {depth}})
}

func said(arg, value string) nativetest.Args { return nativetest.Args{arg: {nativetest.Text(value)}} }

func grey(v int) color.NRGBA { return color.NRGBA{uint8(v), uint8(v), uint8(v), 255} }
