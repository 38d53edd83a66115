package jobs

import (
	"maps"
	"testing"
)

// Names are given in the order of the claims, each once however it is written, and stay.
func TestReadableNamesAreUniqueInAThread(t *testing.T) {
	t.Parallel()
	f := newFiles()
	f.add(&claim{Files: []namedFile{{"a", "photo-small.jpg"}, {"b", "photo-small.jpg"}}, Taken: []string{"Photo-Small-2.JPG"}})
	f.add(&claim{Files: []namedFile{{"c", "PHOTO-small.jpg"}, {"a", "other.jpg"}, {"d", "no-ending"}, {"e", "no-ending"}}})
	want := map[string]string{
		"a": "photo-small.jpg", "b": "photo-small-3.jpg", "c": "PHOTO-small-4.jpg", "d": "no-ending", "e": "no-ending-2",
	}
	if !maps.Equal(f.names, want) {
		t.Errorf("%v", f.names)
	}
}
