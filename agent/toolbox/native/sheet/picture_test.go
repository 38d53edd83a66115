package sheet

import (
	"strings"
	"testing"

	"atelier/agent/toolbox/native/nativetest"
)

func TestTableToImage(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations())
	out := w.Do("table_to_image", nativetest.Args{"table": {nativetest.Text(sales)}})
	img := w.Read(out).Image
	if img.Rect.Dy() != 2*24+5*42 || img.Rect.Dx() < 300 || img.Rect.Dx() > 700 {
		t.Errorf("four rows with a header make %v", img.Rect)
	}
	if n := nativetest.Inked(img, headPaper); n < 5000 {
		t.Errorf("the header has %d pixels", n)
	}
	if !out.Note.IsZero() {
		t.Errorf("note %q", out.Note)
	}
	out = w.Do("table_to_image", nativetest.Args{"table": {nativetest.Text("n\tword\n" + strings.Repeat("1\t字\n", 150))}})
	if said := out.Note.String(); !strings.Contains(said, "first 100 rows") || !strings.Contains(said, "boxes") {
		t.Errorf("note %q", said)
	}
	if got := w.Read(out).Image.Rect.Dy(); got != 2*24+101*42 {
		t.Errorf("%d pixels high", got)
	}
	w.Refused("table_to_image", nativetest.Args{"table": {nativetest.Text("no table")}}, "not a table")
}
