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

// maxItems is the most entries of an answer.
const maxItems = 2000

// entries reads an answer that is a list, a list within a list (the hub's own API for a single input), or a
// single entry. It reads entry by entry, so that an endless list costs neither memory nor time.
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
			return nil, unreadable(fmt.Errorf("entry %d does not have the expected form", len(all)+1))
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

// content returns the file in an answer: the body itself, or the file that its JSON holds or links to under
// one of the keys.
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
		return nil, unreadable(errors.New("the answer has no file"))
	}
	return a.fileContent(ctx, named)
}

// fileContent returns the file that a text stands for: an address on the server, a data URL, or Base64.
func (a answer) fileContent(ctx context.Context, text string) ([]byte, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		got, err := a.fetch(ctx, text)
		if err != nil {
			return nil, err
		}
		return got.body, nil
	}
	return decodeBase64(text)
}

// decodeBase64 decodes Base64, with or without the prefix of a data URL.
func decodeBase64(text string) ([]byte, error) {
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(content) == 0 {
		return nil, unreadable(fmt.Errorf("%d characters are not valid Base64", len(text)))
	}
	return content, nil
}

// file writes content from the server to a file in the call's folder, and inspects it.
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

// saveRecording saves a sound or a video from the server as an output.
func (j *job) saveRecording(ctx context.Context, content []byte, t plan.Type, name string, about plan.Message) (toolbox.Output, error) {
	path, info, err := j.file(ctx, content)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Type != t {
		return toolbox.Output{}, errors.Join(unreadable(fmt.Errorf("the answer is %s, not %s", info.MIME, t)), os.Remove(path))
	}
	named := filepath.Join(j.call.Dir, name+info.Ext)
	if err := os.Rename(path, named); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: named, About: about}, nil
}
