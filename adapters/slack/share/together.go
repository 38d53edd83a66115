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
// files and text are sent separately for a while.
type trial struct {
	works  atomic.Bool
	level  atomic.Int32 // the first of the forms that the server accepts, while it refuses others
	refuse api.Pause
}

// first returns the level of the first of the forms that the server may accept.
func (t *trial) first() int {
	if !t.refuse.Lasts() {
		return 0
	}
	return int(t.level.Load())
}

// nothing is the level of a server that shows no text together with files.
const nothing = 3

// forms returns the contents to try together with files, from the most to the least, by level.
func forms(w convert.Words) [nothing + 1]convert.Words {
	return [...]convert.Words{w, w.WithoutFeedback(), w.Bare(), nothing: {}}
}

// refuse records that the server now accepts only this level together with files.
func (fs *Files) refuse(ctx context.Context, level int, why error) {
	fs.together.level.Store(int32(level)) //nolint:gosec // a small number
	fs.together.refuse.Begin()
	said := [...]string{
		1: "Slack refuses feedback buttons below files: they are left out", 2: "Slack refuses small print below files: it is left out",
		nothing: "Slack does not show files and text in one message here: they are sent separately",
	}
	fs.Log.WarnContext(ctx, said[level], "error", api.Fault(why))
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
		fs.refuse(ctx, nothing, err)
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
