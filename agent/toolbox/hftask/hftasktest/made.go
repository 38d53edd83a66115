package hftasktest

import (
	"net/http"
	"strconv"
)

const jsonKind = "application/json"

// made is an encoded answer.
type made struct {
	kind string // its media type
	body []byte
	cut  bool // send only half of it
}

func (m made) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", m.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(m.body)))
	if m.cut {
		m.body = m.body[:len(m.body)/2] // net/http closes the connection then
	}
	_, _ = w.Write(m.body) //nolint:errcheck // a client that has gone needs no answer
}
