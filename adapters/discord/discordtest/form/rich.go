package form

import "slices"

// The limits of a message that is made of components.
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

// Rich checks the components of a message that is made of them, and that the files to which they refer are among
// those of the message, by their names.
func Rich(all []Component, files []string) *Fault {
	count, rows := 0, []Component{}
	var text string
	var fault *Fault
	refer := func(m Media) {
		if fault == nil && !slices.Contains(files, m.URL[min(len(m.URL), len("attachment://")):]) {
			fault = &Fault{"components", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The referenced attachment was not found."}
		}
	}
	Walk(all, func(c *Component) {
		count++
		text += c.Content
		switch c.Type {
		case ActionRow:
			rows = append(rows, *c)
		case Gallery:
			if n := len(c.Items); n < 1 || n > 10 {
				fault = &Fault{"items", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 10 in length."}
			}
			for _, i := range c.Items {
				refer(i.Media)
				fault = First(fault, Length("description", i.Description, 0, 1024))
			}
		case File:
			refer(*c.File)
		case TextDisplay:
			fault = First(fault, Length("content", c.Content, 1, mostDisplayed))
		case Separator, Container, Button:
		default:
			fault = &Fault{"components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1, 9, 10, 12, 13, 14, 17)."}
		}
	})
	switch {
	case count > mostComponents:
		return &Fault{"components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The maximum of total components was exceeded."}
	case len(text) == 0 && len(all) == 0:
		return &Fault{"components", "BASE_TYPE_REQUIRED", "This field is required"}
	}
	return First(fault, Length("components", text, 0, mostDisplayed), Rows(rows))
}
