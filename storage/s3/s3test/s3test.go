// Package s3test is an S3 server for tests with a real client. It implements the part of the
// protocol that storage/s3 needs, and checks each request.
//
// It verifies hashes and signatures, also those of links, like Amazon, but with the SDK's own
// signer, which is tested by running the same tests on real servers.
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

// Config configures a Server.
type Config struct {
	// Bucket is the only bucket; empty means "bucket".
	Bucket string
	// Key and Secret are the only valid credentials; empty means "key" and "secret".
	Key, Secret string
	// Region is the region for which requests must be signed; empty means "us-east-1".
	Region string
	// Page is the maximum length of a list; 0 means 1000.
	Page int
	// Now is the server's clock; nil means the system's.
	Now func() time.Time
}

// Server is a running server.
type Server struct {
	config Config
	http   *httptest.Server

	mu      sync.Mutex
	meddle  func(next http.Handler) http.Handler
	objects map[string]object
	uploads map[string]*upload
	made    int // number of uploads
}

type object struct {
	body       []byte
	kind       string // media type
	encryption string
	kmsKey     string
	etag       string
	stored     time.Time
}

type upload struct {
	key   string
	made  time.Time
	as    object // the resulting object, without its body
	parts map[int]object
}

// New starts a server, which is closed by tb.Cleanup.
func New(tb testing.TB, c Config) *Server {
	tb.Helper()
	c.Bucket, c.Key, c.Secret = cmp.Or(c.Bucket, "bucket"), cmp.Or(c.Key, "key"), cmp.Or(c.Secret, "secret")
	c.Region, c.Page = cmp.Or(c.Region, "us-east-1"), cmp.Or(c.Page, 1000)
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Server{config: c, objects: map[string]object{}, uploads: map[string]*upload{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.around))
	tb.Cleanup(s.http.Close)
	return s
}

// URL returns the URL of the server.
func (s *Server) URL() string { return s.http.URL }

// Close stops the server like a crash.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Meddle wraps the server's handler, replacing an earlier wrapper; nil removes it.
func (s *Server) Meddle(around func(next http.Handler) http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meddle = around
}

// Objects returns the names of all objects.
func (s *Server) Objects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Uploads returns the names of the unfinished uploads.
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

// Encryption returns the requested encryption of an object and its KMS key.
func (s *Server) Encryption(name string) (encryption, kmsKey string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[name]
	return o.encryption, o.kmsKey
}

// Fail responds with an S3 error.
func Fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	write(w, errorBody{Code: code, Message: "requested by the test"})
}
