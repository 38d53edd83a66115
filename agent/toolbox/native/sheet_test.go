package native

import (
	"image/color"
	"strings"
	"testing"
)

func TestTableToImage(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	out := w.run("table_to_image", args{"table": {text(sales)}})
	img := w.read(out).Image
	if img.Rect.Dy() != 2*24+5*42 || img.Rect.Dx() < 300 || img.Rect.Dx() > 700 {
		t.Errorf("four rows with a header make %v", img.Rect)
	}
	if n := inked(img, headPaper); n < 5000 {
		t.Errorf("the header has %d pixels", n)
	}
	if !out.Note.IsZero() {
		t.Errorf("note %q", out.Note)
	}
	out = w.run("table_to_image", args{"table": {text("n\tword\n" + strings.Repeat("1\t字\n", 150))}})
	if said := out.Note.String(); !strings.Contains(said, "first 100 rows") || !strings.Contains(said, "boxes") {
		t.Errorf("note %q", said)
	}
	if got := w.read(out).Image.Rect.Dy(); got != 2*24+101*42 {
		t.Errorf("%d pixels high", got)
	}
	w.refused("table_to_image", args{"table": {text("no table")}}, "no table")
}

func TestCodeToPicture(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	code := "func main() {\n\tprintln(\"hello\")\n}\n"
	for style, paper := range map[string]color.NRGBA{"dark mode": {15, 23, 42, 255}, "on a white background": {255, 255, 255, 255}} {
		img := w.read(w.run("code_to_picture", args{"text": {text(code)}, "style": {text(style)}})).Image
		if img.Rect.Dy() != 2*40+3*34 || img.NRGBAAt(0, 0) != paper {
			t.Errorf("%s: %v on %v", style, img.Rect, img.NRGBAAt(0, 0))
		}
	}
	lines, wide := brokenLines(strings.Repeat("word ", 50) + "\n" + strings.Repeat("x", 150))
	if len(lines) != 5 || wide != 100 || lines[4] != strings.Repeat("x", 50) {
		t.Errorf("%d columns: %q", wide, lines)
	}
	w.refused("code_to_picture", args{"text": {text(" \n")}}, "no text")
	w.refused("code_to_picture", args{"text": {text(strings.Repeat("a\n", 400))}}, "400")
}
