package animation

import (
	"image/color"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// The frames of a GIF are returned in order, as displayed.
func TestSplitAnimation(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	still := w.Given("a.png", nativetest.Uniform(30, 20, color.White))
	made := w.Do("images_to_gif", nativetest.Args{"images": {still, w.Given("b.png", nativetest.Uniform(30, 20, color.Black))}})
	animation := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}
	out := w.Do("split_animation", nativetest.Args{"image": {animation}})
	if len(out.More) != 1 {
		t.Fatalf("there are %d more frames", len(out.More))
	}
	w.Same(w.Read(out).Image, 30, 20, func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} })
	w.Same(w.Read(out.More[0]).Image, 30, 20, func(int, int) color.NRGBA { return color.NRGBA{0, 0, 0, 255} })
	for which, shade := range map[string]uint8{"first": 255, "last": 0} {
		one := w.Do("split_animation", nativetest.Args{"image": {animation}, "which": {nativetest.Text(which)}})
		w.Same(w.Read(one).Image, 30, 20, func(int, int) color.NRGBA { return color.NRGBA{shade, shade, shade, 255} })
		if len(one.More) > 0 {
			t.Errorf("the %s frame is %d files", which, 1+len(one.More))
		}
	}
	second := w.Do("split_animation", nativetest.Args{"image": {animation}, "number": {nativetest.Text("2")}})
	w.Same(w.Read(second).Image, 30, 20, func(int, int) color.NRGBA { return color.NRGBA{0, 0, 0, 255} })
	w.Refused("split_animation", nativetest.Args{"image": {animation}, "number": {nativetest.Text("3")}}, "only 2 frames")
	w.Refused("split_animation", nativetest.Args{"image": {still}}, "not an animated GIF")
}
