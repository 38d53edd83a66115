package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"strings"
	"unicode"

	"atelier/adapters"
)

// handleMark is what a file's handle begins with, before the file's signed address.
const handleMark = "discord "

// A request has room for files of so many bytes together, beside all else; and a message for
// so many files. See https://discord.com/developers/docs/reference#uploading-files.
const (
	maxRequest = 25<<20 - 64<<10
	maxFiles   = 10
)

func handleOf(address string) string { return handleMark + address }

// Fetch opens a file that somebody sent. Its address is taken for about a day.
func (d *Discord) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	address, ok := strings.CutPrefix(f.Handle, handleMark)
	if !ok {
		return nil, &adapters.Fault{Sentence: "This file is none of Discord.", Kind: adapters.ErrInvalid}
	}
	r, err := d.files.Open(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Limits are what Discord takes, in several messages.
func (d *Discord) Limits(adapters.Thread) adapters.Limits {
	return adapters.Limits{File: d.config.MaxFile, Files: adapters.MaxFiles}
}

// maxTotal is how many bytes of files Discord takes with one message.
func (d *Discord) maxTotal() int64 { return max(maxRequest, d.config.MaxFile) }

// content is a file that is to be posted.
type content struct {
	attachment adapters.Attachment
	bytes      []byte
}

// read opens what is attached, and reads it whole: a call may have to be made again.
func (d *Discord) read(ctx context.Context, p part) ([]content, error) {
	var all []content
	for i, a := range p.files {
		b, err := d.readOne(ctx, a, d.config.MaxFile)
		if err != nil {
			return nil, err
		}
		if int64(len(b)) > d.config.MaxFile {
			return nil, &adapters.Fault{
				Sentence: "The files are larger than the platform takes.", Kind: adapters.ErrTooLarge, Files: []int{p.numbers[i]}, Limit: d.config.MaxFile,
			}
		}
		all = append(all, content{attachment: a, bytes: b})
	}
	return all, nil
}

func (d *Discord) readOne(ctx context.Context, a adapters.Attachment, most int64) (_ []byte, err error) {
	r, err := d.config.Open(ctx, a.Handle)
	if err != nil {
		return nil, fmt.Errorf("discord: open what is attached: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("discord: read what is attached: %w", err)
	}
	return b, nil
}

// upload posts a message with files.
func (a *api) upload(ctx context.Context, to string, body posting, files []content, out any) error {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i, f := range files {
		body.Attachments = append(body.Attachments, uploaded{
			ID: i, Name: fileName(f.attachment.Name), Description: fitted(f.attachment.Alt, maxDescription),
		})
	}
	payload, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	if err := field(form, `form-data; name="payload_json"`, "application/json", payload); err != nil {
		return err
	}
	for i, f := range files {
		disposition := fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, quoted.Replace(body.Attachments[i].Name))
		if err := field(form, disposition, mediaType(f.attachment.Type), f.bytes); err != nil {
			return err
		}
	}
	if err := form.Close(); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, uploadTime)
	defer stop()
	return a.send(ctx, http.MethodPost, to, form.FormDataContentType(), b.Bytes(), out)
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func field(form *multipart.Writer, disposition, kind string, content []byte) error {
	w, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {kind}})
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	return nil
}

// mediaType is one that may stand in a header.
func mediaType(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "application/octet-stream"
	}
	return s
}

// fileName is a name for people: no path, nothing that cannot be seen, not too long.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.ToValidUTF8(s, ""), `\`, "/"))
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s))
	if strings.Trim(s, "./") == "" {
		return "file"
	}
	if ext := path.Ext(s); len(s) > 200 && len(ext) < 20 {
		return clipped(strings.TrimSuffix(s, ext), 200-len(ext)) + ext
	}
	return clipped(s, 200)
}
