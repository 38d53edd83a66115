package share

import (
	"cmp"
	"context"
	"sync/atomic"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
)

// trial is what is known about the server: whether it shows files and text in one message. The first such message
// of a process is checked. If it lacks the text, or belongs to no app, so that pressed buttons would reach nobody,
// files and text are sent separately from then on.
type trial struct {
	works, fails atomic.Bool
	noFeedback   atomic.Bool // feedback buttons are rejected together with files
}

// forms returns the contents to try together with files, in order. The last one is empty.
func (t *trial) forms(w convert.Words) []convert.Words {
	none := convert.Words{}
	switch {
	case len(w.Blocks) == 0 || t.fails.Load():
		return []convert.Words{none}
	case !w.Feedback || t.noFeedback.Load():
		return []convert.Words{w.WithoutFeedback(), none}
	}
	return []convert.Words{w, w.WithoutFeedback(), none}
}

// refuse records that the server accepts no more than these words together with files.
func (fs *Files) refuse(ctx context.Context, taken convert.Words, why error) {
	if len(taken.Blocks) > 0 {
		fs.together.noFeedback.Store(true)
		fs.Log.WarnContext(ctx, "Slack refuses feedback buttons below files: they are left out", "error", api.Fault(why))
		return
	}
	fs.together.fails.Store(true)
	fs.Log.WarnContext(ctx, "Slack does not show files and text in one message here: they are sent separately", "error", api.Fault(why))
}

// confirm finds the message of files, and reports whether it has that many blocks besides them. It checks if this
// call did not send them, or none was confirmed yet.
func (fs *Files) confirm(ctx context.Context, in adapters.Thread, sent sharedFiles, blocks int, now bool) (ts string, ok bool) {
	var err error
	for _, most := range []int{fewLooks, looks} {
		ts = fs.messageOf(ctx, in, sent, most)
		if _, known := convert.ParseTime(ts); known && now && fs.together.works.Load() {
			return ts, true
		}
		var m *convert.Event
		m, err = fs.message(ctx, in, ts, sent.Files[0].ID)
		if m != nil && len(m.Blocks) >= blocks && m.BotID+m.AppID != "" {
			fs.together.works.Store(true)
			return m.TS, true
		}
		if m != nil || api.IsUnknownMethod(err) || ctx.Err() != nil {
			break
		}
	}
	if now && ctx.Err() == nil && !fs.together.works.Load() {
		fs.refuse(ctx, convert.Words{}, err)
	}
	return ts, false
}

// message returns the message of a file, or nil.
func (fs *Files) message(ctx context.Context, in adapters.Thread, ts, file string) (*convert.Event, error) {
	if _, known := convert.ParseTime(ts); known {
		return fs.Messages.Find(ctx, in.Channel, cmp.Or(in.ID, ts), ts)
	}
	var found *convert.Event
	err := fs.Messages.Walk(ctx, in, lookup.Span{Most: lookup.MaxPages}, func(m convert.Event) bool {
		for _, f := range m.Files {
			if f.ID == file {
				found = &m
			}
		}
		return found == nil
	})
	return found, err
}
