package template

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"
	"unicode"
)

// Upload is a file to send.
type Upload struct {
	Name    string // chosen by us, with its extension
	MIME    string
	Content []byte
}

// Uploads returns the file of a resource. Its errors are for people.
type Uploads func(arg string) (Upload, error)

// Filled is a request with its slots filled.
type Filled struct {
	Path  string // escaped
	Query url.Values
	// Headers are the headers set in the tool file.
	Headers map[string]string
	// Body is the content to send, and Type its media type; both are empty without a body.
	Body []byte
	Type string
}

// ErrSegment is returned for a value that cannot be part of a path.
var ErrSegment = errors.New("a value cannot be part of a path")

// Fill returns the request for a call. Fields with absent values are omitted.
func (r *Request) Fill(facts Facts, files Uploads) (Filled, error) {
	f := filler{facts, files}
	made := Filled{Query: url.Values{}, Headers: map[string]string{}}
	var err error
	if made.Path, err = f.path(r.path); err != nil {
		return Filled{}, err
	}
	for _, q := range r.query {
		v, ok, err := f.scalar(q.value)
		if err != nil {
			return Filled{}, err
		}
		if ok {
			made.Query.Set(q.name, v.String())
		}
	}
	for _, h := range r.headers {
		text, ok, err := f.header(h.value)
		if err != nil {
			return Filled{}, err
		}
		if ok {
			made.Headers[h.name] = text
		}
	}
	switch {
	case r.json != nil:
		made.Type = "application/json"
		made.Body, err = f.json(*r.json)
	case r.form != nil:
		made.Body, made.Type, err = f.form(r.form)
	case r.body != nil:
		made.Body, made.Type, err = f.raw(r.body)
	}
	return made, err
}

// filler fills one request.
type filler struct {
	facts Facts
	files Uploads
}

