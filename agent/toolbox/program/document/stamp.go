package document

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/paper"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/quantity"
)

// longestStamp is the maximum length of a stamp, in letters.
const longestStamp = 100

// stamp writes a text on the pages of a document.
func (d Documents) stamp(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := ""
	if vs := c.Args["text"]; len(vs) > 0 {
		text = strings.Join(strings.Fields(vs[0].Value), " ")
	}
	if text == "" || len([]rune(text)) > longestStamp {
		return toolbox.Output{}, plan.Refusal("A stamp is a line of at most %d letters.", longestStamp)
	}
	place, _ := toolbox.Param[string](c, "place")
	at := map[string]paper.Place{"top": paper.Head, "bottom": paper.Foot, "across": paper.Across}[place]
	about := plan.Say("stamped “%s”", text)
	return d.overlaid(ctx, c, at, about, func(int, int) string { return text })
}

// numberPages writes the page numbers on the pages of a document.
func (d Documents) numberPages(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	place, _ := toolbox.Param[string](c, "place")
	style, _ := toolbox.Param[string](c, "style")
	first, ok := toolbox.Param[int](c, "first")
	if !ok {
		first = 1
	}
	at := paper.Foot
	if place == "top" {
		at = paper.Head
	}
	return d.overlaid(ctx, c, at, plan.Say("with numbers on the pages"), func(n, count int) string {
		if n += first - 1; style == "of all" {
			return fmt.Sprintf("%d / %d", n, count+first-1)
		}
		return strconv.Itoa(n)
	})
}

// overlaid writes a text on each selected page of a document. The pages keep their size and
// content.
func (d Documents) overlaid(ctx context.Context, c toolbox.Call, at paper.Place, about plan.Message, text func(n, count int) string) (toolbox.Output, error) {
	path, pages, err := d.opened(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	asked, _ := toolbox.Param[quantity.Pages](c, "pages")
	chosen, err := facts.Chosen(asked, len(pages))
	if err != nil {
		return toolbox.Output{}, err
	}
	_, counts := toolbox.Param[int](c, "first") // then the chosen pages are numbered, and not all
	for i := range pages {
		switch place := slices.Index(chosen, i+1); {
		case place < 0:
		case counts:
			pages[i].Text = text(place+1, len(chosen))
		default:
			pages[i].Text = text(i+1, len(pages))
		}
	}
	stamps := filepath.Join(c.Dir, "stamps.pdf")
	var ink *color.NRGBA
	if colour, ok := toolbox.Param[color.NRGBA](c, "colour"); ok {
		ink = &colour
	}
	if err := writeStamps(ctx, stamps, pages, at, ink); err != nil {
		return toolbox.Output{}, err
	}
	made, err := d.QPDF(ctx, c, "out.pdf", path, path, "--overlay", "stamps.pdf", "--")
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := os.Remove(stamps); err != nil {
		return toolbox.Output{}, fmt.Errorf("remove the stamps: %w", err)
	}
	return toolbox.Output{Path: made, About: about}, nil
}

func writeStamps(ctx context.Context, path string, pages []paper.Page, at paper.Place, ink *color.NRGBA) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the stamps: %w", err)
	}
	err = paper.Stamps(ctx, f, pages, at, ink)
	if closed := f.Close(); err == nil && closed != nil {
		err = fmt.Errorf("write the stamps: %w", closed)
	}
	return err
}
