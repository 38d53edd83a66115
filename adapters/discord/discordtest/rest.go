package discordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// REST is the REST interface: it checks the token, and dispatches calls.
type REST struct {
	*shared
	faults *Faults
	calls  map[Route]int
}

// Route is a method and path of the REST interface.
type Route string

// The routes.
const (
	GetGateway     Route = "GET /gateway"
	GetGatewayBot  Route = "GET /gateway/bot"
	Me             Route = "GET /users/@me"
	GetUser        Route = "GET /users/{user}"
	OAuth          Route = "GET /oauth2/applications/@me"
	GetMember      Route = "GET /guilds/{guild}/members/{user}"
	GetChannel     Route = "GET /channels/{channel}"
	EditChannel    Route = "PATCH /channels/{channel}"
	PostMessage    Route = "POST /channels/{channel}/messages"
	EditMessage    Route = "PATCH /channels/{channel}/messages/{message}"
	DeleteMessage  Route = "DELETE /channels/{channel}/messages/{message}"
	GetMessage     Route = "GET /channels/{channel}/messages/{message}"
	GetMessages    Route = "GET /channels/{channel}/messages"
	PutReaction    Route = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	DeleteReaction Route = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	StartThread    Route = "POST /channels/{channel}/messages/{message}/threads"
	ShowTyping     Route = "POST /channels/{channel}/typing"
	GetCommands    Route = "GET /applications/{application}/commands"
	PutCommands    Route = "PUT /applications/{application}/commands"
	Callback       Route = "POST /interactions/{interaction}/{token}/callback"
	FollowUp       Route = "POST /webhooks/{application}/{token}"
	GetResponse    Route = "GET /webhooks/{application}/{token}/messages/{message}"
	EditResponse   Route = "PATCH /webhooks/{application}/{token}/messages/{message}"
	DeleteResponse Route = "DELETE /webhooks/{application}/{token}/messages/{message}"
	noSuchRoute    Route = "none"
)

// maxRequest is the most bytes of a request.
const maxRequest = 25 << 20

// handler does a call, and returns the status and body of the answer.
type handler func(*request) (int, any, *refusal)

// request is a call with its body.
type request struct {
	*http.Request
	route Route
	json  []byte
	files map[string]File // by the field
}

// decode reads the JSON of a call.
func (r *request) decode(into any) *refusal {
	if len(r.json) == 0 {
		return nil
	}
	err := json.Unmarshal(r.json, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return badForm(or(wrong.Field, "body"), "MODEL_TYPE_CONVERT", "Could not interpret "+wrong.Value+".")
	case err != nil:
		return badJSON
	}
	return nil
}

// rawFileName returns a part's file name with its folders.
func rawFileName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return params["filename"]
}

// answer is the answer to a call.
type answer struct {
	status  int
	header  map[string]string
	encoded []byte
	page    bool // of HTML
}

func refuse(no *refusal) *answer {
	body := object{"message": no.message, "code": no.code}
	if no.fields != nil {
		body["errors"] = no.fields
	}
	return &answer{status: no.status, encoded: encode(body)}
}

func (a *answer) write(w http.ResponseWriter) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	switch {
	case a.page:
		w.Header().Set("Content-Type", "text/html")
	case a.encoded != nil:
		w.Header().Set("Content-Type", "application/json")
	}
	if a.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.encoded)))
	}
	w.WriteHeader(a.status)
	write(w, a.encoded)
}

// Calls counts the calls of these routes (of all if none is given), whatever was answered.
func (re *REST) Calls(on ...Route) (n int) {
	re.mu.Lock()
	defer re.mu.Unlock()
	for route, calls := range re.calls {
		if len(on) == 0 || slices.Contains(on, route) {
			n += calls
		}
	}
	return n
}

// handler serves all routes.
func (re *REST) handler(account *accountCalls, in *channelCalls, interactions *interactionCalls) http.Handler {
	mux := http.NewServeMux()
	for route, handle := range map[Route]handler{
		GetGateway:     account.getGatewayURL,
		GetGatewayBot:  account.getGateway,
		Me:             account.getMe,
		GetUser:        account.getUser,
		OAuth:          account.getApplication,
		GetMember:      account.getMember,
		GetChannel:     in.getChannel,
		EditChannel:    in.patchThread,
		PostMessage:    in.postMessage,
		EditMessage:    in.patchMessage,
		DeleteMessage:  in.deleteMessage,
		GetMessage:     in.getMessage,
		GetMessages:    in.getMessages,
		PutReaction:    in.putReaction,
		DeleteReaction: in.deleteReaction,
		StartThread:    in.postThread,
		ShowTyping:     in.postTyping,
		GetCommands:    interactions.getCommands,
		PutCommands:    interactions.putCommands,
		Callback:       interactions.postCallback,
		FollowUp:       interactions.postFollowUp,
		GetResponse:    interactions.getResponse,
		EditResponse:   interactions.patchResponse,
		DeleteResponse: interactions.deleteResponse,
	} {
		method, path, _ := strings.Cut(string(route), " ")
		mux.Handle(method+" "+apiPath+path, re.serve(route, handle))
	}
	mux.Handle("/", re.serve(noSuchRoute, func(*request) (int, any, *refusal) { return 0, nil, notFound }))
	return mux
}

