package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"strconv"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/sandbox"
)

const (
	// mostPages is the limit on the pages of a document.
	mostPages = 500
	// otherTime and otherMemory bound programs other than ffmpeg.
	otherTime   = 3 * time.Minute
	otherMemory = 1 << 30
)

var pageSize = lazyregexp.New(`(?m)^Page\s+(\d+) size:\s+([\d.]+) x ([\d.]+) pts`)

// pages reads the sizes of the pages of a document, in square points. It refuses encrypted, damaged,
// empty and too long documents.
func (b *Backend) pages(ctx context.Context, c toolbox.Call, path string) ([]float64, error) {
	name := filepath.Base(path)
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find a document: %w", err)
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder of a call: %w", err)
	}
	said, err := b.run(ctx, sandbox.Command{
		Program: "pdfinfo", Args: []string{"-f", "1", "-l", strconv.Itoa(mostPages + 1), path}, Dir: dir, Read: []string{path},
		Memory: otherMemory, Timeout: otherTime,
	})
	switch {
	case ctx.Err() != nil, errors.Is(err, toolbox.ErrDown):
		return nil, err
	case err != nil && strings.Contains(err.Error(), "Incorrect password"):
		return nil, refusal("%q is protected by a password; send it without one.", name)
	case err != nil:
		return nil, &plan.Fault{Sentence: plan.Say("%q is damaged: it cannot be read as a PDF document.", name), Err: err, Final: true}
	}
	var sizes []float64
	for _, m := range pageSize.FindAllStringSubmatch(string(said), -1) {
		sizes = append(sizes, length(m[2])*length(m[3]))
	}
	switch {
	case len(sizes) == 0:
		return nil, refusal("%q has no pages.", name)
	case len(sizes) > mostPages:
		return nil, refusal("%q has too many pages; documents of at most %d pages are taken.", name, mostPages)
	}
	return sizes, nil
}

func length(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}
