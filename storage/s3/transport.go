package s3

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// newTransport returns the SDK's transport, with its certificates, on connections that do not
// stall.
func newTransport(sdk aws.HTTPClient, stall time.Duration) *http.Transport {
	buildable, ok := sdk.(*awshttp.BuildableClient)
	if !ok { // nothing was configured
		buildable = awshttp.NewBuildableClient()
	}
	transport := buildable.GetTransport()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &patient{conn, stall}, nil
	}
	return transport
}

// patient is a connection that fails after a time without traffic.
type patient struct {
	net.Conn
	stall time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(p.stall)); err != nil {
		return 0, err //nolint:wrapcheck // errors of a connection must not be wrapped
	}
	return p.Conn.Read(b) //nolint:wrapcheck // the same
}

// Write also extends the deadline of a Read that may have been waiting for the response.
func (p *patient) Write(b []byte) (int, error) {
	if err := p.SetDeadline(time.Now().Add(p.stall)); err != nil {
		return 0, err //nolint:wrapcheck // the same
	}
	return p.Conn.Write(b) //nolint:wrapcheck // the same
}

// newClient follows only redirects that do not change the request, like the SDK's own client.
func newClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch r.Response.StatusCode {
			case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			default:
				return http.ErrUseLastResponse
			}
			if via[len(via)-1].URL.Host != r.URL.Host {
				r.Header.Del("X-Amz-Security-Token")
			}
			return nil
		},
	}
}
