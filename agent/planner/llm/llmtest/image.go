package llmtest

import (
	"errors"
	"fmt"
	"image"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// generateRequest has every documented field (OpenAI API reference, create image).
type generateRequest struct {
	Prompt            string  `json:"prompt"`
	Model             string  `json:"model"`
	N                 *int    `json:"n"`
	Size              *string `json:"size"`
	Quality           *string `json:"quality"`
	Style             *string `json:"style"`
	Background        *string `json:"background"`
	Moderation        *string `json:"moderation"`
	OutputFormat      *string `json:"output_format"`
	OutputCompression *int    `json:"output_compression"`
	PartialImages     *int    `json:"partial_images"`
	ResponseFormat    *string `json:"response_format"`
	Stream            *bool   `json:"stream"`
	User              *string `json:"user"`
}

// editFields are the documented fields (OpenAI API reference, create image edit).
var editFields = []string{
	"prompt", "model", "n", "size", "quality", "background", "input_fidelity", "moderation",
	"output_format", "output_compression", "partial_images", "response_format", "stream", "user",
}

func (s *Server) generate(c *call) reply {
	var q generateRequest
	if err := c.json(&q); err != nil {
		return c.illFormed(err)
	}
	if q.Stream != nil && *q.Stream {
		return c.illFormed(errors.New("streaming is not supported"))
	}
	if err := errors.Join(
		within("n", q.N, 1, 10),
		within("output_compression", q.OutputCompression, 0, 100),
		oneOf("moderation", q.Moderation, "low", "auto"),
	); err != nil {
		return c.illFormed(err)
	}
	r := ImageRequest{
		Model: c.model(q.Model), Prompt: q.Prompt,
		Size: value(q.Size), Quality: value(q.Quality), Background: value(q.Background), Style: value(q.Style),
		OutputFormat: value(q.OutputFormat), ResponseFormat: value(q.ResponseFormat),
		N: value(q.N), Header: c.Header.Clone(),
	}
	return s.image(c, r)
}

func (s *Server) edit(c *call) reply {
	form, err := c.form(editFields, "image", "image[]", "mask")
	if err != nil {
		return c.illFormed(err)
	}
	r := ImageRequest{
		Edit: true, Model: c.model(form.text("model")), Prompt: form.text("prompt"),
		Size: form.text("size"), Quality: form.text("quality"), Background: form.text("background"),
		OutputFormat: form.text("output_format"), ResponseFormat: form.text("response_format"),
		Header: c.Header.Clone(),
	}
	if n, ok := form.texts["n"]; ok {
		if r.N, err = strconv.Atoi(n[0]); err != nil || r.N < 1 || r.N > 10 {
			return c.illFormed(fmt.Errorf("n is %q, not within 1 and 10", n[0]))
		}
	}
	if form.text("stream") == "true" {
		return c.illFormed(errors.New("streaming is not supported"))
	}
	if err := r.readFiles(form); err != nil {
		return c.illFormed(err)
	}
	return s.image(c, r)
}

// readFiles decodes the pictures and the mask.
func (r *ImageRequest) readFiles(form form) error {
	files := slices.Concat(form.files["image"], form.files["image[]"])
	switch masks := form.files["mask"]; {
	case len(files) == 0:
		return errors.New("no image")
	case len(files) > 16 || len(files) > 1 && r.dallE():
		return fmt.Errorf("%d images, too many for the model", len(files))
	case len(masks) > 1:
		return errors.New("more than one mask")
	}
	for _, f := range files {
		picture, format, err := f.picture()
		if err != nil {
			return err
		}
		size := picture.Bounds().Size()
		switch {
		case r.dallE() && (format != "png" || len(f.data) >= 4<<20 || size.X != size.Y):
			return errors.New("dall-e-2 requires a square PNG of less than 4 MB")
		case format == "gif" || len(f.data) >= 50<<20:
			return errors.New("the image is not a PNG, WebP or JPEG of less than 50 MB")
		}
		r.Images = append(r.Images, picture)
	}
	for _, f := range form.files["mask"] {
		mask, format, err := f.picture()
		if err != nil {
			return err
		}
		size, wanted := mask.Bounds().Size(), r.Images[0].Bounds().Size()
		switch {
		case format != "png" || len(f.data) >= 4<<20:
			return errors.New("the mask is not a PNG of less than 4 MB")
		case size != wanted:
			return fmt.Errorf("the mask has size %v, but the image has %v", size, wanted)
		case !hasAlpha(mask):
			return errors.New("the mask has no alpha channel")
		}
		r.Mask = mask
	}
	return nil
}

// hasAlpha reports whether a PNG had an alpha channel or a transparent colour, judging by the type
// it was decoded to.
func hasAlpha(picture image.Image) bool {
	switch p := picture.(type) {
	case *image.NRGBA, *image.NRGBA64:
		return true
	case *image.Paletted:
		return !p.Opaque()
	default:
		return false
	}
}

func (r *ImageRequest) dallE() bool { return strings.HasPrefix(r.Model, "dall-e-") }

func (r *ImageRequest) gpt() bool {
	return strings.HasPrefix(r.Model, "gpt-image-") || r.Model == "chatgpt-image-latest"
}

// check checks the rules common to generation and editing. Models other than OpenAI's may accept
// more.
func (r *ImageRequest) check() error {
	most, sizes := 32000, []string(nil)
	qualities := []string{"standard", "hd", "low", "medium", "high", "auto"}
	switch {
	case r.Model == "dall-e-2":
		most, sizes, qualities = 1000, []string{"256x256", "512x512", "1024x1024"}, []string{"standard"}
	case r.Model == "dall-e-3":
		most, sizes, qualities = 4000, []string{"1024x1024", "1792x1024", "1024x1792"}, []string{"standard", "hd"}
	case strings.HasPrefix(r.Model, "gpt-image-1"):
		sizes, qualities = []string{"1024x1024", "1536x1024", "1024x1536", "auto"}, []string{"low", "medium", "high", "auto"}
	}
	switch n := utf8.RuneCountInString(r.Prompt); {
	case strings.TrimSpace(r.Prompt) == "":
		return errors.New("no prompt")
	case n > most:
		return fmt.Errorf("its prompt has %d characters, more than %d", n, most)
	case r.Model == "dall-e-3" && (r.Edit || r.N > 1):
		return errors.New("dall-e-3 makes one picture and cannot edit")
	case r.gpt() && r.ResponseFormat != "":
		return errors.New("Unknown parameter: 'response_format'") //nolint:staticcheck // the server's message
	case r.Style != "" && r.Model != "dall-e-3":
		return errors.New("only dall-e-3 has a style")
	case r.dallE() && (r.Background != "" || r.OutputFormat != ""):
		return errors.New("only the GPT image models have background and output_format")
	}
	var w, h int
	if _, err := fmt.Sscanf(r.Size, "%dx%d", &w, &h); r.Size != "" && r.Size != "auto" && (err != nil || w < 1 || h < 1) {
		return fmt.Errorf("size is %q, not WIDTHxHEIGHT", r.Size)
	}
	return errors.Join(
		oneOfSome("size", r.Size, sizes),
		oneOfSome("quality", r.Quality, qualities),
		oneOfSome("style", r.Style, []string{"vivid", "natural"}),
		oneOfSome("background", r.Background, []string{"transparent", "opaque", "auto"}),
		oneOfSome("output_format", r.OutputFormat, []string{"png", "jpeg", "webp"}),
		oneOfSome("response_format", r.ResponseFormat, []string{"url", "b64_json"}),
	)
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
		URL     string `json:"url,omitempty"`
		B64     []byte `json:"b64_json,omitempty"`
		Revised string `json:"revised_prompt,omitempty"`
	}
	answer := struct {
		Created int64     `json:"created"`
		Data    []picture `json:"data"`
	}{Data: []picture{}}
	for _, file := range a.Images {
		p := picture{Revised: a.Revised}
		if r.ResponseFormat == "url" || r.ResponseFormat == "" && r.dallE() {
			p.URL = s.keep(file)
		} else {
			p.B64 = file
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
