package slacktest

import "time"

// Failure is how a call fails.
type Failure struct {
	// Status is the HTTP status; 0 is 200 for an Error and 500 otherwise.
	Status int
	// Error is the code in {"ok":false,"error":…}; "" answers with an HTML page.
	Error string
	// Messages are what Slack says besides of an Error.
	Messages []string
}

// RateLimit lets the next n calls of method fail with 429 and Retry-After of retryAfter,
// rounded up to seconds. method may be "" for any.
func (s *Server) RateLimit(method string, n int, retryAfter time.Duration) {
	s.addFault(method, fault{left: n, limit: true, after: retryAfter})
}

// FailNext lets the next n calls of method ("" for any) fail; nothing is done.
func (s *Server) FailNext(method string, n int, f Failure) {
	s.addFault(method, fault{left: n, failure: f})
}

// LoseAnswers does what the next n calls of method ("" for any) ask, and breaks their
// connection before the answer.
func (s *Server) LoseAnswers(method string, n int) {
	s.addFault(method, fault{left: n, lose: true})
}

// Stall lets calls of method ("" for any) wait unanswered until release is called or the
// server closes. Then they go on.
func (s *Server) Stall(method string) (release func()) { return s.stall(method) }

// Refuse lets sockets be refused (apps.connections.open fails with internal_error) until
// it is called with false.
func (s *Server) Refuse(refused bool) { s.change(func() { s.refused = refused }) }

// The reasons of a disconnect message.
const (
	Warning          = "warning"           // the socket closes in about 10 s
	RefreshRequested = "refresh_requested" // it closes: open another
	LinkDisabled     = "link_disabled"     // Socket Mode was turned off
)

// Disconnect sends every socket a disconnect message with the reason and closes it,
// after a warning in a moment; with reason "" it breaks the connections with no word.
// What was not acknowledged is sent again on the next socket.
func (s *Server) Disconnect(reason string) { s.disconnect(reason) }

// Forgery is what is wrong with a signed request.
type Forgery string

// The forgeries.
const (
	WrongSecret  Forgery = "wrong secret"  // signed with another secret
	NoSignature  Forgery = "no signature"  // without both headers
	ChangedBody  Forgery = "changed body"  // another body than the one that was signed
	OldTimestamp Forgery = "old timestamp" // rightly signed, 6 minutes ago
	Future       Forgery = "future"        // rightly signed, 6 minutes ahead
)

// Forge sends the message event of p, which is not stored, by HTTP with a flaw; the
// status of the answer.
func (s *Server) Forge(flaw Forgery, p Post) int { return s.forge(flaw, p) }

// Replay sends the latest signed request once more, byte for byte: an attacker's replay
// within the window; the status of the answer. 0 where there was none.
func (s *Server) Replay() int { return s.replay() }

// Challenge sends the url_verification with which Slack checks an address of events, and
// tells whether the answer is the challenge.
func (s *Server) Challenge() bool { return s.challenge() }
