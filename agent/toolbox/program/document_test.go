package program

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/slow"
)

// pdfOf writes a PDF document with a line of text on each page. Its pages are 200 by 300 points.
func pdfOf(t *testing.T, name string, lines ...string) string {
	t.Helper()
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	var kids strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1)
		draws := fmt.Sprintf("BT /F 18 Tf 20 250 Td (%s) Tj ET", line)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Resources << /Font << /F 3 0 R >> >> /Contents %d 0 R >>", len(objects)+2),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(draws), draws))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(lines), kids.String())
	return writePDF(t, name, objects)
}

// writePDF writes a PDF document from its objects; the first one is its catalogue.
func writePDF(t *testing.T, name string, objects []string) string {
	t.Helper()
	b := []byte("%PDF-1.4\n")
	var table strings.Builder
	fmt.Fprintf(&table, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", len(b))
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b = fmt.Appendf(b, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table.String(), len(objects)+1, len(b))
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// three returns a document with three pages.
func three(t *testing.T) toolbox.Value {
	t.Helper()
	return fileOf(plan.Document, pdfOf(t, "report.pdf", "First page", "Second page", "Third page"))
}

// texts returns the texts of the pages of a document.
func texts(t *testing.T, path string) []string {
	t.Helper()
	var all []string
	for page := range strings.SplitSeq(strings.TrimSuffix(tool(t, "pdftotext", path, "-"), "\f"), "\f") {
		all = append(all, strings.TrimSpace(page))
	}
	return all
}

func TestPDFToImages(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{"every page": 3, "page 2": 1, "the last 2 pages": 2, "": 3} {
		a := args{"document": three(t)}
		if said != "" {
			a["pages"] = said
		}
		out := done(t, "pdf_to_images", a)
		if got := 1 + len(out.More); got != want {
			t.Errorf("%q makes %d pictures, want %d", said, got, want)
		}
		if got, want := readPicture(t, out.Path).Bounds().Size(), image.Pt(417, 625); got != want { // at 150 dpi
			t.Errorf("a page is %v, want %v", got, want)
		}
	}
	if out := done(t, "pdf_to_images", args{"document": three(t), "pages": "1", "format": "jpg"}); filepath.Ext(out.Path) != ".jpg" {
		t.Errorf("made %s", out.Path)
	}
	holds(t, refused(t, "pdf_to_images", args{"document": three(t), "pages": "page 9"}), "There is no page 9. The document has 3 pages.")
	one := fileOf(plan.Document, pdfOf(t, "one.pdf", "Alone"))
	holds(t, refused(t, "pdf_to_images", args{"document": one, "pages": "page 2"}), "only one page")
}

// TestScriptsInPDF checks that scripts never run, and that the pages and the text come out as usual.
func TestScriptsInPDF(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "ran")
	document := fileOf(plan.Document, writePDF(t, "scripts.pdf", []string{
		"<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /Names << /JavaScript << /Names [(run) 6 0 R] >> >> /AA << /WC 7 0 R >> >>",
		"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /AA << /O 6 0 R >> /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R >>",
		"<< /Length 42 >>\nstream\nBT /F 18 Tf 20 250 Td (Harmless page) Tj ET\nendstream",
		"<< /S /JavaScript /JS (app.launchURL\\('file://" + mark + "'\\); this.getField\\('x'\\).value = 'changed';) >>",
		"<< /S /Launch /F (/bin/touch) /Win << /F (touch) /P (" + mark + ") >> >>",
	}))
	if out := done(t, "pdf_to_text", args{"document": document}); strings.TrimSpace(out.Value) != "Harmless page" {
		t.Errorf("the text is %q", out.Value)
	}
	if out := done(t, "pdf_to_images", args{"document": document}); len(out.More) != 0 || readPicture(t, out.Path).Bounds().Size() != image.Pt(417, 625) {
		t.Errorf("the pages are %+v", out)
	}
	if out := done(t, "merge_pdfs", args{"documents": list(document, document)}); !slices.Equal(texts(t, out.Path), []string{"Harmless page", "Harmless page"}) {
		t.Errorf("the merged pages say %q", texts(t, out.Path))
	}
	if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a script ran: %v", err)
	}
}

