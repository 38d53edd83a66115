package metadata

import (
	"slices"
	"testing"
)

// TestPicturesInBoxesStay: they store the position of their pixels in boxes that are metadata in videos.
func TestPicturesInBoxesStay(t *testing.T) {
	t.Parallel()
	for _, brand := range []string{"heic", "heix", "mif1", "avif", "avis"} {
		path := write(t, "a."+brand, slices.Concat([]byte("\x00\x00\x00\x18ftyp"+brand+"\x00\x00\x00\x00mif1heic"), []byte("\x00\x00\x00\x10metaabcdefgh"), []byte("\x00\x00\x00\x10mdatabcdefgh")))
		if got, err := File(t.Context(), path); err != nil || got != path {
			t.Errorf("%s: %q, %v", brand, got, err)
		}
	}
}
