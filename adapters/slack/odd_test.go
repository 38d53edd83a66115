package slack

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack/socketmode"

	"atelier/adapters"
	"atelier/adapters/slack/connect"
	"atelier/adapters/slack/convert"
)

// others are values of every JSON type, for a field that expects another.
var others = []any{nil, true, 7, 1.5, "x", []any{}, []any{"x", 7, object{}}, object{}, object{"a": 1}}

// pathsOf returns the paths of the fields of an object, at any depth; for a list those of the first element.
func pathsOf(o object, in string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		all = append(all, in+name)
		below, _ := o[name].(object) //nolint:errcheck // others have no fields
		if list, ok := o[name].([]any); ok && len(list) > 0 {
			below, _ = list[0].(object) //nolint:errcheck // as above
		}
		all = append(all, pathsOf(below, in+name+".")...)
	}
	return all
}

// wholeEvent is a mention in a thread, with everything that Slack sends of such a message and its file:
// https://docs.slack.dev/reference/events/message/file_share.
func wholeEvent(h *heard, n int) object {
	ts := fmt.Sprintf("1790000000.%06d", n)
	return object{
		"token": "z", "team_id": "T1", "api_app_id": "A1", "type": "event_callback", "event_id": "Ev" + strconv.Itoa(n), "event_time": 1790000000,
		"authorizations": []any{object{"team_id": "T1", "user_id": "U1", "is_bot": true}}, "is_ext_shared_channel": false,
		"event": object{
			"type": "message", "subtype": "file_share", "channel": h.channel, "channel_type": "channel", "user": h.ana, "text": h.mention("make it grey"),
			"ts": ts, "event_ts": ts, "thread_ts": "1780000000.000100", "client_msg_id": "c1", "upload": true, "display_as_bot": false,
			"blocks": []any{object{"type": "rich_text", "block_id": "b1"}},
			"files": []any{object{
				"id": "F1", "name": "a.png", "title": "a", "mimetype": "image/png", "size": 640, "mode": "hosted", "created": 1790000000, "timestamp": 1790000000,
				"original_w": 640, "original_h": 480, "is_external": false, "is_public": true, "url_private": "https://files.slack.com/a.png",
				"initial_comment": object{"id": "C1", "comment": "x"}, "shares": object{"public": object{}}, "alt_txt": "a cat", "thumb_360_w": 360,
			}},
			"attachments": []any{object{"is_share": true, "text": "forwarded", "ts": "1770000000.000100", "channel_id": "C1", "author_id": "U2"}},
			"edited":      object{"user": h.ana, "ts": ts}, "reactions": []any{object{"name": "eyes", "count": 1}},
		},
	}
}

// needed are the required fields: who wrote what, and where.
var needed = []string{"event", "event.user", "event.channel", "event.text"}

// tell sends the adapter an event over its transport, and returns the status of the response, if any.
func (h *heard) tell(t *testing.T, event string) int {
	t.Helper()
	if h.http {
		return h.signed(t, "/slack/events", event)
	}
	h.s.socket.Dispatch(socketmode.Request{Type: socketmode.RequestTypeEventsAPI, Payload: json.RawMessage(event)}, func() {})
	return http.StatusOK
}

// TestOddFields changes the type of each field of an event in turn: the message is received all the same, and the
// request is not rejected.
func TestOddFields(t *testing.T) {
	t.Parallel()
	for _, byHTTP := range []bool{false, true} {
		t.Run(fmt.Sprintf("by HTTP %v", byHTTP), func(t *testing.T) {
			t.Parallel()
			h := listen(t, byHTTP)
			n := 0
			for _, path := range pathsOf(wholeEvent(h, 0), "") {
				if slices.Contains(needed, path) {
					continue
				}
				for _, other := range others {
					n++
					told := wholeEvent(h, n)
					if was := change(told, path, other); reflect.TypeOf(was) == reflect.TypeOf(other) {
						continue // it is of no other type
					}
					body, err := json.Marshal(told)
					if err != nil {
						t.Fatal(err)
					}
					if code := h.tell(t, string(body)); code != http.StatusOK {
						t.Fatalf("%s is %v: answered %d", path, other, code)
					}
					var e adapters.Event
					select {
					case e = <-h.events:
					case <-time.After(30 * time.Second):
						t.Fatalf("%s is %v: nothing was received", path, other)
					}
					if e.Message == nil || !strings.HasPrefix(e.Message.Text, "make it grey") || e.Thread.Channel != h.channel || e.By.ID != h.ana {
						t.Fatalf("%s is %v: received %+v", path, other, e)
					}
					if strings.HasPrefix(path, "event.files.original") && (len(e.Message.Files) != 1 || e.Message.Files[0].Name != "a.png") {
						t.Errorf("%s is %v: the files are %+v", path, other, e.Message.Files)
					}
				}
			}
		})
	}
}

// change replaces the value of a field, and returns the old one.
func change(in object, path string, other any) (was any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		switch below := in[name].(type) {
		case object:
			in = below
		case []any:
			in, _ = below[0].(object) //nolint:errcheck // the paths are its own
		}
	}
	name := names[len(names)-1]
	was, in[name] = in[name], other
	return was
}

// signed posts a body as Slack does.
func (h *heard) signed(t *testing.T, path, body string) int {
	t.Helper()
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(h.SigningSecret()))
	if _, err := io.WriteString(mac, "v0:"+stamp+":"+body); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	w := httptest.NewRecorder()
	h.s.Handler().ServeHTTP(w, r)
	return w.Code
}

