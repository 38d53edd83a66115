package document

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"atelier/agent/toolbox"
)

// objects are the objects of a document in qpdf's JSON: https://qpdf.readthedocs.io/en/stable/json.html
type objects struct {
	header json.RawMessage
	byName map[string]json.RawMessage // by "obj:5 0 R"
	pages  []pageObjects              // with the option "--json-key=pages"
}

// pageObjects are the objects of a page.
type pageObjects struct {
	Object   string   `json:"object"`
	Contents []string `json:"contents"`
}

// object is an object of a document, as in qpdf's JSON.
type object map[string]any

// stream is an object that is a stream.
type stream struct {
	Dict object `json:"dict"`
	File string `json:"datafile,omitempty"`
}

// objectsOf reads objects of a document. options choose some, and say where the data of streams goes.
func (d Documents) objectsOf(ctx context.Context, c toolbox.Call, path, name string, options ...string) (objects, error) {
	list, err := d.QPDF(ctx, c, name, path, append(options, "--json=2", "--json-key=qpdf", path)...)
	if err != nil {
		return objects{}, err
	}
	said, err := os.ReadFile(list)
	if err != nil {
		return objects{}, fmt.Errorf("read the objects of a document: %w", err)
	}
	var all struct {
		Pages []pageObjects     `json:"pages"`
		QPDF  []json.RawMessage `json:"qpdf"`
	}
	if err := json.Unmarshal(said, &all); err != nil {
		return objects{}, fmt.Errorf("parse the objects of a document: %w", err)
	}
	if len(all.QPDF) != 2 {
		return objects{}, fmt.Errorf("the objects of a document have %d parts", len(all.QPDF))
	}
	o := objects{header: all.QPDF[0], pages: all.Pages}
	if err := json.Unmarshal(all.QPDF[1], &o.byName); err != nil {
		return objects{}, fmt.Errorf("parse the objects of a document: %w", err)
	}
	return o, nil
}

// get returns the value of an object, or the dictionary of its stream.
func (o objects) get(ref string) (value, stream object, err error) {
	var found struct {
		Value  object `json:"value"`
		Stream struct {
			Dict object `json:"dict"`
		} `json:"stream"`
	}
	err = parse(o.byName["obj:"+ref], &found)
	return found.Value, found.Stream.Dict, err
}

// changed writes a document with changed objects.
func (d Documents) changed(ctx context.Context, c toolbox.Call, path, name string, header json.RawMessage, changes map[string]any,
	options ...string,
) (string, error) {
	update, err := json.Marshal(map[string]any{"version": 2, "qpdf": []any{header, changes}})
	if err != nil {
		return "", fmt.Errorf("write the changes: %w", err)
	}
	file, err := filepath.Abs(filepath.Join(c.Dir, name+".json"))
	if err != nil {
		return "", fmt.Errorf("find a document: %w", err)
	}
	if err := os.WriteFile(file, update, 0o600); err != nil {
		return "", fmt.Errorf("write the changes: %w", err)
	}
	return d.QPDF(ctx, c, name, path, append(options, path, "--update-from-json="+file)...)
}

// parse reads a part of an object, with its numbers as they are written.
func parse(raw json.RawMessage, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("parse an object of a document: %w", err)
	}
	return nil
}
