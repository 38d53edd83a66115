package endpoint

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// LabelHeader is the header that identifies a call to the server: "your own unique identifier",
// ASCII, at most 512 characters (OpenAI API reference, debugging requests). Other servers ignore
// it.
const LabelHeader = "X-Client-Request-Id"

const (
	maxRequest = 400 // characters of the header
	maxJob     = 80
)

type labelKey struct{}

// Label labels the calls made with the context by request, job and round, so that recordings, tests
// and operators can tell them apart. The label is sent along. Overlong names are truncated.
func Label(ctx context.Context, request, job string, round int) context.Context {
	label := escape(request, maxRequest) + "/" + escape(job, maxJob) + "/" + strconv.Itoa(round)
	return context.WithValue(ctx, labelKey{}, label)
}

// label returns the label of a context; "" if there is none.
func label(ctx context.Context) string {
	if s, ok := ctx.Value(labelKey{}).(string); ok {
		return s
	}
	return ""
}

// escape percent-encodes s for use between the slashes of a label, truncated to n characters.
func escape(s string, n int) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		e := url.PathEscape(string(r))
		if b.Len()+len(e) > n {
			break
		}
		b.WriteString(e)
	}
	return b.String()
}

// ParseLabel parses a header set by Label.
func ParseLabel(header string) (request, job string, round int, ok bool) {
	parts := strings.Split(header, "/")
	if len(parts) != 3 {
		return "", "", 0, false
	}
	request, err := url.PathUnescape(parts[0])
	if err != nil {
		return "", "", 0, false
	}
	if job, err = url.PathUnescape(parts[1]); err != nil {
		return "", "", 0, false
	}
	if round, err = strconv.Atoi(parts[2]); err != nil {
		return "", "", 0, false
	}
	return request, job, round, true
}

// setLabel sets the label header of a request.
func setLabel(req *http.Request) {
	if s := label(req.Context()); s != "" {
		req.Header.Set(LabelHeader, s)
	}
}
