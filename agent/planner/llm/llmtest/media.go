package llmtest

import "image"

// ImageRequest is a valid request to make or edit a picture.
type ImageRequest struct {
	// Edit distinguishes /images/edits from /images/generations.
	Edit   bool
	Model  string
	Prompt string
	// Size and ResponseFormat are empty if they were omitted.
	Size, ResponseFormat string
	// Image is the picture to edit, and the transparent pixels of Mask mark the part. Both may be nil.
	Image, Mask image.Image
}

// ImageResponse is the scripted answer.
type ImageResponse struct {
	Fault

	// Images are files.
	Images [][]byte
}

// SpeechRequest is a valid request to speak a text as MP3.
type SpeechRequest struct{ Model, Input, Voice, Instructions string }

// SpeechResponse is the scripted answer.
type SpeechResponse struct {
	Fault

	Audio []byte
}

// TranscribeRequest is a valid request to transcribe speech.
type TranscribeRequest struct {
	Model, Prompt string
	// Name and Audio are the file.
	Name  string
	Audio []byte
}

// TranscribeResponse is the scripted answer.
type TranscribeResponse struct {
	Fault

	Text string
}
