package serve_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/agent/toolbox/slow"
)

// noise returns a picture of about 3 MB.
func noise(t *testing.T) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, 1600, 1200))
	for y := range 1200 {
		for x := range 1600 {
			v := uint8(random.IntN(256))
			m.SetRGBA(x, y, color.RGBA{v, v / 2, 255 - v, 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTooLargeResultsAreMadeSmaller checks that they fit the platform's limit, and that the answer says so.
func TestTooLargeResultsAreMadeSmaller(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	photo := noise(t)
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "DISCORD_MAX_FILE_MB=1", "SLACK_MAX_FILE_MB=1"))
		thread := by.wish("rotate it by 90 degrees", photo)
		var sent []shown
		in.until(o, "a smaller picture comes", func() bool {
			said := false
			sent = nil
			for _, p := range by.posts(thread) {
				said = said || strings.Contains(p.text, "too large to send here, so I made it smaller")
				sent = append(sent, p.pictures...)
			}
			return said && len(sent) == 1
		})
		small, _, err := image.DecodeConfig(bytes.NewReader(sent[0].content))
		if err != nil || len(sent[0].content) > 1<<20 || small.Height <= small.Width {
			in.Errorf("it has %d bytes, %d × %d: %v", len(sent[0].content), small.Width, small.Height, err)
		}
		thread = by.wish("make it twice as large", photo)
		in.until(o, "what was asked for is not undone", func() bool {
			for _, p := range by.posts(thread) {
				if strings.Contains(p.text, "is too large to send here: it has") {
					return true
				}
			}
			return false
		})
	})
}
