package transform

import (
	"fmt"
	"image"
	"os"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestIconSet(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	logo := w.Given("logo.png", nativetest.Colourful(300, 200))
	out := w.Do("icon_set", nativetest.Args{"image": {logo}})
	sides := []int{}
	last := len(out.More) - 1
	if p := w.Read(out.More[last]); p.Info.MIME != "image/x-icon" || p.Image.Rect.Size() != image.Pt(48, 48) {
		t.Errorf("the favicon is %+v", p.Info)
	}
	if name := out.More[last].File; name != "favicon" {
		t.Errorf("the favicon is called %q", name)
	}
	file, err := os.ReadFile(out.More[last].Path)
	if err != nil || file[4] != 3 || file[6] != 16 || file[6+16] != 32 || file[6+2*16] != 48 {
		t.Errorf("the favicon holds %v: %v", file[:60], err)
	}
	for _, o := range append([]toolbox.Output{out}, out.More[:last]...) {
		p := w.Read(o)
		if p.Image.Rect.Dx() != p.Image.Rect.Dy() || p.Image.NRGBAAt(0, 0).A != 0 {
			t.Errorf("an icon of %v is not square and transparent above", p.Image.Rect)
		}
		sides = append(sides, p.Image.Rect.Dx())
		if want := fmt.Sprintf("%[1]d×%[1]d", p.Image.Rect.Dx()); o.About.String() != want { // which its file is named by
			t.Errorf("an icon is %q, not %q", o.About, want)
		}
	}
	if len(sides) != len(iconSizes) || sides[0] != 16 || sides[8] != 512 {
		t.Errorf("the sides are %v", sides)
	}
	few := w.Do("icon_set", nativetest.Args{"image": {logo}, "sizes": {nativetest.Text("16, 32, 180 and 512")}})
	if len(few.More) != 3 || w.Read(few).Image.Rect.Dx() != 16 || w.Read(few.More[2]).Image.Rect.Dx() != 512 {
		t.Errorf("made %+v", few)
	}
	w.Refused("icon_set", nativetest.Args{"image": {logo}, "sizes": {nativetest.Text("4 and 32")}}, "from 8 to 1024 pixels")
}
