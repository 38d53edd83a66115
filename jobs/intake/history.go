package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// Limits for reading the history of a thread. All its files together are limited to the size of a single
// file of a request.
const (
	maxRecalled      = 50 // messages
	maxRecalledFiles = 20
	maxRecalledText  = 2000             // bytes of a message
	recallFor        = 15 * time.Second // to read the messages
	recallFilesFor   = time.Minute
)

// Histories reads what people wrote in a thread before a request.
type Histories struct {
	Store     *record.Store
	Blobs     storage.Blobs
	Downloads *Downloads
	Adapters  map[string]adapters.Adapter
	MaxFile   int64
	reported  sync.Map
	Log       *slog.Logger
}

// Read reads the messages before a request and returns the thread with them. If the platform does not
// provide them, the request continues with what is known.
func (h *Histories) Read(ctx context.Context, r *record.Request, t *record.Thread) (*record.Thread, error) {
	e := r.Asked.Event
	from, ok := h.Adapters[e.Adapter].(adapters.Historian)
	if !ok || !t.NeedsHistory(r) {
		return t, nil
	}
	short, stop := context.WithTimeout(ctx, recallFor)
	defer stop()
	all, err := from.Before(short, e.Thread, e.Message.Ref, t.ReadUntil, maxRecalled)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		h.warn(ctx, r, err)
		return t, nil
	}
	if len(all) == 0 {
		return t, nil
	}
	past := &record.History{Request: r.ID, Until: all[len(all)-1].Ref.ID}
	if all, err = h.relevant(ctx, r, all); err != nil {
		return nil, err
	}
	_, earlier := t.Memory(r)
	files, err := h.files(ctx, r, all, earlier)
	if err != nil {
		return nil, err
	}
	for i, m := range all {
		if !slices.Contains(past.By, m.By.ID) {
			past.By = append(past.By, m.By.ID)
		}
		past.Resources = append(past.Resources, files[i]...)
		past.Turns = append(past.Turns, plan.Turn{Wish: overheardWish(m, files[i])})
	}
	if past.Resources, err = h.Store.Texts.Pack(ctx, t.ID, past.Resources); err != nil {
		return nil, err
	}
	return h.Store.WriteThread(ctx, t.ID, record.Entry{History: past})
}

// overheardWish formats a message for a turn: author, text and files.
func overheardWish(m adapters.Earlier, files []plan.Resource) string {
	text := m.Text
	if len(text) > maxRecalledText {
		text = adapters.Cut(text, maxRecalledText) + "…"
	}
	said := []string{cmp.Or(m.By.Name, m.By.ID) + ": " + text}
	for _, f := range files {
		said = append(said, "["+f.Name+"]")
	}
	return strings.Join(said, " ")
}

// relevant returns the messages of people that are not known requests, without the one that the request
// replies to.
func (h *Histories) relevant(ctx context.Context, r *record.Request, all []adapters.Earlier) ([]adapters.Earlier, error) {
	var kept []adapters.Earlier
	to := r.Asked.Event.Message.ReplyTo
	for _, m := range all {
		if m.Own || to != nil && to.Ref.Key() == m.Ref.Key() || m.Text == "" && len(m.Files) == 0 {
			continue
		}
		of, ok, err := h.Store.Recall(ctx, m.Ref)
		if err == nil && ok {
			var asked *record.Request
			if asked, err = h.Store.Request(ctx, of.Request); err == nil && asked.Asked.Refused == "" {
				continue // its files were taken with the request
			}
			err = record.IgnoreUnknown(err)
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, m)
	}
	return kept, nil
}

// files fetches the files of messages, latest first, up to the limits. Files that cannot be taken are
// skipped, since nobody has asked for them yet.
func (h *Histories) files(ctx context.Context, r *record.Request, all []adapters.Earlier, known []plan.Resource) ([][]plan.Resource, error) {
	short, stop := context.WithTimeout(ctx, recallFilesFor)
	defer stop()
	namer := plan.NewNamer(known...)
	taken := make([][]plan.Resource, len(all))
	files, room, texts := maxRecalledFiles, h.MaxFile, record.MaxTexts
	leave := func(err error) {
		h.Log.InfoContext(ctx, "a file of the thread is left out", "request", r.ID, "error", plan.ForOperator(err))
	}
	for i, m := range slices.Backward(all) {
		for _, f := range m.Files {
			if files == 0 || room <= 0 || f.Size > room {
				leave(errors.New("the total file size is too large"))
				continue
			}
			took, err := h.Downloads.Take(short, r, r.Asked.Event.Adapter, f, namer, append(slices.Concat(taken...), known...))
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && queue.Passing(err):
				return nil, err
			case err != nil || took.Text > texts:
				leave(cmp.Or(err, errors.New("the total text length is too long")))
				continue
			}
			for _, why := range took.Left {
				leave(why)
			}
			size := max(f.Size, int64(took.Text))
			for _, res := range took.Files {
				if res.Blob == "" {
					continue
				}
				info, err := h.Blobs.Stat(ctx, res.Blob) // the platform may not have told the size
				if err != nil {
					return nil, fmt.Errorf("stat a thread file: %w", err)
				}
				size = max(size, info.Size)
			}
			files, room, texts = files-1, room-size, texts-took.Text
			taken[i] = append(taken[i], took.Files...)
		}
	}
	return taken, nil
}

// warn logs that the history of a thread cannot be read. A missing permission is logged only once, since
// it is the same for every request.
func (h *Histories) warn(ctx context.Context, r *record.Request, err error) {
	adapter := r.Asked.Event.Adapter
	if refusal, ok := errors.AsType[*adapters.Fault](err); ok && (adapters.Final(err) || errors.Is(err, adapters.ErrRateLimited)) {
		if _, told := h.reported.LoadOrStore(adapter+" "+refusal.Text(), true); told {
			return
		}
	}
	h.Log.WarnContext(ctx, "cannot read the history of a thread: requests continue without it",
		"request", r.ID, "adapter", adapter, "error", record.ForOperator(err))
}
