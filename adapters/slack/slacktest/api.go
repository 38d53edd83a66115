package slacktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters/slack/slacktest/blocks"
)

// API is the Web API: it checks tokens, scopes and rate limits, and calls the methods.
type API struct {
	*shared
	faults  *Faults
	methods map[string]method
	calls   map[string]int
	limited map[string]int
	buckets map[string]*bucket
}

// method is one method of the Web API.
type method struct {
	scope  func(url.Values) string // "" needs none
	perMin float64                 // Slack's rate limit, in calls per minute and workspace
	run    func(url.Values) (object, error)
}

// Slack's tiers, in calls per minute. https://docs.slack.dev/apis/web-api/rate-limits
const (
	tier2, tier3, tier4 = 20, 50, 100
	perSecond           = 60  // chat.postMessage, a channel
	special             = 600 // methods with a limit of their own
)

func newAPI(s *shared, w *Workspace, faults *Faults, interactions *Interactions, sockets *Sockets, e *events, files *fileMethods) *API {
	chat, read, reactions := &chatMethods{s, w, e}, &readMethods{s, w}, &reactionMethods{w, e}
	streams := &streamMethods{chat}
	fixed := func(scope string) func(url.Values) string { return func(url.Values) string { return scope } }
	none, write, react := fixed(""), fixed("chat:write"), fixed("reactions:write")
	historyOf := func(args url.Values) string {
		if c := w.channels[args.Get("channel")]; c != nil {
			return c.plural() + ":history"
		}
		return "channels:history"
	}
	return &API{
		shared: s, faults: faults, calls: map[string]int{}, limited: map[string]int{}, buckets: map[string]*bucket{},
		methods: map[string]method{
			"agents.sessions.setStatus":             {write, tier3, chat.setSession},
			"apps.connections.open":                 {none, tier2, func(url.Values) (object, error) { return object{"url": sockets.url()}, nil }},
			"assistant.threads.setStatus":           {write, special, chat.setStatus},
			"assistant.threads.setSuggestedPrompts": {fixed("assistant:write"), tier4, chat.suggest},
			"auth.test":                             {none, special, authTest},
			"chat.appendStream":                     {write, tier4, streams.add},
			"chat.delete":                           {write, tier3, chat.remove},
			"chat.postEphemeral":                    {write, tier4, chat.whisper},
			"chat.postMessage":                      {write, perSecond, chat.post},
			"chat.startStream":                      {write, tier2, streams.start},
			"chat.stopStream":                       {write, tier2, streams.stop},
			"chat.update":                           {write, tier3, chat.update},
			"conversations.history":                 {historyOf, tier3, read.history},
			"conversations.replies":                 {historyOf, tier3, read.replies},
			"files.completeUploadExternal":          {fixed("files:write"), tier4, files.completeUpload},
			"files.delete":                          {fixed("files:write"), tier3, files.remove},
			"files.getUploadURLExternal":            {fixed("files:write"), tier4, files.uploadURL},
			"files.info":                            {fixed("files:read"), tier4, files.info},
			"reactions.add":                         {react, tier3, reactions.add},
			"reactions.get":                         {fixed("reactions:read"), tier3, reactions.get},
			"reactions.remove":                      {react, tier2, reactions.remove},
			"users.info":                            {fixed("users:read"), tier4, read.user},
			"views.open":                            {none, tier4, interactions.openView},
			"views.publish":                         {none, tier4, interactions.publishView},
		},
	}
}

func authTest(url.Values) (object, error) {
	return object{
		"url": "https://" + teamDomain + ".slack.com/", "team": "Workshop", "user": "atelier", "team_id": teamID,
		"user_id": botUser, "bot_id": botID, "is_enterprise_install": false,
	}, nil
}

// Calls returns the number of calls of each method, including failed ones.
func (a *API) Calls() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.calls)
}

// Limited returns how many calls of a method were above the rate limit.
func (a *API) Limited(method string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limited[method]
}

// refusal is an error of a method.
type refusal struct {
	code string
	more object // in addition to ok and error
}

func (r *refusal) Error() string { return r.code }

func refuse(code string) error { return &refusal{code: code} }

// refuseArgument returns the error of a wrong argument.
func refuseArgument(message string) error {
	return &refusal{"invalid_arguments", object{"response_metadata": object{"messages": []string{"[ERROR] " + message}}}}
}

// invalid returns the error of wrong blocks.
func invalid(err error) error {
	wrong, ok := errors.AsType[*blocks.InvalidError](err)
	if !ok {
		return err
	}
	return &refusal{wrong.Code, object{"response_metadata": object{"messages": wrong.Messages}}}
}

