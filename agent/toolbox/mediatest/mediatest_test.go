package mediatest

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestMediaAreValid checks that ffprobe can decode the media.
func TestMediaAreValid(t *testing.T) {
	t.Parallel()
	var frames []*image.NRGBA
	for range FramesASecond {
		frames = append(frames, Picture("x", 64, 48))
	}
	for name, c := range map[string]struct {
		content       []byte
		entries, want string
	}{
		"film.avi": {Film(frames), "stream=codec_name,width,height,r_frame_rate,nb_read_frames", "mjpeg,64,48,8/1,8\n"},
		"tone.wav": {Tone("hello", 2*time.Second), "stream=codec_name,sample_rate,channels,duration", "pcm_s16le,16000,1,2.000000\n"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "ffprobe", //nolint:gosec // a file of the test
			"-v", "error", "-count_frames", "-show_entries", c.entries, "-of", "csv=p=0", path).CombinedOutput()
		if string(out) != c.want || err != nil {
			t.Errorf("%s is %q, %v", name, out, err)
		}
	}
	if Said(Tone("hello", time.Second)) != "hello" || Said([]byte("RIFF")) != "" {
		t.Error("the text of the speech is lost")
	}
}

// TestObjects checks that the objects of a picture are found with their colours, boxes and masks.
func TestObjects(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 60, 40))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	small, large := image.Rect(5, 5, 15, 15), image.Rect(30, 10, 50, 30)
	draw.Draw(img, small, image.NewUniform(color.NRGBA{220, 30, 30, 255}), image.Point{}, draw.Src)
	draw.Draw(img, large, image.NewUniform(color.NRGBA{40, 70, 220, 255}), image.Point{}, draw.Src)
	read, err := Decode(PNG(img))
	if err != nil {
		t.Fatal(err)
	}
	all := Objects(read)
	if len(all) != 2 || all[0].Colour != "blue" || all[0].Box != large || all[1].Colour != "red" || all[1].Box != small {
		t.Fatalf("found %+v", all)
	}
	if at := ObjectAt(read, small.Min); at.Box != small {
		t.Errorf("%+v is at %v", at, small.Min)
	}
	mask := Mask(img.Rect.Size(), all[0])
	if mask.GrayAt(30, 10).Y != 255 || mask.GrayAt(29, 10).Y != 0 || mask.GrayAt(5, 5).Y != 0 {
		t.Error("the mask covers something else")
	}
}