// path fills the path; each slot is part of one segment. Some servers decode the path before they
// split it, so escaped slashes are rejected like plain ones.
func (f filler) path(text []piece) (string, error) {
	var b strings.Builder
	for _, p := range text {
		if !p.isSlot() {
			b.WriteString(p.text)
			continue
		}
		v, err := p.value.eval(f.facts)
		if err != nil {
			return "", err
		}
		s := strings.TrimSpace(strings.ToValidUTF8(v.String(), "?"))
		if s == "" || strings.ContainsAny(s, `/\`) || strings.ContainsFunc(s, unicode.IsControl) {
			return "", fmt.Errorf("{%s}: %w", p.value, ErrSegment)
		}
		b.WriteString(url.PathEscape(s))
	}
	if made := b.String(); plainPath(made) {
		return made, nil
	}
	return "", ErrSegment
}

// scalar returns the value of a query or form field; false if absent.
func (f filler) scalar(v value) (Value, bool, error) {
	v, ok, err := f.chosen(v)
	if err != nil || !ok {
		return Value{}, false, err
	}
	if v.literal != nil { // the empty text
		return Text(""), true, nil
	}
	return f.text(v.text)
}

// header returns the value of a header; false if absent. Slots are percent-encoded if they are
// people's text or not printable ASCII, so that they cannot inject headers.
func (f filler) header(v value) (string, bool, error) {
	v, ok, err := f.chosen(v)
	if err != nil || !ok {
		return "", false, err
	}
	var b strings.Builder
	for _, p := range v.text {
		if !p.isSlot() {
			b.WriteString(p.text)
			continue
		}
		v, err := p.value.eval(f.facts)
		if err != nil || v.Kind == 0 {
			return "", false, err
		}
		s := v.String()
		if v.Kind == Words || !isPrintable(s) {
			s = url.PathEscape(strings.ToValidUTF8(s, "?"))
		}
		b.WriteString(s)
	}
	return b.String(), true, nil
}

// chosen returns the branch selected by a condition, or the value itself.
func (f filler) chosen(v value) (value, bool, error) {
	for v.condition != nil {
		holds, err := v.condition.eval(f.facts)
		if err != nil {
			return value{}, false, err
		}
		branch := v.otherwise
		if holds.truth() {
			branch = v.then
		}
		if branch == nil {
			return value{}, false, nil
		}
		v = *branch
	}
	return v, true, nil
}

// text fills the slots of a text. A slot alone keeps its kind; files within a text are encoded as Base64.
func (f filler) text(text []piece) (Value, bool, error) {
	var b strings.Builder
	for _, p := range text {
		if !p.isSlot() {
			b.WriteString(p.text)
			continue
		}
		v, err := p.value.eval(f.facts)
		switch {
		case err != nil:
			return Value{}, false, err
		case v.Kind == 0:
			return Value{}, false, nil
		case len(text) == 1:
			v.Text = strings.ToValidUTF8(v.Text, "?")
			return v, true, nil
		case v.Kind == File:
			v.Text, err = f.base64(v.Text)
		}
		if err != nil {
			return Value{}, false, err
		}
		b.WriteString(strings.ToValidUTF8(v.String(), "?"))
	}
	return Text(b.String()), true, nil
}

func (f filler) base64(arg string) (string, error) {
	file, err := f.files(arg)
	return base64.StdEncoding.EncodeToString(file.Content), err
}

func (f filler) json(v value) ([]byte, error) {
	made, ok, err := f.tree(v)
	if err != nil || !ok {
		return nil, err
	}
	b, err := json.Marshal(made)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return b, nil
}

// tree returns a value for encoding/json; false if absent.
func (f filler) tree(v value) (any, bool, error) {
	v, ok, err := f.chosen(v)
	switch {
	case err != nil || !ok:
		return nil, false, err
	case v.literal != nil:
		return v.literal, true, nil
	case v.object != nil:
		object := map[string]any{}
		for _, inner := range v.object {
			made, ok, err := f.tree(inner.value)
			if err != nil {
				return nil, false, err
			}
			if ok {
				object[inner.name] = made
			}
		}
		return object, true, nil
	case v.isList:
		list := []any{}
		for _, inner := range v.list {
			made, ok, err := f.tree(inner)
			if err != nil {
				return nil, false, err
			}
			if ok {
				list = append(list, made)
			}
		}
		return list, true, nil
	}
	all, ok, err := f.several(v.text)
	if err != nil || ok {
		list := make([]any, len(all))
		for i, one := range all {
			if list[i], err = f.leaf(one); err != nil {
				return nil, false, err
			}
		}
		return list, ok, err
	}
	s, ok, err := f.text(v.text)
	if err != nil || !ok {
		return nil, false, err
	}
	made, err := f.leaf(s)
	return made, true, err
}

// several returns the values of a single slot with several values; false for any other text.
func (f filler) several(text []piece) ([]Value, bool, error) {
	if len(text) != 1 || text[0].value == nil {
		return nil, false, nil
	}
	v, err := text[0].value.eval(f.facts)
	if err != nil || v.Kind != Files && v.Kind != Texts {
		return nil, false, err
	}
	count, err := f.facts(v.Text + ".count")
	if err != nil {
		return nil, false, err
	}
	all := make([]Value, int(count.Number))
	for i := range all {
		if all[i], err = f.facts(Item(v.Text, i)); err != nil {
			return nil, false, err
		}
		if all[i].Kind != File {
			all[i].Text = strings.ToValidUTF8(all[i].Text, "?")
		}
	}
	return all, true, nil
}

// leaf returns a single JSON value.
func (f filler) leaf(s Value) (any, error) {
	switch {
	case s.Kind == Number && s.Logical:
		return s.truth(), nil
	case s.Kind == Number:
		return json.Number(s.String()), nil
	case s.Kind == File:
		return f.base64(s.Text)
	}
	return s.Text, nil
}

// form writes a multipart form.
func (f filler) form(fields []field) ([]byte, string, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, field := range fields {
		values, err := f.values(field.value)
		if err != nil {
			return nil, "", err
		}
		for _, v := range values {
			if err := f.part(w, field.name, v); err != nil {
				return nil, "", err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", fmt.Errorf("write a form: %w", err)
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

// values returns the values of a form field: none if absent, several if its slot has several.
func (f filler) values(v value) ([]Value, error) {
	v, ok, err := f.chosen(v)
	if err != nil || !ok {
		return nil, err
	}
	if all, ok, err := f.several(v.text); err != nil || ok {
		return all, err
	}
	one, ok, err := f.scalar(v)
	if err != nil || !ok {
		return nil, err
	}
	return []Value{one}, nil
}

// part writes a field of a form.
func (f filler) part(w *multipart.Writer, name string, v Value) error {
	content, header := []byte(v.String()), textproto.MIMEHeader{}
	disposition := map[string]string{"name": name}
	if v.Kind == File {
		file, err := f.files(v.Text)
		if err != nil {
			return err
		}
		content, disposition["filename"] = file.Content, file.Name
		header.Set("Content-Type", file.MIME)
	}
	header.Set("Content-Disposition", mime.FormatMediaType("form-data", disposition))
	part, err := w.CreatePart(header)
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil {
		return fmt.Errorf("write a form: %w", err)
	}
	return nil
}

// raw returns a body that is a file or a text.
func (f filler) raw(text []piece) ([]byte, string, error) {
	v, ok, err := f.text(text)
	switch {
	case err != nil || !ok:
		return nil, "", err
	case v.Kind == File:
		file, err := f.files(v.Text)
		return file.Content, file.MIME, err
	}
	return []byte(v.String()), "text/plain; charset=utf-8", nil
}
