package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message/catalog"
)

// entry is the translation of one sentence.
type entry struct {
	text     string            // if no number decides the form
	argument int               // number of the argument that decides the form, from 1; 0 if none
	forms    map[string]string // by plural form
}

// pluralForms are those of CLDR, in the order that x/text requires: "other" last.
var pluralForms = []string{"zero", "one", "two", "few", "many", "other"}

func (e *entry) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, &e.text) //nolint:wrapcheck // load says where
	}
	forms := map[string]any{}
	if err := json.Unmarshal(b, &forms); err != nil {
		return err //nolint:wrapcheck // load says where
	}
	e.forms = map[string]string{}
	for form, v := range forms {
		number, isNumber := v.(float64)
		text, isText := v.(string)
		switch {
		case form == "argument" && isNumber && number >= 1 && number == float64(int(number)):
			e.argument = int(number)
		case slices.Contains(pluralForms, form) && isText:
			e.forms[form] = text
		default:
			return fmt.Errorf("%q must be an argument number or one of %s", form, strings.Join(pluralForms, ", "))
		}
	}
	if e.argument == 0 || e.forms["other"] == "" {
		return errors.New(`"argument" or "other" is missing`)
	}
	return nil
}

// check compares e's arguments with those of the format.
func (e *entry) check(format string) error {
	want, err := Verbs(format)
	if err != nil {
		return err
	}
	texts := map[string]string{"": e.text}
	if e.argument > 0 {
		texts = e.forms
		if want[e.argument] != "d" {
			return fmt.Errorf("argument %d must be a number", e.argument)
		}
	}
	for form, text := range texts {
		have, err := Verbs(text)
		switch {
		case err != nil:
			return fmt.Errorf("in %q: %w", text, err)
		case strings.TrimSpace(text) == "":
			return errors.New("the text is empty")
		case strings.Contains(text, "${"):
			return fmt.Errorf("%q has an invalid verb", text)
		}
		if form != "" && form != "other" { // "one file" need not say 1
			have[e.argument] = "d"
		}
		if !same(want, have) {
			return fmt.Errorf("%q has different arguments", text)
		}
	}
	return nil
}

// same reports whether the arguments are the same. A %q may become %s, within the quotation marks of the language.
func same(want, have map[int]string) bool {
	for i, verb := range have {
		if verb == "s" && want[i] == "q" {
			have[i] = "q"
		}
	}
	return reflect.DeepEqual(want, have)
}

func (e *entry) message() catalog.Message { //nolint:ireturn // the catalogue takes many kinds
	if e.argument == 0 {
		return catalog.String(e.text)
	}
	var cases []any
	for _, form := range pluralForms {
		if text, ok := e.forms[form]; ok {
			cases = append(cases, form, text)
		}
	}
	return plural.Selectf(e.argument, "%d", cases...)
}

// load adds the translations of a folder, replacing earlier ones.
func load(all map[language.Tag]map[string]entry, folder fs.FS) error {
	here := map[language.Tag]bool{}
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return err //nolint:wrapcheck // the pattern is a good one
	}
	for _, name := range names {
		tag, err := language.Parse(strings.TrimSuffix(path.Base(name), ".json"))
		if err != nil {
			return fmt.Errorf("the file name %s must be a language tag: %w", name, err)
		}
		if here[tag] {
			return fmt.Errorf("duplicate file %s for the language %s", name, tag)
		}
		here[tag] = true
		b, err := fs.ReadFile(folder, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		entries, err := decode(b)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if all[tag] == nil {
			all[tag] = map[string]entry{}
		}
		for format, e := range entries {
			if err := e.check(format); err != nil {
				return fmt.Errorf("%s: %q: %w", name, format, err)
			}
			all[tag][format] = e
		}
	}
	return nil
}

// decode parses a file and rejects duplicate formats.
func decode(b []byte) (map[string]entry, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("not a JSON object"), err)
	}
	entries := map[string]entry{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err //nolint:wrapcheck // load says where
		}
		format, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("%v is not a format string", t)
		}
		if _, twice := entries[format]; twice {
			return nil, fmt.Errorf("duplicate %q", format)
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("%q: %w", format, err)
		}
		entries[format] = e
	}
	_, err := d.Token()
	return entries, err //nolint:wrapcheck // load says where
}
