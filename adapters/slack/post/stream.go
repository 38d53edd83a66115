package post

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// notStreaming is the error code of a stream that Slack has ended, some five minutes after its start or because
// somebody pressed Slack's own stop button.
const notStreaming = "message_not_in_streaming_state"

// Streams show progress as task cards of streamed messages. Slack shows a stream live to one person, and to others
// only its start and its end. See https://docs.slack.dev/reference/methods/chat.startStream.
type Streams struct {
	API *api.Client
	Log *slog.Logger

	refused refusals

	mu   sync.Mutex
	open map[string]*stream // by the key of the message
}

// stream is what an open stream shows. Only one caller at a time reports to it.
type stream struct {
	thread, title string
	tasks         map[string]slack.TaskUpdateChunk // by id
}

// start begins a stream, with a button that stops the work. The key is the id of the button's block, by which the
// message can be found again. It returns false if the progress must be posted as a message instead.
func (st *Streams) start(ctx context.Context, key string, p adapters.Progress, stop string) (ts string, ok bool, err error) {
	in := p.Thread
	if p.Ended || in.ID == "" || !convert.IsID(p.Asker) || len(p.Steps) > convert.MaxTasks || st.refused.isRefused(in.Channel) {
		return "", false, nil
	}
	s := &stream{thread: in.Key(), tasks: map[string]slack.TaskUpdateChunk{}}
	chunks := append(s.changes(p), slack.NewBlocksChunk(convert.StopButton(stop, key)))
	_, ts, err = st.API.StartStreamContext(ctx, in.Channel, slack.MsgOptionTS(in.ID), slack.MsgOptionRecipientUserID(p.Asker),
		slack.MsgOptionRecipientTeamID(in.Workspace), slack.MsgOptionTaskDisplayMode(slack.TaskDisplayModePlan), slack.MsgOptionChunks(chunks...))
	told := api.Fault(err)
	switch {
	case err == nil:
		s.shown(p)
		st.put(convert.Ref(in.Workspace, in.Channel, ts), s)
		return ts, true, nil
	case errors.Is(told, adapters.ErrRateLimited), api.HasCode(err, "user_not_found", "team_not_found"): // others may have one
	case !api.IsUnknownMethod(err) && !api.IsNotPosted(err):
		return "", false, err //nolint:wrapcheck // the outbox reads the library's error
	default:
		st.refuse(ctx, in.Channel, err)
	}
	return "", false, nil
}

// append shows what has changed. It returns false if the stream has ended or cannot show it: then the message is
// edited from now on.
func (st *Streams) append(ctx context.Context, at adapters.MessageRef, s *stream, p adapters.Progress) (ok bool, err error) {
	if !s.fits(p) {
		st.drop(at)
		return false, nil
	}
	chunks := s.changes(p)
	if len(chunks) == 0 {
		return true, nil
	}
	_, _, err = st.API.AppendStreamContext(ctx, at.Channel, at.ID, slack.MsgOptionChunks(chunks...))
	told := api.Fault(err)
	switch {
	case err == nil:
		s.shown(p)
		return true, nil
	case errors.Is(told, adapters.ErrRateLimited), !api.IsUnknownMethod(err) && !api.IsNotPosted(err):
		return true, told // retried later
	case api.IsUnknownMethod(err), api.IsMalformed(err):
		st.refuse(ctx, at.Channel, err)
	}
	st.drop(at)
	return false, nil
}

// stop ends a stream with its final state. If that fails, the edit that follows stops it.
func (st *Streams) stop(ctx context.Context, at adapters.MessageRef, s *stream, p adapters.Progress) {
	st.drop(at)
	var options []slack.MsgOption
	if chunks := s.changes(p); len(chunks) > 0 && s.fits(p) {
		options = append(options, slack.MsgOptionChunks(chunks...))
	}
	_, _, err := st.API.StopStreamContext(ctx, at.Channel, at.ID, options...)
	if err != nil {
		st.Log.DebugContext(ctx, "a stream was not stopped with its last steps", "error", api.Fault(err))
	}
}

// refuse records that Slack refuses streams.
func (st *Streams) refuse(ctx context.Context, channel string, err error) {
	if api.IsMalformed(err) {
		st.refused.refuse("")
	} else {
		st.refused.note(channel, err)
	}
	st.Log.WarnContext(ctx, "Slack refuses streamed progress here: the message is edited instead", "error", api.Fault(err))
}

// isOpen reports whether a stream is open in a thread.
func (st *Streams) isOpen(t adapters.Thread) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, s := range st.open {
		if s.thread == t.Key() {
			return true
		}
	}
	return false
}

// get returns the open stream of a message, or nil.
func (st *Streams) get(at adapters.MessageRef) *stream {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.open[at.Key()]
}

func (st *Streams) put(at adapters.MessageRef, s *stream) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.open == nil || len(st.open) >= maxChannels {
		st.open = map[string]*stream{}
	}
	st.open[at.Key()] = s
}

func (st *Streams) drop(at adapters.MessageRef) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.open, at.Key())
}

// fits reports whether the stream can show the progress: Slack cannot remove tasks.
func (s *stream) fits(p adapters.Progress) bool {
	kept := 0
	for _, task := range convert.Tasks(p) {
		if _, ok := s.tasks[task.ID]; ok {
			kept++
		}
	}
	return kept == len(s.tasks) && len(p.Steps) <= convert.MaxTasks
}

// changes returns the title and the tasks that differ from what the stream shows.
func (s *stream) changes(p adapters.Progress) []slack.StreamChunk {
	var all []slack.StreamChunk
	if title := convert.PlanTitle(p); title != s.title {
		all = append(all, slack.NewPlanUpdateChunk(title))
	}
	for _, task := range convert.Tasks(p) {
		if was := s.tasks[task.ID]; task.Title != was.Title || task.Status != was.Status {
			all = append(all, task)
		}
	}
	return all
}

// shown records what the stream shows now.
func (s *stream) shown(p adapters.Progress) {
	s.title = convert.PlanTitle(p)
	for _, task := range convert.Tasks(p) {
		s.tasks[task.ID] = task
	}
}

// refusals records where Slack has rejected something that a message can do without.
type refusals struct {
	off api.Pause // in the whole workspace

	mu       sync.Mutex
	channels map[string]time.Time // where it is not allowed, and until when it is not retried
}

// isRefused reports whether it must not be tried in a channel.
func (r *refusals) isRefused(channel string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.off.Lasts() || time.Now().Before(r.channels[channel])
}

// note reports whether an error of Slack's is a rejection, and records it: for the channel if the error is about
// that, and otherwise for the whole workspace.
func (r *refusals) note(channel string, err error) bool {
	told := api.Fault(err)
	switch {
	case api.IsUnknownMethod(err), api.HasCode(err, "missing_scope", "not_allowed_token_type"), isUnknownRefusal(err, told):
		r.refuse("")
	case adapters.Final(told):
		r.refuse(channel)
	default:
		return false
	}
	return true
}

// refuse records that it is not allowed in a channel, or with "" anywhere, for a while.
func (r *refusals) refuse(channel string) {
	if channel == "" {
		r.off.Begin()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.channels == nil || len(r.channels) >= maxChannels {
		r.channels = map[string]time.Time{}
	}
	r.channels[channel] = time.Now().Add(api.PausedFor)
}

// isUnknownRefusal reports whether Slack rejected a call with a code that is not about the channel.
func isUnknownRefusal(err, told error) bool {
	return api.IsNotPosted(err) && !adapters.Final(told) && !errors.Is(told, adapters.ErrRateLimited)
}
