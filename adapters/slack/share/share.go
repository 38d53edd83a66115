package share

import (
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

	"atelier/agent/sleep"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
)

const (
	// Slack shows files a moment after it has accepted them, and is polled for the message that
	// shows them. These are the pauses and the number of polls: fewer for a message that people
	// do not react to.
	firstLook, lastLook, looks, fewLooks = 25 * time.Millisecond, 2 * time.Second, 10, 5
	rememberFiles                        = 7 * 24 * time.Hour
	// recordTimeout is how long writing to State may take after Slack has answered.
	recordTimeout = 10 * time.Second
)

// Files uploads files and shows them in messages, once under a key.
type Files struct {
	API      *api.Client
	Messages *lookup.Messages
	Edge     *download.Client
	Open     adapters.Opener
	State    outbox.State
	Log      *slog.Logger

	together trial
}

// sharedFiles is the record of files that are sent under a key.
type sharedFiles struct {
	Files []slack.FileSummary `json:"files"`
	Done  bool                `json:"done,omitempty"` // Slack has confirmed that it shows them
	TS    string              `json:"ts,omitempty"`   // the message that shows them, if known
	Said  bool                `json:"said,omitempty"` // that message has the text too
}

// Share uploads files, shows them in one message and returns its timestamp. If Slack does not tell the timestamp
// in time, the id of the first file replaces it: once files are shown, no failure may cause them to be sent again.
// See https://docs.slack.dev/messaging/working-with-files.
//
// The message also has the words, if there are any and the server allows it; [Files.Said] tells.
func (fs *Files) Share(ctx context.Context, note string, r adapters.Reply, parts []convert.Part, beside convert.Words) (string, error) {
	var sent sharedFiles
	var rest []int
	for _, p := range parts {
		rest = append(rest, p.Files...)
	}
	batch := parts[0].Files
	for i, n := range batch {
		id, err := fs.upload(ctx, r.Files[n])
		if err != nil {
			return "", api.NotPosted(withFiles(err, batch[i:i+1], rest[i:]))
		}
		sent.Files = append(sent.Files, slack.FileSummary{ID: id, Title: convert.Printable(r.Files[n].Name)})
	}
	if err := fs.record(ctx, note, sent); err != nil { // before they are shown, so that every process finds them
		return "", api.NotPosted(api.NotSlack(err))
	}
	ts, err := fs.show(ctx, note, r.Thread, sent, LooksFor(parts), beside)
	if api.IsNotPosted(err) {
		err = api.NotPosted(withFiles(err, batch, rest))
	}
	return ts, err
}

// SharedBefore returns the message of files that were sent under a key, or "". If they were uploaded but are not
// known to be shown, it shows them: Slack shows a file only once.
func (fs *Files) SharedBefore(ctx context.Context, note string, in adapters.Thread, most int, beside convert.Words) (string, error) {
	sent, err := fs.recorded(ctx, note)
	if err != nil || len(sent.Files) == 0 {
		return "", err
	}
	if sent.Done {
		return fs.settle(ctx, note, in, sent, most, beside, false), nil
	}
	ts, err := fs.findMessage(ctx, in.Channel, sent.Files[0].ID, looks)
	switch {
	case ts != "":
		sent.TS = ts
		return fs.settle(ctx, note, in, sent, most, beside, false), nil
	case api.HasCode(err, "file_not_found", "file_deleted"):
		return "", nil
	case err != nil && !api.IsUnknownMethod(err):
		return "", err
	}
	ts, err = fs.show(ctx, note, in, sent, most, beside)
	switch {
	case api.HasCode(err, "file_update_failed"): // they are shown already
		return sent.Files[0].ID, nil
	case err != nil && adapters.Final(api.Fault(err)): // sending them again tells which ones are rejected
		return "", nil
	}
	return ts, err
}

// Said returns the message of files that were sent under a key, if it also has the text; otherwise "".
func (fs *Files) Said(ctx context.Context, note string) (string, error) {
	sent, err := fs.recorded(ctx, note)
	if err != nil {
		return "", api.NotPosted(api.NotSlack(err))
	}
	if !sent.Said {
		return "", nil
	}
	return sent.TS, nil
}

