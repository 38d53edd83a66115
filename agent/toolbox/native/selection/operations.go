package selection

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
		"count_categories": countCategories,
		"count_masks":      o.countMasks,
		"count_objects":    countObjects,
		"select_bbox":      selectBBox,
		"select_category":  selectCategory,
		"select_mask":      o.selectMask,
	}
}
