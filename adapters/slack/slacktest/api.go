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
)

// method is one method of the Web API.
type method struct {
	scopes func(*Server, url.Values) []string // any of them will do; nil needs none
	app    bool                               // takes the app's token, and only that
	perMin float64                            // Slack's rate limit, calls a minute and workspace
	run    func(*Server, url.Values) (object, error)
}

// refusal is an error of a method.
type refusal struct {
	code string
	more object // beside ok and error
}

func (r *refusal) Error() string { return r.code }

// refuse is the error of that code.
func refuse(code string, messages ...string) error {
	r := &refusal{code: code}
	if len(messages) > 0 {
		r.more = object{"response_metadata": object{"messages": messages}}
	}
	return r
}

// needs is one fixed scope.
func needs(scopes ...string) func(*Server, url.Values) []string {
	return func(*Server, url.Values) []string { return scopes }
}

// needsOf is a scope by the kind of the channel, such as im:history.
func needsOf(word string) func(*Server, url.Values) []string {
	return func(s *Server, args url.Values) []string {
		kind := kindChannel
		if c := s.channels[args.Get("channel")]; c != nil {
			kind = c.kind
		}
		return []string{kind.plural() + ":" + word}
	}
}

// Slack's tiers, calls a minute. https://docs.slack.dev/apis/web-api/rate-limits
const (
	tier1, tier2, tier3, tier4 = 1, 20, 50, 100
	perSecond                  = 60 // chat.postMessage, a channel
)

// methodOf is the method of that name.
func methodOf(name string) (method, bool) {
	methods := map[string]method{
		"api.test":                     {perMin: tier4, run: func(*Server, url.Values) (object, error) { return object{}, nil }},
		"auth.test":                    {perMin: 600, run: (*Server).authTest},
		"apps.connections.open":        {perMin: tier2, app: true, run: (*Server).openConnection},
		"assistant.threads.setStatus":  {needs("assistant:write", "chat:write"), false, 600, (*Server).setStatus},
		"bots.info":                    {needs("users:read"), false, tier3, (*Server).botInfo},
		"chat.delete":                  {needs("chat:write"), false, tier3, (*Server).deleteMessage},
		"chat.postEphemeral":           {needs("chat:write"), false, tier4, (*Server).postEphemeral},
		"chat.postMessage":             {needs("chat:write"), false, perSecond, (*Server).postMessage},
		"chat.update":                  {needs("chat:write"), false, tier3, (*Server).updateMessage},
		"conversations.history":        {needsOf("history"), false, tier3, (*Server).history},
		"conversations.info":           {needsOf("read"), false, tier3, (*Server).channelInfo},
		"conversations.join":           {needs("channels:join"), false, tier3, (*Server).join},
		"conversations.list":           {needs("channels:read", "groups:read", "im:read", "mpim:read"), false, tier2, (*Server).channelList},
		"conversations.members":        {needsOf("read"), false, tier4, (*Server).memberList},
		"conversations.open":           {needs("im:write", "mpim:write"), false, tier3, (*Server).openConversation},
		"conversations.replies":        {needsOf("history"), false, tier3, (*Server).threadReplies},
		"files.completeUploadExternal": {needs("files:write"), false, tier4, (*Server).completeUpload},
		"files.delete":                 {needs("files:write"), false, tier3, (*Server).deleteFile},
		"files.getUploadURLExternal":   {needs("files:write"), false, tier4, (*Server).uploadURL},
		"files.info":                   {needs("files:read"), false, tier4, (*Server).fileInfo},
		"reactions.add":                {needs("reactions:write"), false, tier3, (*Server).addReaction},
		"reactions.get":                {needs("reactions:read"), false, tier3, (*Server).getReactions},
		"reactions.remove":             {needs("reactions:write"), false, tier2, (*Server).removeReaction},
		"team.info":                    {needs("team:read"), false, tier3, (*Server).teamInfo},
		"users.info":                   {needs("users:read"), false, tier4, (*Server).userInfo},
		"users.list":                   {needs("users:read"), false, tier2, (*Server).userList},
		"views.open":                   {perMin: tier4, run: (*Server).openView},
	}
	m, ok := methods[name]
	return m, ok
}

