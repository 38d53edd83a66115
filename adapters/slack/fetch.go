package slack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"atelier/adapters"
)

// sniffed is how much of a file is looked at.
const sniffed = 512

// Fetch opens a file. The token goes to Slack's own hosts alone, and files are fetched from
// nowhere else.
func (s *Slack) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id, at, _ := strings.Cut(f.Handle, " ")
	if !isID(id) || !strings.HasPrefix(id, "F") {
		return nil, gone()
	}
	if at == "" {
		whole, _, _, err := s.api.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil {
			return nil, fault(err)
		}
		if at = first(whole.URLPrivateDownload, whole.URLPrivate); at == "" || whole.Mode == "tombstone" {
			return nil, gone()
		}
		if f.Type == "" {
			f.Type = whole.Mimetype
		}
	}
	body, err := s.edge.Open(ctx, at, http.Header{"Authorization": {"Bearer " + s.config.BotToken}})
	if err != nil {
		return nil, s.whyNot(ctx, id, err)
	}
	r := bufio.NewReader(body)
	begin, err := r.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, body.Close())
	}
	if isPage(begin) && !strings.Contains(f.Type, "html") {
		locked := &adapters.Fault{
			Sentence: "Slack does not give the file to the bot: the app needs the scope files:read, and must be in the channel.", Kind: adapters.ErrForbidden,
		}
		return nil, errors.Join(locked, body.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{r, body}, nil
}

// whyNot asks Slack whether a file that does not come is gone.
func (s *Slack) whyNot(ctx context.Context, id string, err error) error {
	if !errors.Is(err, adapters.ErrForbidden) || ctx.Err() != nil {
		return fault(err)
	}
	whole, _, _, asked := s.api.GetFileInfoContext(ctx, id, 0, 0)
	if isCode(asked, "file_deleted", "file_not_found") || asked == nil && whole.Mode == "tombstone" {
		return gone()
	}
	return fault(err)
}

func gone() error {
	return &adapters.Fault{Sentence: "The file is not there any more. Please send it again.", Kind: adapters.ErrGone}
}

// isPage tells whether a page of the web begins so: what Slack gives to who may not read a
// file is the page to log in by.
func isPage(begin []byte) bool {
	begin = bytes.ToLower(bytes.TrimLeft(begin, " \t\r\n\ufeff"))
	return bytes.HasPrefix(begin, []byte("<!doctype html")) || bytes.HasPrefix(begin, []byte("<html"))
}