// serve answers the calls of a route.
func (re *REST) serve(route Route, handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		call := &request{Request: r, route: route}
		tooMuch, ok := re.receive(call)
		if !ok {
			return // the client has gone
		}
		if re.faults.stalled(r) {
			panic(http.ErrAbortHandler) // the connection ends with the server or the caller
		}
		var a *answer
		var lost bool
		re.do(func() {
			re.calls[route]++
			if a = re.faults.take(route); a == nil {
				a = re.answer(call, handle, tooMuch)
				lost = a.status < http.StatusMultipleChoices && re.faults.loses(route)
			}
		})
		if lost {
			panic(http.ErrAbortHandler) // the way to break a connection off
		}
		a.write(w)
	}
}

// answer does a call, if it is allowed.
func (re *REST) answer(call *request, handle handler, tooMuch bool) *answer {
	switch {
	case !re.authorized(call):
		return refuse(unauthorized)
	case tooMuch:
		return refuse(tooLarge)
	}
	status, body, no := handle(call)
	if no != nil {
		return refuse(no)
	}
	a := &answer{status: status}
	if body != nil {
		a.encoded = encode(body) // now, since messages may change
	}
	return a
}

// authorized reports whether a call has a valid token, or needs none.
func (re *REST) authorized(call *request) bool {
	path := strings.TrimPrefix(call.URL.Path, apiPath)
	if path == "/gateway" || strings.HasPrefix(path, "/interactions/") || strings.HasPrefix(path, "/webhooks/") {
		return true
	}
	token, ok := strings.CutPrefix(call.Header.Get("Authorization"), "Bot ")
	return ok && token == re.token && !re.revoked
}

// receive reads the body of a call, and reports whether it is too large and whether it could
// be read.
func (re *REST) receive(call *request) (tooMuch, ok bool) {
	data, err := io.ReadAll(io.LimitReader(call.Body, maxRequest+1))
	if err != nil {
		return false, false
	}
	if int64(len(data)) > maxRequest {
		_, err = io.Copy(io.Discard, call.Body)
		return true, err == nil
	}
	kind, params, err := mime.ParseMediaType(call.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		call.json = data
		return false, true
	}
	call.files = map[string]File{}
	form := multipart.NewReader(bytes.NewReader(data), params["boundary"])
	for {
		part, err := form.NextPart()
		if err != nil {
			return false, errors.Is(err, io.EOF)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return false, false
		}
		if part.FormName() == "payload_json" {
			call.json = content
			continue
		}
		call.files[part.FormName()] = File{Name: rawFileName(part), Type: part.Header.Get("Content-Type"), Content: content}
	}
}

// accountCalls read the bot, its application, the gateway and users.
type accountCalls struct {
	*renderer
	gateway *Gateway
}

// appContentLimited is the flag of an application in fewer than 100 guilds that may read what people write.
const appContentLimited = 1 << 19

func (ac *accountCalls) getGateway(*request) (int, any, *refusal) {
	const most = 1000 // sessions that may be started per day
	return http.StatusOK, object{
		"url": ac.gatewayURL(), "shards": 1,
		"session_start_limit": object{"total": most, "remaining": most - ac.gateway.identified, "reset_after": 86_400_000, "max_concurrency": 1},
	}, nil
}

func (ac *accountCalls) getApplication(*request) (int, any, *refusal) {
	kinds := object{"0": object{}, "1": object{}}
	if ac.options.ServersOnly {
		delete(kinds, "1")
	}
	return http.StatusOK, object{
		"id": ac.app, "integration_types_config": kinds, "name": ac.bot.Name, "icon": nil, "description": "", "summary": "", "bot_public": true,
		"bot_require_code_grant": false, "verify_key": "", "flags": ac.appFlags(), "team": nil, "bot": ac.bot.json(),
		"approximate_guild_count": len(ac.guilds),
	}, nil
}

func (ac *accountCalls) getUser(r *request) (int, any, *refusal) {
	u, known := ac.users[r.PathValue("user")]
	if !known {
		return 0, nil, unknownUser
	}
	return http.StatusOK, u.json(), nil
}

