package localai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// server sends requests and files to LocalAI, and reads the files in its answers.
type server struct {
	endpoint *endpoint.Endpoint
	limits   media.Limits
}

// post sends a request as JSON.
func (srv *server) post(ctx context.Context, path string, j job, request any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	answer, err := srv.endpoint.Post(ctx, path, j.model, "application/json", body)
	return answer, asFault(err)
}

// part is a field of a form, or a file if content is set.
type part struct {
	name, value string
	content     []byte
	ext, mime   string
}

// postForm sends a request as a form. Files are named after their fields, to keep people's file names
// private.
func (srv *server) postForm(ctx context.Context, path string, j job, parts ...part) ([]byte, error) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, p := range parts {
		if err := p.write(w); err != nil {
			return nil, fmt.Errorf("encode a form: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode a form: %w", err)
	}
	answer, err := srv.endpoint.Post(ctx, path, j.model, w.FormDataContentType(), body.Bytes())
	return answer, asFault(err)
}

func (p part) write(w *multipart.Writer) error {
	if p.content == nil {
		return w.WriteField(p.name, p.value) //nolint:wrapcheck // the caller adds context
	}
	to, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename="%s%s"`, p.name, p.name, p.ext)},
		"Content-Type":        {p.mime},
	})
	if err != nil {
		return err //nolint:wrapcheck // the same
	}
	_, err = to.Write(p.content)
	return err //nolint:wrapcheck // the same
}

// fileOf returns the path of an argument's file.
func (j job) fileOf(arg string) (string, error) {
	if vs := j.Args[arg]; len(vs) > 0 && vs[0].Path != "" {
		return vs[0].Path, nil
	}
	return "", fault(fmt.Errorf("missing file for %s", arg), "The %s to work on is missing.", plan.Type(arg))
}

// content returns the first file in an answer of the form of OpenAI's image API: Base64, or a link to the
// same server (LocalAI, swagger, schema.OpenAIResponse).
func (srv *server) content(ctx context.Context, body []byte) ([]byte, error) {
	url, content, err := readItem(body)
	if err != nil || url == "" {
		return content, err
	}
	content, err = srv.endpoint.Fetch(ctx, url)
	if err != nil {
		err = asFault(err)
		if !errors.Is(err, toolbox.ErrDown) {
			return nil, err
		}
		return nil, fault(err, "The LocalAI server did not send the result, only a link to it.")
	}
	return content, nil
}

// readItem parses the first item of an answer: its address, or the file itself.
func readItem(body []byte) (url string, content []byte, err error) {
	var answer struct {
		Data []struct {
			URL string `json:"url"`
			B64 string `json:"b64_json"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", nil, unreadable(err)
	}
	if len(answer.Data) == 0 || answer.Data[0].URL == "" && answer.Data[0].B64 == "" {
		return "", nil, badAnswer(errors.New("the answer has no data"), "The model made nothing; please try again.")
	}
	item := answer.Data[0]
	spelled := item.B64
	if spelled == "" && strings.HasPrefix(item.URL, "data:") {
		spelled = item.URL
	}
	if spelled == "" {
		return item.URL, nil, nil
	}
	if strings.HasPrefix(spelled, "data:") {
		_, spelled, _ = strings.Cut(spelled, ",")
	}
	content, err = base64.StdEncoding.DecodeString(spelled)
	if err != nil || len(content) == 0 {
		return "", nil, unreadable(cmp.Or(err, errors.New("the file is empty")))
	}
	return "", content, nil
}

// saveFile saves a file from the server under a name with the right extension. A file of another type is the
// server's fault.
func (srv *server) saveFile(ctx context.Context, j job, name string, content []byte, want plan.Type) (string, error) {
	path := filepath.Join(j.Dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", err
	}
	info, err := media.Inspect(ctx, path, srv.limits)
	if stopped := media.Stopped(ctx); stopped != nil {
		return "", stopped
	}
	if err != nil || info.Type != want {
		err = errors.Join(err, fmt.Errorf("the answer is %q", info.MIME), os.Remove(path))
		return "", badAnswer(err, "The LocalAI server sent no playable %s.", want)
	}
	named := path + info.Ext
	if err := os.Rename(path, named); err != nil {
		return "", err
	}
	return named, nil
}
