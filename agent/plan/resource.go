package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Type is the type of a resource. The types are ControlLLM's (section 10); a toolbox may add its
// own.
type Type string

// The resource types.
const (
	Text     Type = "text"
	Tags     Type = "tags"
	Title    Type = "title"
	HTML     Type = "html"
	Location Type = "location"
	Weather  Type = "weather"
	Time     Type = "time"
	// Facts are the properties of a file itself, such as its size. They are not a text to work on.
	Facts        Type = "facts"
	Image        Type = "image"
	Video        Type = "video"
	Audio        Type = "audio"
	Document     Type = "document"
	Archive      Type = "archive"
	BBox         Type = "bbox"
	Points       Type = "point"
	Category     Type = "category"
	Mask         Type = "mask"
	Segmentation Type = "segmentation"
	Edge         Type = "edge"
	Line         Type = "line"
	HED          Type = "hed"
	Scribble     Type = "scribble"
	Pose         Type = "pose"
	Depth        Type = "depth"
	Normal       Type = "normal"
	// AnyFile is the type of an argument that accepts files of every type, including texts. No
	// resource has it.
	AnyFile Type = "file"
)

// Types returns every built-in type of resources.
func Types() []Type {
	return []Type{Text, Tags, Title, HTML, Location, Weather, Time, Facts, Image, Video, Audio, Document, Archive,
		BBox, Points, Category, Mask, Segmentation, Edge, Line, HED, Scribble, Pose, Depth, Normal}
}

var imageMaps = []Type{Mask, Segmentation, Edge, Line, HED, Scribble, Pose, Depth, Normal}

// ParseType returns the built-in type with that name, including [AnyFile].
func ParseType(name string) (Type, error) {
	if t := Type(name); slices.Contains(Types(), t) || t == AnyFile {
		return t, nil
	}
	return "", fmt.Errorf("unknown resource type %q; the types are %s", name, listTypes())
}

// listTypes returns the names of all types, for a message.
func listTypes() string {
	var names []string
	for _, t := range append(Types(), AnyFile) {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// Phrase returns the type's name for translation.
func (t Type) Phrase() (format string, args []any) {
	if !slices.Contains(Types(), t) && t != AnyFile {
		return "%s", []any{string(t)}
	}
	return string(t), nil
}

// ImageMap reports whether t is a special kind of picture: a mask, an edge map and so on.
func (t Type) ImageMap() bool { return slices.Contains(imageMaps, t) }

// Media reports whether a resource of this type is a file rather than a small value.
func (t Type) Media() bool {
	switch t {
	case Image, Video, Audio, HTML, Document, Archive, AnyFile:
		return true
	default:
		return t.ImageMap()
	}
}

// Article returns the name of the type with an article if it is countable: "an image", "a mask",
// "tags".
func (t Type) Article() Message {
	switch {
	case t == "":
		return Message{}
	case t == Tags || t == Weather || t == Facts:
		return Say("%s", t)
	case strings.ContainsAny(string(t[:1]), "aeiou") || t == HED || t == HTML:
		return Say("an %s", t)
	}
	return Say("a %s", t)
}

// Fits reports whether a resource of type t can be passed to an argument of type want: the types
// are equal, or any picture is wanted and t is a special one, or any file is wanted and t is a file
// or a text.
func (t Type) Fits(want Type) bool {
	switch want {
	case t:
		return true
	case Image:
		return t.ImageMap()
	case AnyFile:
		return t == Text || t.Media()
	default:
		return false
	}
}

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

// Meanings returns every meaning of a text argument.
func Meanings() []Meaning {
	return []Meaning{Object, Prompt, Instruction, Query, Content, Amount, Place, Format, Language}
}

// ListMeanings returns the names of all meanings, for a message.
func ListMeanings() string {
	names := make([]string, 0, len(Meanings()))
	for _, m := range Meanings() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// ParseMeaning returns the meaning with that name.
func ParseMeaning(name string) (Meaning, error) {
	if m := Meaning(name); slices.Contains(Meanings(), m) {
		return m, nil
	}
	return "", fmt.Errorf("unknown meaning %q; the meanings are %s", name, ListMeanings())
}