// show shows uploaded files.
func (fs *Files) show(
	ctx context.Context, note string, in adapters.Thread, sent sharedFiles, most int, beside convert.Words,
) (string, error) {
	ts, beside, err := fs.complete(ctx, in, sent.Files, beside)
	if err != nil {
		return "", err
	}
	sent.Done, sent.TS = true, ts
	fs.note(ctx, note, sent)
	return fs.settle(ctx, note, in, sent, most, beside, true), nil
}

// settle finds the message that shows files, and records whether it also has the words, which this call (now) or
// an earlier one may have sent.
func (fs *Files) settle(ctx context.Context, note string, in adapters.Thread, sent sharedFiles, most int, beside convert.Words, now bool) string {
	if len(beside.Blocks) == 0 || sent.Said {
		return fs.messageOf(ctx, in, sent, most)
	}
	ts, ok := fs.confirm(ctx, in, sent, len(beside.Bare().Blocks), now)
	if ok {
		sent.TS, sent.Said = ts, true
		fs.note(ctx, note, sent)
	}
	return ts
}

// messageOf returns the message that shows files, or else the first file's id.
func (fs *Files) messageOf(ctx context.Context, in adapters.Thread, sent sharedFiles, most int) string {
	if sent.TS != "" {
		return sent.TS
	}
	ts, err := fs.findMessage(ctx, in.Channel, sent.Files[0].ID, most)
	if err != nil {
		fs.Log.WarnContext(ctx, "the message that shows files was not found", "error", api.Fault(err))
	}
	return cmp.Or(ts, sent.Files[0].ID)
}

// recorded returns the record of the files that were sent under a key; zero if there is none.
func (fs *Files) recorded(ctx context.Context, key string) (sharedFiles, error) {
	var sent sharedFiles
	b, err := fs.State.Get(ctx, key)
	if errors.Is(err, adapters.ErrGone) {
		return sent, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &sent)
	}
	return sent, err //nolint:wrapcheck // the storage says what was attempted
}

// note records that files are shown, even if the caller is gone.
func (fs *Files) note(ctx context.Context, key string, sent sharedFiles) {
	noted, stop := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer stop()
	if err := fs.record(noted, key, sent); err != nil {
		fs.Log.WarnContext(ctx, "it could not be recorded that files are shown", "error", err)
	}
}

// record stores which files are being sent.
func (fs *Files) record(ctx context.Context, key string, sent sharedFiles) error {
	b, err := json.Marshal(sent)
	if err == nil {
		err = fs.State.Put(ctx, key, b, rememberFiles)
	}
	if err != nil {
		return fmt.Errorf("record the sent files: %w", err)
	}
	return nil
}

// findMessage polls for the message that shows a file; "" if there is none in the end.
func (fs *Files) findMessage(ctx context.Context, channel, id string, most int) (string, error) {
	for n, pause := 0, firstLook; ; n, pause = n+1, min(2*pause, lastLook) {
		f, _, _, err := fs.API.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil {
			return "", err //nolint:wrapcheck // the caller reads the library's error
		}
		if ts := convert.SharedIn(f.Shares, channel); ts != "" || n == most {
			return ts, nil
		}
		if err := sleep.For(ctx, pause); err != nil {
			return "", err
		}
	}
}

// LooksFor returns how often to poll for the message that shows the files of the first part. If text follows, a
// few polls are enough. Other files might overtake them, and if nothing follows, people react to that message.
func LooksFor(parts []convert.Part) int {
	if len(parts) > 1 && len(parts[1].Files) == 0 {
		return fewLooks
	}
	return looks
}

// withFiles adds to a rejection the files that it is about: these, or all unsent ones if nobody may send files
// there.
func withFiles(err error, these, all []int) error {
	f, ok := api.AsFault(api.Fault(err))
	if !ok || !adapters.Final(f) || errors.Is(f.Kind, adapters.ErrGone) || errors.Is(f.Kind, adapters.ErrRefused) {
		return err
	}
	named := *f
	named.Files = these
	if errors.Is(f.Kind, adapters.ErrForbidden) && !api.HasCode(err, "file_type_not_allowed", "file_uploads_except_images_disabled") {
		named.Files = all
	}
	return &named
}

// FilesKey returns the record key of the files of a reply's nth message.
func FilesKey(key string, n int) string {
	of := convert.Name + "\x00" + key
	if n > 0 {
		of += "\x00" + strconv.Itoa(n)
	}
	sum := sha256.Sum256([]byte(of))
	return "posted-" + hex.EncodeToString(sum[:]) + "/files"
}
