package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// argument is one value of an argument.
type argument struct {
	toolbox.Value

	arg string
	// at counts the values of an argument that has several, from 1; 0 if it has one.
	at int
}

// arguments lists the values of a call: those that the prompt speaks of in its order,
// and then the others by name.
func arguments(prompt string, c toolbox.Call) []argument {
	names := toolbox.Placeholders(prompt)
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(c.Args)), slices.Sorted(maps.Keys(c.Params))) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []argument
	for _, name := range names {
		if v, ok := c.Params[name]; ok {
			all = append(all, argument{Value: toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: v.String()}}, arg: name})
		}
		for i, v := range c.Args[name] {
			a := argument{Value: v, arg: name}
			if len(c.Args[name]) > 1 {
				a.at = i + 1
			}
			all = append(all, a)
		}
	}
	return all
}

// files are the values that are media.
func files(c toolbox.Call) []argument {
	return slices.DeleteFunc(arguments("", c), func(a argument) bool { return a.Path == "" && !a.Type.Media() })
}

// fileOf is the only file of the call that is of the type.
func fileOf(c toolbox.Call, t plan.Type) (string, error) {
	all := files(c)
	i := slices.IndexFunc(all, func(a argument) bool { return a.Type.Fits(t) && a.Path != "" })
	if i < 0 {
		return "", fault(errors.New("the call has no file of that type"), "The %s to work on is missing.", t)
	}
	return all[i].Path, nil
}

// words is the prompt with the texts of the call in the places of their names.
func words(b toolbox.Candidate, c toolbox.Call) string { return toolbox.Expand(b.Prompt, c.Text) }

// encoded is a picture as a file's content, without metadata.
func encoded(ctx context.Context, dir string, img image.Image, f media.Format) (_ []byte, err error) {
	path := filepath.Join(dir, rand.Text()+"."+string(f))
	if err := media.EncodeImage(ctx, path, img, f); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	return os.ReadFile(path)
}

// fitted is a size of at most that many pixels a side, of the same shape.
func fitted(size image.Point, side int) image.Point {
	longest := max(size.X, size.Y)
	if longest <= side {
		return size
	}
	fit := func(n int) int { return max(1, (n*side+longest/2)/longest) }
	return image.Pt(fit(size.X), fit(size.Y))
}

// shorten is a text for people, on one line and not long.
func shorten(s string) string {
	const most = 80
	line := []rune(oneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}
