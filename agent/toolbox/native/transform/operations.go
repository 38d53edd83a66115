package transform

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
		"convert_image":    picture.Editing(limits, convert),
		"fit_image_size":   o.fitSize,
		"flip_image":       picture.Editing(limits, flip),
		"icon_set":         o.iconSet,
		"make_thumbnail":   picture.Editing(limits, thumbnail),
		"resize_image":     picture.Editing(limits, o.resize),
		"rotate_image":     picture.Editing(limits, o.rotate),
		"straighten_image": picture.Editing(limits, straighten),
		"upscale_image":    picture.Editing(limits, o.upscale),
	}
}
