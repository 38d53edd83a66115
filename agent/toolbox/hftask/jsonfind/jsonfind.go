// Package jsonfind finds a text in JSON without keeping the rest in memory.
package jsonfind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// ErrForm is returned for JSON that does not have the expected form.
var ErrForm = errors.New("the JSON does not have the expected form")

// Text returns the first text under one of the keys, "" if there is none. It looks into lists and objects, as in
// {"images": [{"url"}]}. Everything else is skipped: an answer may hold as many numbers as a picture has
// pixels.
func Text(ctx context.Context, raw []byte, keys []string) (string, error) {
	return find(ctx, raw, keys, 0)
}

func find(ctx context.Context, raw []byte, keys []string, depth int) (string, error) {
	const most = 4
	raw = bytes.TrimSpace(raw)
	if depth > most || len(raw) == 0 {
		return "", nil
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", ErrForm
		}
		return s, nil
	case '[':
		first, err := newPasser(raw).first()
		if err != nil || len(first) == 0 || first[0] == '"' && depth == 0 {
			return "", err
		}
		return find(ctx, first, keys, depth+1)
	case '{':
		within, err := newPasser(raw).members(ctx, keys)
		if err != nil {
			return "", err
		}
		for _, key := range keys {
			if s, err := find(ctx, within[key], keys, depth+1); s != "" || err != nil {
				return s, err
			}
		}
	}
	return "", nil
}

// passer reads a list or an object, discarding the values that are not wanted.
type passer struct {
	raw []byte
	*json.Decoder
}

func newPasser(raw []byte) passer { return passer{raw, json.NewDecoder(bytes.NewReader(raw))} }

// first returns the first element of a list, nil if it is empty.
func (p passer) first() ([]byte, error) {
	if _, err := p.Token(); err != nil {
		return nil, ErrForm
	}
	if !p.More() {
		return nil, nil
	}
	return p.next()
}

// members returns the raw members of an object under the given keys.
func (p passer) members(ctx context.Context, keys []string) (map[string][]byte, error) {
	found := map[string][]byte{}
	if _, err := p.Token(); err != nil {
		return nil, ErrForm
	}
	for p.More() {
		key, err := p.Token()
		if err != nil || ctx.Err() != nil {
			return nil, ErrForm
		}
		value, err := p.next()
		if err != nil {
			return nil, err
		}
		if name, ok := key.(string); ok && slices.Contains(keys, name) {
			found[name] = value
		}
	}
	if _, err := p.Token(); err != nil {
		return nil, ErrForm
	}
	return found, nil
}

// next returns the next value as a slice of the raw JSON.
func (p passer) next() ([]byte, error) {
	from := p.InputOffset()
	if err := p.Decode(new(passed)); err != nil {
		return nil, ErrForm
	}
	return bytes.TrimLeft(p.raw[from:p.InputOffset()], " \t\r\n:,"), nil
}

// passed is a value that is discarded.
type passed struct{}

// UnmarshalJSON discards the value.
func (passed) UnmarshalJSON([]byte) error { return nil }
