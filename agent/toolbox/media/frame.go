package media

import "time"

// Frame is a still picture out of a video.
type Frame struct {
	Path string // of a JPEG file
	// At is how far from the beginning of the video it stands.
	At time.Duration
}
