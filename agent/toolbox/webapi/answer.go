package webapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/template"
)

// maxResults is the most results of one answer.
const maxResults = 16

// answer reads the answer to one call.
type answer struct {
	backend  *Backend
	request  *template.Request
	call     toolbox.Call
	endpoint *endpoint.Endpoint
	files    int // number of files written
}

// read converts a response to outputs.
func (a *answer) read(ctx context.Context, r endpoint.Response) (toolbox.Output, error) {
	if len(r.Body) == 0 {
		return toolbox.Output{}, unexpected("it is empty")
	}
	path := a.request.Result()
	if path == nil && (a.call.Returns != plan.Text || !isJSON(r)) {
		return a.output(ctx, r.Body)
	}
	found, err := resultAt(r.Body, path)
	if err != nil {
		return toolbox.Output{}, err
	}
	all, ok := found.([]any)
	if !ok {
		all = []any{found}
	}
	if len(all) == 0 || len(all) > maxResults {
		return toolbox.Output{}, unexpected("%s is a list of %d results; 1 to %d are accepted", place(path), len(all), maxResults)
	}
	outs := make([]toolbox.Output, len(all))
	for i, one := range all {
		if outs[i], err = a.one(ctx, one, path); err != nil {
			return toolbox.Output{}, err
		}
	}
	outs[0].More = outs[1:]
	return outs[0], nil
}

func isJSON(r endpoint.Response) bool {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// place formats the path of a JSON field for messages to the operator.
func place(path []string) string {
	if path == nil {
		return "the answer"
	}
	return "the value at " + strings.Join(path, ".")
}

// resultAt returns the value at a path in JSON.
func resultAt(body []byte, path []string) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return nil, unexpected("it is not JSON")
	}
	for _, step := range path {
		var next any
		switch at := v.(type) {
		case map[string]any:
			next = at[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(at) {
				next = at[i]
			}
		}
		if next == nil {
			return nil, unexpected("it has nothing at %s: check result", strings.Join(path, "."))
		}
		v = next
	}
	return v, nil
}

// one converts a JSON value to an output.
func (a *answer) one(ctx context.Context, v any, path []string) (toolbox.Output, error) {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	default:
		return toolbox.Output{}, unexpected("%s is not a text, a number or a list of them: check result", place(path))
	}
	if a.call.Returns == plan.Text {
		return a.output(ctx, []byte(text))
	}
	content, err := a.content(ctx, text)
	if err != nil {
		return toolbox.Output{}, err
	}
	return a.output(ctx, content)
}

// content returns the file that a text stands for: an address on the same host, a data URL, or Base64.
func (a *answer) content(ctx context.Context, text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if isAddress(text) {
		got, err := a.endpoint.Do(ctx, endpoint.Request{Address: text, Plainly: true, ByStatus: true})
		if e, ok := errors.AsType[*endpoint.Error](err); ok && e.Status == 0 && e.Kind == endpoint.Malformed {
			return nil, unexpected("it links to a file on another host, which is not fetched")
		}
		return got.Body, err
	}
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		content, err = base64.RawStdEncoding.DecodeString(text)
	}
	if err != nil || len(content) == 0 {
		return nil, unexpected("its result is neither Base64 nor an address: check result")
	}
	return content, nil
}

// isAddress distinguishes an address from Base64, which starts with a slash too for a JPEG ("/9j/").
func isAddress(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") ||
		strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/9j/")
}

// output converts content to an output of the tool's type.
func (a *answer) output(ctx context.Context, content []byte) (toolbox.Output, error) {
	if a.call.Returns == plan.Text {
		return textOf(content)
	}
	if a.request.Result() == nil && json.Valid(content) {
		return toolbox.Output{}, unexpected("it is JSON: set result to the path of the %s", a.call.Returns)
	}
	a.files++
	path := filepath.Join(a.call.Dir, fmt.Sprintf("answer-%d", a.files))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return toolbox.Output{}, fmt.Errorf("write an answer: %w", err)
	}
	info, err := media.Inspect(ctx, path, a.backend.config.Limits)
	if ctx.Err() != nil {
		return toolbox.Output{}, ctx.Err()
	}
	if err != nil {
		return toolbox.Output{}, unexpected("its %d bytes are not a valid %s", len(content), a.call.Returns)
	}
	if !info.Type.Fits(a.call.Returns) {
		return toolbox.Output{}, unexpected("it is %s, but the tool returns %s", info.MIME, a.call.Returns)
	}
	named := path + info.Ext
	if err := os.Rename(path, named); err != nil {
		return toolbox.Output{}, fmt.Errorf("rename an answer: %w", err)
	}
	return toolbox.Output{Path: named}, nil
}

// textOf converts a text from a service to an output.
func textOf(content []byte) (toolbox.Output, error) {
	text := strings.TrimSpace(string(content))
	begins := strings.ToLower(text[:min(len(text), 20)])
	switch {
	case text == "":
		return toolbox.Output{}, unexpected("its text is empty")
	case len(text) > maxText:
		return toolbox.Output{}, unexpected("its text has %d bytes; the limit is %d", len(text), maxText)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return toolbox.Output{}, unexpected("it is not text")
	case strings.HasPrefix(begins, "<!doctype html") || strings.HasPrefix(begins, "<html"):
		return toolbox.Output{}, unexpected("it is a web page")
	}
	return toolbox.Output{Value: text}, nil
}
