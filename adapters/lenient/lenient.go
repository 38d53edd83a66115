// Package lenient decodes the JSON of chat platforms, and of servers with their protocols, leniently: a field of an
// unexpected type does not make a message unreadable.
package lenient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Unmarshal decodes JSON into v like [json.Unmarshal], but ignores fields of an unexpected type. It accepts a number as
// a string, and a string as a number. It returns the paths of the ignored fields, such as
// "event.files.size". It fails if data is not JSON, or if it is as a whole of another kind than v.
func Unmarshal(data []byte, v any) (odd []string, err error) {
	into := reflect.ValueOf(v).Elem()
	before := reflect.New(into.Type()).Elem()
	before.Set(into)
	err = json.Unmarshal(data, v)
	if _, syntax := errors.AsType[*json.SyntaxError](err); err == nil || syntax {
		return nil, err //nolint:wrapcheck // callers expect the errors of json.Unmarshal
	}
	into.Set(before)
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // keeps long ids exact
	if err := d.Decode(&tree); err != nil {
		return nil, err //nolint:wrapcheck // as above
	}
	var f fitter
	fitted, ok := f.fit(into.Type(), tree, nil)
	if !ok {
		return nil, err //nolint:wrapcheck // as above
	}
	b, err := json.Marshal(fitted)
	if err != nil {
		return nil, fmt.Errorf("lenient: %w", err)
	}
	slices.Sort(f.odd)
	return slices.Compact(f.odd), json.Unmarshal(b, v)
}

// fitter removes from a JSON value what does not fit a type.
type fitter struct{ odd []string }

// fit converts a value for a type. It returns false if that is not possible.
func (f *fitter) fit(t reflect.Type, value any, path []string) (_ any, ok bool) {
	if value == nil {
		return nil, true
	}
	if t.Kind() == reflect.Pointer {
		return f.fit(t.Elem(), value, path)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		b, err := json.Marshal(value)
		return value, err == nil && json.Unmarshal(b, reflect.New(t).Interface()) == nil
	}
	switch t.Kind() {
	case reflect.Interface:
		return value, true
	case reflect.Struct:
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		return f.object(object, path, fieldsOf(t)), true
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok || t.Key().Kind() != reflect.String {
			return nil, false
		}
		return f.object(object, path, func(string) (field, bool) { return field{name: "*", of: t.Elem()}, true }), true
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return nil, false
		}
		kept := make([]any, 0, len(list))
		for _, one := range list {
			if fitted, ok := f.fit(t.Elem(), one, path); ok {
				kept = append(kept, fitted)
			} else {
				f.note(path)
			}
		}
		return kept, true
	default:
		return scalar(t, value)
	}
}

func (f *fitter) note(path []string) { f.odd = append(f.odd, strings.Join(path, ".")) }

// object removes unknown fields from an object, and values that do not fit their field.
func (f *fitter) object(object map[string]any, path []string, fields func(key string) (field, bool)) map[string]any {
	kept := map[string]any{}
	for key, value := range object {
		of, ok := fields(key)
		if !ok {
			continue
		}
		within := append(slices.Clone(path), of.name)
		fitted, ok := f.fit(of.of, value, within)
		if number, is := fitted.(json.Number); is && of.quoted {
			fitted = number.String()
		}
		if ok {
			kept[key] = fitted
		} else {
			f.note(within)
		}
	}
	return kept
}

// field is a struct field that JSON is decoded into.
type field struct {
	name   string // in JSON
	of     reflect.Type
	quoted bool // its number is encoded as a string
}

// fieldsOf returns the fields of a struct by their JSON names, as encoding/json does.
func fieldsOf(t reflect.Type) func(key string) (field, bool) {
	var all []field
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		all = append(all, field{name, f.Type, slices.Contains(strings.Split(options, ","), "string")})
	}
	return func(key string) (field, bool) {
		at := slices.IndexFunc(all, func(f field) bool { return f.name == key })
		if at < 0 {
			at = slices.IndexFunc(all, func(f field) bool { return strings.EqualFold(f.name, key) })
		}
		if at < 0 {
			return field{}, false
		}
		return all[at], true
	}
}

// scalar converts a string, number or boolean for a type.
func scalar(t reflect.Type, value any) (_ any, ok bool) {
	switch t.Kind() { //nolint:exhaustive // JSON has no other kinds
	case reflect.String:
		if number, ok := value.(json.Number); ok {
			return number.String(), true
		}
		_, ok = value.(string)
		return value, ok
	case reflect.Bool:
		_, ok = value.(bool)
		return value, ok
	}
	text, ok := value.(string)
	if number, is := value.(json.Number); is {
		text, ok = number.String(), true
	}
	if !ok {
		return nil, false
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 { // as 1e3 and 640.0
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	zero := reflect.New(t).Elem()
	var err error
	switch {
	case zero.CanInt():
		_, err = strconv.ParseInt(text, 10, t.Bits())
	case zero.CanUint():
		_, err = strconv.ParseUint(text, 10, t.Bits())
	case zero.CanFloat():
		_, err = strconv.ParseFloat(text, t.Bits())
	default:
		return nil, false
	}
	return json.Number(text), err == nil
}
