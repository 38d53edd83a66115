package hftask

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// maxItems is how many entries of an answer are looked at.
const maxItems = 2000

// entries reads an answer that is a list, a list in a list, as the hub's own API gives of
// one input, or a single entry.
func entries[T any](body []byte) ([]T, error) {
	raw := bytes.TrimSpace(body)
	for range 2 {
		if len(raw) == 0 || raw[0] != '[' {
			break
		}
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, unreadable(errForm)
		}
		if len(list) == 0 {
			return nil, nil
		}
		if inner := bytes.TrimSpace(list[0]); len(list) == 1 && len(inner) > 0 && inner[0] == '[' {
			raw = inner
			continue
		}
		if len(list) > maxItems {
			return nil, unreadable(fmt.Errorf("the answer has %d entries", len(list)))
		}
		all := make([]T, len(list))
		for i, item := range list {
			if err := json.Unmarshal(item, &all[i]); err != nil {
				return nil, unreadable(fmt.Errorf("entry %d is not of its form", i+1))
			}
		}
		return all, nil
	}
	var one T
	if err := json.Unmarshal(raw, &one); err != nil || len(raw) == 0 || raw[0] != '{' {
		return nil, unreadable(errForm)
	}
	return []T{one}, nil
}

// content are the bytes of the file in an answer: the answer itself, or what its JSON
// spells out or names under one of the keys.
func (a answer) content(ctx context.Context, keys ...string) ([]byte, error) {
	if !strings.Contains(a.kind(), "json") {
		return a.body, nil
	}
	var v any
	if err := json.Unmarshal(a.body, &v); err != nil {
		return nil, unreadable(errForm)
	}
	named := find(v, append(keys, "b64_json", "url"), 0)
	if named == "" {
		return nil, unreadable(errors.New("there is no file in the answer"))
	}
	return a.spelled(ctx, named)
}

// find is the first text under one of the keys, in lists and objects that stand for a
// file or hold them, as {"images": [{"url"}]} does.
func find(v any, keys []string, depth int) string {
	const most = 4
	if depth > most {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			if _, text := v[0].(string); text && depth == 0 {
				return ""
			}
			return find(v[0], keys, depth+1)
		}
	case map[string]any:
		for _, key := range append(keys, "images", "data", "output") {
			if inner, ok := v[key]; ok {
				if s := find(inner, keys, depth+1); s != "" {
					return s
				}
			}
		}
	}
	return ""
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
	info, err = media.InspectContext(ctx, path, j.backend.config.Limits)
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
	path, info, err := j.file(ctx, content)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	if info.Type != plan.Image {
		return p, unreadable(fmt.Errorf("the answer is %s and no picture", info.MIME))
	}
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
