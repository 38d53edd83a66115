package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/sandbox"
)

const (
	// mostPages is the limit on the pages of a document.
	mostPages = 500
	// mostPagePictures is the limit on the pages that are drawn or split at once.
	mostPagePictures = 100
	// mostDocuments is the limit on the documents to merge.
	mostDocuments = 50
	// mostDocumentText is the limit on the extracted text, in bytes.
	mostDocumentText = 512 << 10
	// pageDensity is the resolution of page pictures, in dots per inch.
	pageDensity = 150
	// mostPagePixels is the limit on the pixels of a page picture. Larger pages are drawn at a lower resolution.
	mostPagePixels = 40e6
	// pointsPerInch converts page sizes, which are in points.
	pointsPerInch = 72
	documentTime  = 3 * time.Minute
	pageMemory    = 1 << 30
)

// documents are the operations on PDF documents, by name. Poppler draws and reads pages; qpdf
// writes documents.
func (b *Backend) documents() map[string]operation {
	poppler := func(program string) []need {
		return []need{{program: "pdfinfo", debian: "poppler-utils"}, {program: program, debian: "poppler-utils"}}
	}
	qpdf := []need{{program: "pdfinfo", debian: "poppler-utils"}, {program: "qpdf", debian: "qpdf"}}
	return map[string]operation{
		"extract_pages": {qpdf, tidied(b.extractPages)},
		"merge_pdfs":    {qpdf, tidied(b.mergeDocuments)},
		"pdf_to_images": {poppler("pdftoppm"), tidied(b.pagePictures)},
		"pdf_to_text":   {poppler("pdftotext"), tidied(b.documentText)},
		"rotate_pdf":    {qpdf, tidied(b.rotateDocument)},
		"split_pdf":     {qpdf, tidied(b.splitDocument)},
	}
}

// document is a PDF document whose pages are known.
type document struct {
	path  string    // absolute
	sizes []float64 // of the pages, in square points
}

// pages is how many pages the document has.
func (d document) pages() int { return len(d.sizes) }

var pageSize = regexp.MustCompile(`(?m)^Page\s+(\d+) size:\s+([\d.]+) x ([\d.]+) pts`)

// document reads the page sizes of a document. It refuses encrypted, damaged, empty and too long documents.
func (b *Backend) document(ctx context.Context, c toolbox.Call, path string) (document, error) {
	d := document{}
	var err error
	if d.path, err = filepath.Abs(path); err != nil {
		return d, fmt.Errorf("find a document: %w", err)
	}
	name := filepath.Base(path)
	told, err := b.onDocuments(ctx, c, 0, "pdfinfo", []string{d.path}, "-f", "1", "-l", strconv.Itoa(mostPages+1), d.path)
	switch {
	case ctx.Err() != nil, errors.Is(err, toolbox.ErrDown):
		return d, err
	case err != nil && strings.Contains(err.Error(), "Incorrect password"):
		return d, refusal("%q is protected by a password; send it without one.", name)
	case err != nil:
		return d, &plan.Fault{Sentence: plan.Say("%q is damaged: it cannot be read as a PDF document.", name), Err: err, Final: true}
	}
	for _, m := range pageSize.FindAllStringSubmatch(string(told), -1) {
		d.sizes = append(d.sizes, length(m[2])*length(m[3]))
	}
	switch {
	case d.pages() == 0:
		return d, refusal("%q has no pages.", name)
	case d.pages() > mostPages:
		return d, refusal("%q has too many pages; documents of at most %d pages are taken.", name, mostPages)
	}
	return d, nil
}

func length(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// onDocuments runs a program that may read the documents. most limits its output in bytes; 0 means
// the default.
func (b *Backend) onDocuments(ctx context.Context, c toolbox.Call, most int, program string, documents []string, args ...string) ([]byte, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder of a call: %w", err)
	}
	return b.run(ctx, sandbox.Command{
		Program: program, Args: args, Dir: dir, Read: documents, Most: most,
		File: b.config.Limits.Bytes, Memory: pageMemory, Timeout: documentTime,
	})
}

// given is the document argument of a call.
func (b *Backend) given(ctx context.Context, c toolbox.Call) (document, error) {
	path, err := fileIn(c, "document")
	if err != nil {
		return document{}, err
	}
	return b.document(ctx, c, path)
}

