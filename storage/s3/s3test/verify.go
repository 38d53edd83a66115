package s3test

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const dateFormat = "20060102T150405Z"

// skew is the allowed difference between the clocks.
const skew = 15 * time.Minute

// verify checks a request's signature.
func (s *Server) verify(r *http.Request) error {
	if r.URL.Query().Has("X-Amz-Signature") {
		return s.verifyLink(r)
	}
	fields := map[string]string{}
	said, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	for field := range strings.SplitSeq(said, ", ") {
		name, value, _ := strings.Cut(field, "=")
		fields[name] = value
	}
	if !ok {
		return refuse(http.StatusForbidden, "AccessDenied")
	}
	at, err := s.checkScope(fields["Credential"], r.Header.Get("X-Amz-Date"))
	if err != nil {
		return err
	}
	if late := s.config.Now().Sub(at); late > skew || late < -skew {
		return refuse(http.StatusForbidden, "RequestTimeTooSkewed")
	}
	again := s.unsigned(r, fields["SignedHeaders"])
	err = signer().SignHTTP(r.Context(), s.credentials(), again, r.Header.Get("X-Amz-Content-Sha256"), "s3", s.config.Region, at)
	if err != nil || !same(again.Header.Get("Authorization"), r.Header.Get("Authorization")) {
		return refuse(http.StatusForbidden, "SignatureDoesNotMatch")
	}
	return nil
}

func (s *Server) verifyLink(r *http.Request) error {
	query := r.URL.Query()
	at, err := s.checkScope(query.Get("X-Amz-Credential"), query.Get("X-Amz-Date"))
	if err != nil {
		return err
	}
	seconds, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	if err != nil || seconds < 1 || seconds > 7*24*60*60 || query.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" {
		return refuse(http.StatusBadRequest, "AuthorizationQueryParametersError")
	}
	again := s.unsigned(r, query.Get("X-Amz-SignedHeaders"))
	query.Del("X-Amz-Signature")
	again.URL.RawQuery = query.Encode()
	link, _, err := signer().PresignHTTP(r.Context(), s.credentials(), again, "UNSIGNED-PAYLOAD", "s3", s.config.Region, at)
	if err != nil {
		return refuse(http.StatusForbidden, "SignatureDoesNotMatch")
	}
	signed, err := url.Parse(link)
	if err != nil || !same(signed.Query().Get("X-Amz-Signature"), r.URL.Query().Get("X-Amz-Signature")) {
		return refuse(http.StatusForbidden, "SignatureDoesNotMatch")
	}
	if s.config.Now().After(at.Add(time.Duration(seconds) * time.Second)) {
		return refuse(http.StatusForbidden, "AccessDenied")
	}
	return nil
}

// checkScope checks the scope of a signature and returns its time.
func (s *Server) checkScope(credential, date string) (time.Time, error) {
	at, err := time.Parse(dateFormat, date)
	parts := strings.Split(credential, "/")
	switch {
	case err != nil || len(parts) != 5:
		return at, refuse(http.StatusBadRequest, "AuthorizationHeaderMalformed")
	case parts[0] != s.config.Key:
		return at, refuse(http.StatusForbidden, "InvalidAccessKeyId")
	case parts[1] != at.Format("20060102") || parts[2] != s.config.Region || parts[3] != "s3" || parts[4] != "aws4_request":
		return at, refuse(http.StatusBadRequest, "AuthorizationHeaderMalformed")
	}
	return at, nil
}

func (s *Server) credentials() aws.Credentials {
	return aws.Credentials{AccessKeyID: s.config.Key, SecretAccessKey: s.config.Secret}
}

func signer() *v4.Signer {
	return v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
}

// unsigned returns the request as it was before it was signed.
func (s *Server) unsigned(r *http.Request, headers string) *http.Request {
	u := *r.URL
	again := &http.Request{Method: r.Method, URL: &u, Host: r.Host, Header: http.Header{}}
	for name := range strings.SplitSeq(headers, ";") {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	return again
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
