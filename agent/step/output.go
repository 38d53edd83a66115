package step

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/metadata"
)

// storeAll stores the outputs of a call and adds them to the result of its step.
func (a *Actor) storeAll(ctx context.Context, w Work, call toolbox.Call, made toolbox.Made, result *plan.Result) error {
	for _, o := range append([]toolbox.Output{made.Output}, made.More...) {
		r, err := a.store(ctx, w, call, len(result.Outputs()), o)
		if err != nil {
			return err
		}
		if result.Output == nil {
			result.Output = &r
		} else {
			result.More = append(result.More, r)
		}
	}
	return nil
}

// store names output i of a step and stores its file as a blob.
func (a *Actor) store(ctx context.Context, w Work, call toolbox.Call, i int, o toolbox.Output) (_ plan.Resource, err error) {
	step := w.Steps[w.At]
	op, key := operation(step.Action), w.identity()
	if i > 0 {
		key += "#" + strconv.Itoa(i+1)
	}
	r := plan.Resource{
		Name:  w.Memory.name(op, key, filepath.Ext(o.Path), inputNames(step.Action, call)),
		Type:  step.Action.Returns,
		Value: o.Value,
		About: a.config.Tell.In(w.Request.Language, o.About),
		Seed:  o.Seed,
	}
	if o.Path == "" {
		r.File = a.textFile(w, call, o)
		return r, nil
	}
	r.File = a.fileName(call, step.Action.Args, r.About, filepath.Ext(o.Path))
	if o.File != "" {
		r.File = plan.FileName(o.File, "", filepath.Ext(o.Path))
	}
	bare := o.Path
	if tool, _ := a.config.Toolbox.Catalogue().Tool(step.Action.Tool); !tool.Tags {
		if bare, err = metadata.File(ctx, o.Path); err != nil { // a tool may return an input unchanged
			return r, err
		}
	}
	f, err := ordinary(bare)
	if err != nil {
		return r, fmt.Errorf("read the output: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r.Blob = path.Join(cmp.Or(w.Folder, w.Request.ID), r.Name)
	if err := a.config.Blobs.Put(ctx, r.Blob, f); err != nil {
		return r, &plan.Fault{Sentence: plan.Say("The result could not be stored."), Err: fmt.Errorf("put %s: %w", r.Blob, err)}
	}
	return r, nil
}

// ordinary opens a regular file, but not a link.
func ordinary(path string) (*os.File, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(there, info) {
		err = errors.New("the file was replaced")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// operation returns the word for a result in its chained name: the kind of image map, else the
// tool.
func operation(a plan.Action) string {
	if a.Returns.ImageMap() {
		return string(a.Returns)
	}
	return a.Tool
}

// fileName returns the readable name for a file made by a call. It is based on the first input
// file, or else on the text. about is the result's description of itself.
func (a *Actor) fileName(call toolbox.Call, args []plan.Binding, about, ext string) string {
	tool, _ := a.config.Toolbox.Catalogue().Tool(call.Tool)
	origin, words := "", ""
	for _, b := range args {
		for _, v := range call.Args[b.Arg] {
			switch {
			case v.Path != "" && v.Type.Media():
				origin = cmp.Or(origin, originOf(v.Resource))
			case v.File != "":
				words = cmp.Or(words, v.File)
			case b.Type == plan.Text:
				words = cmp.Or(words, v.Value)
			}
		}
	}
	suffix := toolbox.FillSlots(tool.Suffix, func(name string) string {
		if name == toolbox.About {
			return about
		}
		said := slices.IndexFunc(args, func(b plan.Binding) bool { return b.Arg == name && b.Source.Kind == plan.OfValue })
		if said < 0 {
			return call.Text(name)
		}
		return args[said].Source.Value // in the words of the request
	})
	if tool.Made == "" { // an operator's tool that does not describe its results
		suffix = cmp.Or(suffix, strings.ReplaceAll(tool.Name, "_", " "))
	}
	return plan.FileName(cmp.Or(origin, words, string(call.Returns)), suffix, ext)
}

// hash matches the hash in each link of a chained name.
var hash = lazyregexp.New(`-[0-9a-f]{4,16}$`)

// originOf returns the readable name of a file. Files from earlier versions have none; their
// chained name begins with the name of the file they came from.
func originOf(r plan.Resource) string {
	name := r.File
	if name == "" {
		name, _, _ = strings.Cut(r.Name, ".")
		name = hash.ReplaceAllString(name, "")
	}
	if !strings.Contains(name, ".") {
		name += "." // so that it is not taken for a phrase
	}
	return name
}

// longAnswer is the minimum length in bytes at which a single line counts as a text instead of an
// answer.
const longAnswer = 1000

// longText is the minimum length in characters at which a text becomes a file, whatever it was made
// from.
const longText = 1500

// textFile returns the file name for a text that its tool named, that was made from a text file
// (people who send a file want a file back), that the request wants as a file, or that is long. It is
// empty for other texts, for counts and for short one-line answers. A calendar or subtitles are always a file.
func (a *Actor) textFile(w Work, call toolbox.Call, o toolbox.Output) string {
	action := w.Steps[w.At].Action
	ext := filepath.Ext(o.File)
	if o.File != "" && ext != ".txt" {
		return plan.FileName(o.File, "", ext)
	}
	tool, _ := a.config.Toolbox.Catalogue().Tool(call.Tool)
	if action.Returns != plan.Text || !strings.Contains(o.Value, "\n") && len(o.Value) < longAnswer || tool.Effects.Number() {
		return ""
	}
	if o.File != "" {
		return plan.FileName(o.File, "", ext)
	}
	from, ok := w.textFrom(action)
	if !ok {
		ending := textEnding(o.Value, "")
		if openedBy(o.Value) != "" || utf8.RuneCountInString(o.Value) > longText || w.Steps[w.At].Final && wants(w.Request.Wish, ending) {
			return a.fileName(call, action.Args, "", ending)
		}
		return ""
	}
	return plan.FileName(from, tool.Suffix, textEnding(o.Value, filepath.Ext(from)))
}

// wants reports whether a request names files with the extension, apart from the names of its files:
// "as a txt", "make a CSV of it".
func wants(wish, ending string) bool {
	names := textFormat.FindAllString(strings.ToLower(wish), -1)
	return slices.ContainsFunc(names, func(name string) bool {
		name = strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
		return "."+name == ending || ending == ".txt" && strings.HasSuffix(name, "file")
	})
}

// textFormat matches a format of texts that stands alone.
var textFormat = lazyregexp.New(`(?:^|[^\pL\pN._-])(?:txt|csv|tsv|json|text ?file)\b`)

// textFrom returns the name of the first text file that the action uses.
func (w Work) textFrom(action plan.Action) (file string, ok bool) {
	for _, b := range action.Args {
		for _, leaf := range b.Source.Leaves() {
			var r plan.Resource
			switch leaf.Kind { //nolint:exhaustive // a literal is not a file
			case plan.OfResource:
				r, _ = w.Memory.Resource(leaf.Name)
			case plan.OfAction:
				made, _ := w.Memory.Result(w.Steps[leaf.Index].Key)
				if made.Output != nil {
					r = *made.Output
				}
			}
			if r.Type == plan.Text && r.File != "" {
				return r.File, true
			}
		}
	}
	return "", false
}

// textEnding returns the file extension for a text that was made from a file with the extension
// before.
func textEnding(text, before string) string {
	text = strings.TrimSpace(text)
	switch ending := openedBy(text); {
	case ending != "":
		return ending
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		if json.Valid([]byte(text)) {
			return ".json"
		}
	case isTable(text, ','):
		return ".csv"
	case isTable(text, '\t'):
		return ".tsv"
	case slices.Contains([]string{".md", ".markdown"}, strings.ToLower(before)):
		return ".md"
	}
	return ".txt"
}

// openedBy returns the file extension for a text that people open in another program, "" for others.
func openedBy(text string) string {
	for ending, head := range openings {
		if head.MatchString(strings.TrimSpace(text)) {
			return ending
		}
	}
	return ""
}

// openings match the beginnings of texts for other programs, by their file extensions.
var openings = map[string]lazyregexp.Regexp{
	".ics":  lazyregexp.New(`^BEGIN:VCALENDAR\b`),
	".vcf":  lazyregexp.New(`^BEGIN:VCARD\b`),
	".vtt":  lazyregexp.New(`^WEBVTT\b`),
	".srt":  lazyregexp.New(`^\d+\r?\n\d\d:\d\d:\d\d,\d{3} --> `),
	".html": lazyregexp.New(`^(?i:<!doctype html|<html)\b`),
}

// isTable reports whether the text has at least two rows with the same number of fields, two or more.
func isTable(text string, comma rune) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	rows, err := r.ReadAll() // rows of different lengths are an error
	return err == nil && len(rows) > 1 && len(rows[0]) > 1
}
