package media

import (
	"fmt"
	"strconv"
	"strings"
)

// Detail is one fact about a file: "Duration: 0:12.4".
type Detail struct{ Name, Value string }

// Details formats the details that have a value, one per line.
func Details(all ...Detail) string {
	var lines []string
	for _, d := range all {
		if d.Value != "" {
			lines = append(lines, d.Name+": "+d.Value)
		}
	}
	return strings.Join(lines, "\n")
}

// KindName returns the common name of a MIME type: "JPEG picture".
func KindName(mime string) string {
	for _, k := range kinds {
		if k.mime == mime {
			_, name, _ := strings.Cut(k.name.String(), " ") // without the article
			return name
		}
	}
	return mime
}

// SizeOf formats a file size: "2.3 MB (2,345,678 bytes)".
func SizeOf(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	exact := digits + " bytes"
	switch {
	case n == 1:
		return "1 byte"
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB (%s)", float64(n)/1e6, exact)
	case n >= 1000:
		return fmt.Sprintf("%.1f kB (%s)", float64(n)/1e3, exact)
	}
	return exact
}