// asked are the pages that a call asks for; all by default.
func (d document) asked(c toolbox.Call) ([]int, error) {
	said, _ := toolbox.Param[quantity.Pages](c, "pages")
	pages, missing := said.Of(d.pages())
	switch {
	case missing > 0 && d.pages() == 1:
		return nil, refusal("There is no page %d. The document has only one page.", missing)
	case missing > 0:
		return nil, refusal("There is no page %d. The document has %d pages.", missing, d.pages())
	case len(pages) == 0:
		return nil, refusal("The document has only one page.")
	}
	return pages, nil
}

// givenPages returns the document of a call and the pages that the call asks for.
func (b *Backend) givenPages(ctx context.Context, c toolbox.Call) (document, []int, error) {
	d, err := b.given(ctx, c)
	if err != nil {
		return document{}, nil, err
	}
	pages, err := d.asked(c)
	return d, pages, err
}

// pagePictures draws each page as a picture.
func (b *Backend) pagePictures(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	d, pages, err := b.givenPages(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(pages) > mostPagePictures {
		return toolbox.Output{}, refusal("%d pages are too many; at most %d can be made into pictures at once. Name some of them.",
			len(pages), mostPagePictures)
	}
	ending, option := ".png", "-png"
	if format, _ := toolbox.Param[string](c, "format"); format == "jpg" {
		ending, option = ".jpg", "-jpeg"
	}
	var made []toolbox.Output
	for _, n := range pages {
		name := fmt.Sprintf("page-%03d-%d", n, len(made))
		density := float64(pageDensity)
		if inches := d.sizes[n-1] / (pointsPerInch * pointsPerInch); inches*density*density > mostPagePixels {
			density *= mostPagePixels / (inches * density * density)
		}
		number := strconv.Itoa(n)
		if _, err := b.onDocuments(ctx, c, 0, "pdftoppm", []string{d.path}, option, "-r", strconv.FormatFloat(density, 'f', 2, 64),
			"-f", number, "-l", number, "-singlefile", d.path, name); err != nil {
			return toolbox.Output{}, err
		}
		out, err := outputFile(c, name+ending, plan.Say("a picture of page %d", n), plan.Say("Page %d could not be drawn.", n))
		if err != nil {
			return toolbox.Output{}, err
		}
		made = append(made, out)
	}
	if len(made) > 1 {
		made[0].About = plan.Say("pictures of %d pages", len(made))
	}
	return together(made), nil
}

// outputFile is the output in a file that a program wrote. failure is the error message if there is no file.
func outputFile(c toolbox.Call, name string, about, failure plan.Message) (toolbox.Output, error) {
	path := filepath.Join(c.Dir, name)
	if err := sandbox.Left(path); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: failure, Err: err}
	}
	return toolbox.Output{Path: path, About: about}, nil
}

// together combines outputs into one.
func together(made []toolbox.Output) toolbox.Output {
	out := made[0]
	out.More = made[1:]
	return out
}

