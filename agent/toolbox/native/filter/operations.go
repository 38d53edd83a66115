package filter

import (
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	return map[string]operation.Func{
		"adjust_image":      picture.Editing(limits, adjust),
		"auto_enhance":      picture.Editing(limits, corrected),
		"black_out_objects": picture.Editing(limits, hiding(coverPart)),
		"black_out_region":  picture.Editing(limits, hiding(coverPart)),
		"blur_image":        picture.Editing(limits, blur),
		"blur_objects":      picture.Editing(limits, hiding(blurPart)),
		"blur_region":       picture.Editing(limits, hiding(blurPart)),
		"greyscale_image":   picture.Editing(limits, greyscale),
		"hide_masked":       hideMasked(limits),
		"image_to_edge":     picture.Editing(limits, toEdges),
		"image_to_line":     picture.Editing(limits, toLines),
		"normal_from_depth": picture.EditingArg(limits, "depth", toNormals),
		"oil_painting":      picture.Editing(limits, painted),
		"pixelate_image":    picture.Editing(limits, hiding(pixelatePart)),
		"pixelate_objects":  picture.Editing(limits, hiding(pixelatePart)),
	}
}
