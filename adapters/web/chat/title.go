package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// LongestTitle is the maximum number of characters of a title.
const LongestTitle = 60

// titleOf returns the beginning of a request, or the name of its first file.
func titleOf(w *Wrote) string {
	line := strings.Join(strings.Fields(w.Text), " ")
	if line == "" && len(w.Files) > 0 {
		line = w.Files[0].Name
	}
	if all := []rune(line); len(all) > LongestTitle {
		return strings.TrimSpace(string(all[:LongestTitle-1])) + "…"
	}
	return line
}

// TitleIn returns the title of a thread with these stored entries; "" if they do not begin with a message.
func TitleIn(raw [][]byte) string {
	var first Entry
	if len(raw) == 0 || json.Unmarshal(raw[0], &first) != nil || first.Wrote == nil {
		return ""
	}
	for _, b := range slices.Backward(raw) {
		var e Entry
		if bytes.Contains(b, []byte(`"renamed"`)) && json.Unmarshal(b, &e) == nil && e.Renamed != nil {
			return e.Renamed.Title
		}
	}
	return titleOf(first.Wrote)
}
