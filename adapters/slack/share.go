package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	maxAltOut   = 1000 // characters
	maxFileName = 200  // bytes of a file's name
	// Slack shows files a moment after it has taken them: how often, and how long, it is asked
	// where.
	firstLook, lastLook, looks = 25 * time.Millisecond, 2 * time.Second, 10
	rememberFiles              = 7 * 24 * time.Hour
)

// share uploads files, and shows them in one message, whose address it gives. Where Slack
// does not tell that in time and there is another message to react on, it is the first
// file's. See https://docs.slack.dev/messaging/working-with-files.
func (s *Slack) share(ctx context.Context, key string, in adapters.Thread, files []adapters.Attachment, alone bool) (string, error) {
	summaries := make([]slack.FileSummary, 0, len(files))
	ids := make([]string, 0, len(files))
	for _, f := range files {
		id, err := s.upload(ctx, f)
		if err != nil {
			return "", unsent{err}
		}
		ids = append(ids, id)
		summaries = append(summaries, slack.FileSummary{ID: id, Title: printable(f.Name)})
	}
	b, err := json.Marshal(ids)
	if err == nil { // so that they are known wherever they are looked for
		err = s.config.State.Put(ctx, filesKey(key), b, rememberFiles)
	}
	if err != nil {
		return "", unsent{local{fmt.Errorf("note which files are sent: %w", err)}}
	}
	to := slack.CompleteUploadExternalParameters{Files: summaries, Channel: in.Channel, ThreadTimestamp: in.ID}
	if _, err = s.api.CompleteUploadExternalContext(ctx, to); err != nil {
		return "", err //nolint:wrapcheck // begin reads the library's error
	}
	ts, err := s.whereShared(ctx, in.Channel, ids[0])
	if err == nil && ts == "" && alone {
		err = errors.New("the files are not shown yet")
	}
	return first(ts, ids[0]), err
}

// unsent is an error before anything was shown to people.
type unsent struct{ error }

func (u unsent) Unwrap() error { return u.error }

// local is an error that is not Slack's.
type local struct{ error }

func (l local) Unwrap() error { return l.error }

func filesKey(key string) string {
	sum := sha256.Sum256([]byte(Name + "\x00" + key))
	return "posted-" + hex.EncodeToString(sum[:]) + "/files"
}

// sharedBefore looks for the message of files that were sent under a key; "" if there is
// none.
func (s *Slack) sharedBefore(ctx context.Context, key string, in adapters.Thread) (string, error) {
	b, err := s.config.State.Get(ctx, filesKey(key))
	if errors.Is(err, adapters.ErrGone) {
		return "", nil
	}
	var ids []string
	if err == nil {
		err = json.Unmarshal(b, &ids)
	}
	if err != nil || len(ids) == 0 {
		return "", err //nolint:wrapcheck // the storage says what was attempted
	}
	ts, err := s.whereShared(ctx, in.Channel, ids[0])
	if isCode(err, "file_not_found", "file_deleted") {
		return "", nil
	}
	return ts, err
}

// whereShared gives the message that shows a file; "" if none does in time.
func (s *Slack) whereShared(ctx context.Context, channel, id string) (string, error) {
	for n, pause := 0, firstLook; ; n, pause = n+1, min(2*pause, lastLook) {
		f, _, _, err := s.api.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil {
			return "", err //nolint:wrapcheck // the caller reads the library's error
		}
		for _, shares := range []map[string][]slack.ShareFileInfo{f.Shares.Public, f.Shares.Private} {
			for _, share := range shares[channel] {
				return share.Ts, nil
			}
		}
		if n == looks {
			return "", nil
		}
		if err := sleep(ctx, pause); err != nil {
			return "", err
		}
	}
}

// upload brings a file to Slack, which shows it to nobody yet.
func (s *Slack) upload(ctx context.Context, f adapters.Attachment) (id string, err error) {
	content, err := s.config.Open(ctx, f.Handle)
	if err != nil {
		return "", local{err}
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	name := fileName(f.Name)
	to, err := s.api.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{FileName: name, FileSize: int(f.Size), AltTxt: alt(f)})
	if err != nil {
		return "", err //nolint:wrapcheck // begin reads the library's error
	}
	source := &source{from: content}
	err = s.api.UploadToURL(ctx, slack.UploadToURLParameters{UploadURL: to.UploadURL, Reader: source, Filename: name})
	if broken := source.close(); broken != nil { // the library ends what is broken as if it were whole
		return "", local{broken}
	}
	return to.FileID, err //nolint:wrapcheck // as above
}

// alt is what a file is said to show.
func alt(f adapters.Attachment) string {
	letters := []rune(f.Alt)
	return string(letters[:min(len(letters), maxAltOut)])
}

// fileName is a name that is no path, with its extension.
func fileName(name string) string {
	name = strings.ReplaceAll(path.Base(strings.ReplaceAll(plainLine(name, len(name)), `\`, "/")), `"`, "'")
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	if ext := path.Ext(name); len(name) > maxFileName && len(ext) < 20 {
		name = cutBytes(strings.TrimSuffix(name, ext), maxFileName-len(ext)) + ext
	}
	return cutBytes(name, maxFileName)
}

// source is what is uploaded. It remembers why it ended, and gives nothing once it is
// closed: the library reads on for a moment where the request has failed.
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
