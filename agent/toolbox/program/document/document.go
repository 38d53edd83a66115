// Package document inspects and changes PDF documents with poppler and qpdf, and converts office documents to PDF with
// LibreOffice.
package document

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/paper"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
)

const (
	// mostPages is the maximum number of pages of a document.
	mostPages = 500
)

// Documents inspects and changes PDF documents.
type Documents struct{ machine.Machine }

// Operations are those on documents that are not recognised.
func (d Documents) Operations() map[string]machine.Operation {
	stamping := append(Poppler(), machine.Need{Program: "qpdf", Debian: "qpdf"})
	return map[string]machine.Operation{
		"compress_pdf":    {Needs: stamping, Do: d.compress}, // pdfimages is in the package of pdfinfo
		"document_facts":  {Needs: Poppler(), Do: d.factsOfDocument},
		"document_to_pdf": {Needs: offices(), Do: d.toPDF},
		"pages_per_sheet": {Needs: stamping, Do: d.pagesPerSheet},
		"number_pages":    {Needs: stamping, Do: d.numberPages},
		"split_pdf":       {Needs: stamping, Do: d.split},
		"stamp_pdf":       {Needs: stamping, Do: d.stamp},
	}
}

// Poppler returns the needs of Poppler's programs, including pdfinfo, which measures documents.
func Poppler(programs ...string) []machine.Need {
	var needs []machine.Need
	for _, p := range append(programs, "pdfinfo") {
		needs = append(needs, machine.Need{Program: p, Debian: "poppler-utils"})
	}
	return needs
}

// pageSize matches pdfinfo's output for a page: its size, and on the next line its rotation.
var pageSize = lazyregexp.New(`(?m)^Page\s+(\d+) size:\s+([\d.]+) x ([\d.]+) pts.*(?:\nPage\s+\d+ rot:\s+(\d+))?`)

// Areas returns the areas of a document's pages, in square points. It rejects encrypted, damaged,
// empty and too long documents.
func (d Documents) Areas(ctx context.Context, c toolbox.Call, path string) ([]float64, error) {
	pages, err := d.sheets(ctx, c, path)
	return areasOf(pages), err
}

func areasOf(pages []paper.Page) []float64 {
	areas := make([]float64, len(pages))
	for i, p := range pages {
		areas[i] = p.Width * p.Height
	}
	return areas
}

// Opened returns the absolute path of the document of a call, and the areas of its pages.
func (d Documents) Opened(ctx context.Context, c toolbox.Call) (path string, areas []float64, err error) {
	path, pages, err := d.opened(ctx, c)
	return path, areasOf(pages), err
}

// QPDF writes a document with qpdf. read is the input, and name the file name of the output.
func (d Documents) QPDF(ctx context.Context, c toolbox.Call, name, read string, args ...string) (string, error) {
	path, err := filepath.Abs(filepath.Join(c.Dir, name))
	if err != nil {
		return "", fmt.Errorf("find a document: %w", err)
	}
	_, err = d.Run(ctx, sandbox.Command{
		Program: "qpdf", Args: slices.Concat([]string{"--warning-exit-0"}, args, []string{path}),
		Dir: c.Dir, Read: []string{read}, File: d.Limits.Bytes, Memory: machine.OtherMemory, Timeout: machine.OtherTime,
	})
	if err == nil {
		err = sandbox.Left(path)
	}
	if err != nil {
		return "", fmt.Errorf("change a document: %w", err)
	}
	return path, nil
}

// opened returns the absolute path of the document of a call, and its pages.
func (d Documents) opened(ctx context.Context, c toolbox.Call) (path string, pages []paper.Page, err error) {
	if path, err = machine.FileIn(c, "document"); err != nil {
		return "", nil, err
	}
	if pages, err = d.sheets(ctx, c, path); err != nil {
		return "", nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, fmt.Errorf("find a document: %w", err)
	}
	return path, pages, nil
}

// sheets returns the sizes of a document's pages, upright. It rejects the same documents as
// Areas.
func (d Documents) sheets(ctx context.Context, c toolbox.Call, path string) ([]paper.Page, error) {
	said, err := d.pdfinfo(ctx, c, path, "-f", "1", "-l", strconv.Itoa(mostPages+1))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	var pages []paper.Page
	for _, m := range pageSize.FindAllStringSubmatch(said, -1) {
		page := paper.Page{Width: length(m[2]), Height: length(m[3])}
		if m[4] == "90" || m[4] == "270" {
			page.Width, page.Height = page.Height, page.Width
		}
		pages = append(pages, page)
	}
	switch {
	case len(pages) == 0:
		return nil, plan.Refusal("%q has no pages.", name)
	case len(pages) > mostPages:
		return nil, plan.Refusal("%q has too many pages; the limit is %d.", name, mostPages)
	}
	return pages, nil
}

// pdfinfo returns the output of pdfinfo. It rejects encrypted and damaged documents.
func (d Documents) pdfinfo(ctx context.Context, c toolbox.Call, path string, options ...string) (string, error) {
	name := filepath.Base(path)
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find a document: %w", err)
	}
	said, err := d.Run(ctx, sandbox.Command{
		Program: "pdfinfo", Args: append(options, path), Dir: c.Dir, Read: []string{path},
		Memory: machine.OtherMemory, Timeout: machine.OtherTime,
	})
	switch {
	case ctx.Err() != nil, errors.Is(err, toolbox.ErrDown):
		return "", err
	case err != nil && strings.Contains(err.Error(), "Incorrect password"):
		return "", plan.Refusal("%q is protected by a password; send it without one.", name)
	case err != nil:
		return "", &plan.Fault{Sentence: plan.Say("%q is damaged: it cannot be read as a PDF document.", name), Err: err, Final: true}
	}
	return string(said), nil
}

// documentFacts lists the lines of pdfinfo that are shown, and their labels.
var documentFacts = []struct{ line, name string }{
	{"Title", "Title"}, {"Author", "Author"}, {"CreationDate", "Made on"}, {"Pages", "Pages"},
	{"Page size", "Page size"}, {"File size", "Size"}, {"PDF version", "PDF version"},
}

// factsOfDocument describes a document.
func (d Documents) factsOfDocument(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	path, err := machine.FileIn(c, "document")
	if err != nil {
		return toolbox.Output{}, err
	}
	said, err := d.pdfinfo(ctx, c, path)
	if err != nil {
		return toolbox.Output{}, err
	}
	told := map[string]string{}
	for line := range strings.Lines(said) {
		name, value, _ := strings.Cut(line, ":")
		told[name] = toolbox.Shorten(strings.TrimSpace(value))
	}
	if size, err := strconv.ParseInt(strings.TrimSuffix(told["File size"], " bytes"), 10, 64); err == nil {
		told["File size"] = media.SizeOf(size)
	}
	var all []media.Detail
	for _, f := range documentFacts {
		if told[f.line] != "" {
			all = append(all, media.Detail{Name: f.name, Value: told[f.line]})
		}
	}
	return toolbox.Output{Value: media.Details(all...), About: plan.Say("facts about the file")}, nil
}

func length(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}