// TestScriptsAreRemoved checks that a document made from another one has none of its scripts, and all of its
// pages.
func TestScriptsAreRemoved(t *testing.T) {
	t.Parallel()
	document := writePDF(t, "scripts.pdf", []string{
		"<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /Names << /Java#53cript << /Names [(run) 6 0 R] >> >> /AA << /WC 7 0 R >> /AcroForm << /Fields [] /XFA 12 0 R >> >>",
		"<< /Type /Pages /Count 2 /Kids [4 0 R 8 0 R] >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /AA << /O 6 0 R >> /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R /Annots [9 0 R 10 0 R] >>",
		"<< /Length 42 >>\nstream\nBT /F 18 Tf 20 250 Td (Harmless page) Tj ET\nendstream",
		"<< /S /JavaScript /JS (app.alert\\(1\\);) >>",
		"<< /S /Launch /F (/bin/touch) /Win << /F (touch) /P (x) >> >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R >>",
		"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.org/) /Next << /S /JavaScript /JS (x) >> >> >>",
		"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S 11 0 R /F (/bin/touch) >> >>",
		"/Launch",
		"<< /Length 20 >>\nstream\n<xdp><script/></xdp>\nendstream",
	})
	for _, c := range []struct {
		tool string
		args args
	}{
		{"rotate_pdf", args{}}, {"merge_pdfs", nil}, {"extract_pages", args{"pages": "pages 1 and 2"}}, {"split_pdf", args{}}, {"number_pages", args{}},
		{"stamp_pdf", args{"text": "DRAFT"}}, {"pages_per_sheet", args{}}, {"compress_pdf", args{}},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			given := fileOf(plan.Document, document)
			if c.args == nil {
				c.args = args{"documents": list(given, given)}
			} else {
				c.args["document"] = given
			}
			out, err := perform(t, c.tool, c.args)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, out.Note.String(), "It had scripts, which were removed.")
			for _, made := range append([]toolbox.Output{out}, out.More...) {
				said := tool(t, "qpdf", "--json=2", "--json-key=qpdf", "--json-stream-data=none", made.Path)
				if regexp.MustCompile(`"/(AA|JavaScript|JS|Launch|XFA)"`).MatchString(said) {
					t.Errorf("it has a script: %s", said)
				}
				if c.tool == "rotate_pdf" && !strings.Contains(said, "https://example.org/") {
					t.Error("it has lost its link")
				}
				holds(t, tool(t, "pdftotext", made.Path, "-"), "Harmless page")
			}
		})
	}
}

// TestCompressedPDF checks that it is smaller, and that one that cannot be made smaller is refused.
func TestCompressedPDF(t *testing.T) {
	t.Parallel()
	long := pdfOf(t, "long.pdf", strings.Repeat("All work and no play. ", 300), strings.Repeat("The same again. ", 300))
	out, err := perform(t, "compress_pdf", args{"document": fileOf(plan.Document, long)})
	if err != nil || machine.SizeOf(out.Path) > machine.SizeOf(long)/2 {
		t.Fatalf("it has %d bytes of %d: %v", machine.SizeOf(out.Path), machine.SizeOf(long), err)
	}
	holds(t, refused(t, "compress_pdf", args{"document": fileOf(plan.Document, out.Path)}), "It cannot be made smaller")
}

// TestCompressedPictures checks that photos in a document are scaled to the size at which they are shown, and look
// the same; grey ones stay grey, and small enough ones are unchanged.
func TestCompressedPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		width, height int
		space, keys   string
		want          image.Point
	}{
		"a photo":       {1600, 1200, "/DeviceRGB", "", image.Pt(400, 300)},
		"a grey photo":  {1600, 1200, "/DeviceGray", "", image.Pt(400, 300)},
		"a small photo": {400, 300, "/DeviceRGB", "", image.Pt(400, 300)},
		"exact colours": {1600, 1200, "/DeviceRGB", "/Mask [0 9 0 9 0 9]", image.Pt(1600, 1200)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := fmt.Sprintf("testsrc2=size=%dx%d", c.width, c.height)
			shown := readPicture(t, clip(t, "photo.png", append(lavfi(size), "-frames:v", "1")...))
			if c.space == "/DeviceGray" {
				grey := image.NewGray(shown.Bounds())
				draw.Draw(grey, grey.Rect, shown, image.Point{}, draw.Src)
				shown = grey
			}
			path := photoPDF(t, shown, c.space, c.keys)
			out, err := perform(t, "compress_pdf", args{"document": fileOf(plan.Document, path)})
			if err != nil {
				t.Fatal(err)
			}
			scaled := c.keys == ""
			if now, was := machine.SizeOf(out.Path), machine.SizeOf(path); scaled && now > was*3/4 {
				t.Errorf("it has %d bytes of %d", now, was)
			}
			if scaled != strings.Contains(out.Note.String(), "150 dpi") {
				t.Errorf("the note is %q", out.Note)
			}
			holds(t, strings.Join(strings.Fields(tool(t, "pdfimages", "-list", out.Path)), " "), fmt.Sprintf("image %d %d ", c.want.X, c.want.Y))
			before, after := rendered(t, path), rendered(t, out.Path)
			if off := difference(before, after); off > 6 {
				t.Errorf("pixels are %.1f off", off)
			}
		})
	}
}

