package document

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// WithoutScripts returns the call with its PDF documents without scripts, as copies in the call's folder; found reports
// whether there were any. It is for calls whose result is made of the documents, so that nobody is sent another
// person's script. Scripts are actions of the types JavaScript and Launch (ISO 32000-1, 12.6.4), all actions that an
// event triggers, and forms of the kind XFA, which have scripts of their own (12.7.8).
func (d Documents) WithoutScripts(ctx context.Context, c toolbox.Call) (safe toolbox.Call, found bool, err error) {
	args := maps.Clone(c.Args)
	for name, values := range args {
		for i, v := range values {
			made := filepath.Dir(filepath.Dir(v.Path)) == filepath.Clean(c.Dir) // of an office document
			if v.Type != plan.Document || made {
				continue
			}
			path, err := d.withoutScripts(ctx, c, v.Path, "safe-"+name+strconv.Itoa(i))
			if err != nil {
				return c, false, err
			}
			if path == "" {
				continue
			}
			found, values = true, slices.Clone(values)
			values[i].Path = path
			args[name] = values
		}
	}
	c.Args = args
	return c, found, nil
}

// withoutScripts writes a document without its scripts into a new folder of the call. It returns "" if there are none.
func (d Documents) withoutScripts(ctx context.Context, c toolbox.Call, path, folder string) (string, error) {
	name := filepath.Base(path)
	read, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find a document: %w", err)
	}
	all, err := d.objectsOf(ctx, c, read, folder+".json", "--json-stream-data=none")
	if err != nil {
		if _, fault := d.pdfinfo(ctx, c, path); fault != nil { // it says what is wrong with the document
			return "", fault
		}
		return "", err
	}
	changes := map[string]any{}
	for ref, raw := range all.byName {
		if !scripted.MatchString(string(raw)) {
			continue
		}
		var o struct {
			Value  any     `json:"value"`
			Stream *stream `json:"stream"`
		}
		if err := parse(raw, &o); err != nil {
			return "", err
		}
		switch {
		case isScript(o.Value): // the type of an action that refers to it
			changes[ref] = map[string]any{"value": nil}
		case o.Stream != nil:
			o.Stream.Dict, _ = harmless(o.Stream.Dict).(object) //nolint:errcheck // a dictionary that is a script loses all
			changes[ref] = map[string]any{"stream": o.Stream}
		default:
			changes[ref] = map[string]any{"value": harmless(o.Value)}
		}
	}
	if len(changes) == 0 {
		return "", nil
	}
	if err := os.Mkdir(filepath.Join(c.Dir, folder), 0o700); err != nil {
		return "", fmt.Errorf("make a folder for a document: %w", err)
	}
	if _, err := d.changed(ctx, c, read, filepath.Join(folder, name), all.header, changes); err != nil {
		return "", err
	}
	return filepath.Join(c.Dir, folder, name), nil
}

// scripted matches objects that may have a script.
var scripted = lazyregexp.New(`"/(?:AA|JavaScript|JS|Launch|XFA)"`)

// isScript reports whether the type of an action is that of a script.
func isScript(kind any) bool { return kind == "/JavaScript" || kind == "/Launch" }

// harmless returns an object without its scripts. A script becomes null, which is the same as if it were absent
// (ISO 32000-1, 7.3.9).
func harmless(o any) any {
	switch o := o.(type) {
	case object:
		return harmless(map[string]any(o))
	case map[string]any:
		if isScript(o["/S"]) {
			return nil
		}
		left := object{}
		for key, v := range o {
			if key != "/AA" && key != "/JavaScript" && key != "/JS" && key != "/XFA" {
				left[key] = harmless(v)
			}
		}
		return left
	case []any:
		left := make([]any, len(o))
		for i, v := range o {
			left[i] = harmless(v)
		}
		return left
	}
	return o
}
