package workshop

import (
	"bytes"
	"errors"
	"image/jpeg"
	"io/fs"
	"testing"

	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/settings"
	"atelier/storage/disk"
)

// TestPictures: a model is shown a picture small enough, as JPEG, in its proportions.
func TestPictures(t *testing.T) {
	t.Parallel()
	blobs, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	}()
	p := Pictures{blobs, Workshop{Config: settings.Config{FileMB: 10, Pixels: 10}}.Limits(), t.TempDir()}
	for name, c := range map[string]struct{ w, h, wantW, wantH int }{
		"large":  {1536, 600, 768, 300},
		"tall":   {300, 3000, 76, 768},
		"narrow": {1, 2000, 1, 768},
		"small":  {40, 20, 40, 20},
	} {
		key := name + ".png"
		if err := blobs.Put(t.Context(), key, bytes.NewReader(bottest.PictureBytes(c.w, c.h))); err != nil {
			t.Fatal(err)
		}
		b, err := p.Picture(t.Context(), plan.Resource{Name: key, Type: plan.Image, Blob: key})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		shown, err := jpeg.DecodeConfig(bytes.NewReader(b))
		if err != nil || shown.Width != c.wantW || shown.Height != c.wantH {
			t.Errorf("%s is shown with %d × %d pixels: %v", name, shown.Width, shown.Height, err)
		}
	}
	if _, err := p.Picture(t.Context(), plan.Resource{Name: "lost.png", Blob: "lost.png"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a picture that is not there: %v", err)
	}
}
