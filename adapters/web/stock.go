package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// uploading is an entry of the list of a thread's uploads. One of the fields is set. Of
// what is said of a file, the first counts: one that is to be sent cannot be taken back any
// more, and one that was taken back cannot be sent.
type uploading struct {
	At   time.Time `json:"at"`
	File *pending  `json:"file,omitempty"`
	Sent []string  `json:"sent,omitempty"` // the ids of those that a message is about to be sent with
	Gone string    `json:"gone,omitempty"` // the id of one that was taken back
}

// pending is a file that was uploaded to be sent.
type pending struct {
	upload

	By   string `json:"by"`            // the id of who uploaded it
	For  string `json:"for,omitempty"` // "mask"
	sent bool   // or about to be
}

// stock is what was uploaded in a thread and not taken back, as far as it was read.
type stock struct {
	latch

	list  followed
	files map[string]pending // it is replaced where it changes
	size  atomic.Int64       // in entries
}

// uploads gives what was uploaded in a thread and not taken back, by id, and how many
// entries tell of it.
func (s *shelf) uploads(ctx context.Context, thread string) (files map[string]pending, entries int64, err error) {
	u := &s.take(thread).stock
	if err := u.lock(ctx); err != nil {
		return nil, 0, err
	}
	defer u.unlock()
	raw, anew, err := u.list.read(ctx, s.state, uploadsKey(thread))
	if err != nil {
		return nil, 0, fmt.Errorf("read what was uploaded: %w", err)
	}
	if anew {
		u.files = nil
	}
	if len(raw) > 0 {
		files := maps.Clone(u.files)
		if files == nil {
			files = map[string]pending{}
		}
		foldUploads(files, raw)
		u.files = files
	}
	u.size.Store(u.list.next)
	return u.files, u.list.next, nil
}

func foldUploads(files map[string]pending, raw [][]byte) {
	for _, b := range raw {
		var u uploading
		if json.Unmarshal(b, &u) != nil {
			continue
		}
		if u.File != nil {
			files[u.File.ID] = *u.File
		}
		for _, id := range u.Sent {
			if f, ok := files[id]; ok {
				f.sent = true
				files[id] = f
			}
		}
		if !files[u.Gone].sent {
			delete(files, u.Gone)
		}
	}
}

func (c *Channel) noteUpload(ctx context.Context, thread string, u uploading) error {
	u.At = c.config.Now()
	b, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("note an upload: %w", err)
	}
	if _, err := c.config.State.Append(ctx, uploadsKey(thread), b, c.config.Retention); err != nil {
		return fmt.Errorf("note an upload: %w", err)
	}
	return nil
}

// claim notes that the files of a message are about to be sent, so that none of them is taken
// back, unless one was before.
func (c *Channel) claim(ctx context.Context, thread string, t snapshot, m *wrote) error {
	var ids []string
	for _, f := range m.Files {
		if _, sent := t.file(f.ID); !sent {
			ids = append(ids, f.ID)
		}
	}
	for _, mark := range m.Marks {
		if mark.Mask != nil {
			ids = append(ids, mark.Mask.ID)
		}
	}
	claimed := func() (bool, error) {
		all, _, err := c.threads.uploads(ctx, thread)
		return !slices.ContainsFunc(ids, func(id string) bool { return !all[id].sent }), err
	}
	done, err := claimed()
	if done || err != nil {
		return err
	}
	if err := c.noteUpload(ctx, thread, uploading{Sent: ids}); err != nil {
		return err
	}
	if done, err = claimed(); err == nil && !done {
		err = fileGone()
	}
	return err
}

func fileGone() *refusal {
	return refuse(http.StatusUnprocessableEntity, "A file of the message is not here any more. Attach it again.")
}

// takeBack removes an upload, unless it was sent.
func (c *Channel) takeBack(ctx context.Context, thread, id, by string) error {
	all, _, err := c.threads.uploads(ctx, thread)
	if err != nil {
		return err
	}
	f, ok := all[id]
	if !ok || f.By != by {
		return unknown()
	}
	if !f.sent {
		if err := c.noteUpload(ctx, thread, uploading{Gone: id}); err != nil {
			return err
		}
		if all, _, err = c.threads.uploads(ctx, thread); err != nil {
			return err
		}
	}
	if _, sent := all[id]; sent {
		return refuse(http.StatusConflict, "The file was sent already.")
	}
	return c.config.Media.Delete(ctx, f.Key)
}
