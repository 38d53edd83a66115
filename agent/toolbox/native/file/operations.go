package file

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
		"audio_checksum":        checksum("audio"),
		"picture_checksum":      checksum("image"),
		"picture_facts":         o.pictureFacts,
		"remove_audio_metadata": o.stripped("audio"),
		"remove_metadata":       o.removeMetadata,
		"remove_video_metadata": o.stripped("video"),
		"text_checksum":         checksum("text"),
		"video_checksum":        checksum("video"),
		"zip_files":             o.zipFiles,
	}
}
