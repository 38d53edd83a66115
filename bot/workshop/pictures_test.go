package workshop

import (
	"bytes"
	"errors"
	"image/jpeg"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"atelier/adapters/web/page"
	"atelier/agent/plan"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/bot/bottest"
	"atelier/bot/settings"
	"atelier/storage/disk"
)

// TestPictures checks that a model gets a small enough JPEG with the proportions of the picture.
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
	p := Pictures{blobs: blobs, limits: Workshop{Config: settings.Config{FileMB: 10, Pixels: 10}}.Limits(), scratch: t.TempDir()}
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

// withFFmpeg returns a workshop with ffmpeg, and blobs. It skips a test where ffmpeg is missing, except in CI.
func withFFmpeg(t *testing.T) (Workshop, *disk.Blobs, *ffmpeg.FFmpeg) {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("ffmpeg is not installed")
		}
		t.Skip("ffmpeg is not installed")
	}
	blobs, err := disk.Open(t.TempDir())
	bottest.Check(t, err)
	t.Cleanup(func() { bottest.Check(t, blobs.Close()) })
	shop := Workshop{Config: settings.Config{FileMB: 10, Pixels: 10}}
	films, err := shop.FFmpeg()
	bottest.Check(t, err)
	return shop, blobs, films
}

// TestVideos checks that a model gets one frame of a video, if ffmpeg is installed.
func TestVideos(t *testing.T) {
	t.Parallel()
	shop, blobs, films := withFFmpeg(t)
	video, err := page.OpenSample("video")
	bottest.Check(t, err)
	bottest.Check(t, errors.Join(blobs.Put(t.Context(), "upload", video), video.Close()))
	bottest.Check(t, blobs.Put(t.Context(), "broken.mp4", strings.NewReader("\x00\x00\x00\x18ftypmp42")))
	b, err := NewPictures(blobs, shop.Limits(), t.TempDir(), films).Thumbnail(t.Context(), "upload", 96)
	bottest.Check(t, err)
	if shown, err := jpeg.DecodeConfig(bytes.NewReader(b)); err != nil || max(shown.Width, shown.Height) != 96 {
		t.Errorf("it is shown with %d × %d pixels: %v", shown.Width, shown.Height, err)
	}
	if _, err := NewPictures(blobs, shop.Limits(), t.TempDir(), films).Thumbnail(t.Context(), "broken.mp4", 96); err == nil {
		t.Error("a broken video is shown")
	}
	if _, err := NewPictures(blobs, shop.Limits(), t.TempDir(), nil).Thumbnail(t.Context(), "upload", 96); err == nil {
		t.Error("a video is shown without ffmpeg")
	}
}
