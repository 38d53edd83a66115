package web

import (
	"net/http"
	"strconv"
)

// pageLength is how many messages a page shows, the last ones, and how many more the next one
// that is asked for earlier ones.
const pageLength = 200

// since is the position from which on the messages are that a page shows: the last ones, or
// more of them where its address says so.
func since(r *http.Request, t snapshot) int64 {
	last := t.messages[max(0, len(t.messages)-pageLength)].order
	if from := from(r); from >= 0 {
		return min(from, last)
	}
	return last
}

// from is that position as an address says it, -1 if it does not.
func from(r *http.Request) int64 {
	from, err := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	if err != nil {
		return -1
	}
	return max(0, from)
}

// earlier is the address of a page that shows also what is before that position, and begins
// where this one does; "" if nothing is.
func earlier(thread string, t snapshot, from int64) string {
	for i, m := range t.messages {
		if m.order >= from && i > 0 {
			return "/t/" + thread + "?from=" + strconv.FormatInt(t.messages[max(0, i-pageLength)].order, 10) + "#m-" + m.id
		} else if m.order >= from {
			break
		}
	}
	return ""
}
