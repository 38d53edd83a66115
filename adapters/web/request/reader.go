// Package request parses, limits and rejects the requests of browsers.
package request

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/messages"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/store"
)

// patience is the timeout for recording a change.
const patience = 30 * time.Second

// Detach returns a context for recording a change even if the browser disconnects.
func Detach(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.Context()), patience)
}

// Reader reads requests of browsers.
type Reader struct {
	Threads *store.Threads
	// Who returns the person who makes a request.
	Who func(context.Context) adapters.Person
}

// Me returns the person who makes the request.
func (q *Reader) Me(r *http.Request) adapters.Person { return q.Who(r.Context()) }

// Thread returns the thread in a request's path.
func (q *Reader) Thread(r *http.Request) (string, chat.Snapshot, error) {
	id, err := ThreadID(r)
	if err != nil {
		return "", chat.Snapshot{}, err
	}
	t, err := q.Threads.Read(r.Context(), id, store.Latest)
	return id, t, err
}

// Message returns the message in a request's path.
func (q *Reader) Message(r *http.Request) (thread string, t chat.Snapshot, m *chat.Message, err error) {
	thread, t, err = q.Thread(r)
	if err != nil {
		return "", chat.Snapshot{}, nil, err
	}
	if id := r.PathValue("message"); chat.ValidMessageID.MatchString(id) {
		m = t.Message(id)
	}
	if m == nil || m.Removed {
		return "", chat.Snapshot{}, nil, ErrUnknown
	}
	return thread, t, m, nil
}

// ThreadID returns the id of the thread in a request's path.
func ThreadID(r *http.Request) (string, error) {
	id := r.PathValue("thread")
	if !chat.ValidID.MatchString(id) {
		return "", ErrUnknown
	}
	return id, nil
}

// From returns the position from which a page shows its thread, -1 if the URL has none.
func From(r *http.Request) int64 {
	from, err := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	if err != nil {
		return -1
	}
	return max(0, from)
}

// Language returns the BCP 47 tag of the page's own words.
func Language(r *http.Request) string { return messages.Accept(r.Header.Get("Accept-Language")) }

// ParseForm parses a form of at most the given number of bytes.
func ParseForm(w http.ResponseWriter, r *http.Request, most int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	var err error
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		err = r.ParseMultipartForm(most) //nolint:gosec // the body is limited above
	} else {
		err = r.ParseForm()
	}
	if err == nil {
		return nil
	}
	if refused, fault := RefusalOf(err); !fault {
		return refused
	}
	return ErrUnreadable
}

// WriteJSON writes a JSON response.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) //nolint:errcheck,errchkjson // the browser may have left
}
