package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Input is a benchmark file: its content, and its name for errors.
type Input struct {
	Name string
	io.Reader
}

// maxInput is the size limit of a file in bytes.
const maxInput = 64 << 20

func (in Input) read() ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.Name, err)
	}
	if len(b) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d MB", in.Name, maxInput>>20)
	}
	return b, nil
}

// item is one JSON value of a file and its position.
type item struct {
	file string
	line int
	raw  json.RawMessage
}

// array returns the elements of a file that contains one JSON array.
func (in Input) array() ([]item, error) {
	b, err := in.read()
	if err != nil {
		return nil, err
	}
	fault := func(at int64, err error) error {
		return fmt.Errorf("%s, line %d: %w", in.Name, lineAt(b, at), err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, fault(0, errors.New("not a JSON array of requests"))
	}
	var items []item
	for dec.More() {
		at := dec.InputOffset()
		for at < int64(len(b)) && strings.IndexByte(", \t\r\n", b[at]) >= 0 {
			at++
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fault(at, fmt.Errorf("the entry starting here is not JSON: %w", err))
		}
		items = append(items, item{in.Name, lineAt(b, at), raw})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fault(int64(len(b)), errors.New("unterminated array"))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault(dec.InputOffset(), errors.New("unexpected data after the array"))
	}
	return items, nil
}

// lines returns the values of a file with one JSON value per line. Blank lines are skipped.
func (in Input) lines() ([]item, error) {
	b, err := in.read()
	if err != nil {
		return nil, err
	}
	var items []item
	for i, line := range bytes.Split(b, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			items = append(items, item{in.Name, i + 1, line})
		}
	}
	return items, nil
}

// lineAt returns the line number of an offset, counting from 1.
func lineAt(b []byte, at int64) int {
	return 1 + bytes.Count(b[:min(at, int64(len(b)))], []byte("\n"))
}

// fault adds the file, the line and, if it is readable, the id to an error.
func (it item) fault(err error) error {
	var named struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(it.raw, &named) == nil && named.ID != "" {
		return fmt.Errorf("%s, line %d, id %q: %w", it.file, it.line, named.ID, err)
	}
	return fmt.Errorf("%s, line %d: %w", it.file, it.line, err)
}

// decode parses every item as a T and checks it. IDs must be unique. It stops at the first error.
func decode[T any](items []item, id func(T) string, check func(T) error) ([]T, error) {
	all := make([]T, 0, len(items))
	seen := map[string]int{}
	for _, it := range items {
		var v T
		if err := json.Unmarshal(it.raw, &v); err != nil {
			return nil, it.fault(err)
		}
		if id(v) == "" {
			return nil, it.fault(errors.New("has no id"))
		}
		if first, twice := seen[id(v)]; twice {
			return nil, it.fault(fmt.Errorf("has the same id as line %d", first))
		}
		seen[id(v)] = it.line
		if err := check(v); err != nil {
			return nil, it.fault(err)
		}
		all = append(all, v)
	}
	return all, nil
}