// TestOddNumbers checks that numbers of an unexpected type are parsed.
func TestOddNumbers(t *testing.T) {
	t.Parallel()
	h := listen(t, false)
	e := wholeEvent(h, 1)
	change(e, "event.files.size", "640")
	change(e, "event.event_ts", nil)
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, []byte(`"ts":"1790000000.000001"`), []byte(`"ts":1790000000.000001`), 2)
	b = bytes.Replace(b, []byte(`"thread_ts":"1780000000.000100"`), []byte(`"thread_ts":1780000000.0001`), 1)
	h.s.events.Receive(b, func() {})
	got := h.next(t)
	if got.Message.Ref.ID != "1790000000.000001" || got.Thread.ID != "1780000000.000100" || got.Message.Files[0].Size != 640 {
		t.Errorf("received %+v in %+v", got.Message, got.Thread)
	}
}

// TestOddInteractions are buttons and commands with one odd field.
func TestOddInteractions(t *testing.T) {
	t.Parallel()
	h := listen(t, true)
	press := object{
		"type": "block_actions", "trigger_id": "1.2", "response_url": "https://hooks.slack.com/x", "user": object{"id": h.ana, "name": 5, "team_id": []any{}},
		"channel": object{"id": h.channel}, "message": object{"ts": "1790000000.000100", "user": 7, "files": "none", "attachments": object{}},
		"container": object{"channel_id": h.channel, "message_ts": "1790000000.000100", "is_ephemeral": "no"},
		"actions":   []any{object{"action_id": "choose-2", "value": 7, "action_ts": "1790000001.000100", "block_id": 5}, "x"},
		"view":      "none", "state": 5,
	}
	b, err := json.Marshal(press)
	if err != nil {
		t.Fatal(err)
	}
	if code := h.signed(t, "/slack/interactive", url.Values{"payload": {string(b)}}.Encode()); code != http.StatusOK {
		t.Errorf("answered %d", code)
	}
	if e := h.next(t); e.Reaction == nil || e.Reaction.Number != 2 || e.Reaction.Choice != "7" || e.Reaction.On.Channel != h.channel {
		t.Errorf("a button arrived as %+v", e)
	}
	press["actions"] = []any{object{"action_id": "try:draw", "value": convert.Whisper + "1", "action_ts": "1790000001.000200"}}
	if b, err = json.Marshal(press); err != nil {
		t.Fatal(err)
	}
	if code := h.signed(t, "/slack/interactive", url.Values{"payload": {string(b)}}.Encode()); code != http.StatusOK {
		t.Errorf("answered %d", code)
	}
	if e := h.next(t); e.Reaction == nil || e.Reaction.Sign != adapters.Try || e.Reaction.Choice != "draw" || e.Reaction.On.ID != convert.Whisper+"1" {
		t.Errorf("an example in an ephemeral message arrived as %+v", e)
	}
	socket := &connect.Socket{Commands: h.s.commands, Log: h.s.config.Log}
	command := `{"user_id":"` + h.ana + `","channel_id":"` + h.channel + `","text":"status","trigger_id":[],"response_url":false,"team_id":5}`
	socket.Dispatch(socketmode.Request{Type: socketmode.RequestTypeSlashCommands, Payload: json.RawMessage(command)}, func() {})
	if e := h.next(t); e.Command == nil || e.Command.Name != "status" {
		t.Errorf("a command arrived as %+v", e)
	}
}

// TestOddEnvelopes are frames of Socket Mode with odd fields beside the event.
func TestOddEnvelopes(t *testing.T) {
	t.Parallel()
	texts := make(chan string, 1)
	event := object{"type": "event_callback", "event": object{"type": "message", "channel": "D1", "user": "U1", "text": "hi", "ts": "1790000000.000100"}}
	k := serveSockets(t, func(_ context.Context, e adapters.Event) error {
		texts <- e.Message.Text
		return nil
	}, func(_ int, w http.ResponseWriter, r *http.Request) {
		upgraded(w, r, hello, object{
			"type": "events_api", "envelope_id": "e1", "payload": event, "retry_attempt": "1", "retry_reason": object{}, "accepts_response_payload": "no",
		})
	})
	select {
	case text := <-texts:
		if text != "hi" {
			t.Errorf("received %q", text)
		}
	case <-time.After(30 * time.Second):
		t.Errorf("nothing was received\n%s", k.log)
	}
	if told := k.log.String(); strings.Count(told, "retry_attempt") > 1 || !strings.Contains(told, "retry_reason") {
		t.Errorf("the log says\n%s", told)
	}
}

// TestOddFieldsAreLogged by their names, and never with what stands in them.
func TestOddFieldsAreLogged(t *testing.T) {
	t.Parallel()
	var log lines
	w := newWorkspace(t, true)
	w.log = slog.New(slog.NewTextHandler(&log, nil))
	h := listenTo(t, w)
	e := wholeEvent(h, 1)
	change(e, "event.files.initial_comment", "my secret comment")
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if code := h.signed(t, "/slack/events", string(b)); code != http.StatusOK {
		t.Errorf("answered %d", code)
	}
	h.next(t)
	if code := h.signed(t, "/slack/events", `{"type":`); code != http.StatusBadRequest {
		t.Errorf("what is no JSON is answered %d", code)
	}
	told := log.String()
	if strings.Count(told, "event.files.initial_comment") != 1 || strings.Contains(told, "secret") || strings.Count(told, "not understood") != 1 {
		t.Errorf("the log says\n%s", told)
	}
}