func (s *Server) serveMethod(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	args, token, err := s.arguments(r)
	call := Call{Method: name, Args: args, Status: http.StatusOK, At: time.Now()}
	s.mu.Lock()
	hit := s.hit(name)
	s.mu.Unlock()
	if hit.stall != nil {
		select {
		case <-hit.stall:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
	if hit.failed != nil {
		s.change(func() {
			call.Status, call.Error = hit.failed.Status, hit.failed.Error
			s.count(call)
		})
		hit.failed.write(w, hit.after)
		return
	}
	var answer object
	var wait time.Duration
	s.change(func() {
		s.headers(w, name)
		if err == nil {
			wait, err = s.admitCall(name, token, args)
		}
		if err == nil {
			m, _ := methodOf(name)
			answer, err = m.run(s, args)
		}
		call.Error, call.Status = code(err), http.StatusOK
		if wait > 0 {
			call.Error, call.Status = "ratelimited", http.StatusTooManyRequests
		}
		s.count(call)
	})
	switch {
	case wait > 0:
		(&Failure{Status: http.StatusTooManyRequests, Error: "ratelimited"}).write(w, wait)
	case hit.lose:
		panic(http.ErrAbortHandler) // the connection breaks before the answer
	default:
		writeAnswer(w, answer, err)
	}
}

// code is an error's word for the client; "" for none.
func code(err error) string {
	if err == nil {
		return ""
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.code
	}
	return "internal_error"
}

func writeAnswer(w http.ResponseWriter, answer object, err error) {
	full := object{"ok": err == nil}
	maps.Copy(full, answer)
	if err != nil {
		full = object{"ok": false, "error": code(err)}
		if r, ok := errors.AsType[*refusal](err); ok {
			full = with(full, r.more)
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(encode(full)) //nolint:errcheck // the client has gone
}

// admitCall says whether a call with that token may be done, and after which time.
func (s *Server) admitCall(name, token string, args url.Values) (time.Duration, error) {
	m, ok := methodOf(name)
	switch {
	case !ok || slices.Contains(s.o.Lacks, name):
		return 0, &refusal{code: "unknown_method", more: object{"req_method": name}}
	case token == "":
		return 0, refuse("not_authed")
	case token != botToken && token != appToken:
		return 0, refuse("invalid_auth")
	case s.revoked != "":
		return 0, refuse(s.revoked)
	case m.app != (token == appToken):
		return 0, refuse("not_allowed_token_type")
	}
	if m.scopes != nil {
		wanted := m.scopes(s, args)
		if !slices.ContainsFunc(wanted, func(scope string) bool { return s.scopes[scope] }) {
			return 0, &refusal{code: "missing_scope", more: object{"needed": strings.Join(wanted, ","), "provided": s.scopeList()}}
		}
	}
	key := name
	if name == "chat.postMessage" {
		key += " " + args.Get("channel")
	}
	return s.take1(key, m.perMin), nil
}

// headers say which scopes the token has and the method takes.
func (s *Server) headers(w http.ResponseWriter, name string) {
	w.Header().Set("X-Oauth-Scopes", s.scopeList())
	if m, ok := methodOf(name); ok && m.scopes != nil {
		w.Header().Set("X-Accepted-Oauth-Scopes", strings.Join(m.scopes(s, nil), ","))
	}
	w.Header().Set("X-Slack-Req-Id", s.id("req"))
}

// count remembers a call.
func (s *Server) count(c Call) {
	s.calls[c.Method]++
	s.lately = append(last(s.lately), c)
}

// arguments are those of the query, of a form or of a JSON object, whose values that
// are no strings stay JSON; and the token, which may stand in the header.
func (s *Server) arguments(r *http.Request) (args url.Values, token string, err error) {
	const most = 8 << 20
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch kind {
	case "application/json":
		args = r.URL.Query()
		body, err := io.ReadAll(io.LimitReader(r.Body, most))
		if err != nil {
			return nil, "", refuse("request_timeout")
		}
		var fields map[string]json.RawMessage
		if len(body) > 0 && json.Unmarshal(body, &fields) != nil {
			return nil, "", refuse("invalid_json")
		}
		for key, value := range fields {
			var text string
			switch {
			case string(value) == "null":
				continue
			case json.Unmarshal(value, &text) != nil:
				var compact bytes.Buffer
				if json.Compact(&compact, value) == nil {
					text = compact.String()
				}
			}
			args.Set(key, text)
		}
	case "multipart/form-data":
		if r.ParseMultipartForm(most) != nil { //nolint:gosec // the test's own client
			return nil, "", refuse("invalid_form_data")
		}
		args = r.Form
	default:
		if r.ParseForm() != nil {
			return nil, "", refuse("invalid_form_data")
		}
		args = r.Form
	}
	if !s.o.Foreign {
		token = args.Get("token")
	}
	args.Del("token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = bearer
	}
	return args, token, nil
}

// yes reads a truth as Slack does.
func yes(args url.Values, key string) bool {
	on, err := strconv.ParseBool(args.Get(key))
	return err == nil && on
}

// seconds is a time for Retry-After.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
