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

// signed is a request as it went out.
type signed struct {
	address, contentType, timestamp, signature string
	body                                       []byte
}

// sign signs a body as Slack does: version 0 over the time and the raw body.
// https://docs.slack.dev/authentication/verifying-requests-from-slack
func sign(secret string, at time.Time, body []byte) (timestamp, signature string) {
	timestamp = strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + timestamp + ":"))
	mac.Write(body)
	return timestamp, "v0=" + hex.EncodeToString(mac.Sum(nil))
}

func (s *Server) deliverTo(base string) { s.change(func() { s.base = base }) }

// post sends d by HTTP: the first attempts of a channel one after another, so that their
// order is known; all else at once.
func (s *Server) post(d *delivery) {
	if d.over {
		return
	}
	if d.eventID != "" && d.attempt == 0 {
		d.inLane = true
		s.lanes[d.lane] = append(s.lanes[d.lane], d)
		if len(s.lanes[d.lane]) > 1 {
			return // the one that carries the first goes on with it
		}
	}
	s.errands <- d // there is somebody, as the server is not closed
}

// runErrands sends each delivery of post on a goroutine of its own until the server closes.
func (s *Server) runErrands() {
	for {
		select {
		case d := <-s.errands:
			s.wg.Go(func() { s.carryAll(d) })
		case <-s.done:
			return
		}
	}
}

// carryAll sends d, and what waits behind it in its lane.
func (s *Server) carryAll(d *delivery) {
	for d != nil {
		s.carry(d)
		if !d.inLane {
			return
		}
		s.mu.Lock()
		lane := s.lanes[d.lane][1:]
		s.lanes[d.lane] = lane
		if len(lane) == 0 {
			delete(s.lanes, d.lane)
			d = nil
		} else {
			d = lane[0]
		}
		s.mu.Unlock()
	}
}

// carry is one attempt by HTTP. It is called without the lock.
func (s *Server) carry(d *delivery) {
	ctx, cancel := context.WithTimeout(s.tb.Context(), s.o.AckWithin)
	defer cancel()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	d.sent = time.Now()
	r := s.request(d)
	s.lastHTTP = r
	s.mu.Unlock()
	header := http.Header{}
	if d.attempt > 0 {
		header.Set("X-Slack-Retry-Num", strconv.Itoa(d.attempt))
		header.Set("X-Slack-Retry-Reason", d.reason)
	}
	status, body, noRetry, err := s.knock(ctx, r, header)
	s.change(func() {
		if s.closed {
			return
		}
		reason := "http_error"
		switch {
		case err == nil && status == http.StatusOK:
			s.take(d, body, status)
			return
		case errors.Is(err, context.DeadlineExceeded):
			reason = "http_timeout"
		case err != nil:
			reason = "connection_failed"
		}
		if noRetry {
			d.misses = len(s.o.Retries)
		}
		s.miss(d, reason, status)
	})
}

// request is d, signed.
func (s *Server) request(d *delivery) *signed {
	r := &signed{address: s.base + d.path, contentType: "application/json", body: d.body}
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
	r.timestamp, r.signature = sign(signingSecret, s.o.Now(), r.body)
	return r
}

const formType = "application/x-www-form-urlencoded"

// knock sends a request to the bot and reads its answer, of which JSON is kept.
func (s *Server) knock(ctx context.Context, r *signed, header http.Header) (status int, body json.RawMessage, noRetry bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	finished := make(chan struct{})
	defer close(finished)
	s.wg.Go(func() {
		select {
		case <-s.done:
			cancel()
		case <-finished:
		}
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, false, fmt.Errorf("slacktest: asking: %w", err)
	}
	header = header.Clone()
	header.Set("Content-Type", r.contentType)
	header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	if r.signature != "" {
		header.Set("X-Slack-Request-Timestamp", r.timestamp)
		header.Set("X-Slack-Signature", r.signature)
	}
	req.Header = header
	resp, err := s.poster.Do(req)
	if err != nil {
		return 0, nil, false, fmt.Errorf("slacktest: asking: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return 0, nil, false, err
	}
	if len(bytes.TrimSpace(text)) > 0 {
		body = text
		if !json.Valid(text) {
			body = encode(string(text))
		}
	}
	return resp.StatusCode, body, resp.Header.Get("X-Slack-No-Retry") == "1", nil
}

// knockNow sends a request and tells the status; 0 where nobody answered.
func (s *Server) knockNow(r *signed) (int, json.RawMessage) {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(s.tb.Context(), time.Minute)
	defer cancel()
	status, body, _, err := s.knock(ctx, r, http.Header{})
	if err != nil {
		s.misusef("nobody answers at %s: %v", r.address, err)
	}
	return status, body
}

func (s *Server) forge(flaw Forgery, p Post) int {
	s.tb.Helper()
	s.mu.Lock()
	c, u := s.channels[p.Channel], s.users[p.By]
	if c == nil || u == nil {
		s.mu.Unlock()
		s.misusef("channel %q or person %q is not there", p.Channel, p.By)
		return 0
	}
	m := s.written(p, u)
	m.ts = s.ts()
	eventID := s.id("Ev")
	r := &signed{address: s.base + "/slack/events", contentType: "application/json", body: s.callback(eventID, with(s.bare(c, m), object{
		"channel": c.id, "channel_type": string(c.kind), "event_ts": m.ts,
	}))}
	secret, at := signingSecret, s.o.Now()
	s.mu.Unlock()
	const beyond = 6 * time.Minute // the window is 5
	switch flaw {
	case WrongSecret:
		secret = "another secret"
	case OldTimestamp:
		at = at.Add(-beyond)
	case Future:
		at = at.Add(beyond)
	case NoSignature, ChangedBody:
	}
	r.timestamp, r.signature = sign(secret, at, r.body)
	switch flaw {
	case NoSignature:
		r.signature = ""
	case ChangedBody:
		r.body = bytes.Replace(r.body, []byte(`"ts":"`), []byte(`"ts":"9`), 1)
	case WrongSecret, OldTimestamp, Future:
	}
	status, _ := s.knockNow(r)
	return status
}

func (s *Server) replay() int {
	s.tb.Helper()
	s.mu.Lock()
	r := s.lastHTTP
	s.mu.Unlock()
	if r == nil {
		return 0
	}
	status, _ := s.knockNow(r)
	return status
}

func (s *Server) challenge() bool {
	s.tb.Helper()
	s.mu.Lock()
	word := s.id("challenge")
	body := encode(object{"token": "verification", "type": "url_verification", "challenge": word})
	r := &signed{address: s.base + "/slack/events", contentType: "application/json", body: body}
	r.timestamp, r.signature = sign(signingSecret, s.o.Now(), body)
	s.mu.Unlock()
	status, answer := s.knockNow(r)
	var plain string
	var wrapped struct {
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(answer, &plain) != nil && json.Unmarshal(answer, &wrapped) == nil {
		plain = wrapped.Challenge
	}
	return status == http.StatusOK && plain == word
}
