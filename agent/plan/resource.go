package plan

import (
	"encoding/json"
	"fmt"
)

// Resource is a typed thing with a name that is unique in its thread.
type Resource struct {
	// Name is a chained name (see [Namer]), or the name under which a file came.
	Name string `json:"name"`
	Type Type   `json:"type"`
	// Value is the content of a small resource: plain text, or the JSON of
	// [][Box], [][Point] or [][Class]. For a mask or segmentation with several
	// parts it is the JSON of [][Part]; otherwise it is empty for media.
	Value string `json:"value,omitempty"`
	// Blob is the key under which the bytes of a media resource are stored.
	Blob string `json:"blob,omitempty"`
	// File is the name by which people know a file: that of the user's own file, or a readable
	// one for what was made here (see [FileName]).
	File string `json:"file,omitempty"`
	// On is, of what somebody marked, the name of the picture that it is on.
	On string `json:"on,omitempty"`
	// Facts are measured, for planners: "1280 × 720 pixels, 12.40 seconds". Empty if they are not known.
	Facts string `json:"facts,omitempty"`
	// About says in a few words what it shows or came from, for people and models.
	About string `json:"about,omitempty"`
	// Seed is the seed with which it was made, by which it can be made again; 0 if its tool took none.
	Seed int64 `json:"seed,omitempty"`
}

// Box is a detected or marked rectangle, in pixels of the picture as people see it
// (after EXIF orientation), the maxima exclusive.
type Box struct {
	Label string  `json:"label,omitempty"`
	Score float64 `json:"score,omitempty"` // 0 to 1; 0 if unknown
	XMin  int     `json:"xmin"`
	YMin  int     `json:"ymin"`
	XMax  int     `json:"xmax"`
	YMax  int     `json:"ymax"`
}

// Point is a marked place, in pixels of the picture as people see it.
type Point struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Exclude bool `json:"exclude,omitempty"` // true: what lies here is not meant
}

// Class is one answer of a classifier.
type Class struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
}

// Part is one object of a mask or segmentation that has several: the picture is a
// paletted PNG, palette index 0 is background and index i+1 is part i.
type Part struct {
	Label string  `json:"label,omitempty"`
	Score float64 `json:"score,omitempty"`
}

// DecodeValue reads the JSON value of a box, point, category or part list.
func DecodeValue[T Box | Point | Class | Part](r Resource) ([]T, error) {
	var items []T
	if r.Value == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(r.Value), &items); err != nil {
		return nil, fmt.Errorf("%s %s does not hold a list: %w", r.Type, r.Name, err)
	}
	return items, nil
}

// EncodeValue writes a list as the value of a resource.
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

// Outputs are what a step made. What one left behind that is not done is nothing.
func (r Result) Outputs() []Resource {
	if r.Status != Done || r.Output == nil {
		return nil
	}
	return append([]Resource{*r.Output}, r.More...)
}
