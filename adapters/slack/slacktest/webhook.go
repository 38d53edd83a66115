package slacktest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Webhooks sends events and interactions as signed HTTP requests, and forged ones.
type Webhooks struct {
	*shared
	workspace  *Workspace
	deliveries *Deliveries
	client     *http.Client
	errands    chan *delivery // deliveries to send
	base       string         // target URL; "" sends over sockets
	lanes      map[string][]*delivery
	latest     *signed
}

func newWebhooks(s *shared) *Webhooks {
	return &Webhooks{
		shared: s, errands: make(chan *delivery), lanes: map[string][]*delivery{},
		client: &http.Client{
			Transport:     &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 16},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Deliver sends events by signed HTTP requests from now on, instead of over sockets: to
// base + "/slack/events", "/slack/interactive" and "/slack/commands". What waits for a
// socket is sent there too. An empty base goes back to sockets.
func (wh *Webhooks) Deliver(base string) { wh.change(func() { wh.base = base }) }

// Forgery is what is wrong with a signed request.
type Forgery string

// The forgeries.
const (
	WrongSecret  Forgery = "wrong secret"  // signed with another secret
	NoSignature  Forgery = "no signature"  // without both headers
	ChangedBody  Forgery = "changed body"  // another body than the signed one
	OldTimestamp Forgery = "old timestamp" // correctly signed, 6 minutes ago
	Future       Forgery = "future"        // correctly signed, 6 minutes ahead
)

// Forge sends a forged message event of a post, which is not stored, and returns the status
// of the answer.
func (wh *Webhooks) Forge(flaw Forgery, post Post) int {
	wh.tb.Helper()
	r := &signed{}
	wh.read(func() {
		m := wh.workspace.written(post, wh.workspace.users[post.By])
		m.ts = wh.ts()
		c := wh.workspace.channels[post.Channel]
		r.to(wh.base+"/slack/events", callback(wh.id("Ev"), with(m.bare(), object{
			"channel": c.id, "channel_type": c.kind(), "event_ts": m.ts,
		})))
	})
	const beyond = 6 * time.Minute // 5 are allowed
	switch flaw {
	case WrongSecret:
		r.sign("another secret", time.Now())
	case OldTimestamp:
		r.sign(signingSecret, time.Now().Add(-beyond))
	case Future:
		r.sign(signingSecret, time.Now().Add(beyond))
	case ChangedBody:
		r.sign(signingSecret, time.Now())
		r.body = bytes.Replace(r.body, []byte(`"ts":"`), []byte(`"ts":"9`), 1)
	case NoSignature:
	}
	status, _ := wh.sendNow(r)
	return status
}

// Replay sends the latest signed request again, byte for byte, as an attacker might within
// the allowed 5 minutes, and returns the status of the answer.
func (wh *Webhooks) Replay() int {
	wh.tb.Helper()
	var r *signed
	wh.read(func() { r = wh.latest })
	status, _ := wh.sendNow(r)
	return status
}

// Challenge sends the url_verification with which Slack checks an address of events, and
// reports whether the answer is the challenge.
func (wh *Webhooks) Challenge() bool {
	wh.tb.Helper()
	r, word := &signed{}, "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
	wh.read(func() {
		r.to(wh.base+"/slack/events", encode(object{"token": "verification", "type": "url_verification", "challenge": word}))
	})
	r.sign(signingSecret, time.Now())
	status, answer := wh.sendNow(r)
	var plain string
	var wrapped struct {
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(answer, &plain) != nil && json.Unmarshal(answer, &wrapped) == nil {
		plain = wrapped.Challenge
	}
	return status == http.StatusOK && plain == word
}

// send sends d: the first attempts of a channel one after another, so that their order is
// known; all others at once.
func (wh *Webhooks) send(d *delivery) {
	if d.over {
		return
	}
	if d.eventID != "" && d.attempt == 0 {
		d.inLane = true
		wh.lanes[d.lane] = append(wh.lanes[d.lane], d)
		if len(wh.lanes[d.lane]) > 1 {
			return // it is sent after the first of the lane
		}
	}
	wh.errands <- d // run receives it, as the server is not closed
}

// run sends each delivery in its own goroutine until the server closes. It is called without the lock, like all
// methods below.
func (wh *Webhooks) run() {
	for {
		select {
		case d := <-wh.errands:
			wh.wg.Go(func() { wh.sendLane(d) })
		case <-wh.done:
			return
		}
	}
}

// sendLane sends d, and what waits behind it in its lane.
func (wh *Webhooks) sendLane(d *delivery) {
	for d != nil {
		wh.attempt(d)
		if !d.inLane {
			return
		}
		wh.mu.Lock()
		lane := wh.lanes[d.lane][1:]
		wh.lanes[d.lane] = lane
		if len(lane) == 0 {
			delete(wh.lanes, d.lane)
			d = nil
		} else {
			d = lane[0]
		}
		wh.mu.Unlock()
	}
}

// attempt sends d once.
func (wh *Webhooks) attempt(d *delivery) {
	ctx, cancel := context.WithTimeout(context.Background(), wh.o.AckWithin) // the bot ends after the test, and waits for events
	defer cancel()
	wh.mu.Lock()
	if wh.closed {
		wh.mu.Unlock()
		return
	}
	r := d.request(wh.base)
	wh.latest = r
	wh.mu.Unlock()
	header := http.Header{}
	if d.attempt > 0 {
		header.Set("X-Slack-Retry-Num", strconv.Itoa(d.attempt))
		header.Set("X-Slack-Retry-Reason", d.reason)
	}
	status, body, err := wh.do(ctx, r, header)
	wh.change(func() {
		switch {
		case wh.closed:
		case err == nil && status == http.StatusOK:
			wh.deliveries.take(d, body, status)
		case errors.Is(err, context.DeadlineExceeded):
			wh.deliveries.miss(d, "http_timeout", status)
		case err != nil:
			wh.deliveries.miss(d, "connection_failed", status)
		default:
			wh.deliveries.miss(d, "http_error", status)
		}
	})
}

// do sends a request to the bot and reads its answer, as JSON.
func (wh *Webhooks) do(ctx context.Context, r *signed, header http.Header) (status int, body json.RawMessage, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	finished := make(chan struct{})
	defer close(finished)
	wh.wg.Go(func() {
		select {
		case <-wh.done:
			cancel()
		case <-finished:
		}
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, fmt.Errorf("slacktest: sending an event: %w", err)
	}
	req.Header = header
	header.Set("Content-Type", r.contentType)
	header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	if r.signature != "" {
		header.Set("X-Slack-Request-Timestamp", r.timestamp)
		header.Set("X-Slack-Signature", r.signature)
	}
	resp, err := wh.client.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("slacktest: sending an event: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return 0, nil, err
	}
	if len(bytes.TrimSpace(text)) > 0 {
		body = text
		if !json.Valid(text) {
			body = encode(string(text))
		}
	}
	return resp.StatusCode, body, nil
}

// sendNow sends a request and returns its answer; status 0 if there was none.
func (wh *Webhooks) sendNow(r *signed) (int, json.RawMessage) {
	wh.tb.Helper()
	ctx, cancel := context.WithTimeout(wh.tb.Context(), time.Minute)
	defer cancel()
	status, body, err := wh.do(ctx, r, http.Header{})
	if err != nil {
		wh.misusef("nobody answers at %s: %v", r.address, err)
	}
	return status, body
}

// signed is a signed request.
type signed struct {
	address, contentType, timestamp, signature string
	body                                       []byte
}

const formType = "application/x-www-form-urlencoded"

// request is d, signed.
func (d *delivery) request(base string) *signed {
	r := &signed{}
	r.to(base+d.path, d.body)
	switch d.kind {
	case "interactive":
		r.contentType, r.body = formType, []byte(url.Values{"payload": {string(d.body)}}.Encode())
	case "slash_commands":
		var fields map[string]string
		if json.Unmarshal(d.body, &fields) == nil {
			form := url.Values{}
			for k, v := range fields {
				form.Set(k, v)
			}
			r.contentType, r.body = formType, []byte(form.Encode())
		}
	}
	r.sign(signingSecret, time.Now())
	return r
}

// to makes it a request with JSON.
func (r *signed) to(address string, body []byte) {
	r.address, r.contentType, r.body = address, "application/json", body
}

// sign signs the request as Slack does: version 0 over the time and the raw body.
// https://docs.slack.dev/authentication/verifying-requests-from-slack
func (r *signed) sign(secret string, at time.Time) {
	r.timestamp = strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + r.timestamp + ":"))
	mac.Write(r.body)
	r.signature = "v0=" + hex.EncodeToString(mac.Sum(nil))
}
