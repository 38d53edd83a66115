package llmtest

import (
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"unicode/utf8"
)

// generateRequest has the fields that the bot sends (OpenAI API reference, create image); others are rejected.
type generateRequest struct {
	Prompt         string `json:"prompt"`
	Model          string `json:"model"`
	N              int    `json:"n"`
	Size           string `json:"size"`
	ResponseFormat string `json:"response_format"`
}

func (s *Server) generate(c *call) reply {
	var q generateRequest
	if err := c.json(&q); err != nil {
		return c.illFormed(err)
	}
	if q.N != 1 {
		return c.illFormed(fmt.Errorf("n is %d, not 1", q.N))
	}
	return s.image(c, ImageRequest{Model: c.model(q.Model), Prompt: q.Prompt, Size: q.Size, ResponseFormat: q.ResponseFormat})
}

// edit parses a form with the fields that the bot sends (OpenAI API reference, create image edit).
func (s *Server) edit(c *call) reply {
	form, err := c.form([]string{"prompt", "model", "n", "size", "response_format"}, "image", "mask")
	if err != nil {
		return c.illFormed(err)
	}
	if form.texts["n"] != "1" {
		return c.illFormed(fmt.Errorf("n is %q, not 1", form.texts["n"]))
	}
	r := ImageRequest{
		Edit: true, Model: c.model(form.texts["model"]), Prompt: form.texts["prompt"],
		Size: form.texts["size"], ResponseFormat: form.texts["response_format"],
	}
	if err := r.readFiles(form); err != nil {
		return c.illFormed(err)
	}
	return s.image(c, r)
}

// readFiles decodes the picture and the mask.
func (r *ImageRequest) readFiles(form form) error {
	file, ok := form.files["image"]
	if !ok {
		return errors.New("no image")
	}
	var err error
	if r.Image, err = file.picture(); err != nil {
		return err
	}
	size := r.Image.Bounds().Size()
	switch {
	case r.dallE() && (len(file.data) >= 4<<20 || size.X != size.Y):
		return errors.New("dall-e-2 requires a square PNG of less than 4 MB")
	case len(file.data) >= 50<<20:
		return errors.New("the image has more than 50 MB")
	}
	file, ok = form.files["mask"]
	if !ok {
		return nil
	}
	if r.Mask, err = file.picture(); err != nil {
		return err
	}
	switch is := r.Mask.Bounds().Size(); {
	case len(file.data) >= 4<<20:
		return errors.New("the mask is not a PNG of less than 4 MB")
	case is != size:
		return fmt.Errorf("the mask has size %v, but the image has %v", is, size)
	case !hasAlpha(r.Mask):
		return errors.New("the mask has no alpha channel")
	}
	return nil
}

// hasAlpha reports whether a PNG had an alpha channel, judging by the type it was decoded to.
func hasAlpha(picture image.Image) bool {
	switch picture.(type) {
	case *image.NRGBA, *image.NRGBA64:
		return true
	}
	return false
}

func (r *ImageRequest) dallE() bool { return strings.HasPrefix(r.Model, "dall-e-") }

func (r *ImageRequest) gpt() bool {
	return strings.HasPrefix(r.Model, "gpt-image-") || r.Model == "chatgpt-image-latest"
}

// check checks the rules common to generation and editing. Models other than OpenAI's may accept
// more.
func (r *ImageRequest) check() error {
	most, sizes := 32000, []string(nil)
	switch {
	case r.Model == "dall-e-2":
		most, sizes = 1000, []string{"256x256", "512x512", "1024x1024"}
	case r.Model == "dall-e-3":
		most, sizes = 4000, []string{"1024x1024", "1792x1024", "1024x1792"}
	case strings.HasPrefix(r.Model, "gpt-image-1"):
		sizes = []string{"1024x1024", "1536x1024", "1024x1536"}
	}
	switch n := utf8.RuneCountInString(r.Prompt); {
	case strings.TrimSpace(r.Prompt) == "":
		return errors.New("no prompt")
	case n > most:
		return fmt.Errorf("its prompt has %d characters, more than %d", n, most)
	case r.Model == "dall-e-3" && r.Edit:
		return errors.New("dall-e-3 cannot edit")
	case r.gpt() && r.ResponseFormat != "":
		return errors.New("Unknown parameter: 'response_format'") //nolint:staticcheck // the server's message
	case r.ResponseFormat != "" && r.ResponseFormat != "b64_json":
		return fmt.Errorf("response_format is %q, not b64_json", r.ResponseFormat)
	case r.Size == "":
		return nil
	case sizes != nil:
		return oneOf("size", r.Size, sizes...)
	}
	var w, h int
	if _, err := fmt.Sscanf(r.Size, "%dx%d", &w, &h); err != nil || w < 1 || h < 1 {
		return fmt.Errorf("size is %q, not WIDTHxHEIGHT", r.Size)
	}
	return nil
}

// image answers both kinds of requests.
func (s *Server) image(c *call, r ImageRequest) reply {
	if err := r.check(); err != nil {
		return c.illFormed(err)
	}
	if refused := s.admit(c); refused != nil {
		return *refused
	}
	if s.config.Image == nil {
		return failure(http.StatusNotFound, "", "", "Not found")
	}
	a := s.config.Image(r)
	type picture struct {
		URL string `json:"url,omitempty"`
		B64 []byte `json:"b64_json,omitempty"`
	}
	answer := struct {
		Created int64     `json:"created"`
		Data    []picture `json:"data"`
	}{Data: []picture{}}
	for _, file := range a.Images {
		p := picture{B64: file}
		if r.ResponseFormat == "" && r.dallE() {
			p = picture{URL: s.keep(file)}
		}
		answer.Data = append(answer.Data, p)
	}
	return a.over(jsonReply(answer))
}

// keep hosts a picture and returns its URL.
func (s *Server) keep(file []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := fmt.Sprintf("/hosted/%d", len(s.hosted))
	s.hosted[path] = file
	return s.server.URL + path
}

// host serves a hosted picture.
func (s *Server) host(c *call) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, ok := s.hosted[c.URL.Path]
	if !ok {
		return failure(http.StatusNotFound, "", "", "Not found")
	}
	return newReply(http.DetectContentType(file), file)
}
