package slack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/slacktest"
)

// streamed is the setup of the stream tests.
type streamed struct {
	*workspace

	t  *testing.T
	s  *Slack
	in adapters.Thread
}

func newStreamed(t *testing.T) *streamed {
	t.Helper()
	w := newWorkspace(t, false)
	return &streamed{w, t, slackOf(t, w), w.Thread(t, false)}
}

func slackOf(t *testing.T, w *workspace) *Slack {
	t.Helper()
	s, ok := w.Adapter(t, nothing).(*Slack)
	if !ok {
		t.Fatal("it is no adapter of Slack's")
	}
	return s
}

// progress has one step per state.
func (st *streamed) progress(states ...adapters.StepState) adapters.Progress {
	p := adapters.Progress{Thread: st.in, Request: st.in.ID, Asker: st.zoe, Title: fmt.Sprintf("%d steps", len(states))}
	for i, state := range states {
		p.Steps = append(p.Steps, adapters.ProgressStep{Key: fmt.Sprint("s", i), Text: fmt.Sprint("step ", i), State: state})
	}
	return p
}

// report reports progress, which must succeed.
func (st *streamed) report(at adapters.MessageRef, p adapters.Progress) adapters.MessageRef {
	st.t.Helper()
	at, err := st.s.Report(st.t.Context(), "p", at, p)
	if err != nil {
		st.t.Fatal(err)
	}
	return at
}

// shows fails unless this is the only message of the bot: its cards and button, or its edited text.
func (st *streamed) shows(at adapters.MessageRef, streaming bool, edits int, want string) {
	st.t.Helper()
	own := st.own(st.in)
	if len(own) != 1 || own[0].TS != at.ID {
		st.t.Fatalf("there are %d messages: %+v", len(own), own)
	}
	if m := own[0]; m.Streaming != streaming || m.Edited != edits || cards(st.t, m) != want {
		st.t.Errorf("it streams: %t, was edited %d times, and shows %s; want %s", m.Streaming, m.Edited, cards(st.t, m), want)
	}
}

