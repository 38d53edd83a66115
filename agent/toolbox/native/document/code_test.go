package document

import (
	"image/color"
	"strings"
	"testing"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestCodeToPicture(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	code := "func main() {\n\tprintln(\"hello\")\n}\n"
	for style, paper := range map[string]color.NRGBA{"dark mode": {15, 23, 42, 255}, "on a white background": {255, 255, 255, 255}} {
		img := w.Read(w.Do("code_to_picture", nativetest.Args{"text": {nativetest.Text(code)}, "style": {nativetest.Text(style)}})).Image
		if img.Rect.Dy() != 2*40+3*34 || img.NRGBAAt(0, 0) != paper {
			t.Errorf("%s: %v on %v", style, img.Rect, img.NRGBAAt(0, 0))
		}
	}
	lines, wide := brokenLines(strings.Repeat("word ", 50) + "\n" + strings.Repeat("x", 150))
	if len(lines) != 5 || wide != 100 || lines[4] != strings.Repeat("x", 50) {
		t.Errorf("%d columns: %q", wide, lines)
	}
	w.Refused("code_to_picture", nativetest.Args{"text": {nativetest.Text(" \n")}}, "no text")
	w.Refused("code_to_picture", nativetest.Args{"text": {nativetest.Text(strings.Repeat("a\n", 400))}}, "400")
}
