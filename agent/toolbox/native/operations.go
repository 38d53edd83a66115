package native

import (
	"fmt"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/animation"
	"atelier/agent/toolbox/native/barcode"
	"atelier/agent/toolbox/native/collage"
	"atelier/agent/toolbox/native/crop"
	"atelier/agent/toolbox/native/document"
	"atelier/agent/toolbox/native/drawing"
	"atelier/agent/toolbox/native/face"
	"atelier/agent/toolbox/native/file"
	"atelier/agent/toolbox/native/filter"
	"atelier/agent/toolbox/native/measure"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/place"
	"atelier/agent/toolbox/native/selection"
	"atelier/agent/toolbox/native/sheet"
	"atelier/agent/toolbox/native/summary"
	"atelier/agent/toolbox/native/text"
	"atelier/agent/toolbox/native/transform"
)

// served returns the operations of each package, by the names that backings use.
func served(limits media.Limits) []map[string]operation.Func {
	return []map[string]operation.Func{
		animation.Operations(limits),
		barcode.Operations(limits),
		collage.Operations(limits),
		crop.Operations(limits),
		document.Operations(limits),
		drawing.Operations(limits),
		text.Operations(),
		face.Operations(limits),
		file.Operations(limits),
		filter.Operations(limits),
		measure.Operations(limits),
		place.Operations(),
		selection.Operations(limits),
		sheet.Operations(),
		summary.Operations(),
		transform.Operations(limits),
	}
}

// tableOf merges the operations of all packages. Duplicate names are an error.
func tableOf(limits media.Limits) (map[string]operation.Func, error) {
	all := map[string]operation.Func{}
	for _, operations := range served(limits) {
		for name, op := range operations {
			if all[name] != nil {
				return nil, fmt.Errorf("duplicate operation %q", name)
			}
			all[name] = op
		}
	}
	return all, nil
}
