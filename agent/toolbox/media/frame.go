package media

import "time"

// Frame is a still picture from a video.
type Frame struct {
	Path string // a JPEG file
	// At is its time from the start of the video.
	At time.Duration
}
