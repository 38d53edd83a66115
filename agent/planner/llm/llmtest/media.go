package llmtest

import (
	"image"
	"net/http"
)

// ImageRequest is a valid request to make or edit a picture.
type ImageRequest struct {
	// Edit distinguishes /images/edits from /images/generations.
	Edit   bool
	Model  string
	Prompt string
	// N is the requested number of pictures; 0 if it was omitted, like the empty strings below.
	N                                              int
	Size, Quality, Background, Style, OutputFormat string
	// ResponseFormat is url or b64_json.
	ResponseFormat string
	// Images are the pictures to edit. Mask is transparent where the first one is to be edited; nil
	// if there is none.
	Images []image.Image
	Mask   image.Image
	Header http.Header
}

// ImageResponse is the scripted answer.
type ImageResponse struct {
	Fault

	// Images are files.
	Images [][]byte
	// Revised is the prompt as revised by the model.
	Revised string
}

// SpeechRequest is a valid request to speak a text.
type SpeechRequest struct {
	Model, Input, Voice, Instructions string
	// Format is the audio format; "" means mp3.
	Format string
	// Speed is 0 if it was omitted.
	Speed  float64
	Header http.Header
}

// SpeechResponse is the scripted answer.
type SpeechResponse struct {
	Fault

	Audio []byte
}

// TranscribeRequest is a valid request to transcribe speech.
type TranscribeRequest struct {
	Model, Language, Prompt string
	// Format is json, text, srt, verbose_json or vtt; "" means json.
	Format      string
	Temperature float64
	// Granularities are the requested kinds of timestamps: word, segment.
	Granularities []string
	// Name and Audio are the file.
	Name   string
	Audio  []byte
	Header http.Header
}

// TranscribeResponse is the scripted answer.
type TranscribeResponse struct {
	Fault

	// Text is the transcript; in the formats srt and vtt it is the whole file.
	Text string
	// Language, Duration in seconds and Segments are returned in the format verbose_json.
	Language string
	Duration float64
	Segments []Segment
}

// Segment is a part of a transcript, in seconds.
type Segment struct {
	Start, End float64
	Text       string
}
