// Package form validates what the bot sends as Discord does: the lengths of texts, components, forms and commands.
// It knows the kinds of components that the bot sends; others are rejected.
package form

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Fault is an error in one field.
type Fault struct{ Field, Code, Message string }

// First returns the first fault that is not nil.
func First(faults ...*Fault) *Fault {
	for _, f := range faults {
		if f != nil {
			return f
		}
	}
	return nil
}

// Length checks the number of characters of a text.
func Length(field, text string, least, most int) *Fault {
	switch n := utf8.RuneCountInString(text); {
	case least == 1 && n == 0:
		return &Fault{field, "BASE_TYPE_REQUIRED", "This field is required"}
	case n > most:
		return &Fault{field, "BASE_TYPE_MAX_LENGTH", "Must be " + strconv.Itoa(most) + " or fewer in length."}
	case n < least:
		return &Fault{field, "BASE_TYPE_MIN_LENGTH", "Must be " + strconv.Itoa(least) + " or more in length."}
	}
	return nil
}

// The kinds of components. https://discord.com/developers/docs/components/reference
const (
	ActionRow = 1
	Button    = 2
	TextInput = 4
	// TextDisplay, Label and FileUpload are those of forms, and the first one of messages.
	TextDisplay = 10
	Label       = 18
	FileUpload  = 19
	// Gallery, File, Separator and Container are those of messages that are made of components.
	Gallery   = 12
	File      = 13
	Separator = 14
	Container = 17
)

// Component is a part of a message or form that people use.
type Component struct {
	Type       int         `json:"type"`
	CustomID   string      `json:"custom_id,omitempty"`
	Label      string      `json:"label,omitempty"`
	Style      int         `json:"style,omitempty"`
	Disabled   bool        `json:"disabled,omitempty"`
	Emoji      *Emoji      `json:"emoji,omitempty"`
	Required   *bool       `json:"required,omitempty"`
	Value      string      `json:"value,omitempty"`
	MinLength  int         `json:"min_length,omitempty"`
	MaxLength  int         `json:"max_length,omitempty"`
	MinValues  *int        `json:"min_values,omitempty"`
	MaxValues  int         `json:"max_values,omitempty"`
	Values     []string    `json:"values,omitempty"`
	Content    string      `json:"content,omitempty"`
	Components []Component `json:"components,omitempty"`
	Component  *Component  `json:"component,omitempty"`
	Items      []Item      `json:"items,omitempty"`
	File       *Media      `json:"file,omitempty"`
	Name       string      `json:"name,omitempty"` // of the file; the server tells it
	Size       int         `json:"size,omitempty"`
}

// Item is a picture or video of a gallery.
type Item struct {
	Media       Media  `json:"media"`
	Description string `json:"description,omitempty"`
}

// Media is a file that a component shows. The bot sends only its URL.
type Media struct {
	URL  string `json:"url"`
	ID   string `json:"attachment_id,omitempty"`
	Type string `json:"content_type,omitempty"`
}

// Emoji is the emoji of a button.
type Emoji struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// Rows checks the components of a message: rows of buttons.
func Rows(rows []Component) *Fault {
	if len(rows) > 5 {
		return badLength
	}
	seen := map[string]bool{}
	for _, row := range rows {
		switch {
		case row.Type != ActionRow:
			return &Fault{"components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,)."}
		case len(row.Components) < 1 || len(row.Components) > 5:
			return badLength
		}
		for _, c := range row.Components {
			if f := c.check(); f != nil {
				return f
			}
			if seen[c.CustomID] {
				return &Fault{"components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"}
			}
			seen[c.CustomID] = true
		}
	}
	return nil
}

var badLength = &Fault{"components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."}

// Modal is a form for people to fill in: texts, fields with labels, and rows of one text input each, the older
// kind.
type Modal struct {
	CustomID   string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []Component `json:"components"`
}

// Check checks the form.
func (m *Modal) Check() *Fault {
	if f := First(Length("custom_id", m.CustomID, 1, 100), Length("title", m.Title, 1, 45)); f != nil {
		return f
	}
	if len(m.Components) < 1 || len(m.Components) > 5 {
		return badLength
	}
	for _, c := range m.Components {
		if f := c.checkField(); f != nil {
			return f
		}
	}
	return nil
}

