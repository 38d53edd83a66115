package program

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// lines returns a picture of lines of text.
func lines(t *testing.T, all string) image.Image {
	t.Helper()
	return lettered(t, 40, 800, 300, color.Black, color.White, strings.Split(all, "\n")...)
}

// scanned returns a document whose pages are pictures, rotated clockwise by a number of degrees.
func scanned(t *testing.T, name string, turn int, pages ...image.Image) string {
	t.Helper()
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", ""}
	var kids strings.Builder
	for _, img := range pages {
		var scan bytes.Buffer
		if err := jpeg.Encode(&scan, img, nil); err != nil {
			t.Fatal(err)
		}
		n, w, h := len(objects)+1, img.Bounds().Dx(), img.Bounds().Dy()
		fmt.Fprintf(&kids, "%d 0 R ", n)
		draws := fmt.Sprintf("%d 0 0 %d 0 0 cm /Scan Do", w/2, h/2)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Rotate %d /Resources << /XObject << /Scan %d 0 R >> >> /Contents %d 0 R >>",
				w/2, h/2, turn, n+1, n+2),
			fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream",
				w, h, scan.Len(), scan.String()),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(draws), draws))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(pages), kids.String())
	path := writePDF(t, name, objects)
	if got := strings.TrimSpace(strings.Join(texts(t, path), "")); got != "" {
		t.Fatalf("the scan has a text layer: %q", got)
	}
	return path
}

func TestScanBecomesSearchable(t *testing.T) {
	t.Parallel()
	pages := []string{"The quick brown fox\njumps over lazy dogs.", "Invoice number 4711", "Total due in March"}
	scan := scanned(t, "scan.pdf", 0, lines(t, pages[0]), lines(t, pages[1]), lines(t, pages[2]))
	out := done(t, "ocr_pdf", args{"document": fileOf(plan.Document, scan), "language": "English"})
	got := texts(t, out.Path)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "\n\n", "\n") // as pdftotext writes the space between lines
	}
	if !slices.Equal(got, pages) {
		t.Errorf("its text is %q, want %q", got, pages)
	}
	holds(t, out.About.String(), "3 pages")
	looksAlike(t, scan, out.Path)
	holds(t, refused(t, "ocr_pdf", args{"document": fileOf(plan.Document, out.Path)}), "already searchable")
}

// TestScanIsTurnedUpright: each page is turned as its letters need it.
func TestScanIsTurnedUpright(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	page := lines(t, "The quick brown fox jumps\nover the lazy dogs, and\nthe invoice is due in March")
	for _, turn := range []int{90, 180, 270} {
		scan := fileOf(plan.Document, scanned(t, "scan.pdf", turn, page))
		out := done(t, "rotate_pdf", args{"document": scan, "angle": "the right way up"})
		holds(t, tool(t, "pdfinfo", "-f", "1", "-l", "1", out.Path), "Page    1 rot:   0")
		holds(t, refused(t, "rotate_pdf", args{"document": fileOf(plan.Document, out.Path), "angle": "upright"}), "upright already")
	}
	blank := fileOf(plan.Document, scanned(t, "blank.pdf", 0, lines(t, "")))
	holds(t, refused(t, "rotate_pdf", args{"document": blank, "angle": "upright"}), "too few letters")
}

// TestBlankScanIsNotSearchable checks that pages without words do not count, and that a document of only such
// pages is refused.
func TestBlankScanIsNotSearchable(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	blank := lines(t, "")
	scan := scanned(t, "blank.pdf", 0, blank, blank)
	holds(t, refused(t, "ocr_pdf", args{"document": fileOf(plan.Document, scan)}), "I found no text on its pages")
	half := scanned(t, "half.pdf", 0, blank, lines(t, "Invoice number 4711"))
	holds(t, done(t, "ocr_pdf", args{"document": fileOf(plan.Document, half)}).About.String(), "one page")
}

// looksAlike checks that the first pages of two documents look the same.
func looksAlike(t *testing.T, a, b string) {
	t.Helper()
	var shown [2]image.Image
	for i, path := range []string{a, b} {
		to := filepath.Join(t.TempDir(), "page")
		tool(t, "pdftoppm", "-png", "-singlefile", path, to)
		shown[i] = readPicture(t, to+".png")
	}
	if shown[0].Bounds() != shown[1].Bounds() {
		t.Fatalf("the page is %v, was %v", shown[1].Bounds(), shown[0].Bounds())
	}
	for y := range shown[0].Bounds().Dy() {
		for x := range shown[0].Bounds().Dx() {
			if shown[0].At(x, y) != shown[1].At(x, y) {
				t.Fatalf("the page differs at %d, %d", x, y)
			}
		}
	}
}

// TestOnlyPagesWithoutTextAreRecognised checks that other pages keep their own text, and that rotated pages are
// read as people see them.
func TestOnlyPagesWithoutTextAreRecognised(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	upright := lines(t, "Written by hand")
	left := image.NewNRGBA(image.Rect(0, 0, upright.Bounds().Dy(), upright.Bounds().Dx()))
	for y := range upright.Bounds().Dy() {
		for x := range upright.Bounds().Dx() {
			left.Set(y, upright.Bounds().Dx()-1-x, upright.At(x, y))
		}
	}
	mixed := filepath.Join(t.TempDir(), "mixed.pdf")
	tool(t, "qpdf", "--empty", "--pages", scanned(t, "scan.pdf", 0, upright), pdfOf(t, "typed.pdf", "Typed page"),
		scanned(t, "sideways.pdf", 90, left), "--", mixed)
	out := done(t, "ocr_pdf", args{"document": fileOf(plan.Document, mixed)})
	if got, want := texts(t, out.Path), []string{"Written by hand", "Typed page", "Written by hand"}; !slices.Equal(got, want) {
		t.Errorf("its text is %q, want %q", got, want)
	}
	holds(t, out.About.String(), "2 pages")
}

func TestTextOfAScanIsReadByOCR(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	scan := fileOf(plan.Document, scanned(t, "scan.pdf", 0, lines(t, "First letter\nof many"), lines(t, "Second letter")))
	out := done(t, "pdf_to_text", args{"document": scan})
	if want := "First letter\nof many\n\nSecond letter"; out.Value != want {
		t.Errorf("it says %q, want %q", out.Value, want)
	}
	holds(t, out.Note.String(), "by OCR", "mistakes")
	if out := done(t, "pdf_to_text", args{"document": scan, "pages": "page 2"}); out.Value != "Second letter" {
		t.Errorf("page 2 says %q", out.Value)
	}
}

func TestLongScans(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	one := scanned(t, "one.pdf", 0, lines(t, "Again"))
	long := filepath.Join(t.TempDir(), "long.pdf")
	tool(t, "qpdf", "--empty", "--pages", one, strings.TrimSuffix(strings.Repeat("1,", 31), ","), "--", long)
	doc := fileOf(plan.Document, long)
	holds(t, refused(t, "ocr_pdf", args{"document": doc}), "(31)", "at most 30")
	out := done(t, "pdf_to_text", args{"document": doc})
	if got := strings.Count(out.Value, "Again"); got != 30 {
		t.Errorf("%d pages were read", got)
	}
	holds(t, out.Note.String(), "Only the first 30 pages")
}