// documentText extracts the text of pages and keeps its layout.
func (b *Backend) documentText(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	d, pages, err := b.givenPages(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	var parts []string
	for _, run := range runs(pages) {
		told, err := b.onDocuments(ctx, c, mostTold, "pdftotext", []string{d.path}, "-layout", "-nopgbrk", "-enc", "UTF-8",
			"-f", strconv.Itoa(run[0]), "-l", strconv.Itoa(run[1]), d.path, "-")
		if err != nil {
			return toolbox.Output{}, err
		}
		parts = append(parts, strings.Trim(strings.ToValidUTF8(string(told), "?"), "\n\f "))
	}
	text := strings.Trim(strings.Join(parts, "\n\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return toolbox.Output{}, refusal("There is no text in the document; its pages may be pictures. " +
			"Ask for every page as PNG, and then for the text in the pictures.")
	}
	out := toolbox.Output{About: plan.Quote(shorten(text))}
	if len(text) > mostDocumentText {
		text = strings.ToValidUTF8(text[:mostDocumentText], "")
		out.Note = plan.Say("The text is long, so only its beginning is given; ask for some of the pages to read on.")
	}
	out.Value = text
	return out, nil
}

// runs groups consecutive pages. Each group is a first and a last page.
func runs(pages []int) [][2]int {
	var all [][2]int
	for _, n := range pages {
		if len(all) > 0 && all[len(all)-1][1] == n-1 {
			all[len(all)-1][1] = n
			continue
		}
		all = append(all, [2]int{n, n})
	}
	return all
}

// listOf formats pages for qpdf: "1-3,7-7".
func listOf(pages []int) string {
	var parts []string
	for _, run := range runs(pages) {
		parts = append(parts, fmt.Sprintf("%d-%d", run[0], run[1]))
	}
	return strings.Join(parts, ",")
}

// qpdf runs qpdf, which writes documents into the folder of the call.
func (b *Backend) qpdf(ctx context.Context, c toolbox.Call, documents []string, args ...string) error {
	args = slices.Concat([]string{"--warning-exit-0"}, args)
	_, err := b.onDocuments(ctx, c, 0, "qpdf", documents, args...)
	return err
}

// writtenDocument is the output in a document that qpdf wrote.
func writtenDocument(c toolbox.Call, name string, about plan.Message) (toolbox.Output, error) {
	return outputFile(c, name, about, plan.Say("The document could not be written."))
}

// rewritten runs qpdf and returns the document that it writes.
func (b *Backend) rewritten(ctx context.Context, c toolbox.Call, about plan.Message, documents []string, args ...string) (toolbox.Output, error) {
	const made = "out.pdf"
	if err := b.qpdf(ctx, c, documents, slices.Concat(args, []string{made})...); err != nil {
		return toolbox.Output{}, err
	}
	return writtenDocument(c, made, about)
}

// mergeDocuments concatenates documents.
func (b *Backend) mergeDocuments(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	given := c.Args["documents"]
	switch {
	case len(given) < 2:
		return toolbox.Output{}, refusal("At least two documents are needed to merge them.")
	case len(given) > mostDocuments:
		return toolbox.Output{}, refusal("%d documents are too many; at most %d can be merged.", len(given), mostDocuments)
	}
	var paths []string
	pages := 0
	for _, v := range given {
		d, err := b.document(ctx, c, v.Path)
		if err != nil {
			return toolbox.Output{}, err
		}
		paths, pages = append(paths, d.path), pages+d.pages()
	}
	if pages > mostPages {
		return toolbox.Output{}, refusal("Together they have %d pages; documents of at most %d pages are made.", pages, mostPages)
	}
	args := slices.Concat([]string{"--empty", "--pages"}, paths, []string{"--"})
	return b.rewritten(ctx, c, plan.Say("%d documents in one, with %d pages", len(given), pages), paths, args...)
}

// extractPages makes a document of some of the pages.
func (b *Backend) extractPages(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	d, pages, err := b.givenPages(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Say("%d pages", len(pages))
	if len(pages) == 1 {
		about = plan.Say("page %d", pages[0])
	}
	return b.rewritten(ctx, c, about, []string{d.path}, "--empty", "--pages", d.path, listOf(pages), "--")
}

// splitDocument makes a document of each page.
func (b *Backend) splitDocument(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	d, err := b.given(ctx, c)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case d.pages() == 1:
		return toolbox.Output{}, refusal("The document has only one page.")
	case d.pages() > mostPagePictures:
		return toolbox.Output{}, refusal("%d pages are too many; documents of at most %d pages can be split.", d.pages(), mostPagePictures)
	}
	if err := b.qpdf(ctx, c, []string{d.path}, "--split-pages", d.path, "page-%d.pdf"); err != nil {
		return toolbox.Output{}, err
	}
	var made []toolbox.Output
	for n := 1; n <= d.pages(); n++ {
		name := fmt.Sprintf("page-%0*d.pdf", len(strconv.Itoa(d.pages())), n)
		out, err := writtenDocument(c, name, plan.Say("page %d", n))
		if err != nil {
			return toolbox.Output{}, err
		}
		made = append(made, out)
	}
	return together(made), nil
}

// rotateDocument rotates pages.
func (b *Backend) rotateDocument(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	turn, err := toolbox.Need[param.Turn](c, "angle")
	if err != nil {
		return toolbox.Output{}, err
	}
	degrees := int(turn.Degrees)
	if turn.Upright || float64(degrees) != turn.Degrees || degrees%90 != 0 || degrees == 0 {
		return toolbox.Output{}, refusal("Pages can be turned by 90, 180 or 270 degrees only.")
	}
	d, pages, err := b.givenPages(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Say("turned by %d degrees", degrees)
	return b.rewritten(ctx, c, about, []string{d.path}, d.path, fmt.Sprintf("--rotate=+%d:%s", degrees, listOf(pages)))
}
