package localai

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
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

// server sends requests and files to LocalAI, and takes files from its answers.
type server struct {
	endpoint *endpoint.Endpoint
	limits   media.Limits
}

// post sends a request as JSON.
func (srv *server) post(ctx context.Context, path string, j job, request any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write a request: %w", err)
	}
	answer, err := srv.endpoint.Post(ctx, path, j.model, "application/json", body)
	return answer, sorted(err)
}

// part is a field of a form, or a file where it has a content.
type part struct {
	name, value string
	content     []byte
	ext, mime   string
}

// postForm sends a request as a form. Files go by the names of their fields: their own
// are nobody's concern.
func (srv *server) postForm(ctx context.Context, path string, j job, parts ...part) ([]byte, error) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, p := range parts {
		if err := p.write(w); err != nil {
			return nil, fmt.Errorf("write a form: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write a form: %w", err)
	}
	answer, err := srv.endpoint.Post(ctx, path, j.model, w.FormDataContentType(), body.Bytes())
	return answer, sorted(err)
}

func (p part) write(w *multipart.Writer) error {
	if p.content == nil {
		return w.WriteField(p.name, p.value) //nolint:wrapcheck // the caller says of what
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

// fileOf is the only file of an argument.
func (j job) fileOf(arg string) (string, error) {
	if vs := j.Args[arg]; len(vs) > 0 && vs[0].Path != "" {
		return vs[0].Path, nil
	}
	return "", fault(fmt.Errorf("the call has no file as %s", arg), "The %s to work on is missing.", plan.Type(arg))
}

// content is the first file within an answer of the form that OpenAI has for pictures:
// spelled out, or to be fetched from the server (LocalAI, swagger, schema.OpenAIResponse).
func (srv *server) content(ctx context.Context, body []byte) ([]byte, error) {
	url, content, err := readItem(body)
	if err != nil || url == "" {
		return content, err
	}
	content, err = srv.endpoint.Fetch(ctx, url)
	if err != nil {
		err = sorted(err)
		if !errors.Is(err, toolbox.ErrDown) {
			return nil, err
		}
		return nil, fault(err, "The LocalAI server did not send the result, only a link to it.")
	}
	return content, nil
}

// readItem reads the first item of an answer: its address, or the file itself.
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
		return "", nil, senseless(errors.New("no data"), "The model made nothing; please try again.")
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
		return "", nil, unreadable(cmp.Or(err, errors.New("an empty file")))
	}
	return "", content, nil
}

// keep writes a file that the server made under a name with the right ending. One that is
// not of the type is an error of the server.
func (srv *server) keep(ctx context.Context, j job, name string, content []byte, want plan.Type) (string, error) {
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
		return "", senseless(err, "The LocalAI server sent no %s that can be played.", want)
	}
	named := path + info.Ext
	if err := os.Rename(path, named); err != nil {
		return "", err
	}
	return named, nil
}

// picture decodes a picture that came from the server.
func (srv *server) picture(ctx context.Context, dir string, content []byte) (p media.Picture, err error) {
	path := filepath.Join(dir, "answer-"+rand.Text())
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	p, err = media.ReadPicture(ctx, path, srv.limits)
	if err != nil {
		if stopped := media.Stopped(ctx); stopped != nil {
			return p, stopped
		}
		return p, senseless(err, "The LocalAI server sent a picture that cannot be read.")
	}
	return p, nil
}

// oneLine is a text with single spaces in place of breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

// shorten is a text for people, on one line and not long.
func shorten(s string) string {
	const most = 80
	line := []rune(oneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}
