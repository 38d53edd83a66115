package localaitest

import (
	"bytes"
	_ "embed" // LocalAI's forms
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed forms.json
var formsJSON []byte

// form is LocalAI's documented form of a request.
type form struct {
	Encoding   string           `json:"encoding"` // json or form
	Capability string           `json:"capability"`
	Model      string           `json:"model"` // the field that names the model
	Fields     map[string]field `json:"fields"`
}

type field struct {
	Type     string   `json:"type"`   // string, integer, boolean, strings, numbers, file
	Format   string   `json:"format"` // of a picture: data-uri or base64
	Of       []string `json:"of"`     // the allowed values
	Required bool     `json:"required"`
}

// forms returns the forms by method and path.
func forms() map[string]form {
	var all struct {
		Source string          `json:"source"`
		Forms  map[string]form `json:"forms"`
	}
	d := json.NewDecoder(bytes.NewReader(formsJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic("localaitest: forms.json: " + err.Error())
	}
	return all.Forms
}

// Request is a well-formed request to a model.
type Request struct {
	Path  string
	Model string
	// Values are the fields as decoded from JSON; those of multipart forms are strings.
	Values map[string]any
	// Files are the files of a multipart form, and the decoded pictures of a JSON request.
	Files map[string][]byte
	// Names are the file names of a multipart form.
	Names map[string]string
}

// Text returns the value of a field, "" if it is absent or not a string.
func (r *Request) Text(name string) string {
	return as[string](r.Values[name])
}

// Number returns the value of a field, 0 if it is absent.
func (r *Request) Number(name string) float64 {
	switch v := r.Values[name].(type) {
	case float64:
		return v
	case string:
		f, err := strconv.ParseFloat(v, 64)
		if err == nil {
			return f
		}
	}
	return 0
}

// Numbers returns the values of a list.
func (r *Request) Numbers(name string) []float64 {
	list := as[[]any](r.Values[name])
	numbers := make([]float64, 0, len(list))
	for _, v := range list {
		if f, ok := v.(float64); ok {
			numbers = append(numbers, f)
		}
	}
	return numbers
}

// read parses a request and validates it against the form.
func (f form) read(r *http.Request) (*Request, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("the body cannot be read: %w", err)
	}
	q := &Request{Path: r.URL.Path, Values: map[string]any{}, Files: map[string][]byte{}, Names: map[string]string{}}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the content type is invalid: %w", err)
	case f.Encoding == "json" && kind == "application/json":
		err = q.readJSON(body)
	case f.Encoding == "form" && kind == "multipart/form-data":
		err = q.readForm(body, params["boundary"], f)
	default:
		return nil, fmt.Errorf("the content type is %q", kind)
	}
	if err != nil {
		return nil, err
	}
	if err := q.check(f); err != nil {
		return nil, err
	}
	q.Model = q.Text(f.Model)
	return q, nil
}

func (r *Request) readJSON(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("the body is not UTF-8")
	}
	if err := json.Unmarshal(body, &r.Values); err != nil {
		return fmt.Errorf("the body is not a JSON object: %w", err)
	}
	return nil
}

func (r *Request) readForm(body []byte, boundary string, f form) error {
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the form cannot be read: %w", err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("the form cannot be read: %w", err)
		}
		name := part.FormName()
		if _, twice := r.Values[name]; twice || r.Files[name] != nil {
			return fmt.Errorf("the field %q occurs twice", name)
		}
		switch {
		case f.Fields[name].Type == "file":
			if part.FileName() == "" || len(content) == 0 || part.Header.Get("Content-Type") == "" {
				return fmt.Errorf("the file %q has no name or no content type, or is empty", name)
			}
			r.Files[name], r.Names[name] = content, part.FileName()
		case part.FileName() != "" || !utf8.Valid(content):
			return fmt.Errorf("the field %q is not text", name)
		default:
			r.Values[name] = string(content)
		}
	}
}

// check validates the fields against the form.
func (r *Request) check(f form) error {
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		known, ok := f.Fields[name]
		if !ok {
			return fmt.Errorf("the field %q is not documented", name)
		}
		if err := r.checkField(name, known, f.Encoding == "form"); err != nil {
			return fmt.Errorf("the field %q: %w", name, err)
		}
	}
	for name, known := range f.Fields {
		_, file := r.Files[name]
		if v, ok := r.Values[name]; known.Required && !file && (!ok || v == "") {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	return nil
}

func (r *Request) checkField(name string, known field, text bool) error {
	v := r.Values[name]
	if text && known.Type != "string" {
		f, err := strconv.ParseFloat(r.Text(name), 64)
		if err != nil {
			return fmt.Errorf("it is %q, not a number", r.Text(name))
		}
		v = f
	}
	if !known.holds(v) {
		return fmt.Errorf("it is a %T, not a %s", v, known.Type)
	}
	if s, ok := v.(string); ok && known.Of != nil && !slices.Contains(known.Of, s) {
		return fmt.Errorf("it is %q, not one of %v", s, known.Of)
	}
	if known.Format == "" {
		return nil
	}
	spelled := as[string](v)
	if list := as[[]any](v); len(list) > 0 {
		spelled = as[string](list[0])
	}
	content, err := known.picture(spelled)
	r.Files[name] = content
	return err
}

// holds reports whether a value has the field's type.
func (f field) holds(v any) bool {
	every := func(is func(any) bool) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(v any) bool { return !is(v) })
	}
	isText := func(v any) bool { _, ok := v.(string); return ok }
	isNumber := func(v any) bool { _, ok := v.(float64); return ok }
	switch f.Type {
	case "string":
		return isText(v)
	case "integer":
		n, ok := v.(float64)
		return ok && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "strings":
		return every(isText)
	case "numbers":
		return every(isNumber)
	}
	return false
}

// picture decodes a picture in the field's encoding.
func (f field) picture(spelled string) ([]byte, error) {
	if f.Format == "data-uri" {
		head, rest, ok := strings.Cut(spelled, ";base64,")
		if !ok || !strings.HasPrefix(head, "data:image/") {
			return nil, errors.New("it is not a picture as a data URI")
		}
		spelled = rest
	}
	content, err := base64.StdEncoding.DecodeString(spelled)
	if err != nil || len(content) == 0 {
		return nil, fmt.Errorf("it is not valid Base64: %w", err)
	}
	return content, nil
}

// as returns v if it has type T, or else the zero value.
func as[T any](v any) T {
	if t, ok := v.(T); ok {
		return t
	}
	var zero T
	return zero
}
