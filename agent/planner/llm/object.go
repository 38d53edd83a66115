package llm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// beginnings is how many braces are tried as the beginning of an object.
const beginnings = 64

// findObject finds the JSON object in an answer: the whole of it, or the first that
// stands within it, as in a code fence or behind words of the model.
func findObject(content string) (json.RawMessage, bool) {
	content = strings.TrimSpace(content)
	if json.Valid([]byte(content)) && strings.HasPrefix(content, "{") {
		return json.RawMessage(content), true
	}
	rest := content
	for range beginnings {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			break
		}
		rest = rest[at:]
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&object) == nil {
			return bytes.TrimSpace(object), true
		}
		rest = rest[1:]
	}
	return nil, false
}
