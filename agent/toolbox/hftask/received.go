package hftask

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/jsonfind"
	"atelier/agent/toolbox/media"
)

// maxItems is how many entries of an answer are looked at.
const maxItems = 2000

// entries reads an answer that is a list, a list in a list, as the hub's own API gives of
// one input, or a single entry. It reads entry by entry, so that a list without end costs
// neither memory nor time.
func entries[T any](ctx context.Context, body []byte) ([]T, error) {
	raw, lists := bytes.TrimSpace(body), 0
	for lists < 2 && len(raw) > 0 && raw[0] == '[' {
		raw, lists = bytes.TrimSpace(raw[1:]), lists+1
	}
	d := json.NewDecoder(bytes.NewReader(body))
	for range lists {
		if _, err := d.Token(); err != nil {
			return nil, unreadable(jsonfind.ErrForm)
		}
	}
	if lists == 0 && (len(raw) == 0 || raw[0] != '{') {
		return nil, unreadable(jsonfind.ErrForm)
	}
	var all []T
	for d.More() && (lists > 0 || len(all) == 0) {
		if stopped := media.Stopped(ctx); stopped != nil {
			return nil, stopped
		}
		if len(all) == maxItems {
			return nil, unreadable(fmt.Errorf("the answer has more than %d entries", maxItems))
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return nil, unreadable(fmt.Errorf("entry %d is not of its form", len(all)+1))
		}
		all = append(all, one)
	}
	for range lists {
		if end, err := d.Token(); err != nil || end != json.Delim(']') {
			return nil, unreadable(jsonfind.ErrForm)
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, unreadable(jsonfind.ErrForm)
	}
	return all, nil
}

// content are the bytes of the file in an answer: the answer itself, or what its JSON
// spells out or names under one of the keys.
func (a answer) content(ctx context.Context, keys ...string) ([]byte, error) {
	if !strings.Contains(a.kind(), "json") {
		return a.body, nil
	}
	named, err := jsonfind.Text(ctx, a.body, slices.Concat(keys, []string{"b64_json", "url", "images", "data", "output"}))
	if stopped := media.Stopped(ctx); stopped != nil {
		return nil, stopped
	}
	if err != nil {
		return nil, unreadable(err)
	}
	if named == "" {
		return nil, unreadable(errors.New("there is no file in the answer"))
	}
	return a.spelled(ctx, named)
}

// spelled are the bytes that a text stands for: an address on the server, or Base64, as
// it is or in an address that holds the data.
func (a answer) spelled(ctx context.Context, text string) ([]byte, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		got, err := a.fetch(ctx, text)
		if err != nil {
			return nil, err
		}
		return got.body, nil
	}
	return unspell(text)
}

// unspell decodes Base64, as it is or in an address that holds the data.
func unspell(text string) ([]byte, error) {
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(content) == 0 {
		return nil, unreadable(fmt.Errorf("%d characters are not a file in Base64", len(text)))
	}
	return content, nil
}

// file writes what came from the server into a file of the call's folder, and tells what
// it is.
func (j *job) file(ctx context.Context, content []byte) (path string, info media.Info, err error) {
	path = filepath.Join(j.call.Dir, "answer-"+rand.Text())
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", media.Info{}, err
	}
	info, err = media.Inspect(ctx, path, j.backend.config.Limits)
	if err == nil {
		return path, info, nil
	}
	err = errors.Join(err, os.Remove(path))
	if stopped := media.Stopped(ctx); stopped != nil {
		return "", media.Info{}, stopped
	}
	return "", media.Info{}, unreadable(err)
}

// pictureIn decodes a picture that came from the server.
func (j *job) pictureIn(ctx context.Context, content []byte) (p media.Picture, err error) {
	path := filepath.Join(j.call.Dir, "answer-"+rand.Text())
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	p, err = media.ReadPicture(ctx, path, j.backend.config.Limits)
	if err != nil {
		if stopped := media.Stopped(ctx); stopped != nil {
			return p, stopped
		}
		return p, unreadable(err)
	}
	return p, nil
}

// recorded is a sound or a video that came from the server, as an output.
func (j *job) recorded(ctx context.Context, content []byte, t plan.Type, name string, about plan.Message) (toolbox.Output, error) {
	path, info, err := j.file(ctx, content)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Type != t {
		return toolbox.Output{}, errors.Join(unreadable(fmt.Errorf("the answer is %s and no %s", info.MIME, t)), os.Remove(path))
	}
	named := filepath.Join(j.call.Dir, name+info.Ext)
	if err := os.Rename(path, named); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: named, About: about}, nil
}
