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

// trial is what is known about a server: whether it shows files and text in one message. The first such
// message of a process is looked at. If it lacks the text, or belongs to no app, so that pressed buttons
// would reach nobody, files and text are sent separately from then on.
type trial struct {
	works, fails atomic.Bool
}

func (t *trial) refused() bool { return t.fails.Load() }

// refuse notes that the server does not show files and text in one message.
func (fs *Files) refuse(ctx context.Context, why error) {
	fs.together.fails.Store(true)
	fs.Log.WarnContext(ctx, "Slack does not show files and text in one message here: they are sent separately", "error", api.Fault(why))
}

// confirm finds the message of files, and reports whether it has so many blocks beside them.
func (fs *Files) confirm(ctx context.Context, in adapters.Thread, sent sharedFiles, blocks int) (ts string, ok bool) {
	var err error
	for _, most := range []int{fewLooks, looks} {
		ts = fs.messageOf(ctx, in, sent, most)
		if _, known := convert.ParseTime(ts); known && fs.together.works.Load() {
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
	if ctx.Err() == nil && !fs.together.works.Load() {
		fs.refuse(ctx, err)
	}
	return ts, false
}

// message looks up the message of a file; nil if it is not found.
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
