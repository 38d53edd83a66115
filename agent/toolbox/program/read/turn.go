package read

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/sandbox"
)

// rotatePDF turns pages of a document by quarter turns, or so that their text is upright.
func (r Reader) rotatePDF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	turn, err := toolbox.Need[param.Turn](c, "angle")
	if err != nil {
		return toolbox.Output{}, err
	}
	path, areas, err := r.Opened(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	wanted, some := toolbox.Param[quantity.Pages](c, "pages")
	pages, err := facts.Chosen(wanted, len(areas))
	if err != nil {
		return toolbox.Output{}, err
	}
	by, out := map[int][]int{}, toolbox.Output{About: plan.Say("rotated %s degrees", strconv.FormatFloat(turn.Degrees, 'f', -1, 64))}
	switch quarter := math.Mod(turn.Degrees, 90) == 0 && turn.Degrees > 0; {
	case turn.Upright:
		if by, err = r.lying(ctx, c, pdf{path, areas}, pages); err != nil {
			return toolbox.Output{}, err
		}
		out.About, out.Note = plan.Say("upright"), plan.Say("The right way up was found from the letters; please check it.")
	case quarter:
		by[int(turn.Degrees)] = pages
	default:
		return toolbox.Output{}, plan.Refusal("Pages can be turned by 90, 180 or 270 degrees only.")
	}
	args := []string{path}
	for _, degrees := range []int{90, 180, 270} {
		if list := by[degrees]; len(list) > 0 {
			args = append(args, fmt.Sprintf("--rotate=+%d:%s", degrees, joined(list)))
		}
	}
	if some && !turn.Upright {
		out.About = plan.Say("page %s rotated %s degrees", joined(pages), strconv.FormatFloat(turn.Degrees, 'f', -1, 64))
	}
	made, err := r.QPDF(ctx, c, "rotated.pdf", path, args...)
	out.Path = made
	return out, err
}

// joined lists page numbers as qpdf reads them: "1,3".
func joined(pages []int) string {
	all := make([]string, len(pages))
	for i, n := range pages {
		all[i] = strconv.Itoa(n)
	}
	return strings.Join(all, ",")
}

// orientation matches tesseract's report about a page: by how many degrees it has to be turned clockwise.
var orientation = lazyregexp.New(`Rotate: (\d+)`)

// lying groups the pages that are not upright by how many degrees they have to be turned clockwise.
func (r Reader) lying(ctx context.Context, c toolbox.Call, doc pdf, pages []int) (map[int][]int, error) {
	if err := r.Require(tesseract()); err != nil {
		return nil, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	if len(doc.areas) > mostScanned {
		return nil, plan.Refusal("The document has %d pages; the right way up can be found for at most %d. Say how far to turn them, such as 90 degrees.",
			len(doc.areas), mostScanned)
	}
	pictures, err := r.pictures(ctx, c, doc)
	if err != nil {
		return nil, err
	}
	by, read := map[int][]int{}, 0
	for _, n := range pages {
		said, err := r.Run(ctx, sandbox.Command{
			Program: "tesseract", Args: []string{filepath.Base(pictures[n-1]), "-", "--psm", "0"},
			Env: []string{"OMP_THREAD_LIMIT=1"}, Dir: c.Dir, Most: machine.MostTold, Memory: machine.OtherMemory, Timeout: readTime,
		})
		if ctx.Err() != nil {
			return nil, err
		}
		m := orientation.FindStringSubmatch(string(said))
		if err != nil || m == nil {
			continue // it fails on pages with hardly any letters
		}
		read++
		if degrees, err := strconv.Atoi(m[1]); err == nil && slices.Contains([]int{90, 180, 270}, degrees) {
			by[degrees] = append(by[degrees], n)
		}
	}
	switch {
	case read == 0:
		return nil, plan.Refusal("I cannot tell the right way up, since there are too few letters on the pages. Say how far to turn them, such as 90 degrees.")
	case len(by) == 0:
		return nil, plan.Refusal("The pages are upright already, as far as I can tell. Say how far to turn them, such as 90 degrees.")
	}
	return by, nil
}
