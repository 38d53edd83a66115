package slack

import (
	"atelier/adapters"
	"atelier/adapters/edge"
	"atelier/adapters/ledger"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/slack-go/slack"
)

const (
	// Slack shows files a moment after it has taken them. These are the pauses between two looks
	// where they are shown, and how many looks there are: few where the message is not the one
	// that people react to.
	firstLook, lastLook, looks, fewLooks = 25 * time.Millisecond, 2 * time.Second, 10, 5
	rememberFiles                        = 7 * 24 * time.Hour
	// noting is how long writing to State may take after Slack has answered.
	noting = 10 * time.Second
)

// Files uploads files and shows them in messages, once under a key.
type Files struct {
	API   *Client
	Edge  *edge.Client
	Open  adapters.Opener
	State ledger.State
	Log   *slog.Logger
}

// shared is what is noted of files that are sent under a key.
type shared struct {
	Files []slack.FileSummary `json:"files"`
	Done  bool                `json:"done,omitempty"` // Slack has said that it shows them
	TS    string              `json:"ts,omitempty"`   // where, if it has said so
}

// Share uploads files, and shows them in one message, whose address it gives. Where Slack
// does not tell that in time, it is the first file's: nothing that fails once they are shown
// may let them be sent again. See https://docs.slack.dev/messaging/working-with-files.
func (fs *Files) Share(ctx context.Context, note string, r adapters.Reply, parts []part) (string, error) {
	var sent shared
	var rest []int
	for _, p := range parts {
		rest = append(rest, p.files...)
	}
	batch := parts[0].files
	for i, n := range batch {
		id, err := fs.upload(ctx, r.Files[n])
		if err != nil {
			return "", NotPosted(blamed(err, batch[i:i+1], rest[i:]))
		}
		sent.Files = append(sent.Files, slack.FileSummary{ID: id, Title: printable(r.Files[n].Name)})
	}
	if err := fs.note(ctx, note, sent); err != nil { // so that they are known wherever they are looked for
		return "", NotPosted(NotSlack(err))
	}
	ts, err := fs.show(ctx, note, r.Thread, sent, looksFor(parts))
	if unposted(err) {
		err = NotPosted(blamed(err, batch, rest))
	}
	return ts, err
}

// show shows files that are uploaded.
func (fs *Files) show(ctx context.Context, note string, in adapters.Thread, sent shared, most int) (string, error) {
	ts, err := fs.complete(ctx, in, sent.Files)
	if err != nil {
		return "", err
	}
	sent.Done, sent.TS = true, ts
	noted, stop := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer stop()
	if err := fs.note(noted, note, sent); err != nil {
		fs.Log.WarnContext(ctx, "it was not noted that files are shown", "error", err)
	}
	return fs.where(ctx, in, sent, most), nil
}

// where is the message that shows files, or else the first of them.
func (fs *Files) where(ctx context.Context, in adapters.Thread, sent shared, most int) string {
	if sent.TS != "" {
		return sent.TS
	}
	ts, err := fs.whereShared(ctx, in.Channel, sent.Files[0].ID, most)
	if err != nil {
		fs.Log.WarnContext(ctx, "it is not known by which message files are shown", "error", fault(err))
	}
	return cmp.Or(ts, sent.Files[0].ID)
}

// note keeps what is sent in a message, under its key of State.
func (fs *Files) note(ctx context.Context, key string, sent shared) error {
	b, err := json.Marshal(sent)
	if err == nil {
		err = fs.State.Put(ctx, key, b, rememberFiles)
	}
	if err != nil {
		return fmt.Errorf("note which files are sent: %w", err)
	}
	return nil
}

// SharedBefore looks for the message of files that were sent under a key; "" if there is
// none. Files that are not seen yet, and of which Slack has not said that it shows them, are
// shown: Slack shows a file once.
func (fs *Files) SharedBefore(ctx context.Context, note string, in adapters.Thread, most int) (string, error) {
	b, err := fs.State.Get(ctx, note)
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
		return fs.where(ctx, in, sent, most), nil
	}
	ts, err := fs.whereShared(ctx, in.Channel, sent.Files[0].ID, looks)
	switch {
	case ts != "":
		return ts, nil
	case isCode(err, "file_not_found", "file_deleted"):
		return "", nil
	case err != nil && !lacks(err):
		return "", err
	}
	ts, err = fs.show(ctx, note, in, sent, most)
	switch {
	case isCode(err, "file_update_failed"): // they are shown already
		return sent.Files[0].ID, nil
	case err != nil && adapters.Final(fault(err)): // who sends them anew is told which ones are refused
		return "", nil
	}
	return ts, err
}

// whereShared gives the message that shows a file; "" if none does after so many looks.
func (fs *Files) whereShared(ctx context.Context, channel, id string, most int) (string, error) {
	for n, pause := 0, firstLook; ; n, pause = n+1, min(2*pause, lastLook) {
		f, _, _, err := fs.API.GetFileInfoContext(ctx, id, 0, 0)
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

// looksFor is how often it is looked where the first of the messages shows its files, which is
// a moment later: text comes soon enough below them, but other files might overtake them, and
// where nothing follows it is what people react on.
func looksFor(parts []part) int {
	if len(parts) > 1 && len(parts[1].files) == 0 {
		return fewLooks
	}
	return looks
}

// blamed names in a refusal the files that it is about: these, or all that were still to be
// sent where nobody may send files there, or no more.
func blamed(err error, these, all []int) error {
	f, ok := asFault(fault(err))
	if !ok || !adapters.Final(f) || errors.Is(f.Kind, adapters.ErrGone) || errors.Is(f.Kind, adapters.ErrRefused) {
		return err
	}
	named := *f
	named.Files = these
	if errors.Is(f.Kind, adapters.ErrForbidden) && !isCode(err, "file_type_not_allowed", "file_uploads_except_images_disabled") {
		named.Files = all
	}
	return &named
}

// filesKey is where it is noted which files the n-th message of a reply shows.
func filesKey(key string, n int) string {
	of := adapterName + "\x00" + key
	if n > 0 {
		of += "\x00" + strconv.Itoa(n)
	}
	sum := sha256.Sum256([]byte(of))
	return "posted-" + hex.EncodeToString(sum[:]) + "/files"
}
