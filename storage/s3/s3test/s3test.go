// Package s3test is an S3 server within a test, for a real client: it speaks the part of
// the protocol that storage/s3 needs, and holds each request to it.
//
// It checks signatures, of links too, and hashes as Amazon does, but with the SDK's own
// signer: whether that is right is shown by the real servers that the same tests run on.
package s3test

import (
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Config says what the server has and takes.
type Config struct {
	// Bucket is the only one; empty is "bucket".
	Bucket string
	// Key and Secret are the only credentials; empty are "key" and "secret".
	Key, Secret string
	// Region is the one that requests are signed for; empty is "us-east-1".
	Region string
	// Page is how many things a list holds at most; 0 is 1000.
	Page int
	// PartSize is the least that a part may have that is not the last; 0 is 5 MiB.
	PartSize int
	// Now is the server's clock; nil is the system's.
	Now func() time.Time
}

// Server is a running one.
type Server struct {
	config Config
	http   *httptest.Server

	mu      sync.Mutex
	meddle  func(next http.Handler) http.Handler
	objects map[string]object
	uploads map[string]*upload
	made    int // uploads
}

type object struct {
	body       []byte
	kind       string // its media type
	encryption string
	kmsKey     string
	etag       string
	stored     time.Time
}

type upload struct {
	key   string
	made  time.Time
	as    object // what it is to become, but for the body
	parts map[int]object
}

// New starts a server, which tb.Cleanup closes.
func New(tb testing.TB, c Config) *Server {
	tb.Helper()
	c.Bucket, c.Key, c.Secret = cmp.Or(c.Bucket, "bucket"), cmp.Or(c.Key, "key"), cmp.Or(c.Secret, "secret")
	c.Region, c.Page, c.PartSize = cmp.Or(c.Region, "us-east-1"), cmp.Or(c.Page, 1000), cmp.Or(c.PartSize, 5<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Server{config: c, objects: map[string]object{}, uploads: map[string]*upload{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.around))
	tb.Cleanup(s.http.Close)
	return s
}

// URL is where the server is.
func (s *Server) URL() string { return s.http.URL }

// Close ends the server, as a crash would for who is connected.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Meddle puts a handler around the server's own, in place of one before; nil puts
// none.
func (s *Server) Meddle(around func(next http.Handler) http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meddle = around
}

// Objects are the names of all that is stored.
func (s *Server) Objects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Uploads are the names that uploads were begun for and neither completed nor aborted.
func (s *Server) Uploads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, u := range s.uploads {
		all = append(all, u.key)
	}
	slices.Sort(all)
	return all
}

// Encryption tells how an object was asked to be encrypted, and by which KMS key.
func (s *Server) Encryption(name string) (encryption, kmsKey string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[name]
	return o.encryption, o.kmsKey
}

// Fail answers a request with an error as S3 does.
func Fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	write(w, errorBody{Code: code, Message: "as the test wants it"})
}
