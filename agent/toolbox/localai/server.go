package localai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
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

// pictureSide is the longest side of a picture sent to a model, in pixels.
const pictureSide = 1536

// sent is a picture ready to send: no larger than a model looks at, as JPEG, without metadata.
type sent struct {
	content []byte
	size    image.Point // as it is sent, in pixels
	full    image.Point // of the original, upright, in pixels
}

// dataURI encodes the picture as a data URI. LocalAI requires one for the input of detection and depth
// (core/http/endpoints, decodeImageInput), but bare Base64 for the first frame of a video.
func (s sent) dataURI() string { return "data:image/jpeg;base64," + s.base64() }

func (s sent) base64() string { return base64.StdEncoding.EncodeToString(s.content) }

// send prepares the call's picture for sending, with at most side pixels per side.
func (srv *server) send(ctx context.Context, j job, side int) (sent, error) {
	path, err := j.fileOf("image")
	if err != nil {
		return sent{}, err
	}
	leave, err := srv.limits.Memory.Take(ctx, media.Weigh(path, srv.limits).Bytes(8))
	if err != nil {
		return sent{}, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, srv.limits)
	if err != nil {
		return sent{}, err
	}
	s := sent{full: p.Image.Rect.Size()}
	s.size = media.ShrunkTo(s.full, side)
	small, err := media.Scaled(ctx, p.Image, s.size.X, s.size.Y)
	if err != nil {
		return sent{}, err
	}
	s.content, err = media.EncodedImage(ctx, j.Dir, small, media.JPEG)
	return s, err
}

// shaped returns a size of about the given number of pixels and about the same shape, in multiples of 16, as
// drawing models require.
func shaped(size image.Point, pixels float64) image.Point {
	const step = 16
	scale := math.Sqrt(pixels / (float64(size.X) * float64(size.Y)))
	side := func(n int) int { return min(max(int(math.Round(float64(n)*scale/step)), 1), 2048/step) * step }
	return image.Pt(side(size.X), side(size.Y))
}
