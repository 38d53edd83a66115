package localaitest

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// send answers with JSON.
func send(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("localaitest: encode an answer: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:errcheck // the client may be gone
}

// fail sends an error in LocalAI's form (core/schema, ErrorResponse).
func fail(w http.ResponseWriter, status int, message string) {
	send(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "type": ""}})
}

// write answers with a file.
func write(w http.ResponseWriter, contentType string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) //nolint:errcheck // the client may be gone
}
