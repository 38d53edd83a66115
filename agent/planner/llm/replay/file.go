package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

const (
	suffix = ".json"
	index  = "index.json"
	// longest is the maximum length of an escaped id in a file name; most file systems allow 255
	// bytes.
	longest = 160
)

// file is the format of a recorded request.
type file struct {
	Request   string     `json:"request"`
	Exchanges []Exchange `json:"exchanges"`
}

// Exchange is one call of a model and its answer.
type Exchange struct {
	Job   string `json:"job"`
	Round int    `json:"round"`
	Model string `json:"model"`
	// User are the texts of the user's messages, which contain the variable part of the prompt.
	User string `json:"user"`
	// Messages is a hash of all messages sent.
	Messages string `json:"messages"`
	// Content is the model's answer; Refusal is set instead if it refused.
	Content string `json:"content"`
	Refusal string `json:"refusal,omitempty"`
	// Finish is the finish reason; empty if the server gave none.
	Finish string `json:"finish,omitempty"`
	// Usage is nil if the server did not report it.
	Usage *Usage `json:"usage,omitempty"`
}

// Usage counts tokens; Cached are the input tokens that the provider had cached.
type Usage struct {
	Input  int `json:"input"`
	Cached int `json:"cached,omitempty"`
	Output int `json:"output"`
}

func (e Exchange) check() error {
	switch {
	case e.Job == "":
		return errors.New("an exchange has no job")
	case e.Round < 0:
		return fmt.Errorf("the exchange of %s has round %d", e.Job, e.Round)
	case e.Model == "":
		return fmt.Errorf("the exchange %s/%d has no model", e.Job, e.Round)
	case e.Usage != nil && (e.Usage.Input < 0 || e.Usage.Cached < 0 || e.Usage.Output < 0):
		return fmt.Errorf("the exchange %s/%d has negative token counts", e.Job, e.Round)
	}
	return nil
}

func decodeFile(data []byte) (file, error) {
	var f file
	if err := decode(data, &f); err != nil {
		return file{}, err
	}
	if f.Request == "" {
		return file{}, errors.New("no request")
	}
	if len(f.Exchanges) == 0 {
		return file{}, errors.New("no exchanges")
	}
	for i, e := range f.Exchanges {
		if err := e.check(); err != nil {
			return file{}, err
		}
		if find(f.Exchanges[:i], e.Job, e.Round) >= 0 {
			return file{}, fmt.Errorf("duplicate exchange %s/%d", e.Job, e.Round)
		}
	}
	return f, nil
}

func decodeAbout(data []byte) (About, error) {
	var a About
	err := decode(data, &a)
	return a, err
}

// decode decodes a single JSON value and rejects unknown fields, which this package cannot have
// written.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON")
	}
	return nil
}

// write replaces a file of the folder atomically.
func (r *Recordings) write(name string, v any) (err error) {
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false) // people read recordings
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	if err := os.MkdirAll(r.dir, 0o750); err != nil {
		return err
	}
	temp, err := os.CreateTemp(r.dir, ".part-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data.Bytes())
	err = errors.Join(err, temp.Chmod(0o644), temp.Close()) // recordings are kept with the code
	if err == nil {
		err = os.Rename(temp.Name(), filepath.Join(r.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// fileName escapes an id for use as a file name: characters other than lower-case letters, digits,
// '-', '_' and inner '.' become %XX. Capital letters are escaped because some file systems ignore
// case. An id that gets too long is truncated and made unique by a hash.
func fileName(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	name := b.String()
	if len(name) > longest {
		sum := sha256.Sum256([]byte(id))
		name = name[:longest] + "~" + hex.EncodeToString(sum[:8])
	}
	if name+suffix == index {
		return "%69ndex" + suffix
	}
	return name + suffix
}

func (a About) clone() About {
	a.Prompts = maps.Clone(a.Prompts)
	return a
}
