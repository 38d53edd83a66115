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

// isChat reports whether a call is a chat completion; the path before it is the server's
// own affair (Azure names the model there).
func isChat(req *http.Request) bool {
	return req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/chat/completions")
}

// readBody takes the body out of a request, and closes it as a transport must.
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

// mostBody is how much of an answer is held to be recorded, in bytes. A longer one
// passes, but is not kept.
const mostBody = 16 << 20

// peek reads an answer's body and puts it back as it was, its failing included; whole
// reports whether all of it could be read.
func peek(res *http.Response) (body []byte, whole bool) {
	body, err := io.ReadAll(io.LimitReader(res.Body, mostBody+1))
	var rest io.Reader = res.Body
	if err != nil {
		rest = failing{err}
	}
	res.Body = reread{io.MultiReader(bytes.NewReader(body), rest), res.Body}
	return body, err == nil && len(body) <= mostBody
}

// failing is a reader that has failed.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// reread is a body whose beginning has been read already.
type reread struct {
	io.Reader
	io.Closer
}

// NotRecorded is the error code of what is not there.
const NotRecorded = "not_recorded"

// notRecorded is an answer with [fault].
func notRecorded(req *http.Request, why string) *http.Response {
	return respond(req, http.StatusNotFound, fault(why))
}

// fault is OpenAI's error object for what is not there.
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

// respond is an answer as a server would have given it.
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
