package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// isChat reports whether a call is a chat completion. The path before it is up to the server (Azure
// names the model there).
func isChat(req *http.Request) bool {
	return req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/chat/completions")
}

// readBody reads and closes the body of a request.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if err = errors.Join(err, req.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return body, nil
}

// mostBody is the maximum size of a recorded answer in bytes. Longer ones are passed on, but not
// recorded.
const mostBody = 16 << 20

// peek reads an answer's body and restores it, including its error; whole reports whether all of it
// could be read.
func peek(res *http.Response) (body []byte, whole bool) {
	body, err := io.ReadAll(io.LimitReader(res.Body, mostBody+1))
	var rest io.Reader = res.Body
	if err != nil {
		rest = failing{err}
	}
	res.Body = reread{io.MultiReader(bytes.NewReader(body), rest), res.Body}
	return body, err == nil && len(body) <= mostBody
}

// failing is a reader that returns an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// reread is a body with its beginning restored.
type reread struct {
	io.Reader
	io.Closer
}

// NotRecorded is the error code for a missing recording.
const NotRecorded = "not_recorded"

// notRecorded returns a response with [fault].
func notRecorded(req *http.Request, why string) *http.Response {
	return respond(req, http.StatusNotFound, fault(why))
}

// fault returns OpenAI's error object for a missing recording.
func fault(why string) []byte {
	type object struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	body, err := json.Marshal(map[string]object{"error": {
		Message: why, Type: "invalid_request_error", Code: NotRecorded,
	}})
	if err != nil {
		panic("replay: strings are always JSON: " + err.Error())
	}
	return body
}

// respond returns a response like a server's.
func respond(req *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}
