package llmtest

import (
	"image"
	"net/http"
)

// ImageRequest is a well-formed request to make or to edit a picture.
type ImageRequest struct {
	// Edit tells /images/edits from /images/generations.
	Edit   bool
	Model  string
	Prompt string
	// N is how many are wanted; 0 where it was left out. The same holds for the
	// empty strings below.
	N                                              int
	Size, Quality, Background, Style, OutputFormat string
	// ResponseFormat is url or b64_json.
	ResponseFormat string
	// Images are the pictures to edit, and Mask is transparent where the first of them
	// is to be edited; nil where there is none.
	Images []image.Image
	Mask   image.Image
	Header http.Header
}

// ImageResponse scripts the answer.
type ImageResponse struct {
	Fault

	// Images are files.
	Images [][]byte
	// Revised is the prompt as the model changed it.
	Revised string
}

// SpeechRequest is a well-formed request to say a text.
type SpeechRequest struct {
	Model, Input, Voice, Instructions string
	// Format is that of the sound; "" is mp3.
	Format string
	// Speed is 0 where it was left out.
	Speed  float64
	Header http.Header
}

// SpeechResponse scripts the answer.
type SpeechResponse struct {
	Fault

	Audio []byte
}

// TranscribeRequest is a well-formed request to write down what is said.
type TranscribeRequest struct {
	Model, Language, Prompt string
	// Format is json, text, srt, verbose_json or vtt; "" is json.
	Format      string
	Temperature float64
	// Granularities are those of the times: word, segment.
	Granularities []string
	// Name and Audio are the file.
	Name   string
	Audio  []byte
	Header http.Header
}

// TranscribeResponse scripts the answer.
type TranscribeResponse struct {
	Fault

	// Text is what was said; in the formats srt and vtt it is the whole file.
	Text string
	// Language, Duration in seconds and Segments are told in the format verbose_json.
	Language string
	Duration float64
	Segments []Segment
}

// Segment is a stretch of a transcription, in seconds.
type Segment struct {
	Start, End float64
	Text       string
}
