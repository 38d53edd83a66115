package endpoint

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest delay before a retry; if the server asks for more, the call fails.
const maxWait = time.Minute

// retryAfter parses the delay before a retry: Retry-After-Ms in milliseconds (Azure OpenAI), else
// Retry-After in seconds or as a date (RFC 9110, section 10.2.3), relative to the server's own
// clock. It returns 0 if there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d := number(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	s := strings.TrimSpace(h.Get("Retry-After"))
	if d := number(s, time.Second); d > 0 {
		return d
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0
	}
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		now = t
	}
	return max(at.Sub(now), 0)
}

func number(s string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f > 0) {
		return 0
	}
	return time.Duration(math.Min(f*float64(unit), float64(365*24*time.Hour)))
}
