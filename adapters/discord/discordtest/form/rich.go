package form

import (
	"slices"
	"strings"
)

// The limits of a message of components.
const (
	mostComponents = 40
	mostDisplayed  = 4000 // characters of all texts
)

// Walk visits components and those in them, in order.
func Walk(all []Component, visit func(*Component)) {
	for i := range all {
		visit(&all[i])
		Walk(all[i].Components, visit)
	}
}

// Rich checks the components of a message, and that the files to which they refer, by name, are among the
// message's.
func Rich(all []Component, files []string) *Fault {
	r := richCheck{files: files}
	r.parts(all, []int{ActionRow, TextDisplay, Gallery, File, Separator, Container})
	switch {
	case len(all) == 0:
		return &Fault{"components", "BASE_TYPE_REQUIRED", "This field is required"}
	case r.fault != nil:
		return r.fault
	case r.count > mostComponents:
		return &Fault{"components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The maximum of total components was exceeded."}
	}
	return First(Length("components", r.text, 0, mostDisplayed), Rows(r.rows))
}

// richCheck is the first fault of a message, and what was seen of it.
type richCheck struct {
	files []string
	count int
	text  string
	rows  []Component
	fault *Fault
}

func (r *richCheck) parts(all []Component, kinds []int) {
	for _, c := range all {
		r.count += 1 + len(c.Components)
		if !slices.Contains(kinds, c.Type) {
			r.fail("components", "UNION_TYPE_CHOICES", "Value of field \"type\" is not one that may stand here.")
			continue
		}
		r.part(c)
	}
}

func (r *richCheck) part(c Component) {
	switch c.Type {
	case ActionRow:
		r.rows = append(r.rows, c)
	case TextDisplay:
		r.text += c.Content
		r.fault = First(r.fault, Length("content", c.Content, 1, mostDisplayed))
	case Gallery:
		if n := len(c.Items); n < 1 || n > 10 {
			r.fail("items", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 10 in length.")
		}
		for _, i := range c.Items {
			r.refer(&i.Media)
			r.fault = First(r.fault, Length("description", i.Description, 0, 1024))
		}
	case File:
		r.refer(c.File)
	case Container:
		r.count -= len(c.Components)
		r.parts(c.Components, []int{ActionRow, TextDisplay, Gallery, File, Separator})
	}
}

func (r *richCheck) refer(m *Media) {
	name, ok := "", m != nil
	if ok {
		name, ok = strings.CutPrefix(m.URL, "attachment://")
	}
	if !ok || !slices.Contains(r.files, name) {
		r.fail("url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The referenced attachment was not found.")
	}
}

func (r *richCheck) fail(field, code, message string) {
	r.fault = First(r.fault, &Fault{field, code, message})
}
