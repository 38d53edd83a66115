package llmtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/agent/endpoint"
)

// call is a call with its body.
type call struct {
	*http.Request

	server *Server
	body   []byte
}

// handle returns a handler that reads a call and writes the answer.
func (s *Server) handle(answer func(*call) reply) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client disconnected
		}
		s.mu.Lock()
		s.calls = append(s.calls, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		c := &call{r, s, body}
		if err := c.checkHeader(); err != nil {
			c.illFormed(err).write(w, c)
			return
		}
		answer(c).write(w, c)
	}
}

// bad reports a call as a test error and returns its answer.
func (c *call) bad(status int, code string, err error) reply {
	c.server.tb.Helper()
	c.server.tb.Errorf("llmtest: %s %s: %v", c.Method, c.URL.Path, err)
	return failure(status, code, "", err.Error())
}

// illFormed reports a call that OpenAI would reject and returns its answer.
func (c *call) illFormed(err error) reply {
	c.server.tb.Helper()
	return c.bad(http.StatusBadRequest, "", fmt.Errorf("malformed: %w", err))
}

// checkHeader checks the headers required of every call.
func (c *call) checkHeader() error {
	if values, ok := c.Header["Authorization"]; ok {
		scheme, key, found := strings.Cut(values[0], " ")
		if len(values) > 1 || scheme != "Bearer" || !found || key == "" || strings.ContainsAny(key, " \t") {
			return errors.New(`the header Authorization is not of the form "Bearer KEY"`)
		}
	}
	if id := c.Header.Get(endpoint.LabelHeader); len(id) > 512 || !isASCII(id) {
		return fmt.Errorf("the header %s is longer than 512 or not ASCII", endpoint.LabelHeader)
	}
	if c.azure() && c.URL.Query().Get("api-version") == "" {
		return errors.New("a call of Azure OpenAI lacks the api-version")
	}
	return nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// azure reports whether the call is to Azure OpenAI.
func (c *call) azure() bool { return strings.HasPrefix(c.URL.Path, "/openai/") }

// key returns the call's key; Azure has its own header.
func (c *call) key() string {
	if key := c.Header.Get("Api-Key"); key != "" {
		return key
	}
	return strings.TrimPrefix(c.Header.Get("Authorization"), "Bearer ")
}

// admit returns an error for a wrong key.
func (s *Server) admit(c *call) *reply {
	if s.config.Key == "" || c.key() == s.config.Key {
		return nil
	}
	r := failure(http.StatusUnauthorized, "invalid_api_key", "", "Incorrect API key provided.")
	return &r
}

// json decodes the body into v, which must have every documented field.
func (c *call) json(v any) error {
	media, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return fmt.Errorf("the content type is %q, not application/json", c.Header.Get("Content-Type"))
	}
	if !utf8.Valid(c.body) {
		return errors.New("the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("the body does not fit: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON of the body")
	}
	return nil
}

// form is a parsed multipart form. Each field and each file occurs once.
type form struct {
	texts map[string]string
	files map[string]file
}

type file struct {
	name string
	data []byte
}

// form parses a multipart form, which may contain only the known fields and files.
func (c *call) form(fields []string, files ...string) (form, error) {
	media, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return form{}, fmt.Errorf("the content type is %q, not multipart/form-data with a boundary", c.Header.Get("Content-Type"))
	}
	f := form{map[string]string{}, map[string]file{}}
	for parts := multipart.NewReader(bytes.NewReader(c.body), params["boundary"]); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return form{}, fmt.Errorf("the form cannot be read: %w", err)
		}
		name := part.FormName()
		data, err := io.ReadAll(part)
		_, twice := f.texts[name]
		switch {
		case err != nil:
			return form{}, fmt.Errorf("the field %q cannot be read: %w", name, err)
		case twice || f.files[name].name != "":
			return form{}, fmt.Errorf("the field %q occurs twice", name)
		case slices.Contains(files, name):
			if part.FileName() == "" || len(data) == 0 {
				return form{}, fmt.Errorf("the file %q has no name, or is empty", name)
			}
			if part.Header.Get("Content-Type") == "" {
				return form{}, fmt.Errorf("the file %q has no content type", name)
			}
			f.files[name] = file{part.FileName(), data}
		case !slices.Contains(fields, name):
			return form{}, fmt.Errorf("Unknown parameter: '%s'", name) //nolint:staticcheck // the server's message
		case part.FileName() != "" || !utf8.Valid(data):
			return form{}, fmt.Errorf("the field %q must be text", name)
		default:
			f.texts[name] = string(data)
		}
	}
}

// picture decodes the file, a PNG.
func (f file) picture() (image.Image, error) {
	img, err := png.Decode(bytes.NewReader(f.data))
	if err != nil {
		return nil, fmt.Errorf("the file %q cannot be decoded as PNG: %w", f.name, err)
	}
	return img, nil
}

// model returns the model's name, which Azure has in the path.
func (c *call) model(name string) string { return cmp.Or(name, c.PathValue("deployment")) }

// within checks that a number is within bounds, unless it is nil.
func within[T cmp.Ordered](name string, v *T, least, most T) error {
	if v != nil && !(least <= *v && *v <= most) { //nolint:staticcheck // NaN fails both comparisons
		return fmt.Errorf("%s is %v, not within %v and %v", name, *v, least, most)
	}
	return nil
}

// oneOf checks that a string is one of the known ones.
func oneOf(name, v string, known ...string) error {
	if !slices.Contains(known, v) {
		return fmt.Errorf("%s is %q, not one of %s", name, v, strings.Join(known, ", "))
	}
	return nil
}
