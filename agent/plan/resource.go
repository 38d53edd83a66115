package plan

import (
	"encoding/json"
	"fmt"
)

// Resource is a typed thing with a name that is unique in its thread.
type Resource struct {
	// Name is a chained name (see [Namer]), or the file name that it arrived with.
	Name string `json:"name"`
	Type Type   `json:"type"`
	// Value is the content of a small resource: plain text, or the JSON of [][Box], [][Point] or
	// [][Class]. For a mask or segmentation with several parts it is the JSON of [][Part]; for
	// other media it is empty.
	Value string `json:"value,omitempty"`
	// Blob is the storage key of a media resource.
	Blob string `json:"blob,omitempty"`
	// File is the file name shown to people: the user's own, or a readable one for results (see
	// [FileName]).
	File string `json:"file,omitempty"`
	// On is, for a mark, the name of the picture that it is on.
	On string `json:"on,omitempty"`
	// Facts are measurements for planners: "1280 × 720 pixels, 12.40 seconds". Empty if unknown.
	Facts string `json:"facts,omitempty"`
	// About says briefly what it shows or came from, for people and models.
	About string `json:"about,omitempty"`
	// Seed is the seed it was made with, to make it again; 0 if its tool takes none.
	Seed int64 `json:"seed,omitempty"`
}

// Box is a detected or marked rectangle, in pixels of the displayed picture (after EXIF
// orientation). The maxima are exclusive.
type Box struct {
	Label string  `json:"label,omitempty"`
	Score float64 `json:"score,omitempty"` // 0 to 1; 0 if unknown
	XMin  int     `json:"xmin"`
	YMin  int     `json:"ymin"`
	XMax  int     `json:"xmax"`
	YMax  int     `json:"ymax"`
}

// Point is a marked point, in pixels of the displayed picture.
type Point struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Exclude bool `json:"exclude,omitempty"` // true: the thing at this point is excluded
}

// Class is one result of a classifier.
type Class struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
}

// Part is one object of a mask or segmentation that has several. The picture is a paletted PNG:
// palette index 0 is background, and index i+1 is part i.
type Part struct {
	Label string  `json:"label,omitempty"`
	Score float64 `json:"score,omitempty"`
}

// DecodeValue decodes the JSON value of a list of boxes, points, classes or parts.
func DecodeValue[T Box | Point | Class | Part](r Resource) ([]T, error) {
	var items []T
	if r.Value == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(r.Value), &items); err != nil {
		return nil, fmt.Errorf("%s %s does not contain a list: %w", r.Type, r.Name, err)
	}
	return items, nil
}

// EncodeValue encodes a list as the value of a resource.
func EncodeValue[T Box | Point | Class | Part](items []T) (string, error) {
	if items == nil {
		items = []T{}
	}
	b, err := json.Marshal(items)
	if err != nil {
		return "", fmt.Errorf("encode list: %w", err)
	}
	return string(b), nil
}

// Outputs returns the outputs of a step; none unless it is done.
func (r Result) Outputs() []Resource {
	if r.Status != Done || r.Output == nil {
		return nil
	}
	return append([]Resource{*r.Output}, r.More...)
}
