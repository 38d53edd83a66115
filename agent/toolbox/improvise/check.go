package improvise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// check is a measurement that the results must pass.
type check struct {
	Measure string `json:"measure"`
	Value   string `json:"value"`
}

// result is a file that a program wrote, and its measurements.
type result struct {
	path   string
	typ    plan.Type
	text   string // of a text
	format string
	bytes  int64
	// width and height are 0 for results without a picture, and seconds is 0 for those that do
	// not play.
	width, height int
	seconds       float64
	sound         bool
	pages         int
}

// measure inspects a file that a program wrote. Its complaints continue a sentence that begins with
// "result 1", and contain no file name.
func (j *job) measure(ctx context.Context, path string) (result, error) {
	name := filepath.Base(path)
	wrong := func(what string, err error) error {
		why := plan.Sentence(err, plan.Say("it is damaged.")).String()
		return complaint(what + strings.ReplaceAll(why, strconv.Quote(name), "it"))
	}
	info, err := os.Lstat(path)
	if err != nil || info.Size() == 0 {
		return result{}, complaint("is empty.")
	}
	r := result{path: path, bytes: info.Size(), format: formatOf(filepath.Ext(name))}
	if !j.call.Returns.Media() {
		r.typ = plan.Text
		r.text, err = read(path, r.bytes)
		return r, err
	}
	known, err := media.Inspect(ctx, path, j.config.Limits)
	if err != nil {
		return result{}, wrong("cannot be used: ", err)
	}
	r.typ, r.width, r.height, r.format = known.Type, known.Width, known.Height, strings.TrimPrefix(known.Ext, ".")
	r.seconds = known.Length.Seconds()
	switch known.Type {
	case plan.Video, plan.Audio:
		look, err := j.config.Films.Look(ctx, path)
		if err != nil {
			return result{}, wrong("cannot be played: ", err)
		}
		r.typ, r.seconds, r.sound = look.Type, look.Duration.Seconds(), look.Audio() != nil
		if v := look.Video(); v != nil {
			r.width, r.height = v.Width, v.Height
		}
	case plan.Document:
		if r.pages = j.prober().Pages(ctx, path); r.pages > 0 && j.prober().Broken(ctx, path) {
			return result{}, complaint("is a damaged PDF: qpdf --check finds faults in it.")
		}
	default:
	}
	if !j.call.Returns.Fits(r.typ) {
		return result{}, complaint(fmt.Sprintf("is of the type %s, and %s is wanted.", r.typ, j.call.Returns))
	}
	return r, nil
}

// read reads a text file of the given size in bytes.
func read(path string, size int64) (string, error) {
	if size > mostText {
		return "", complaint(fmt.Sprintf("has %d bytes, and at most %d are taken of a text.", size, mostText))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", complaint("cannot be read.")
	}
	text := strings.TrimRightFunc(strings.TrimLeft(string(b), "\r\n"), unicode.IsSpace) // the first line may be indented
	if text == "" || !utf8.ValidString(text) {
		return "", complaint("is no text in UTF-8.")
	}
	return text, nil
}

func (r result) output(about plan.Message) toolbox.Output {
	if r.typ == plan.Text {
		return toolbox.Output{Value: r.text, File: filepath.Base(r.path), About: about}
	}
	return toolbox.Output{Path: r.path, File: filepath.Base(r.path), About: about}
}

// sameFormats maps alternative names of a format to the usual one.
var sameFormats = map[string]string{"jpeg": "jpg", "tif": "tiff", "m4a": "mp4", "mov": "mp4", "oga": "ogg", "opus": "ogg", "markdown": "md"}

func formatOf(name string) string {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "."))
	return cmp.Or(sameFormats[name], name)
}

// check rejects unknown measures and unusable values, with a complaint for the model.
func (c check) check() error {
	switch c.Measure {
	case "format", "holds":
		return nil
	case "sound":
		if c.Value == "yes" || c.Value == "no" {
			return nil
		}
	case "files", "width", "height", "seconds", "most_bytes", "pages", "most_characters":
		if n, err := strconv.ParseFloat(c.Value, 64); err == nil && n >= 0 && !math.IsInf(n, 0) {
			return nil
		}
	}
	return complaint(fmt.Sprintf("the check %q cannot have the value %q.", c.Measure, c.Value))
}

// miss says how the results fail the check; "" if they pass.
func (c check) miss(made []result) string {
	want, _ := strconv.ParseFloat(c.Value, 64) //nolint:errcheck // it was checked
	if c.Measure == "files" {
		if len(made) != int(want) {
			return fmt.Sprintf("there are %d files in OUT, and %s were promised.", len(made), c.Value)
		}
		return ""
	}
	for i, r := range made {
		is, ok := c.holds(r, want)
		if !ok {
			return fmt.Sprintf("%s of result %d should be %s, and is %s.", c.Measure, i+1, c.Value, is)
		}
	}
	return ""
}

// holds reports whether a result passes the check, and what was measured.
func (c check) holds(r result, want float64) (is string, ok bool) {
	number := func(n float64, near float64) (string, bool) {
		return strconv.FormatFloat(n, 'f', -1, 64), math.Abs(n-want) <= near
	}
	switch c.Measure {
	case "width":
		return number(float64(r.width), 0.5)
	case "height":
		return number(float64(r.height), 0.5)
	case "seconds":
		return number(math.Round(100*r.seconds)/100, max(0.15, want/50))
	case "pages":
		if r.typ == plan.Document && r.pages == 0 { // locked, or of an office
			return "unknown", true
		}
		return number(float64(r.pages), 0)
	case "most_bytes":
		return strconv.FormatInt(r.bytes, 10), float64(r.bytes) <= want
	case "most_characters":
		n := utf8.RuneCountInString(r.text)
		return strconv.Itoa(n), float64(n) <= want
	case "format":
		if is = r.format; r.typ == plan.Text { // by its name, which may tell anything
			is = "another one"
		}
		return is, formatOf(r.format) == formatOf(c.Value)
	case "sound":
		return map[bool]string{true: "yes", false: "no"}[r.sound], r.sound == (c.Value == "yes")
	default: // holds
		if r.typ == plan.Document { // its words are not read
			return "unknown", true
		}
		words := strings.Fields(strings.ToLower(r.text))
		return "without that", strings.Contains(strings.Join(words, " "), strings.Join(strings.Fields(strings.ToLower(c.Value)), " ")) ||
			slices.Contains(words, strings.ToLower(c.Value))
	}
}
