package plan

import (
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
