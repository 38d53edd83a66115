package measure

import (
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
)

// operations holds the limits for reading files.
type operations struct{ limits media.Limits }

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	o := operations{limits}
	return map[string]operation.Func{
		"colour_swatch":      o.colourSwatch,
		"compare_images":     o.compareImages,
		"difference_picture": o.differencePicture,
		"dominant_colours":   o.dominantColours,
		"measure_sharpness":  o.measureSharpness,
	}
}