func (ac *accountCalls) getMember(r *request) (int, any, *refusal) {
	g := ac.guilds[r.PathValue("guild")]
	u, known := ac.users[r.PathValue("user")]
	switch {
	case g == nil:
		return 0, nil, unknownGuild
	case !known:
		return 0, nil, unknownMember
	}
	return http.StatusOK, ac.memberJSON(g, u, true), nil
}

func (ac *accountCalls) getGatewayURL(*request) (int, any, *refusal) {
	return http.StatusOK, object{"url": ac.gatewayURL()}, nil
}

func (ac *accountCalls) getMe(*request) (int, any, *refusal) {
	return http.StatusOK, ac.bot.json(), nil
}

// Faults make calls of the REST interface fail.
type Faults struct {
	*shared
	next   []*trouble
	losing []*trouble
	stall  chan struct{}
}

// trouble fails the next calls of some routes.
type trouble struct {
	left   int
	on     []Route // nil is all
	answer *answer
}

func (t *trouble) hits(route Route) bool {
	return t.left > 0 && (len(t.on) == 0 || slices.Contains(t.on, route))
}

// next returns the first trouble of a route, which it counts; nil for none.
func next(all *[]*trouble, route Route) *trouble {
	i := slices.IndexFunc(*all, func(t *trouble) bool { return t.hits(route) })
	if i < 0 {
		return nil
	}
	t := (*all)[i]
	if t.left--; t.left == 0 {
		*all = slices.Delete(*all, i, i+1)
	}
	return t
}

func limited(retryAfter time.Duration, global bool) *answer {
	seconds := retryAfter.Seconds()
	a := &answer{
		status: http.StatusTooManyRequests,
		header: map[string]string{
			"Retry-After": strconv.Itoa(int(max(1, seconds+0.999))), "X-RateLimit-Scope": "user", "Via": "1.1 google",
			"X-RateLimit-Reset-After": strconv.FormatFloat(seconds, 'f', 3, 64), "X-RateLimit-Remaining": "0",
		},
		encoded: encode(object{"message": "You are being rate limited.", "retry_after": seconds, "global": global, "code": 0}),
	}
	if global {
		a.header["X-RateLimit-Global"], a.header["X-RateLimit-Scope"] = "true", "global"
	}
	return a
}

// RateLimit refuses the next n calls of these routes (of all if none is given) with 429.
func (f *Faults) RateLimit(n int, retryAfter time.Duration, global bool, on ...Route) {
	f.trouble(n, on, limited(retryAfter, global))
}

// FailNext answers the next n calls with a status, and does nothing.
func (f *Faults) FailNext(n, status int, on ...Route) {
	if status >= http.StatusInternalServerError && status != http.StatusInternalServerError {
		f.trouble(n, on, &answer{status: status, page: true, encoded: []byte(page)})
		return
	}
	message := strconv.Itoa(status) + ": " + http.StatusText(status)
	f.trouble(n, on, refuse(&refusal{status: status, message: message}))
}

// RefuseForm answers the next n calls with 400 and 50035: a field of the form is wrong.
func (f *Faults) RefuseForm(n int, field, code string, on ...Route) {
	f.trouble(n, on, refuse(badForm(field, code, "That is not as it should be.")))
}

// RefuseNext answers the next n calls with a status and one of Discord's JSON error codes.
func (f *Faults) RefuseNext(n, status, code int, on ...Route) {
	f.trouble(n, on, refuse(&refusal{status: status, code: code, message: "That is refused."}))
}

// LoseAnswers executes the next n calls of these routes (of [PostMessage] if none is given), but breaks the
// connection before responding. Rejected calls do not count.
func (f *Faults) LoseAnswers(n int, on ...Route) {
	if len(on) == 0 {
		on = []Route{PostMessage}
	}
	f.do(func() { f.losing = append(f.losing, &trouble{left: n, on: on}) })
}

// Stall blocks all calls until the server shuts down. The channel receives a value for each blocked call.
func (f *Faults) Stall() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stall == nil {
		f.stall = make(chan struct{}, 1024)
	}
	return f.stall
}

func (f *Faults) take(route Route) *answer {
	if t := next(&f.next, route); t != nil {
		return t.answer
	}
	return nil
}

func (f *Faults) loses(route Route) bool { return next(&f.losing, route) != nil }

func (f *Faults) trouble(n int, on []Route, a *answer) {
	f.do(func() { f.next = append(f.next, &trouble{left: n, on: on, answer: a}) })
}

// stalled waits for the end while calls are held, and reports whether they are.
func (f *Faults) stalled(r *http.Request) bool {
	f.mu.Lock()
	stall := f.stall
	f.mu.Unlock()
	if stall == nil {
		return false
	}
	select {
	case stall <- struct{}{}:
	default:
	}
	select {
	case <-f.done:
	case <-r.Context().Done():
	}
	return true
}
