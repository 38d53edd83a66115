package workshop

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"atelier/adapters/web/page"
	"atelier/bot/bottest"
)

// TestVoices checks that a sound becomes Ogg Opus, with its length and loudness.
func TestVoices(t *testing.T) {
	t.Parallel()
	_, blobs, films := withFFmpeg(t)
	sound, err := page.OpenSample("audio")
	bottest.Check(t, err)
	bottest.Check(t, errors.Join(blobs.Put(t.Context(), "sound.mp3", sound), sound.Close()))
	v, err := voices{blobs, films, Pictures{blobs: blobs, scratch: t.TempDir()}}.of(t.Context(), "sound.mp3", "x/voice.ogg")
	bottest.Check(t, err)
	opus, err := blobs.Get(t.Context(), v.Handle)
	bottest.Check(t, err)
	var b bytes.Buffer
	n, err := b.ReadFrom(opus)
	bottest.Check(t, errors.Join(err, opus.Close()))
	if n != v.Size || !bytes.HasPrefix(b.Bytes(), []byte("OggS")) || !bytes.Contains(b.Bytes()[:64], []byte("OpusHead")) {
		t.Errorf("%d of %d bytes begin with %q", n, v.Size, b.Bytes()[:min(n, 64)])
	}
	if v.Duration < time.Second || len(v.Waveform) < 10 || len(v.Waveform) > 256 || slices.Max(v.Waveform) == 0 {
		t.Errorf("it lasts %s: %v", v.Duration, v.Waveform)
	}
}

// TestWaveform checks that it has at most as many parts as are shown, and the loudest sample of each.
func TestWaveform(t *testing.T) {
	t.Parallel()
	quiet := slices.Repeat([]byte{128}, sampled)
	for name, c := range map[string]struct {
		samples []byte
		parts   int
		loudest byte
	}{
		"one sample": {[]byte{255}, 1, 254}, "silence": {quiet, 10, 0}, "the lowest": {append(slices.Clone(quiet), 0), 10, 255},
		"an hour": {slices.Repeat([]byte{130}, 3600*sampled), 256, 4},
	} {
		if got := waveform(c.samples); len(got) != c.parts || slices.Max(got) != c.loudest {
			t.Errorf("%s: %d parts, at most %d", name, len(got), slices.Max(got))
		}
	}
}
