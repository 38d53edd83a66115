package ffmpeg

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPlays: a decodable file returns its length, and a file with a valid header but invalid content does not play.
func TestPlays(t *testing.T) {
	t.Parallel()
	f := newFFmpeg(t, Config{})
	path := made(t, "clip.mp4", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=3", "-f", "lavfi", "-i", "sine=duration=3", "-shortest", "-pix_fmt", "yuv420p")
	look, err := f.Plays(t.Context(), path)
	if err != nil || look.Duration < 2900*time.Millisecond || look.Duration > 3100*time.Millisecond {
		t.Fatalf("%s, %v", look.Duration, err)
	}
	if v := look.Video(); v.Packets != 30 || v.Duration < 2900*time.Millisecond {
		t.Errorf("the pictures are %d and last %s", v.Packets, v.Duration)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The media data are between "mdat" and "moov"; noise there cannot be decoded.
	from, to := bytes.Index(whole, []byte("mdat"))+4, bytes.Index(whole, []byte("moov"))-4
	if to < from { // the index is first
		to = len(whole)
	}
	for i := from; i < to; i++ {
		whole[i] = byte(i * 7)
	}
	broken := filepath.Join(t.TempDir(), "broken.mp4")
	if err := os.WriteFile(broken, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if look, err := f.Plays(t.Context(), broken); err == nil {
		t.Errorf("noise plays for %s", look.Duration)
	}
}
