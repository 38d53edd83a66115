package crop

import (
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// operations holds the limits for reading files.
type operations struct{ limits media.Limits }

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	o := operations{limits}
	return map[string]operation.Func{
		"crop_region":     picture.Editing(limits, o.cropRegion),
		"image_cropping":  o.cropBoxes,
		"mask_from_boxes": o.maskFromBoxes,
		"mask_image":      o.maskImage,
		"trim_borders":    o.trimBorders,
	}
}
