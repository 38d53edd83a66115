package openai

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox/media"
)

// wantsB64JSON reports whether to request b64_json. The GPT image models always return it and reject the parameter;
// other models may return a URL without it (OpenAI API reference, create image).
func (ps *pictures) wantsB64JSON(model string) bool {
	return !strings.Contains(model, "gpt-image") && !ps.withoutB64JSON.Load()
}

// pictureOf requests a picture, as b64_json if the server accepts the parameter, and returns its content.
// The caller has reserved the memory.
func (ps *pictures) pictureOf(ctx context.Context, r run, ask func(format string) (api.ImageResponse, error)) ([]byte, error) {
	format := ""
	if ps.wantsB64JSON(r.model) {
		format = api.CreateImageResponseFormatB64JSON
	}
	response, err := ask(format)
	if refused, ok := errors.AsType[*endpoint.Error](err); ok && format != "" && refused.Kind == endpoint.Rejected && isAbout(refused, "response_format") {
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
		return nil, fault(down(errors.New("the answer has no data")), "The model made no picture; please try again.")
	}
	return ps.content(ctx, response.Data[0])
}

// isAbout reports whether an error is about a parameter.
func isAbout(e *endpoint.Error, param string) bool {
	return e.Param == param || strings.Contains(e.Error(), param)
}

// content returns the file in an answer: Base64, or a link to the same server.
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
		return nil, fault(down(fmt.Errorf("decode %d characters of Base64: %w", len(spelled), err)), "The model server sent a picture that cannot be read.")
	}
	return content, nil
}

// picture decodes a picture from the server.
func (ps *pictures) picture(ctx context.Context, dir string, content []byte) (media.Picture, error) {
	return media.ReadContent(ctx, dir, content, ps.config.Limits, media.ReadPicture, func(err error) error {
		return fault(down(err), "The model server sent a picture that cannot be read.")
	})
}
