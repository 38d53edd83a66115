package drawing

import (
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	return map[string]operation.Func{
		"add_text_to_image":         picture.Editing(limits, addText),
		"annotate_image":            picture.Editing(limits, annotate),
		"highlight_object_on_image": picture.Editing(limits, highlight),
		"meme_text":                 picture.Editing(limits, meme),
	}
}
