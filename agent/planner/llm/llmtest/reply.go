package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"atelier/agent/planner/llm/replay"
)

// Fault is a fault of an answer. The zero value means none.
type Fault struct {
	// Status is the status of the answer; 0 means 200.
	Status int
	// Header is added to the answer's header.
	Header http.Header
	// Raw replaces the body.
	Raw string
	// ErrorCode, ErrorType and ErrorMessage fill OpenAI's error object if Status is 400 or more.
	ErrorCode, ErrorType, ErrorMessage string
	// Hang does not answer until the client disconnects or the test ends.
	Hang bool
	// Reset breaks the connection in the middle of the body.
	Reset bool
}

// over applies the fault to r.
func (f Fault) over(r reply) reply {
	if f.Status >= http.StatusBadRequest {
		r = failure(f.Status, f.ErrorCode, f.ErrorType, f.ErrorMessage)
	} else if f.Status != 0 {
		r.status = f.Status
	}
	if f.Raw != "" {
		r.body = []byte(f.Raw)
	}
	if f.Header != nil {
		r.header = r.header.Clone()
		for name, values := range f.Header {
			r.header[http.CanonicalHeaderKey(name)] = values
		}
	}
	r.hang, r.reset = f.Hang, f.Reset
	return r
}

// reply is an answer to write.
type reply struct {
	status      int
	header      http.Header
	body        []byte
	hang, reset bool
}

func newReply(contentType string, body []byte) reply {
	return reply{status: http.StatusOK, header: http.Header{"Content-Type": {contentType}}, body: body}
}

func jsonReply(v any) reply {
	body, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: an answer is always JSON: " + err.Error())
	}
	return newReply("application/json", body)
}

// failure returns OpenAI's error object.
func failure(status int, code, kind, message string) reply {
	if kind == "" {
		kind = "invalid_request_error"
		if status >= http.StatusInternalServerError {
			kind = "server_error"
		}
	}
	if message == "" {
		message = fmt.Sprintf("scripted failure %d", status)
	}
	type fault struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	e := fault{Message: message, Type: kind}
	if code != "" {
		e.Code = &code
	}
	r := jsonReply(map[string]fault{"error": e})
	r.status = status
	return r
}

func (r reply) write(w http.ResponseWriter, c *call) {
	if r.hang {
		select {
		case <-c.Context().Done():
		case <-c.server.closed:
		}
		panic(http.ErrAbortHandler)
	}
	header := w.Header()
	maps.Copy(header, r.header)
	header.Set("Content-Length", strconv.Itoa(len(r.body)))
	w.WriteHeader(r.status)
	body := r.body
	if r.reset {
		body = body[:len(body)/2]
	}
	_, err := w.Write(body)
	if r.reset && err == nil {
		err = http.NewResponseController(w).Flush() // the first half must arrive before the connection ends
	}
	if r.reset || err != nil {
		panic(http.ErrAbortHandler)
	}
}

// Response is the scripted answer to a chat completion.
type Response struct {
	// Status is the status of the answer; 0 means 200.
	Status int
	// Header is added to the answer's header.
	Header http.Header
	// Text is the content of the message.
	Text string
	// JSON is encoded as the content if Text is empty.
	JSON any
	// Finish is the finish reason; "" means stop, "none" omits it.
	Finish string
	// Refusal replaces the content.
	Refusal string
	// NoChoices leaves the list of choices empty.
	NoChoices bool
	// Raw replaces the body.
	Raw string
	// ErrorCode, ErrorType and ErrorMessage fill OpenAI's error object if Status is 400 or more.
	ErrorCode, ErrorType, ErrorMessage string
	// Hang does not answer until the client disconnects or the test ends.
	Hang bool
	// Reset breaks the connection in the middle of the body.
	Reset bool
	// NoUsage omits the token counts.
	NoUsage bool
	// Usage is the token counts; nil estimates them, with four bytes of text per token.
	Usage *replay.Usage

	// broken is a test error: the script has no answer.
	broken string
}

func (a Response) fault() Fault {
	return Fault{
		Status: a.Status, Header: a.Header, Raw: a.Raw,
		ErrorCode: a.ErrorCode, ErrorType: a.ErrorType, ErrorMessage: a.ErrorMessage,
		Hang: a.Hang, Reset: a.Reset,
	}
}

// completion returns the answer to r as an exchange.
func (a Response) completion(r Request) (replay.Exchange, error) {
	e := replay.Exchange{Model: r.Model, Content: a.Text, Refusal: a.Refusal, Finish: cmp.Or(a.Finish, "stop"), Usage: a.Usage}
	if a.Text == "" && a.JSON != nil {
		content, err := json.Marshal(a.JSON)
		if err != nil {
			return replay.Exchange{}, err //nolint:wrapcheck // the caller adds the context
		}
		e.Content = string(content)
	}
	if a.Finish == "none" {
		e.Finish = ""
	}
	if e.Usage == nil && !a.NoUsage {
		e.Usage = &replay.Usage{Input: estimate(r.Messages), Output: tokens(e.Content + e.Refusal)}
	}
	return e, nil
}
