package endpoint

import (
	"bytes"
	"encoding/json"
	"strings"
)

// refusal is what a server said of why it does not answer. All of it is the server's
// raw text.
type refusal struct {
	message, kind, code, param string
	number                     int // the code, where it is one
}

// parseRefusal reads the forms of error bodies in use:
//
//	{"error": {"message", "type", "code", "param"}}   OpenAI, Azure, vLLM, llama.cpp
//	{"error": "text"}                                 Ollama's own, vLLM's 401, TGI
//	{"object": "error", "message", "type", "code"}    vLLM before 0.10
//	{"message", "type", "code"}, {"statusCode", "message"}   Mistral, Azure's gateway
//	{"detail": "text"}, {"detail": [{"msg", "type"}]} FastAPI
//	[{"error": {…}}]                                  Gemini
//
// Anything else is a refusal without words: a page of HTML, say, is no message.
func parseRefusal(body []byte) refusal {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) == nil {
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
		return refusal{message: v}
	case []any:
		if len(v) > 0 {
			return refusalOf(v[0])
		}
	case map[string]any:
		for _, k := range []string{"error", "detail", "errors"} {
			if inner, ok := v[k]; ok && inner != nil {
				r := refusalOf(inner)
				if r.kind == "" {
					r.kind = text(v["error_type"])
				}
				return r
			}
		}
		r := refusal{message: text(v["message"]), kind: text(v["type"]), code: text(v["code"]), param: text(v["param"])}
		if r.message == "" {
			r.message = text(v["msg"])
		}
		if n, ok := v["code"].(json.Number); ok {
			i, _ := n.Int64() //nolint:errcheck // 0 is no code
			r.number = int(i)
		}
		return r
	}
	return refusal{}
}

// text is a value as a word or a sentence; lists of them are joined.
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