// photoPDF writes a document of one page of 192 × 144 points that shows a photo.
func photoPDF(t *testing.T, shown image.Image, space, keys string) string {
	t.Helper()
	photo := new(bytes.Buffer)
	if err := jpeg.Encode(photo, shown, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	size := shown.Bounds().Size()
	draws := "192 0 0 144 0 0 cm /P Do\n" + strings.Repeat("% to be packed\n", 1000) // in points: 400 by 300 pixels at 150 dpi
	return writePDF(t, "photo.pdf", []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 192 144] /Resources << /XObject << /P 4 0 R >> >> /Contents 5 0 R >>",
		fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace %s /BitsPerComponent 8 /Filter /DCTDecode %s /Length %d >>\nstream\n%s\nendstream",
			size.X, size.Y, space, keys, photo.Len(), photo),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(draws), draws),
	})
}

// TestCompressedToALimit checks that the pictures of a document get coarser until it fits, and that a limit that cannot
// be kept is refused with the smallest size.
func TestCompressedToALimit(t *testing.T) {
	t.Parallel()
	photo := readPicture(t, clip(t, "photo.png", append(lavfi("testsrc2=size=1600x1200"), "-frames:v", "1")...))
	path := photoPDF(t, photo, "/DeviceRGB", "")
	given := func(limit int64) args {
		return args{"document": fileOf(plan.Document, path), "limit": fmt.Sprint(limit, " bytes")}
	}
	out, err := perform(t, "compress_pdf", args{"document": fileOf(plan.Document, path)})
	if err != nil {
		t.Fatal(err)
	}
	limit := machine.SizeOf(out.Path) * 2 / 3
	if out, err = perform(t, "compress_pdf", given(limit)); err != nil || machine.SizeOf(out.Path) > limit {
		t.Fatalf("it has %d bytes of %d: %v", machine.SizeOf(out.Path), limit, err)
	}
	holds(t, out.Note.String(), "To fit, its pictures were compressed to about", "dpi")
	if off := difference(rendered(t, path), rendered(t, out.Path)); off > 12 {
		t.Errorf("pixels are %.1f off", off)
	}
	holds(t, refused(t, "compress_pdf", given(1000)), "Even with coarse pictures (36 dpi) it cannot be made smaller than", "kB")
	holds(t, refused(t, "compress_pdf", given(machine.SizeOf(path))), "It is small enough already")
	text := fileOf(plan.Document, pdfOf(t, "text.pdf", strings.Repeat("All work and no play. ", 300)))
	holds(t, refused(t, "compress_pdf", args{"document": text, "limit": "700 bytes"}), "without changing its pages")
}

// rendered returns the first page of a document as a picture.
func rendered(t *testing.T, path string) *image.NRGBA {
	t.Helper()
	made := filepath.Join(t.TempDir(), "page")
	tool(t, "pdftoppm", "-r", "100", "-png", "-singlefile", path, made)
	return media.ToNRGBA(readPicture(t, made+".png"))
}

func TestPDFToText(t *testing.T) {
	t.Parallel()
	out := done(t, "pdf_to_text", args{"document": three(t)})
	holds(t, out.Value, "First page", "Second page", "Third page")
	if out := done(t, "pdf_to_text", args{"document": three(t), "pages": "page 2"}); strings.TrimSpace(out.Value) != "Second page" {
		t.Errorf("page 2 says %q", out.Value)
	}
	empty := fileOf(plan.Document, pdfOf(t, "empty.pdf", ""))
	holds(t, refused(t, "pdf_to_text", args{"document": empty}), "The document has no text", "found no text on its pages")
}

func TestPagesOfDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run  string
		args args
		want []string
	}{
		{"extract_pages", args{"pages": "pages 2 and 3"}, []string{"Second page", "Third page"}},
		{"extract_pages", args{"pages": "3,1"}, []string{"Third page", "First page"}},
		{"extract_pages", args{"pages": "the last page"}, []string{"Third page"}},
		{"reverse_pages", args{}, []string{"Third page", "Second page", "First page"}},
		{"rotate_pdf", args{"angle": "left"}, []string{"First page", "Second page", "Third page"}},
	} {
		c.args["document"] = three(t)
		out := done(t, c.run, c.args)
		if got := texts(t, out.Path); !slices.Equal(got, c.want) {
			t.Errorf("%s %v makes %q, want %q", c.run, c.args, got, c.want)
		}
	}
	holds(t, refused(t, "extract_pages", args{"document": three(t), "pages": "4-5"}), "There is no page 4", "3 pages")
	holds(t, refused(t, "rotate_pdf", args{"document": three(t), "angle": "45 degrees"}), "90, 180 or 270")
	out := done(t, "rotate_pdf", args{"document": three(t), "angle": "90 degrees", "pages": "page 2"})
	holds(t, tool(t, "pdfinfo", "-f", "1", "-l", "3", out.Path), "Page    1 rot:   0", "Page    2 rot:   90", "Page    3 rot:   0")
}

