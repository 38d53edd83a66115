package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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

// azure reports whether the call is to a versioned path of Azure OpenAI.
func (c *call) azure() bool {
	return strings.HasPrefix(c.URL.Path, "/openai/") && !strings.HasPrefix(c.URL.Path, "/openai/v1/")
}

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
