package program

import (
	"slices"
	"testing"
)

// TestPrograms: each stands once, with its package, and data beside programs; here all are
// there.
func TestPrograms(t *testing.T) {
	t.Parallel()
	want := []Program{
		{"abc2midi", "abcmidi", true}, {"espeak-ng", "espeak-ng", true}, {"ffmpeg", "ffmpeg", true}, {"ffprobe", "ffmpeg", true},
		{"fluid-soundfont-gm", "fluid-soundfont-gm", true}, {"fluidsynth", "fluidsynth", true}, {"heif-enc", "libheif-examples", true}, {"pdfinfo", "poppler-utils", true},
		{"pdftoppm", "poppler-utils", true}, {"pdftotext", "poppler-utils", true}, {"pocketsphinx", "pocketsphinx", true},
		{"pocketsphinx-en-us", "pocketsphinx-en-us", true}, {"qpdf", "qpdf", true}, {"qrencode", "qrencode", true}, {"tesseract", "tesseract-ocr", true},
	}
	if got := newBackend(t).Programs(commands(t)); !slices.Equal(got, want) {
		t.Errorf("listed are %+v", got)
	}
}
