package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// refusal is a problem with what a person asked for in so many words: nothing else may
// stand in for it.
func refusal(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Final: true}
}

// maxQuoted is how much of what a person said is repeated, in characters.
const maxQuoted = 40

// unclear is the error of an argument that was not understood. The examples are ones
// that would be.
func unclear(what plan.Message, said string, examples ...string) error {
	quoted := make([]string, len(examples))
	for i, e := range examples {
		quoted[i] = fmt.Sprintf("%q", e)
	}
	last := len(examples) - 1
	some := strings.Join(quoted[:last], ", ")
	said = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(said, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if said == "" {
		return &plan.Fault{Sentence: plan.Say("It does not say %s; say for instance %s or %q.", what, some, examples[last])}
	}
	if runes := []rune(said); len(runes) > maxQuoted {
		said = strings.TrimSpace(string(runes[:maxQuoted-1])) + "…"
	}
	return refusal("I do not understand %q as %s; say for instance %s or %q.", said, what, some, examples[last])
}

// readers tell which texts the operations understand, beside quantities, whose kinds the
// catalogue names.
func readers() toolbox.TextReaders {
	language := parses(func(said string) (language, error) {
		all, err := languages()
		if err != nil {
			return language{}, err
		}
		return named(all, said)
	})
	return toolbox.TextReaders{
		"convert_audio":  {"format": parses(parseSoundFormat)},
		"convert_video":  {"format": parses(parseFilmFormat)},
		"tesseract":      {"language": language},
		"text_to_speech": {"language": language},
	}
}

// parses makes a test of a function that parses.
func parses[T any](parse func(string) (T, error)) func(said string) bool {
	return func(said string) bool {
		_, err := parse(said)
		return err == nil
	}
}

// fileIn is the file of a media argument.
func fileIn(c toolbox.Call, arg string) (string, error) {
	vs := c.Args[arg]
	if len(vs) == 0 || vs[0].Path == "" {
		return "", &plan.Fault{Sentence: plan.Say("The file to work on is missing."), Err: fmt.Errorf("no file for the argument %q", arg)}
	}
	return vs[0].Path, nil
}

// tidied leaves nothing in the call's folder but what the operation gives.
func tidied(do func(context.Context, toolbox.Call) (toolbox.Output, error)) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		out, err := do(ctx, c)
		var given []string
		if err == nil {
			for _, o := range append([]toolbox.Output{out}, out.More...) {
				given = append(given, filepath.Base(o.Path))
			}
		}
		entries, failed := os.ReadDir(c.Dir)
		for _, e := range entries {
			if !slices.Contains(given, e.Name()) {
				failed = errors.Join(failed, os.RemoveAll(filepath.Join(c.Dir, e.Name())))
			}
		}
		if err == nil && failed != nil {
			err = &plan.Fault{Sentence: plan.Say("What was left over could not be cleaned away."), Err: failed}
		}
		return out, err
	}
}
