package llmtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"unicode/utf8"
)

// form is a parsed multipart form.
type form struct {
	texts map[string][]string
	files map[string][]file
}

type file struct {
	name string
	data []byte
}

func (f form) text(name string) string {
	if len(f.texts[name]) == 0 {
		return ""
	}
	return f.texts[name][0]
}

// form parses a multipart form, which may contain only the known fields and files.
func (c *call) form(fields []string, files ...string) (form, error) {
	media, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return form{}, fmt.Errorf("the content type is %q, not multipart/form-data with a boundary", c.Header.Get("Content-Type"))
	}
	f := form{map[string][]string{}, map[string][]file{}}
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
		switch {
		case err != nil:
			return form{}, fmt.Errorf("the field %q cannot be read: %w", name, err)
		case slices.Contains(files, name):
			if part.FileName() == "" || len(data) == 0 {
				return form{}, fmt.Errorf("the file %q has no name, or is empty", name)
			}
			if part.Header.Get("Content-Type") == "" {
				return form{}, fmt.Errorf("the file %q has no content type", name)
			}
			f.files[name] = append(f.files[name], file{part.FileName(), data})
		case !slices.Contains(fields, name):
			return form{}, fmt.Errorf("Unknown parameter: '%s'", name) //nolint:staticcheck // the server's message
		case part.FileName() != "" || !utf8.Valid(data):
			return form{}, fmt.Errorf("the field %q must be text", name)
		default:
			f.texts[name] = append(f.texts[name], string(data))
		}
	}
}

// picture decodes the file; the format is png, jpeg, gif or webp.
func (f file) picture() (img image.Image, format string, err error) {
	img, format, err = image.Decode(bytes.NewReader(f.data))
	if err != nil {
		return nil, "", fmt.Errorf("the file %q cannot be decoded as a picture: %w", f.name, err)
	}
	return img, format, nil
}

// model returns the model's name, which Azure has in the path.
func (c *call) model(name string) string { return cmp.Or(name, c.PathValue("deployment")) }
