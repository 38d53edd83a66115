package download

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"atelier/adapters"
)

var errAnswer = errors.New("the response cannot be parsed")

// Detail returns an error of net/http without the URL of its request, which may be signed or contain a token, and
// without the server's words. It keeps what callers check for: a Fault, the context's end, and a timeout. Detail(nil)
// is nil.
func Detail(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*adapters.Fault](err); ok {
		return own
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err
	}
	var (
		dialled  *net.OpError
		resolved *net.DNSError
		untold   *tls.CertificateVerificationError
		alert    tls.AlertError
		timeout  net.Error
		refused  *proxyError
		shut     *Refused
	)
	switch { // these mention only hosts
	case errors.As(err, &resolved):
		return resolved
	case errors.As(err, &dialled):
		return dialled
	case errors.As(err, &untold):
		return untold
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &shut):
		return shut
	case errors.As(err, &alert):
		return alert
	case errors.As(err, &timeout):
		return timeout
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	default:
		return errAnswer
	}
}

// proxyError means that a proxy refused a connection.
type proxyError struct {
	host   string // of the proxy, with its port
	status int
}

func (r *proxyError) Error() string {
	return fmt.Sprintf("the proxy %s answers with %d", r.host, r.status)
}

// passed adds the proxy's host to its refusal, since the transport reports only its words.
func passed(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{proxy.Host, answer.StatusCode}
}
