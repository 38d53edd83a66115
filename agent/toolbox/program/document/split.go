package document

import (
	"context"
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/quantity"
)

// split writes the parts of a document: single pages, parts of so many pages, or what lies between the given pages.
func (d Documents) split(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	path, pages, err := d.opened(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	ends, err := lastPages(c, len(pages))
	if err != nil {
		return toolbox.Output{}, err
	}
	parts, from := make([]toolbox.Output, len(ends)), 1
	for i, to := range ends {
		list := strconv.Itoa(from)
		parts[i].About = plan.Say("page %s", list)
		if from < to {
			parts[i].About = plan.Say("pages %s to %s", list, strconv.Itoa(to))
			list += "-" + strconv.Itoa(to)
		}
		made, err := d.QPDF(ctx, c, "part-"+strconv.Itoa(i+1)+".pdf", path, "--empty", "--pages", path, list, "--")
		if err != nil {
			return toolbox.Output{}, err
		}
		parts[i].Path, from = made, to+1
	}
	parts[0].More = parts[1:]
	return parts[0], nil
}

// lastPages returns the last page of each part of a document with that many pages.
func lastPages(c toolbox.Call, count int) ([]int, error) {
	var ends []int
	if after, ok := toolbox.Param[quantity.Pages](c, "after"); ok && !after.All() {
		chosen, err := facts.Chosen(after, count)
		if err != nil {
			return nil, err
		}
		slices.Sort(chosen)
		ends = slices.Compact(append(chosen, count))
	} else {
		every, said := toolbox.Param[int](c, "every")
		if ok && !said { // "every 2 pages" was read as all pages
			return nil, plan.Refusal("Please say how many pages each part has, such as “parts of 2 pages”, or after which pages it is split.")
		}
		if !said {
			every = 1
		}
		for to := every; to < count; to += every {
			ends = append(ends, to)
		}
		ends = append(ends, count)
	}
	switch {
	case count == 1:
		return nil, plan.Refusal("The document has only one page.")
	case len(ends) == 1:
		return nil, plan.Refusal("That would be one part of all %d pages; name pages before the last one.", count)
	case len(ends) > machine.MostFiles:
		return nil, plan.Refusal("Too many files (%d): at most %d can be made at once.", len(ends), machine.MostFiles)
	}
	return ends, nil
}
