package read

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/sandbox"
)

const (
	// mostScanned is the maximum number of pages for OCR at once: each takes some seconds.
	mostScanned = 30
	scanTime    = 8 * time.Minute
	// scanDensity is the resolution for OCR, in pixels per inch, and mostScan the maximum number of
	// pixels of a page.
	scanDensity = 300
	mostScan    = 16_000_000
)

// document is a PDF document with the area of each page, in square points.
type pdf struct {
	path  string
	areas []float64
}

// pdfToText returns the text of a document. If no page has a text layer, it uses OCR.
func (r Reader) pdfToText(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	doc, err := r.chosenPages(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	layers, err := r.layers(ctx, c, doc)
	if err != nil {
		return toolbox.Output{}, err
	}
	text := strings.TrimSpace(strings.Join(layers, "\n"))
	var notes []plan.Message
	if text == "" {
		found, err := r.recognised(ctx, c, doc)
		if err != nil {
			return toolbox.Output{}, err
		}
		if text = found.text(); text == "" {
			return toolbox.Output{}, plan.Refusal("The document has no text, and I found no text on its pages.")
		}
		notes = append(notes, plan.Say("Its pages are pictures, so the text was read from them by OCR; there may be mistakes."))
		if len(doc.areas) > mostScanned {
			notes = append(notes, plan.Say("Only the first %d pages were read; ask for other pages to read more.", mostScanned))
		}
	}
	out := machine.Described(toolbox.Output{Value: text})
	out.Note = plan.Sentences(append(notes, out.Note)...)
	return out, nil
}

// ocrPDF adds an invisible text layer to the pages that have none. Their look does not change.
func (r Reader) ocrPDF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	whole, err := r.chosenPages(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	layers, err := r.layers(ctx, c, whole)
	if err != nil {
		return toolbox.Output{}, err
	}
	scanned := pdf{}
	var pages []string
	for i, area := range whole.areas {
		if i >= len(layers) || strings.TrimSpace(layers[i]) == "" {
			pages, scanned.areas = append(pages, strconv.Itoa(i+1)), append(scanned.areas, area)
		}
	}
	switch {
	case len(pages) == 0:
		return toolbox.Output{}, plan.Refusal("The document is already searchable.")
	case len(pages) > mostScanned:
		return toolbox.Output{}, plan.Refusal("Too many pages without text (%d): at most %d can be read by OCR at once. Send it in parts.",
			len(pages), mostScanned)
	}
	list := strings.Join(pages, ",")
	if scanned.path, err = r.QPDF(ctx, c, "scanned.pdf", whole.path, "--empty", "--pages", whole.path, list, "--"); err != nil {
		return toolbox.Output{}, err
	}
	pictures, err := r.pictures(ctx, c, scanned)
	if err != nil {
		return toolbox.Output{}, err
	}
	if _, err := r.tesseract(ctx, c, pictures, "text", "-c", "textonly_pdf=1", "pdf"); err != nil {
		return toolbox.Output{}, err
	}
	text := filepath.Join(filepath.Dir(scanned.path), "text.pdf")
	if err := sandbox.Left(text); err != nil {
		return toolbox.Output{}, fmt.Errorf("read pages: %w", err)
	}
	if layers, err = r.layers(ctx, c, pdf{path: text}); err != nil {
		return toolbox.Output{}, err
	}
	found := 0
	for _, layer := range layers {
		if strings.TrimSpace(layer) != "" {
			found++
		}
	}
	if found == 0 {
		return toolbox.Output{}, plan.Refusal("The document has no text, and I found no text on its pages.")
	}
	made, err := r.QPDF(ctx, c, "searchable.pdf", whole.path, whole.path, "--overlay", text, "--to="+list, "--")
	if err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Say("the text of %d pages can be searched", found)
	if found == 1 {
		about = plan.Say("the text of one page can be searched")
	}
	return toolbox.Output{Path: filepath.Join(c.Dir, filepath.Base(made)), About: about}, nil
}

// chosenPages returns the document of a call, reduced to the selected pages.
func (r Reader) chosenPages(ctx context.Context, c toolbox.Call) (pdf, error) {
	path, areas, err := r.Opened(ctx, c)
	if err != nil {
		return pdf{}, err
	}
	wanted, ok := toolbox.Param[quantity.Pages](c, "pages")
	if !ok {
		return pdf{path, areas}, nil
	}
	pages, err := facts.Chosen(wanted, len(areas))
	if err != nil {
		return pdf{}, err
	}
	chosen, list := pdf{}, make([]string, len(pages))
	for i, n := range pages {
		chosen.areas, list[i] = append(chosen.areas, areas[n-1]), strconv.Itoa(n)
	}
	chosen.path, err = r.QPDF(ctx, c, "chosen.pdf", path, "--empty", "--pages", path, strings.Join(list, ","), "--")
	return chosen, err
}

// layers returns the text layer of each page.
func (r Reader) layers(ctx context.Context, c toolbox.Call, doc pdf) ([]string, error) {
	text, err := r.Run(ctx, sandbox.Command{
		Program: "pdftotext", Args: []string{"-layout", "-enc", "UTF-8", doc.path, "-"},
		Dir: c.Dir, Read: []string{doc.path}, Most: machine.MostTold, Memory: machine.OtherMemory, Timeout: machine.OtherTime,
	})
	return strings.Split(strings.ToValidUTF8(string(text), "?"), "\f"), err
}

// recognised returns the text of the first pages by OCR.
func (r Reader) recognised(ctx context.Context, c toolbox.Call, doc pdf) (writing, error) {
	if err := r.Require(tesseract()); err != nil {
		return writing{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	doc.areas = doc.areas[:min(len(doc.areas), mostScanned)]
	pictures, err := r.pictures(ctx, c, doc)
	if err != nil {
		return writing{}, err
	}
	table, err := r.tesseract(ctx, c, pictures, "-", "tsv")
	return page{scale: 1}.writing(table), err
}

// pictures renders the pages of a document, in order.
func (r Reader) pictures(ctx context.Context, c toolbox.Call, doc pdf) ([]string, error) {
	names := make([]string, len(doc.areas))
	for i, area := range doc.areas {
		const pointsPerInch = 72
		density := min(scanDensity, pointsPerInch*math.Sqrt(mostScan/max(area, 1)))
		name, number := "page-"+strconv.Itoa(i+1), strconv.Itoa(i+1)
		_, err := r.Run(ctx, sandbox.Command{
			Program: "pdftoppm",
			Args: []string{
				"-gray", "-png", "-r", strconv.FormatFloat(density, 'f', 2, 64), "-f", number, "-l", number, "-singlefile", doc.path, name,
			},
			Dir: c.Dir, Read: []string{doc.path}, File: r.Limits.Bytes, Memory: machine.OtherMemory, Timeout: machine.OtherTime,
		})
		if err == nil {
			err = sandbox.Left(filepath.Join(c.Dir, name+".png"))
		}
		if err != nil {
			return nil, fmt.Errorf("draw a page: %w", err)
		}
		names[i] = name + ".png"
	}
	return names, nil
}

// tesseract runs OCR on pictures in the call's folder, as the pages of one document.
func (r Reader) tesseract(ctx context.Context, c toolbox.Call, pictures []string, to string, options ...string) ([]byte, error) {
	letters, err := r.letters(ctx, c)
	if err != nil {
		return nil, err
	}
	const list = "pages.txt"
	if err := os.WriteFile(filepath.Join(c.Dir, list), []byte(strings.Join(pictures, "\n")+"\n"), 0o600); err != nil {
		return nil, &plan.Fault{Sentence: plan.Say("The pages could not be passed to the program."), Err: err}
	}
	return r.Run(ctx, sandbox.Command{
		Program: "tesseract", Args: append([]string{list, to, "-l", letters, "--psm", "3"}, options...),
		Env: []string{"OMP_THREAD_LIMIT=1"}, // its threads wait for one another more than they work
		Dir: c.Dir, Most: machine.MostTold, File: r.Limits.Bytes, Memory: machine.OtherMemory, Timeout: scanTime,
	})
}
