package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	maxAltOut   = 1000 // characters
	maxFileName = 200  // bytes of a file's name
	// Slack shows files a moment after it has taken them: how often, and how long, it is asked
	// where. Another message to react on is not kept waiting so long.
	firstLook, lastLook, looks, fewLooks = 25 * time.Millisecond, 2 * time.Second, 10, 5
	rememberFiles                        = 7 * 24 * time.Hour
)

// shared is what is noted of files that are sent under a key.
type shared struct {
	Files []slack.FileSummary `json:"files"`
	Done  bool                `json:"done,omitempty"` // Slack has said that it shows them
	TS    string              `json:"ts,omitempty"`   // where, if it has said so
}

// share uploads files, and shows them in one message, whose address it gives. Where Slack
// does not tell that in time, it is the first file's: nothing that fails once they are shown
// may let them be sent again. See https://docs.slack.dev/messaging/working-with-files.
func (s *Slack) share(ctx context.Context, key string, in adapters.Thread, files []adapters.Attachment, alone bool) (string, error) {
	var sent shared
	for _, f := range files {
		id, err := s.upload(ctx, f)
		if err != nil {
			return "", unsent{err}
		}
		sent.Files = append(sent.Files, slack.FileSummary{ID: id, Title: printable(f.Name)})
	}
	if err := s.note(ctx, key, sent); err != nil { // so that they are known wherever they are looked for
		return "", unsent{local{err}}
	}
	return s.show(ctx, key, in, sent, alone)
}

// show shows files that are uploaded.
func (s *Slack) show(ctx context.Context, key string, in adapters.Thread, sent shared, alone bool) (string, error) {
	ts, err := s.complete(ctx, in, sent.Files)
	if err != nil {
		return "", err
	}
	sent.Done, sent.TS = true, ts
	note, stop := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer stop()
	if err := s.note(note, key, sent); err != nil {
		s.config.Log.WarnContext(ctx, "it was not noted that files are shown", "error", err)
	}
	return s.where(ctx, in, sent, alone), nil
}

// where is the message that shows files, or else the first of them.
func (s *Slack) where(ctx context.Context, in adapters.Thread, sent shared, alone bool) string {
	if sent.TS != "" {
		return sent.TS
	}
	most := fewLooks
	if alone {
		most = looks
	}
	ts, err := s.whereShared(ctx, in.Channel, sent.Files[0].ID, most)
	if err != nil {
		s.config.Log.WarnContext(ctx, "it is not known by which message files are shown", "error", fault(err))
	}
	return first(ts, sent.Files[0].ID)
}

// note keeps what is sent under a key.
func (s *Slack) note(ctx context.Context, key string, sent shared) error {
	b, err := json.Marshal(sent)
	if err == nil {
		err = s.config.State.Put(ctx, filesKey(key), b, rememberFiles)
	}
	if err != nil {
		return fmt.Errorf("note which files are sent: %w", err)
	}
	return nil
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
// none. Files that are not seen yet, and of which Slack has not said that it shows them, are
// shown: Slack shows a file once.
func (s *Slack) sharedBefore(ctx context.Context, key string, in adapters.Thread, alone bool) (string, error) {
	b, err := s.config.State.Get(ctx, filesKey(key))
	if errors.Is(err, adapters.ErrGone) {
		return "", nil
	}
	var sent shared
	if err == nil {
		err = json.Unmarshal(b, &sent)
	}
	if err != nil || len(sent.Files) == 0 {
		return "", err //nolint:wrapcheck // the storage says what was attempted
	}
	if sent.Done {
		return s.where(ctx, in, sent, alone), nil
	}
	ts, err := s.whereShared(ctx, in.Channel, sent.Files[0].ID, looks)
	switch {
	case ts != "":
		return ts, nil
	case isCode(err, "file_not_found", "file_deleted"):
		return "", nil
	case err != nil && !lacks(err):
		return "", err
	}
	ts, err = s.show(ctx, key, in, sent, alone)
	switch {
	case isCode(err, "file_update_failed"): // they are shown already
		return sent.Files[0].ID, nil
	case isCode(err, "file_not_found", "file_deleted"):
		return "", nil
	}
	return ts, err
}

// whereShared gives the message that shows a file; "" if none does after so many looks.
func (s *Slack) whereShared(ctx context.Context, channel, id string, most int) (string, error) {
	for n, pause := 0, firstLook; ; n, pause = n+1, min(2*pause, lastLook) {
		f, _, _, err := s.api.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil {
			return "", err //nolint:wrapcheck // the caller reads the library's error
		}
		if ts := shownIn(f.Shares, channel); ts != "" || n == most {
			return ts, nil
		}
		if err := sleep(ctx, pause); err != nil {
			return "", err
		}
	}
}
