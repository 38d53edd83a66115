package param

import (
	"maps"
	"slices"
)

// Schema returns the JSON Schema (draft 2020-12) of the parameter's canonical form.
func (p Param) Schema() map[string]any {
	s := map[string]any{"type": "string", "description": p.About}
	switch p.Type {
	case Number, Integer:
		s["type"] = string(p.Type)
		if p.Min != nil {
			s["minimum"] = *p.Min
		}
		if p.Max != nil {
			s["maximum"] = *p.Max
		}
	case Boolean:
		s["type"] = "boolean"
	case Choice, Format:
		if len(p.Choices) > 0 {
			s["enum"] = slices.Sorted(maps.Keys(p.Choices))
		}
	default:
		if pattern := types[p.Type].pattern; pattern != "" {
			s["pattern"] = pattern
		}
	}
	if v := p.DefaultValue(); !v.IsZero() {
		s["default"] = v.String()
	}
	return s
}
