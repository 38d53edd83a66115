package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// refusal is the server's explanation of an error. All fields are raw text from the server.
type refusal struct {
	message, kind, code, param string
	field                      string // the rejected field, from FastAPI
	number                     int    // the code, if it is numeric
	// estimated is the number of seconds until the model is loaded; "" if unknown.
	estimated string
}

// parseRefusal parses the known forms of error bodies:
//
//	{"error": {"message", "type", "code", "param"}}   OpenAI, Azure, vLLM, llama.cpp
//	{"error": "text"}                                 Ollama's own, vLLM's 401, TGI
//	{"object": "error", "message", "type", "code"}    vLLM before 0.10
//	{"message", "type", "code"}, {"statusCode", "message"}   Mistral, Azure's gateway
//	{"detail": "text"}, {"detail": [{"loc", "msg", "type"}]} FastAPI
//	[{"error": {…}}]                                  Gemini
//	{"error": "{\"error\": {…}}"}                     Ollama, for llama.cpp under it
//	{"error": "text", "estimated_time": 20.5}         Hugging Face, of a model that is being loaded
//	{"error": "text", "code": "device_lost"}          Atelier's tool server
//
// Anything else, such as an HTML page, yields an empty refusal.
func parseRefusal(body []byte) refusal {
	if v, ok := decode(body); ok {
		return refusalOf(v)
	}
	if s := strings.TrimSpace(string(body)); !strings.HasPrefix(s, "<") && !strings.HasPrefix(s, "{") {
		return refusal{message: s}
	}
	return refusal{}
}

func refusalOf(v any) refusal {
	switch v := v.(type) {
	case string:
		if inner, ok := decode([]byte(v)); ok && strings.HasPrefix(strings.TrimSpace(v), "{") {
			return refusalOf(inner) // a gateway wrapped another server's text
		}
		return refusal{message: v}
	case []any:
		if len(v) > 0 {
			return refusalOf(v[0])
		}
	case map[string]any:
		for _, k := range []string{"error", "detail", "errors"} {
			if inner, ok := v[k]; ok && inner != nil {
				r := refusalOf(inner)
				r.kind = cmp.Or(r.kind, text(v["error_type"]))
				r.estimated = cmp.Or(r.estimated, text(v["estimated_time"]))
				return r.withCode(text(v["code"]))
			}
		}
		r := refusalOf(cmp.Or(text(v["message"]), text(v["msg"])))
		r.kind = cmp.Or(r.kind, text(v["type"]))
		r.param = cmp.Or(r.param, text(v["param"]))
		r.estimated = cmp.Or(r.estimated, text(v["estimated_time"]))
		r.field = fieldAt(v["loc"])
		return r.withCode(text(v["code"]))
	}
	return refusal{}
}

// fieldAt joins FastAPI's path to a request field: ["body", "width"].
func fieldAt(loc any) string {
	steps, ok := loc.([]any)
	if !ok {
		return ""
	}
	var names []string
	for _, s := range steps {
		names = append(names, text(s))
	}
	return strings.Join(names, ".")
}

// withCode sets the code of an outer object, unless an inner one had a code.
func (r refusal) withCode(code string) refusal {
	if r.code != "" || r.number != 0 {
		return r
	}
	if n, err := strconv.Atoi(code); err == nil {
		r.number = n
	} else {
		r.code = code
	}
	return r
}

func decode(body []byte) (any, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// text returns a string or number as text; lists of strings are joined.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		var parts []string
		for _, p := range v {
			if s, ok := p.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// hiddenRefusal finds an error in a response with status 2xx, as OpenRouter sends if something
// fails after the response has begun.
func hiddenRefusal(body []byte) (refusal, bool) {
	if len(body) > maxRefusal || !bytes.Contains(body, []byte(`"error"`)) {
		return refusal{}, false
	}
	var answer struct {
		Error   any             `json:"error"`
		Choices json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil || answer.Choices != nil {
		return refusal{}, false
	}
	r := parseRefusal(body)
	return r, r != refusal{}
}