// cards returns the task cards of a message, as "title [status] card, [status] card", with "stop" if it has the
// button.
func cards(t *testing.T, m slacktest.Message) string {
	t.Helper()
	var all []struct {
		Type  string `json:"type"`
		Title string `json:"title"`
		Tasks []struct {
			Title  string `json:"title"`
			Status string `json:"status"`
		} `json:"tasks"`
		Elements []struct {
			ActionID string `json:"action_id"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(m.Blocks, &all); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, b := range all {
		switch b.Type {
		case "plan":
			told = append(told, b.Title)
			for _, task := range b.Tasks {
				told = append(told, "["+task.Status+"] "+task.Title)
			}
		case "actions":
			if b.Elements[0].ActionID == convert.StopAction {
				told = append(told, "stop")
			}
		default:
			told = append(told, b.Type)
		}
	}
	return strings.Join(told, ", ")
}

func (st *streamed) calls(method string) int { return st.API.Calls()[method] }

// In a thread, the steps are task cards of a stream, which ends with the work and stays without its button.
func TestStreamedSteps(t *testing.T) {
	t.Parallel()
	st := newStreamed(t)
	p := st.progress(adapters.StepRunning, adapters.StepWaiting)
	at := st.report(adapters.MessageRef{}, p)
	st.shows(at, true, 0, "2 steps, [in_progress] step 0, [pending] step 1, stop")
	st.report(at, p)
	if n := st.calls("chat.appendStream"); n != 0 {
		t.Errorf("nothing has changed, and is appended %d times", n)
	}
	p = st.progress(adapters.StepDone, adapters.StepRunning, adapters.StepWaiting)
	p.Steps[0].Took = 1500 * time.Millisecond
	st.report(at, p)
	st.shows(at, true, 0, "3 steps, [complete] step 0 (1.5 s), [in_progress] step 1, [pending] step 2, stop")
	if _, err := st.s.Typing(t.Context(), st.in, "en"); err != nil || st.calls("assistant.threads.setStatus")+st.calls("agents.sessions.setStatus") != 0 {
		t.Errorf("the status is shown in the place of Slack's own: %v", err)
	}
	p = st.progress(adapters.StepDone, adapters.StepFailed, adapters.StepSkipped)
	p.Ended = true
	st.report(at, p)
	st.shows(at, false, 1, "3 steps, [complete] step 0, [error] step 1, [pending] ➖ step 2")
	if m, _ := st.Workspace.Message(at.Channel, at.ID); !strings.Contains(m.Text, "⚠️ step 1") {
		t.Errorf("a screen reader reads %q", m.Text)
	}
	if st.calls("chat.postMessage") != 0 || st.calls("chat.stopStream") != 1 {
		t.Errorf("the calls are %v", st.API.Calls())
	}
}

// The button of a stream stops the work that the stream shows.
func TestStopButtonOfStream(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	in := h.Thread(t, false)
	at, err := h.s.Report(t.Context(), "p", adapters.MessageRef{}, adapters.Progress{Thread: in, Request: in.ID, Asker: h.ana, Title: "At work"})
	if err != nil {
		t.Fatal(err)
	}
	h.pressed(t, h.Interactions.Press(h.ana, at.Channel, at.ID, convert.StopAction))
	if e := h.next(t); e.Cancel == nil || e.Cancel.On.Key() != at.Key() || e.By.ID != h.ana {
		t.Errorf("received %+v", e)
	}
}

// Outside of a thread, and without an asker, there is no stream.
func TestNoStream(t *testing.T) {
	t.Parallel()
	st := newStreamed(t)
	direct, nobody, many := st.progress(adapters.StepRunning), st.progress(adapters.StepRunning), st.progress(make([]adapters.StepState, 51)...)
	direct.Thread, nobody.Asker = st.Thread(t, true), ""
	for i, p := range []adapters.Progress{direct, nobody, many} {
		key := fmt.Sprint("p", i)
		at, err := st.s.Report(t.Context(), key, adapters.MessageRef{}, p)
		if err != nil {
			t.Fatal(err)
		}
		p.Title = "another"
		if _, err := st.s.Report(t.Context(), key, at, p); err != nil {
			t.Fatal(err)
		}
		if m, ok := st.Workspace.Message(at.Channel, at.ID); !ok || m.Edited != 1 || cards(t, m) != "rich_text, stop" {
			t.Errorf("%s is shown as %+v", key, m)
		}
	}
	if n := st.calls("chat.startStream"); n != 0 {
		t.Errorf("%d streams are begun", n)
	}
}

// Whatever error Slack returns for a stream, the progress is one message that is edited, and streams are not
// retried there.
func TestRefusedStream(t *testing.T) {
	t.Parallel()
	for code, again := range map[string]bool{
		"unknown_method": false, "missing_scope": false, "not_allowed_token_type": false, "feature_not_enabled": false, "invalid_arguments": false,
		"invalid_chunks": false, "invalid_blocks": false, "channel_type_not_supported": false, "restricted_action": false, "user_not_found": true, "team_not_found": true, "404": false,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			st := newStreamed(t)
			refusal := slacktest.Failure{Error: code}
			if code == "404" {
				refusal = slacktest.Failure{Status: 404}
			}
			st.Faults.FailNext("chat.startStream", 1, refusal)
			p := st.progress(adapters.StepRunning)
			at := st.report(adapters.MessageRef{}, p)
			st.shows(at, false, 0, "rich_text, stop")
			p.Ended = true
			st.report(at, p)
			st.shows(at, false, 1, "rich_text")
			if _, err := st.s.Report(t.Context(), "another", adapters.MessageRef{}, st.progress(adapters.StepRunning)); err != nil {
				t.Fatal(err)
			}
			if n := st.calls("chat.startStream"); (n == 2) != again {
				t.Errorf("streams are tried %d times", n)
			}
		})
	}
}

// If streams are rejected in one channel, others still have them.
func TestStreamElsewhere(t *testing.T) {
	t.Parallel()
	st := newStreamed(t)
	st.Faults.FailNext("chat.startStream", 1, slacktest.Failure{Error: "channel_type_not_supported"})
	st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning))
	other := st.progress(adapters.StepRunning)
	other.Thread = st.Channel(t)
	other.Thread.ID = st.People.Say(slacktest.Post{Channel: other.Thread.Channel, By: st.zoe, Text: "x"})
	at, err := st.s.Report(t.Context(), "other", adapters.MessageRef{}, other)
	if m, _ := st.Workspace.Message(at.Channel, at.ID); err != nil || !m.Streaming {
		t.Errorf("there is no stream in another channel: %v", err)
	}
}

// If Slack limits how many streams are started, the progress does not wait for that.
func TestTooManyStreams(t *testing.T) {
	t.Parallel()
	st := newStreamed(t)
	st.Faults.RateLimit("chat.startStream", 1, time.Hour)
	st.shows(st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning)), false, 0, "rich_text, stop")
}

// A stream that Slack has ended, or that rejects an update, is edited from then on, in place.
func TestStreamThatEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(st *streamed, at adapters.MessageRef){
		"after five minutes": func(st *streamed, at adapters.MessageRef) { st.Workspace.EndStream(at.Channel, at.ID) },
		"stopped_by_user": func(st *streamed, _ adapters.MessageRef) {
			st.Faults.FailNext("chat.appendStream", 1, slacktest.Failure{Error: "stopped_by_user"})
		},
		"invalid_chunks": func(st *streamed, _ adapters.MessageRef) {
			st.Faults.FailNext("chat.appendStream", 1, slacktest.Failure{Error: "invalid_chunks"})
		},
		"unknown_method": func(st *streamed, _ adapters.MessageRef) {
			st.Faults.FailNext("chat.appendStream", 1, slacktest.Failure{Error: "unknown_method"})
		},
		"a restart": func(st *streamed, _ adapters.MessageRef) { st.s = slackOf(st.t, st.workspace) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStreamed(t)
			at := st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning))
			end(st, at)
			p := st.progress(adapters.StepDone)
			st.report(at, p)
			st.shows(at, false, 1, "rich_text, stop")
			p.Ended = true
			st.report(at, p)
			st.shows(at, false, 2, "rich_text")
		})
	}
}

// Slack cannot remove tasks: if the steps change, the message is edited.
func TestStreamOfOtherSteps(t *testing.T) {
	t.Parallel()
	st := newStreamed(t)
	at := st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning))
	p := st.progress(adapters.StepRunning)
	p.Steps[0].Key = "other"
	st.report(at, p)
	st.shows(at, false, 1, "rich_text, stop")
}

// Temporary errors are retried: no step is lost, and there is one message.
func TestStreamWithFaults(t *testing.T) {
	t.Parallel()
	st := newStreamed(t)
	p := st.progress(adapters.StepRunning)
	st.Faults.LoseAnswers("chat.startStream", 1)
	if _, err := st.s.Report(t.Context(), "p", adapters.MessageRef{}, p); err == nil {
		t.Error("the reply does not say that the start is uncertain")
	}
	at := st.report(adapters.MessageRef{}, p)
	st.shows(at, true, 0, "1 steps, [in_progress] step 0, stop")
	st.report(at, p) // it is not known what the stream shows
	st.shows(at, false, 1, "rich_text, stop")

	st = newStreamed(t)
	at = st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning))
	st.Faults.FailNext("chat.appendStream", 1, slacktest.Failure{Error: "internal_error"})
	done := st.progress(adapters.StepDone)
	if _, err := st.s.Report(t.Context(), "p", at, done); err == nil || adapters.Final(err) {
		t.Errorf("it fails with %v", err)
	}
	st.report(at, done)
	st.shows(at, true, 0, "1 steps, [complete] step 0, stop")

	st.Faults.FailNext("chat.stopStream", 1, slacktest.Failure{Error: "internal_error"})
	done.Ended = true
	st.report(at, done)
	st.shows(at, false, 1, "1 steps, [complete] step 0")

	st = newStreamed(t)
	at = st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning))
	st.Faults.FailNext("chat.update", 1, slacktest.Failure{Error: "invalid_blocks"})
	done = st.progress(adapters.StepDone)
	done.Ended = true
	st.report(at, done)
	if m, _ := st.Workspace.Message(at.Channel, at.ID); m.Streaming || m.Blocks != nil || !strings.Contains(m.Text, "✅ step 0") {
		t.Errorf("without task cards it is %+v", m)
	}

	st = newStreamed(t)
	at = st.report(adapters.MessageRef{}, st.progress(adapters.StepRunning))
	st.People.Delete(at.Channel, at.ID)
	if _, err := st.s.Report(t.Context(), "p", at, st.progress(adapters.StepDone)); !adapters.Final(err) {
		t.Errorf("of a message that was deleted it fails with %v", err)
	}
}

// Slack's own stop button ends the streams of a thread, and stops what they show. Without a stream, it stops the
// person's latest request there.
func TestNativeStop(t *testing.T) {
	t.Parallel()
	for _, byHTTP := range []bool{false, true} {
		h := listen(t, byHTTP)
		in := h.Thread(t, false)
		var at []adapters.MessageRef
		for i := range 2 {
			id := h.People.Say(slacktest.Post{Channel: in.Channel, ThreadTS: in.ID, By: h.ana, Text: fmt.Sprint("request ", i)})
			h.next(t)
			ref, err := h.s.Report(t.Context(), fmt.Sprint("p", i), adapters.MessageRef{}, adapters.Progress{Thread: in, Request: id, Asker: h.ana, Title: "At work"})
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, ref)
		}
		h.People.Stop(h.ana, in.Channel, in.ID)
		ids := map[string]bool{}
		for _, shown := range at {
			e := h.next(t)
			if ids[e.ID] = true; e.Kind != adapters.CancelAsked || e.Cancel.On.Key() != shown.Key() || e.By.Name != "Ana" || e.Thread.Key() != in.Key() {
				t.Errorf("received %+v", e)
			}
		}
		if len(ids) != len(at) {
			t.Errorf("the events are %v", ids)
		}
		stopped := adapters.Progress{Thread: in, Asker: h.ana, Title: "Ana stopped it", Ended: true}
		if _, err := h.s.Report(t.Context(), "p0", at[0], stopped); err != nil {
			t.Fatal(err)
		}
		if m, _ := h.Workspace.Message(in.Channel, at[0].ID); m.Streaming || m.Text != "Ana stopped it" {
			t.Errorf("the progress is %+v", m)
		}
		h.People.Stop(h.ana, in.Channel, in.ID)
		if e := h.next(t); e.Cancel == nil || !e.Cancel.On.IsZero() || e.Thread.ID != in.ID {
			t.Errorf("without a stream, received %+v", e)
		}
		direct := h.Workspace.DM(h.ana)
		h.People.Stop(h.ana, direct, h.People.Say(slacktest.Post{Channel: direct, By: h.ana, Text: "x"}))
		h.next(t)
		if e := h.next(t); e.Cancel == nil || !e.Cancel.On.IsZero() || e.Thread.ID != "" || !e.Thread.Direct {
			t.Errorf("directly, received %+v", e)
		}
		h.idle(t)
	}
}

// Invalid stop events are ignored.
func TestOddNativeStops(t *testing.T) {
	t.Parallel()
	h := listenTo(t, workspaceOf(t, false, slacktest.Options{Retries: []time.Duration{0, 0, 0}}))
	in := h.Thread(t, false)
	h.People.Stop(h.Bot(t).ID, in.Channel, in.ID)
	h.People.Stop("nobody?", in.Channel, in.ID)
	h.idle(t)
}

// TestDirectProgress is streamed in a thread of a direct channel. At its top level, where answers are no replies, Slack
// has no streams, and the progress is an edited message.
func TestDirectProgress(t *testing.T) {
	t.Parallel()
	for _, threaded := range []bool{false, true} {
		st := newStreamed(t)
		st.in = st.Thread(t, true)
		if threaded {
			st.in.ID = st.People.Say(slacktest.Post{Channel: st.in.Channel, By: st.zoe, Text: "first"})
		}
		p := st.progress(adapters.StepRunning)
		p.Request = "" // as of an example that was tried from a private answer
		at := st.report(adapters.MessageRef{}, p)
		if m, _ := st.Workspace.Message(st.in.Channel, at.ID); m.Streaming != threaded || !strings.Contains(string(m.Blocks), convert.StopAction) {
			t.Errorf("threaded %t: the progress is %+v", threaded, m)
		}
	}
}