func TestSplitAndMerge(t *testing.T) {
	t.Parallel()
	out := done(t, "split_pdf", args{"document": three(t)})
	if len(out.More) != 2 {
		t.Fatalf("%d more documents", len(out.More))
	}
	first, last := fileOf(plan.Document, out.Path), fileOf(plan.Document, out.More[1].Path)
	merged := done(t, "merge_pdfs", args{"documents": list(last, first)})
	if got, want := texts(t, merged.Path), []string{"Third page", "First page"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	holds(t, refused(t, "merge_pdfs", args{"documents": list(first)}), "At least two")
}

// TestSplitAfterPages splits at the requested pages.
func TestSplitAfterPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said args
		want []string
	}{
		{args{"after": "after page 2"}, []string{"First page|Second page", "Third page"}},
		{args{"after": "after pages 2 and 1"}, []string{"First page", "Second page", "Third page"}},
		{args{"after": "page 1 and the last page"}, []string{"First page", "Second page|Third page"}},
		{args{"every": "every 2 pages"}, []string{"First page|Second page", "Third page"}},
		{args{"every": "1"}, []string{"First page", "Second page", "Third page"}},
	} {
		given := args{"document": three(t)}
		maps.Copy(given, c.said)
		out := done(t, "split_pdf", given)
		var got []string
		for _, o := range append([]toolbox.Output{out}, out.More...) {
			got = append(got, strings.Join(texts(t, o.Path), "|"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v makes %q, want %q", c.said, got, c.want)
		}
	}
	holds(t, done(t, "split_pdf", args{"document": three(t), "after": "page 2"}).About.String(), "pages 1 to 2")
	for says, said := range map[string]args{
		"There is no page 7": {"after": "page 7"}, "one part of all 3 pages": {"every": "5 pages"}, "before the last one": {"after": "the last page"},
	} {
		said["document"] = three(t)
		holds(t, refused(t, "split_pdf", said), says)
	}
	one := fileOf(plan.Document, pdfOf(t, "one.pdf", "Alone"))
	holds(t, refused(t, "split_pdf", args{"document": one}), "only one page")
}

func TestBadDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	locked := filepath.Join(t.TempDir(), "locked.pdf")
	tool(t, "qpdf", "--encrypt", "secret", "owner", "256", "--", pdfOf(t, "open.pdf", "Hush"), locked)
	damaged := filepath.Join(t.TempDir(), "damaged.pdf")
	if err := os.WriteFile(damaged, []byte("%PDF-1.4\nnothing of a document"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, says string }{
		{locked, "protected by a password"},
		{damaged, "damaged"},
		{pdfOf(t, "none.pdf"), "damaged"}, // as its programs see it
		{pdfOf(t, "long.pdf", make([]string, 501)...), "too many pages"},
	} {
		holds(t, refused(t, "pdf_to_images", args{"document": fileOf(plan.Document, c.path)}), filepath.Base(c.path), c.says)
		holds(t, refused(t, "number_pages", args{"document": fileOf(plan.Document, c.path)}), filepath.Base(c.path), c.says)
	}
}

// TestDocumentFacts checks the number and the size of the pages.
func TestDocumentFacts(t *testing.T) {
	t.Parallel()
	out := done(t, "document_facts", args{"document": fileOf(plan.Document, pdfOf(t, "two.pdf", "Hello", "World"))})
	holds(t, out.Value, "Pages: 2", "Page size: ", "Size: ")
	broken := filepath.Join(t.TempDir(), "broken.pdf")
	if err := os.WriteFile(broken, []byte("%PDF-1.4 and nothing else"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, refused(t, "document_facts", args{"document": fileOf(plan.Document, broken)}), "damaged")
}

// TestLargePagesAsPictures: pages that would have too many pixels get as many as are allowed, and that is said.
func TestLargePagesAsPictures(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	document := fileOf(plan.Document, writePDF(t, "poster.pdf", []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2384 3370] >>",
	}))
	out := done(t, "pdf_to_images", args{"document": document, "resolution": "300 dpi"})
	if size := readPicture(t, out.Path).Bounds().Size(); size.X*size.Y > 40_000_000 || size.X*size.Y < 38_000_000 {
		t.Errorf("it has %v pixels", size)
	}
	holds(t, out.Note.String(), "160 dpi instead of 300 dpi")
	if out := done(t, "pdf_to_images", args{"document": document, "resolution": "72 dpi"}); !out.Note.IsZero() {
		t.Errorf("the note on the resolution that was asked for is %q", out.Note)
	}
}
