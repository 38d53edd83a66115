package discordtest

import (
	"strconv"
	"unicode/utf8"
)

// The kinds of components. https://discord.com/developers/docs/components/reference
const (
	actionRow = 1
	button    = 2
	textInput = 4
)

// component is a part of a message or form that people use.
type component struct {
	Type       int         `json:"type"`
	CustomID   string      `json:"custom_id,omitempty"`
	Label      string      `json:"label,omitempty"`
	Style      int         `json:"style,omitempty"`
	Disabled   bool        `json:"disabled,omitempty"`
	Emoji      *emoji      `json:"emoji,omitempty"`
	Required   *bool       `json:"required,omitempty"`
	Value      string      `json:"value,omitempty"`
	MinLength  int         `json:"min_length,omitempty"`
	MaxLength  int         `json:"max_length,omitempty"`
	Components []component `json:"components,omitempty"`
}

type emoji struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// buttons are those of all rows.
func buttons(rows []component) (all []Button) {
	for _, row := range rows {
		for _, c := range row.Components {
			b := Button{CustomID: c.CustomID, Label: c.Label, Style: c.Style, Disabled: c.Disabled}
			if c.Emoji != nil {
				b.Emoji = c.Emoji.Name
			}
			all = append(all, b)
		}
	}
	return all
}

func length(field, text string, least, most int) *refusal {
	switch n := utf8.RuneCountInString(text); {
	case least == 1 && n == 0:
		return badForm(field, "BASE_TYPE_REQUIRED", "This field is required")
	case n > most:
		return badForm(field, "BASE_TYPE_MAX_LENGTH", "Must be "+strconv.Itoa(most)+" or fewer in length.")
	case n < least:
		return badForm(field, "BASE_TYPE_MIN_LENGTH", "Must be "+strconv.Itoa(least)+" or more in length.")
	}
	return nil
}

// checkRows tells what is wrong with the rows of a message.
func checkRows(rows []component) *refusal {
	if len(rows) > 5 {
		return badForm("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	seen := map[string]bool{}
	for _, row := range rows {
		switch {
		case row.Type != actionRow:
			return badForm("components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
		case len(row.Components) < 1 || len(row.Components) > 5:
			return badForm("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
		}
		for _, c := range row.Components {
			if no := c.check(); no != nil {
				return no
			}
			if c.CustomID != "" && seen[c.CustomID] {
				return badForm("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
			}
			seen[c.CustomID] = true
		}
	}
	return nil
}

func (c component) check() *refusal {
	switch {
	case c.Type != button:
		return badForm("components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (2,).")
	case c.Style < 1 || c.Style > 4:
		return badForm("style", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4).")
	case c.Label == "" && c.Emoji == nil:
		return badForm("label", "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji")
	}
	return orElse(length("label", c.Label, 0, 80), length("custom_id", c.CustomID, 1, 100))
}

// orElse is the first refusal.
func orElse(first *refusal, others ...*refusal) *refusal {
	for _, no := range others {
		if first != nil {
			break
		}
		first = no
	}
	return first
}
