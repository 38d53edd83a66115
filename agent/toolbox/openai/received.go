package openai

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox/media"
)

// asks reports whether the model is asked for b64_json: the GPT image models give nothing
// else and refuse the word, all others may give an address where it is missing (OpenAI
// API reference, create image).
func (ps *pictures) asks(model string) bool {
	return !strings.Contains(model, "gpt-image") && !ps.withoutB64JSON.Load()
}

// pictureOf asks for a picture, in b64_json where the server takes the word, and decodes
// what comes. The caller has made room for it.
func (ps *pictures) pictureOf(ctx context.Context, r run, ask func(format string) (api.ImageResponse, error)) ([]byte, error) {
	format := ""
	if ps.asks(r.model) {
		format = api.CreateImageResponseFormatB64JSON
	}
	response, err := ask(format)
	if refused, ok := errors.AsType[*endpoint.Error](err); ok && format != "" && refused.Kind == endpoint.Rejected && speaksOf(refused, "response_format") {
		if response, err = ask(""); err == nil {
			ps.withoutB64JSON.Store(true)
		}
	}
	if err != nil {
		return nil, err
	}
	r.spent.Calls++
	r.spent.Input += response.Usage.InputTokens
	r.spent.Output += response.Usage.OutputTokens
	if len(response.Data) == 0 {
		return nil, fault(down(errors.New("no data")), "The model made no picture; please try again.")
	}
	return ps.content(ctx, response.Data[0])
}

// speaksOf reports whether a refusal is about a parameter.
func speaksOf(e *endpoint.Error, param string) bool {
	return e.Param == param || strings.Contains(e.Error(), param)
}

// content is the file within an answer: spelled out, or to be fetched from the server.
func (ps *pictures) content(ctx context.Context, d api.ImageResponseDataInner) ([]byte, error) {
	spelled := d.B64JSON
	if spelled == "" && strings.HasPrefix(d.URL, "data:") {
		spelled = d.URL
	}
	if spelled == "" && d.URL != "" {
		content, err := ps.config.Endpoint.Fetch(ctx, d.URL)
		if err != nil {
			return nil, fault(down(err), "The model server did not send the picture, only a link to it.")
		}
		return content, nil
	}
	if strings.HasPrefix(spelled, "data:") {
		_, spelled, _ = strings.Cut(spelled, ",")
	}
	content, err := base64.StdEncoding.DecodeString(spelled)
	if err != nil || len(content) == 0 {
		return nil, fault(down(fmt.Errorf("%d characters of Base64: %w", len(spelled), err)), "The model server sent a picture that cannot be read.")
	}
	return content, nil
}

// picture decodes a picture that came from the server.
func (ps *pictures) picture(ctx context.Context, dir string, content []byte) (p media.Picture, err error) {
	path := filepath.Join(dir, "answer-"+rand.Text())
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	p, err = media.ReadPicture(ctx, path, ps.config.Limits)
	if err != nil {
		if stopped := media.Stopped(ctx); stopped != nil {
			return p, stopped
		}
		return p, fault(down(err), "The model server sent a picture that cannot be read.")
	}
	return p, nil
}
