package endpoint

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// LabelHeader is the header that carries a name of our own for a call: "your own unique identifier",
// ASCII, at most 512 characters (OpenAI API reference, debugging requests). Others
// take no notice of it.
const LabelHeader = "X-Client-Request-Id"

const (
	maxRequest = 400 // characters of the header
	maxJob     = 80
)

type labelKey struct{}

// Label names the calls made with the context, so that recordings, tests and operators
// can tell them apart: the request, the job and its round. The name is sent along.
// A request's or a job's name that is too long for the header is cut.
func Label(ctx context.Context, request, job string, round int) context.Context {
	label := escape(request, maxRequest) + "/" + escape(job, maxJob) + "/" + strconv.Itoa(round)
	return context.WithValue(ctx, labelKey{}, label)
}

// label is the header's value for the calls of a context; "" if they have no name.
func label(ctx context.Context) string {
	if s, ok := ctx.Value(labelKey{}).(string); ok {
		return s
	}
	return ""
}

// escape keeps what can stand between the slashes of a header, up to n characters.
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

// ParseLabel reads what Label had sent.
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

// setLabel puts the name of the context's calls on a request.
func setLabel(req *http.Request) {
	if s := label(req.Context()); s != "" {
		req.Header.Set(LabelHeader, s)
	}
}