// Field returns the field of a part of a form, or nil.
func (c Component) Field() *Component {
	if c.Type == ActionRow && len(c.Components) == 1 {
		return &c.Components[0]
	}
	return c.Component
}

// Takes reports whether a field of the form accepts a text, or the ids of files.
func (c Component) Takes(text string, files []string) bool {
	if c.Type == FileUpload {
		return len(files) <= max(c.MaxValues, 1) && (len(files) > 0 || c.Required != nil && !*c.Required)
	}
	most := c.MaxLength
	if most == 0 {
		most = 4000
	}
	return Length(c.CustomID, text, c.MinLength, most) == nil && (text != "" || c.Required != nil && !*c.Required)
}

// checkField checks a part of a form.
func (c Component) checkField() *Fault {
	if c.Type == TextDisplay {
		return Length("content", c.Content, 1, 4000)
	}
	field, named := c.Field(), c.Label
	switch {
	case c.Type == ActionRow && field != nil && field.Type == TextInput:
		named = field.Label
	case c.Type != Label || field == nil || field.Type != TextInput && field.Type != FileUpload:
		return &Fault{"components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1, 10, 18)."}
	}
	if f := First(Length("custom_id", field.CustomID, 1, 100), Length("label", named, 1, 45)); f != nil {
		return f
	}
	required := field.Required == nil || *field.Required
	switch {
	case field.Type == TextInput && field.Style != 1 && field.Style != 2:
		return &Fault{"style", "BASE_TYPE_CHOICES", "Value must be one of (1, 2)."}
	case field.MaxValues > 10, field.MinValues != nil && (*field.MinValues < 0 || *field.MinValues > 10 || *field.MinValues == 0 && required):
		return &Fault{"min_values", "BASE_TYPE_BAD_LENGTH", "Must be between 0 and 10."}
	}
	return nil
}

// check checks a button.
func (c Component) check() *Fault {
	switch {
	case c.Type != Button:
		return &Fault{"components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (2,)."}
	case c.Style < 1 || c.Style > 4:
		return &Fault{"style", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4)."}
	case c.Label == "" && c.Emoji == nil:
		return &Fault{"label", "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji"}
	}
	return First(Length("label", c.Label, 0, 80), Length("custom_id", c.CustomID, 1, 100))
}

// The types of application commands.
// https://discord.com/developers/docs/interactions/application-commands
const (
	SlashCommand = 1
	MenuCommand  = 3
)

// Command is an application command.
type Command struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Type        int      `json:"type"`
	Options     []Option `json:"options"`
	// Installations are by whom the application must be installed, and Contexts where it is used.
	Installations []int `json:"integration_types"`
	Contexts      []int `json:"contexts"`
}

// Option is an option of a command, or a subcommand.
type Option struct {
	Type        int      `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Required    bool     `json:"required,omitempty"`
	Options     []Option `json:"options,omitempty"`
}

// Check checks a command; field is its place in the list.
func (c Command) Check(field string) *Fault {
	for _, n := range append(slices.Clone(c.Installations), c.Contexts...) {
		if n < 0 || n > 2 {
			return &Fault{field, "BASE_TYPE_CHOICES", "Value must be one of (0, 1, 2)."}
		}
	}
	if c.Type == SlashCommand {
		return First(named(field, c.Name), Length(field, c.Description, 1, 100), options(field, c.Options))
	}
	if c.Description != "" || len(c.Options) > 0 {
		return &Fault{field, "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION", "Context menu commands cannot have a description or options"}
	}
	return Length(field, c.Name, 1, 32)
}

// commandName is compiled when it is first needed, since it takes long.
var commandName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
})

func named(field, name string) *Fault {
	if !commandName().MatchString(name) || name != strings.ToLower(name) {
		return &Fault{field, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"}
	}
	return nil
}

func options(field string, all []Option) *Fault {
	if len(all) > 25 {
		return &Fault{field, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length."}
	}
	optional := false
	for _, o := range all {
		if o.Required && optional {
			return &Fault{field, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options"}
		}
		optional = optional || !o.Required
		if f := First(named(field, o.Name), Length(field, o.Description, 1, 100), options(field, o.Options)); f != nil {
			return f
		}
	}
	return nil
}
