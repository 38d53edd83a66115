package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/template"
)

// line is one run of a command line. It fills its slots with files.
type line struct {
	*run

	program string
	base    string // the base name of the output
	ending  string // the output's extension, without the dot
	many    bool   // it writes several files
	printed bool   // its result is what it prints
	inputs  []string
	// plain lists the picture arguments of a program other than ffmpeg.
	plain []string
}

var _ template.Opener = (*line)(nil)

// In returns the file of a resource; for ffmpeg a placeholder.
func (r *line) In(arg string) (string, error) {
	if r.program == "ffmpeg" && arg == template.Made.Text && filepath.Ext(r.made) == motionEnding { // a filter reads it
		r.texts = append(r.texts, r.made)
		return filepath.Base(r.made), nil
	}
	if r.program == "ffmpeg" {
		return inMark + arg, nil
	}
	if arg == template.Made.Text {
		r.inputs = append(r.inputs, r.made)
		return r.made, nil
	}
	v := r.known.Values(arg)[0]
	path := v.Path
	switch v.Type {
	case plan.Document:
		if _, err := r.known.Pages(path); err != nil {
			return "", err
		}
	case plan.Video, plan.Audio:
		if _, err := r.known.Look(path); err != nil {
			return "", err
		}
	default:
		r.plain = append(r.plain, arg)
		return r.plainPicture(arg, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find a file: %w", err)
	}
	r.inputs = append(r.inputs, path)
	return path, nil
}

// motionEnding is the extension of the camera motion file that an ffmpeg filter writes.
const motionEnding = ".trf"

// inMark and outMark are placeholders for files in the arguments of ffmpeg.
const inMark, outMark = "\x00in:", "\x00out"

// Words writes the text of an argument to a file, tags as ffmetadata, and returns the file's
// name.
func (r *line) Words(arg string) (string, error) {
	path := filepath.Join(r.call.Dir, "words-"+arg+".txt")
	if !slices.Contains(r.texts, path) {
		r.texts = append(r.texts, path)
		text := r.wrapped(r.call.Text(arg))
		if tags, ok := toolbox.Param[[]quantity.Tag](r.call, arg); ok {
			text = metadata(tags)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", &plan.Fault{Sentence: plan.Say("The text could not be passed to the program."), Err: err}
		}
	}
	return filepath.Base(path), nil
}

// metadata writes tags in the format ffmetadata: https://ffmpeg.org/ffmpeg-formats.html#Metadata-2
// Each line ends with a NUL too, since ffmpeg takes a newline after an escaped backslash for a part
// of the value. It skips the empty line that the newline leaves.
func metadata(tags []quantity.Tag) string {
	escape := strings.NewReplacer(`\`, `\\`, "=", `\=`, ";", `\;`, "#", `\#`, "\n", " ", "\r", " ", "\x00", "")
	lines := []string{";FFMETADATA1\n"}
	for _, t := range tags {
		name := t.Name
		if name == "year" {
			name = "date"
		}
		lines = append(lines, name+"="+escape.Replace(t.Value)+"\x00\n")
	}
	return strings.Join(lines, "")
}

// Out returns the name of the output file, or the pattern of several.
func (r *line) Out(ending string, many bool) (string, error) {
	r.ending, r.many = ending, many
	switch {
	case r.program == "ffmpeg":
		return outMark, nil
	case many && r.program == "pdftoppm": // it appends numbers and the extension
		return "out", nil
	case many:
		return "out-%d." + ending, nil
	}
	return r.outName(), nil
}

// Printed says that the result is what the program prints.
func (r *line) Printed(ending string) { r.ending, r.printed = ending, true }

// plainPicture writes the picture of an argument as a PNG of one frame, once per recipe.
func (r *line) plainPicture(arg, path string) (name string, err error) {
	name = plainName(arg)
	plain := filepath.Join(r.call.Dir, name)
	if _, err := os.Lstat(plain); err == nil {
		return name, nil
	}
	p, err := media.ReadPicture(r.ctx, path, r.Limits)
	if err != nil {
		return "", err
	}
	return name, media.EncodePlainPNG(r.ctx, plain, p.Image)
}

// plainName is the name of the PNG of an argument.
func plainName(arg string) string { return "in-" + arg + ".png" }

// outName is the name of the output file of programs other than ffmpeg.
func (r *line) outName() string {
	return r.base + "." + strings.Replace(r.ending, "picture", "png", 1)
}