// serve is called without the lock.
func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	args, token, err := a.arguments(r)
	failed, lose, ok := a.faults.befall(r, name)
	if !ok {
		return
	}
	var answer object
	a.change(func() {
		a.calls[name]++
		if failed != nil {
			return
		}
		w.Header().Set("X-Oauth-Scopes", a.granted())
		if err == nil {
			err = a.admit(name, token, args)
		}
		if err == nil {
			var wait time.Duration
			if wait, err = a.pace(name, args), nil; wait > 0 {
				a.limited[name]++
				above := limited(wait)
				failed = &above
				return
			}
			answer, err = a.methods[name].run(args)
		}
	})
	switch {
	case failed != nil:
		failed.write(w)
	case lose:
		panic(http.ErrAbortHandler) // the connection breaks before the answer
	default:
		writeAnswer(w, answer, err)
	}
}

func writeAnswer(w http.ResponseWriter, answer object, err error) {
	full := with(object{"ok": true}, answer)
	if err != nil {
		full = object{"ok": false, "error": err.Error()}
		if r, ok := errors.AsType[*refusal](err); ok {
			full = with(full, r.more)
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(encode(full)) //nolint:errcheck // the client has gone
}

// admit checks the token of a call and its scope.
func (a *API) admit(name, token string, args url.Values) error {
	m, ok := a.methods[name]
	switch {
	case !ok || slices.Contains(a.o.Lacks, name):
		return &refusal{"unknown_method", object{"req_method": name}}
	case token == "":
		return refuse("not_authed")
	case token != botToken && token != appToken:
		return refuse("invalid_auth")
	case a.revoked != "":
		return refuse(a.revoked)
	case (token == appToken) != (name == "apps.connections.open"):
		return refuse("not_allowed_token_type")
	}
	if scope := m.scope(args); scope != "" && !a.scopes[scope] {
		return &refusal{"missing_scope", object{"needed": scope, "provided": a.granted()}}
	}
	return nil
}

// granted returns the value of X-OAuth-Scopes.
func (a *API) granted() string { return strings.Join(slices.Sorted(maps.Keys(a.scopes)), ",") }

// bucket is a token bucket.
type bucket struct {
	left float64
	at   time.Time
}

// pace takes a call out of its method's bucket, and returns how long to wait if it is empty.
func (a *API) pace(name string, args url.Values) time.Duration {
	perMin, tiers := a.methods[name].perMin, a.o.Tiers
	if a.o.Narrow && (name == "conversations.history" || name == "conversations.replies") {
		perMin, tiers = 1, max(tiers, 1)
	}
	if tiers <= 0 {
		return 0
	}
	if name == "chat.postMessage" {
		name += " " + args.Get("channel")
	}
	rate := perMin * tiers / 60
	burst := max(1, perMin/10) // Slack tolerates bursts of an unknown size
	now := time.Now()
	b := a.buckets[name]
	if b == nil {
		b = &bucket{left: burst, at: now}
		a.buckets[name] = b
	}
	b.left = min(burst, b.left+now.Sub(b.at).Seconds()*rate)
	b.at = now
	if b.left < 1 {
		return max(time.Millisecond, time.Duration((1-b.left)/rate*float64(time.Second)))
	}
	b.left--
	return 0
}

// arguments returns the arguments in the query, a form or a JSON object, whose values other than strings stay
// JSON; and the token, which may be in the header.
func (a *API) arguments(r *http.Request) (args url.Values, token string, err error) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind == "application/json" {
		args, err = jsonArguments(r)
	} else {
		if r.ParseForm() != nil {
			err = refuse("invalid_form_data")
		}
		args = r.Form
	}
	if err != nil {
		return nil, "", err
	}
	if !a.o.Foreign {
		token = args.Get("token")
	}
	args.Del("token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = bearer
	}
	return args, token, nil
}

func jsonArguments(r *http.Request) (url.Values, error) {
	args := r.URL.Query()
	var fields map[string]json.RawMessage
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil || len(body) > 0 && json.Unmarshal(body, &fields) != nil {
		return nil, refuse("invalid_json")
	}
	for key, value := range fields {
		var text string
		if json.Unmarshal(value, &text) != nil {
			var compact bytes.Buffer
			if json.Compact(&compact, value) == nil {
				text = compact.String()
			}
		}
		args.Set(key, text)
	}
	return args, nil
}

// yes parses a boolean as Slack does.
func yes(args url.Values, key string) bool {
	on, err := strconv.ParseBool(args.Get(key))
	return err == nil && on
}

// Faults make calls of the Web API fail. The uploads and downloads of bytes are the methods
// "upload" and "download".
type Faults struct {
	*shared
	coming []*fault
	stalls []*stall
}

// Failure is how a call fails.
type Failure struct {
	// Status is the HTTP status; 0 is 200 for an Error and 500 otherwise.
	Status int
	// Error is the code in {"ok":false,"error":…}; "" answers with an HTML page.
	Error string
	// Messages are what Slack adds to an Error.
	Messages []string

	retryAfter time.Duration
}

// fault fails the next calls of one method, or of any.
type fault struct {
	method  string
	left    int
	lose    bool
	failure Failure
}

// stall holds the calls of one method, or of any.
type stall struct {
	method         string
	stalled, ended chan struct{}
}

// RateLimit makes the next n calls of method fail with 429 and Retry-After of retryAfter,
// rounded up to seconds. method may be "" for any.
func (f *Faults) RateLimit(method string, n int, retryAfter time.Duration) {
	f.add(fault{method: method, left: n, failure: limited(retryAfter)})
}

// FailNext makes the next n calls of method ("" for any) fail; nothing is done.
func (f *Faults) FailNext(method string, n int, failure Failure) {
	if failure.Status == 0 {
		failure.Status = http.StatusInternalServerError
		if failure.Error != "" {
			failure.Status = http.StatusOK
		}
	}
	f.add(fault{method: method, left: n, failure: failure})
}

// LoseAnswers does what the next n calls of method ("" for any) ask, and breaks their
// connection before the answer.
func (f *Faults) LoseAnswers(method string, n int) {
	f.add(fault{method: method, left: n, lose: true})
}

// Stall holds calls of method ("" for any) until release is called or the server closes.
// Then they go on. The channel receives a value when calls are held.
func (f *Faults) Stall(method string) (stalled <-chan struct{}, release func()) {
	st := &stall{method: method, stalled: make(chan struct{}, 1), ended: make(chan struct{})}
	f.change(func() { f.stalls = append(f.stalls, st) })
	return st.stalled, func() {
		f.change(func() {
			if i := slices.Index(f.stalls, st); i >= 0 {
				f.stalls = slices.Delete(f.stalls, i, i+1)
				close(st.ended)
			}
		})
	}
}

// Coming reports whether faults are still to come.
func (f *Faults) Coming() (coming bool) {
	f.read(func() { coming = len(f.coming) > 0 })
	return coming
}

// add is called without the lock.
func (f *Faults) add(one fault) {
	f.change(func() {
		if one.left > 0 {
			f.coming = append(f.coming, &one)
		}
	})
}

// befall takes the next fault of a method, and waits while it is stalled. ok is false if the
// client or the server ended meanwhile. It is called without the lock.
func (f *Faults) befall(r *http.Request, method string) (failed *Failure, lose, ok bool) {
	var on *stall
	f.read(func() {
		for _, s := range f.stalls {
			if s.method == "" || s.method == method {
				on = s
			}
		}
		failed, lose = f.take(method)
	})
	if on != nil {
		select {
		case on.stalled <- struct{}{}:
		default:
		}
		select {
		case <-on.ended:
		case <-r.Context().Done():
			return nil, false, false
		case <-f.done:
			return nil, false, false
		}
	}
	return failed, lose, true
}

func (f *Faults) take(method string) (failed *Failure, lose bool) {
	for i, one := range f.coming {
		if one.method != "" && one.method != method {
			continue
		}
		if one.left--; one.left == 0 {
			f.coming = slices.Delete(f.coming, i, i+1)
		}
		if one.lose {
			return nil, true
		}
		return &one.failure, false
	}
	return nil, false
}

// limited returns the answer to a call above the rate limit.
func limited(retryAfter time.Duration) Failure {
	return Failure{Status: http.StatusTooManyRequests, Error: "ratelimited", retryAfter: retryAfter}
}

// write answers with the failure.
func (f *Failure) write(w http.ResponseWriter) {
	if f.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	if f.Error == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><title>Slack</title><h1>Something went wrong.</h1></html>") //nolint:errcheck // the client has gone
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(f.Status)
	answer := object{"ok": false, "error": f.Error}
	if len(f.Messages) > 0 {
		answer["response_metadata"] = object{"messages": f.Messages}
	}
	_, _ = w.Write(encode(answer)) //nolint:errcheck // the client has gone
}
