package guard

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"atelier/adapters/messages"
)

// refusal is the reason why a request is not served.
type refusal struct {
	status int
	format string // of the sentence for people
	args   []any
	wait   time.Duration // before the next try; 0 means that waiting does not help
	login  bool          // logging in would help
}

// troubled is how long to wait after an internal error.
const troubled = 5 * time.Second

// amount is a waiting time for people.
type amount time.Duration

var _ messages.Message = amount(0)

// Phrase returns it in seconds, or in minutes if it is long.
func (a amount) Phrase() (format string, args []any) {
	if s := seconds(time.Duration(a)); s < 120 {
		return "%d s", []any{s}
	}
	return "%d min", []any{int(math.Ceil(time.Duration(a).Minutes()))}
}

func (a amount) String() string {
	format, args := a.Phrase()
	return fmt.Sprintf(format, args...)
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// refuse answers in the form that was requested: a page, a fragment or JSON for a script, or a line of text for a
// program.
func (g *Guard) refuse(w http.ResponseWriter, r *http.Request, no *refusal) {
	header := w.Header()
	if no.wait > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds(no.wait)))
	}
	tag := language(r)
	sentence := g.pages.words.Say(tag, no.format, no.args...)
	switch accept := r.Header.Get("Accept"); {
	case r.Header.Get("Hx-Request") == "true":
		if no.login {
			header.Set("Hx-Redirect", loginFor(current(r)))
		}
		g.pages.write(w, no.status, "fragment.html", page{Sentence: sentence})
	case strings.Contains(accept, "text/html"):
		if no.login {
			back := ""
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				back = r.URL.RequestURI()
			}
			header.Set("Location", loginFor(back))
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		g.pages.write(w, no.status, "refused.html", page{Language: tag, Sentence: sentence})
	case strings.Contains(accept, "application/json") || r.Header.Get("Sec-Fetch-Dest") == "empty":
		header.Set("Content-Type", "application/json")
		w.WriteHeader(no.status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": sentence}) //nolint:errcheck,errchkjson // the client may have left
	default:
		header.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(no.status)
		_, _ = strings.NewReader(sentence + "\n").WriteTo(w) //nolint:errcheck // the client may have left
	}
}

// current returns the page whose script sent the request.
func current(r *http.Request) string {
	u, err := url.Parse(r.Header.Get("Hx-Current-Url"))
	if err != nil {
		return ""
	}
	return u.RequestURI()
}

// loginFor returns the address of the login page that leads back to a page.
func loginFor(back string) string {
	if back = inside(back); back == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {back}}.Encode()
}

// inside returns the path if it belongs to the channel, otherwise "/". Browsers read a backslash as a
// slash, and skip control characters.
func inside(to string) string {
	outside := !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || len(to) > 2000 ||
		strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' })
	u, err := url.Parse(to)
	if outside || err != nil || u.IsAbs() || u.Host != "" || u.User != nil {
		return "/"
	}
	if first, _, _ := strings.Cut(u.Path[1:], "/"); first == "login" || first == "logout" {
		return "/"
	}
	return to
}

// cut shortens untrusted text for the log.
func cut(s string) string { return s[:min(len(s), 100)] }

// journal is a log that strangers cannot flood.
type journal struct {
	log *slog.Logger

	mu   sync.Mutex
	told map[string]time.Time
}

// note logs each kind of event at most once a minute.
func (j *journal) note(r *http.Request, kind, message string, args ...any) {
	j.mu.Lock()
	now := time.Now()
	fresh := now.Sub(j.told[kind]) < time.Minute
	if j.told == nil {
		j.told = map[string]time.Time{}
	}
	if !fresh {
		j.told[kind] = now
	}
	j.mu.Unlock()
	if !fresh {
		j.log.WarnContext(r.Context(), message, append(args, "from", peer(r).String())...)
	}
}
