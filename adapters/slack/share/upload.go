package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// upload uploads a file, which Slack does not show to anybody yet.
//
// The library sends a file only to the API's own host, port and scheme, as a multipart form, and does not read
// where a file was shared. So this package does both.
func (fs *Files) upload(ctx context.Context, f adapters.Attachment) (id string, err error) {
	content, err := fs.Open(ctx, f.Handle)
	if err != nil {
		return "", api.NotSlack(err)
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	to, err := fs.API.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{
		FileName: convert.FileName(f.Name), FileSize: int(f.Size), AltTxt: convert.AltText(f),
	})
	if err != nil {
		return "", err //nolint:wrapcheck // the outbox reads the library's error
	}
	body := &source{from: content}
	err = fs.send(ctx, to.UploadURL, body, f.Size)
	if broken := body.close(); broken != nil {
		return "", api.NotSlack(broken)
	}
	return to.FileID, err
}

// send sends bytes to an upload URL, which is signed and gets no token.
func (fs *Files) send(ctx context.Context, address string, body io.Reader, size int64) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return download.Detail(err)
	}
	r.ContentLength = size
	r.Header.Set("Content-Type", "application/octet-stream")
	answer, err := fs.Edge.HTTP().Do(r)
	if err != nil {
		return err //nolint:wrapcheck // fault reads it
	}
	err = api.CheckStatus(answer)
	if api.IsUnknownMethod(err) { // the address has expired: the next attempt gets another one
		err = errors.New("the upload was not accepted")
	}
	return errors.Join(err, answer.Body.Close())
}

// complete shows uploaded files in one message, with as much of the words as the server accepts. It returns the
// timestamp, if Slack tells it at once, and what was accepted.
func (fs *Files) complete(
	ctx context.Context, in adapters.Thread, files []slack.FileSummary, beside convert.Words,
) (ts string, taken convert.Words, err error) {
	named, err := json.Marshal(files)
	if err != nil {
		return "", taken, fmt.Errorf("encode the file names: %w", err)
	}
	form := url.Values{"files": {string(named)}, "channel_id": {in.Channel}}
	if in.ID != "" {
		form.Set("thread_ts", in.ID)
	}
	var refused error
	tried := -1
	for level, words := range forms(beside) {
		if level < fs.together.first() || len(words.Blocks) == tried {
			continue // the server refused as much before
		}
		tried = len(words.Blocks)
		if len(words.Blocks) > 0 {
			blocks, err := json.Marshal(words.Blocks)
			if err != nil {
				return "", taken, fmt.Errorf("encode the file text: %w", err)
			}
			form.Set("blocks", string(blocks))
		} else {
			form.Del("blocks")
		}
		ts, err = fs.completeWith(ctx, in, form)
		if len(words.Blocks) > 0 && api.HasCode(err, brokenBlocks) { // perhaps a passing fault
			ts, err = fs.completeWith(ctx, in, form)
		}
		if err == nil && refused != nil {
			fs.refuse(ctx, level, refused)
		}
		if len(words.Blocks) == 0 || !api.IsMalformed(err) && !api.HasCode(err, brokenBlocks) {
			return ts, words, err
		}
		refused = err
	}
	return "", taken, refused
}

// brokenBlocks is an error code that Slack also returns if it cannot show certain blocks together with files, see
// https://github.com/slackapi/python-slack-sdk/issues/1756.
const brokenBlocks = "internal_error"

// completeWith calls the method.
func (fs *Files) completeWith(ctx context.Context, in adapters.Thread, form url.Values) (string, error) {
	var done struct {
		slack.SlackResponse

		Files json.RawMessage `json:"files"`
	}
	if err := fs.API.Call(ctx, "files.completeUploadExternal", form, &done); err != nil {
		return "", err
	}
	var shown []struct {
		Shares slack.Share `json:"shares"`
	}
	if err := json.Unmarshal(done.Files, &shown); err == nil && len(shown) > 0 {
		return convert.SharedIn(shown[0].Shares, in.Channel), nil
	}
	return "", nil // shown all the same
}

// source is the content to upload. It remembers a read error, and is empty after being closed, because the library
// keeps reading for a moment after a failed request.
type source struct {
	from io.Reader

	mu     sync.Mutex
	err    error
	closed bool
}

func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return 0, io.ErrClosedPipe
	}
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
	}
	return n, err //nolint:wrapcheck // a reader's own word
}

func (s *source) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.err
}
