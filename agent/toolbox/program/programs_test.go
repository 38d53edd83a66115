package program

import (
	"slices"
	"testing"

	"atelier/agent/toolbox/program/document"
)

// TestPrograms checks that each program of the catalogue is listed once, with its package and the number of tools
// that use it; here all are installed.
func TestPrograms(t *testing.T) {
	t.Parallel()
	want := []string{
		"/usr/bin/python3 python3", "abc2midi abcmidi", "espeak-ng espeak-ng", "ffmpeg ffmpeg", "ffprobe ffmpeg", "fluid-soundfont-gm fluid-soundfont-gm", "fluidsynth fluidsynth",
		"heif-enc libheif-examples", "pdfinfo poppler-utils", "pdftoppm poppler-utils", "pdftotext poppler-utils", "pocketsphinx pocketsphinx",
		"pocketsphinx-en-us pocketsphinx-en-us", "qpdf qpdf", "qrencode qrencode",
		"soffice libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui", "tesseract tesseract-ocr",
	}
	var got []string
	for _, p := range newBackend(t).Programs(tools(t)) {
		if got = append(got, p.Name+" "+p.Debian); !p.Found && (p.Name != "soffice" || document.ReadsOffice()) || p.Tools == 0 || p.Name == "ffmpeg" && p.Tools < 60 {
			t.Errorf("%+v", p)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed are %q", got)
	}
}
