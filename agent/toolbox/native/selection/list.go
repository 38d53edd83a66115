package selection

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// selectBBox selects the boxes described by the argument object.
func selectBBox(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	boxes, items, err := boxItems(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	return chosen(c, boxes, items)
}

// selectCategory selects the classes described by the argument object.
func selectCategory(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	classes, items, err := classItems(c)
	if err != nil {
		return toolbox.Output{}, err
	}
	return chosen(c, classes, items)
}

// selectMask writes a mask of the parts described by the argument object.
func (o operations) selectMask(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	mask, parts, items, err := o.maskItems(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	out, err := chosen(c, parts, items)
	if err != nil {
		return toolbox.Output{}, err
	}
	kept, _ := choose(c.Text("object"), items)
	only := media.NewMask(mask.Width, mask.Height, 1)
	if len(kept) > 0 {
		only = mask.Only(kept...)
	}
	out.Path = filepath.Join(c.Dir, "mask.png")
	if err := media.WriteMask(ctx, out.Path, only); err != nil {
		return toolbox.Output{}, fmt.Errorf("write the chosen parts: %w", err)
	}
	return out, nil
}

// countMasks counts the parts of a mask by label.
func (o operations) countMasks(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	_, _, items, err := o.maskItems(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(items) == 1 && items[0].box == (plan.Box{}) {
		items = nil // an empty mask
	}
	return counted(items, "mask"), nil
}

// chosen returns the entries of a list that the call's phrase describes.
func chosen[T plan.Box | plan.Class | plan.Part](c toolbox.Call, all []T, items []item) (toolbox.Output, error) {
	kept, note := choose(c.Text("object"), items)
	list, labels := []T{}, []item{}
	for _, k := range kept {
		list = append(list, all[k])
		labels = append(labels, items[k])
	}
	value, err := plan.EncodeValue(list)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The selection could not be written."), Err: err}
	}
	about := plan.Say("nothing")
	if len(kept) > 0 {
		about = inventory(labels)
	}
	return toolbox.Output{Value: value, About: about, Note: note}, nil
}

// boxItems reads the boxes of a call.
func boxItems(c toolbox.Call) ([]plan.Box, []item, error) {
	boxes, err := needList[plan.Box](c, "bbox", plan.Say("boxes"))
	items := make([]item, len(boxes))
	for i, b := range boxes {
		items[i] = item{b.Label, b.Score, b}
	}
	return boxes, items, err
}

// classItems reads the classes of a call.
func classItems(c toolbox.Call) ([]plan.Class, []item, error) {
	classes, err := needList[plan.Class](c, "category", plan.Say("categories"))
	items := make([]item, len(classes))
	for i, k := range classes {
		items[i] = item{label: k.Label, score: k.Score}
	}
	return classes, items, err
}

// maskItems reads the mask of a call and the boxes of its parts. Parts missing from the list have no label.
func (o operations) maskItems(ctx context.Context, c toolbox.Call) (*media.Mask, []plan.Part, []item, error) {
	parts, err := needList[plan.Part](c, "mask", plan.Say("masks"))
	if err != nil {
		return nil, nil, nil, err
	}
	mask, err := media.ReadMask(ctx, c.Args["mask"][0].Path, o.limits)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read the mask: %w", err)
	}
	for len(parts) < mask.Parts {
		parts = append(parts, plan.Part{})
	}
	parts = parts[:mask.Parts]
	items := make([]item, len(parts))
	for i, p := range parts {
		items[i] = item{label: p.Label, score: p.Score}
	}
	for y := range mask.Height {
		for x, p := range mask.Index[y*mask.Width : (y+1)*mask.Width] {
			if p == 0 || int(p) > len(items) {
				continue
			}
			b := &items[p-1].box
			if b.XMax == 0 {
				*b = plan.Box{XMin: x, YMin: y, XMax: x + 1, YMax: y + 1}
			}
			b.XMin, b.XMax = min(b.XMin, x), max(b.XMax, x+1)
			b.YMax = y + 1
		}
	}
	return mask, parts, items, nil
}

// needList returns the list in an argument; noun names its contents, for people.
func needList[T plan.Box | plan.Class | plan.Part](c toolbox.Call, arg string, noun plan.Message) ([]T, error) {
	if len(c.Args[arg]) == 0 {
		return nil, &plan.Fault{
			Sentence: plan.Say("There are no %s to work on.", noun),
			Err:      errors.New("missing argument " + arg),
		}
	}
	list, err := plan.DecodeValue[T](c.Args[arg][0].Resource)
	if err != nil {
		return nil, &plan.Fault{Sentence: plan.Say("The list of %s cannot be read.", noun), Err: err}
	}
	return list, nil
}
