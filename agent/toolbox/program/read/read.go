// Package read recognises text in pictures and scanned documents with tesseract.
package read

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/language"
	"atelier/agent/toolbox/program/document"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
)

const (
	// readTime is the timeout of one OCR run on a picture, which usually takes seconds.
	readTime = 2 * time.Minute
	// mostLanguages is the maximum number of languages to try if none is named: each takes time.
	mostLanguages = 4
	// hardlyRead is the mean confidence, in percent, below which the answer warns of mistakes.
	hardlyRead = 60
)

// Reader recognises text in pictures and scanned documents.
type Reader struct{ document.Documents }

// Operations are those that read text.
func (r Reader) Operations() map[string]machine.Operation {
	qpdf := []machine.Need{{Program: "qpdf", Debian: "qpdf"}}
	return map[string]machine.Operation{
		"locate_text": {Needs: tesseract(), Do: r.locateText},
		"ocr_pdf":     {Needs: slices.Concat(document.Poppler("pdftotext", "pdftoppm"), qpdf, tesseract()), Do: r.ocrPDF},
		"rotate_pdf":  {Needs: append(document.Poppler("pdfinfo", "pdftoppm"), qpdf...), Do: r.rotatePDF},
		"pdf_to_text": {Needs: append(document.Poppler("pdftotext"), qpdf...), Do: r.pdfToText},
		"tesseract":   {Needs: tesseract(), Do: r.read},
	}
}

// tesseract lists what OCR needs.
func tesseract() []machine.Need {
	return []machine.Need{{Program: "tesseract", Debian: "tesseract-ocr"}}
}

// read recognises the text of a picture, in reading order, with its line breaks and with an empty
// line between paragraphs.
func (r Reader) read(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	found, err := r.written(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	text := found.text()
	if text == "" {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("I found no text in the picture.")}
	}
	return toolbox.Output{Value: text, About: plan.Quote(toolbox.Shorten(text)), Note: found.note()}, nil
}

// locateText returns the words of a picture with their bounding boxes.
func (r Reader) locateText(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	found, err := r.written(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	value, err := plan.EncodeValue(found.boxes())
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("encode the boxes: %w", err)
	}
	out := toolbox.Output{Value: value, Note: found.note()}
	switch len(found.words) {
	case 0:
		out.About, out.Note = plan.Say("no words"), plan.Say("I found no text in the picture.")
	case 1:
		out.About = plan.Say("one word")
	default:
		out.About = plan.Say("%d words", len(found.words))
	}
	return out, nil
}

// note warns if the text was hard to read.
func (w writing) note() plan.Message {
	if len(w.words) > 0 && w.confidence() < hardlyRead {
		return plan.Say("The text was hard to read, so there may be mistakes; a larger or sharper picture helps.")
	}
	return plan.Message{}
}

// written recognises a picture with tesseract: first as a page, and if that finds nothing, as
// scattered words.
func (r Reader) written(ctx context.Context, c toolbox.Call) (writing, error) {
	path, err := machine.FileIn(c, "image")
	if err != nil {
		return writing{}, err
	}
	letters, err := r.letters(ctx, c)
	if err != nil {
		return writing{}, err
	}
	page, err := readable(ctx, path, c.Dir, r.Limits)
	if err != nil {
		return writing{}, err
	}
	var found writing
	for _, layout := range []string{columns, sparse} {
		found, err = r.readPage(ctx, c, page, letters, layout)
		if err != nil {
			return writing{}, err
		}
		if layout == sparse && !found.sure() { // what looks like letters in a photo
			found = writing{}
		}
		if len(found.words) > 0 {
			break
		}
	}
	// Bright words on dark buttons need adaptive thresholding, which reads other text worse.
	more, err := r.readPage(ctx, c, page, letters, columns, "-c", "thresholding_method=1")
	if err != nil {
		return writing{}, err
	}
	return found.with(more), nil
}

// Layouts of a picture (tesseract(1), --psm).
const (
	columns = "3"  // a page with columns
	sparse  = "11" // scattered words
)

// readPage runs tesseract once.
func (r Reader) readPage(ctx context.Context, c toolbox.Call, p page, letters, layout string, settings ...string) (writing, error) {
	args := slices.Concat([]string{p.path, "-", "-l", letters, "--psm", layout, "--dpi", "300"}, settings, []string{"tsv"})
	table, err := r.Run(ctx, sandbox.Command{
		Program: "tesseract", Args: args,
		Env: []string{"OMP_THREAD_LIMIT=1"}, // its threads spend more time waiting than working
		Dir: c.Dir, Most: machine.MostTold, Timeout: readTime,
	})
	if err != nil {
		return writing{}, err
	}
	return p.writing(table), nil
}

// letters returns tesseract's -l option: the named language, or the installed ones, English first.
func (r Reader) letters(ctx context.Context, c toolbox.Call) (string, error) {
	listed, err := r.Run(ctx, sandbox.Command{Program: "tesseract", Args: []string{"--list-langs"}, Dir: c.Dir})
	if err != nil {
		return "", err
	}
	var installed []string
	for line := range strings.Lines(string(listed)) {
		if name := strings.TrimSpace(line); name != "osd" && name != "equ" && !strings.ContainsAny(name, " /") && name != "" {
			installed = append(installed, name)
		}
	}
	if said := strings.TrimSpace(c.Text("language")); said != "" {
		in, err := language.Named(said)
		if err != nil {
			return "", err
		}
		if !slices.Contains(installed, in.Letters) {
			return "", &plan.Fault{
				Sentence: plan.Say("I cannot read the language %q here.", in.Names[0]),
				Operator: plan.Say("It needs tesseract's data for the language %q, which is not installed; on Debian: apt-get install %s.",
					in.Names[0], "tesseract-ocr-"+strings.ReplaceAll(in.Letters, "_", "-")),
				Err: errors.New("no data for " + in.Letters),
			}
		}
		return in.Letters, nil
	}
	if len(installed) == 0 {
		return "", machine.Missing(plan.Say("tesseract's data for a language"), "tesseract-ocr-eng", toolbox.ErrDown)
	}
	if i := slices.Index(installed, "eng"); i > 0 {
		installed = slices.Insert(slices.Delete(installed, i, i+1), 0, "eng")
	}
	return strings.Join(installed[:min(len(installed), mostLanguages)], "+"), nil
}
