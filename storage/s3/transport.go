package s3

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// newTransport is the SDK's, with the certificates that were set for it, over connections
// that do not stall.
func newTransport(sdk aws.HTTPClient, stall time.Duration) *http.Transport {
	buildable, ok := sdk.(*awshttp.BuildableClient)
	if !ok { // nothing was set
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

// patient is a connection that breaks when for a time nothing comes or goes.
type patient struct {
	net.Conn
	stall time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(p.stall)); err != nil {
		return 0, err //nolint:wrapcheck // a connection's errors stay what they are
	}
	return p.Conn.Read(b) //nolint:wrapcheck // the same
}

// Write gives the answer, for which a Read may be waiting since long ago, its time anew.
func (p *patient) Write(b []byte) (int, error) {
	if err := p.SetDeadline(time.Now().Add(p.stall)); err != nil {
		return 0, err //nolint:wrapcheck // the same
	}
	return p.Conn.Write(b) //nolint:wrapcheck // the same
}

// newClient follows only those redirections that keep a request what it is, as the SDK's
// own does.
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
