package document

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
		"code_to_picture":  codeToPicture,
		"image_to_pdf":     o.imagesToPDF,
		"images_to_pdf":    o.imagesToPDF,
		"text_card":        textCard,
		"text_to_pdf":      textToPDF,
		"video_to_webpage": o.videoToWebpage,
	}
}
