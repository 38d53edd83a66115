package s3test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// refusal is an error of the protocol.
type refusal struct {
	status int
	code   string
}

func (r *refusal) Error() string { return r.code }

func refuse(status int, code string) error { return &refusal{status, code} }

// write writes XML.
func write(w io.Writer, body any) {
	if _, err := io.WriteString(w, xml.Header); err == nil {
		_ = xml.NewEncoder(w).Encode(body) //nolint:errcheck // the client may be gone
	}
}

func (s *Server) around(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	meddle := s.meddle
	s.mu.Unlock()
	next := http.Handler(http.HandlerFunc(s.serve))
	if meddle != nil {
		next = meddle(next)
	}
	next.ServeHTTP(w, r)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := s.read(r)
	if err == nil {
		err = s.do(w, r, body)
	}
	if no, ok := errors.AsType[*refusal](err); ok {
		Fail(w, no.status, no.code)
	} else if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// read reads a request, and checks its signature and hash.
func (s *Server) read(r *http.Request) ([]byte, error) {
	if err := s.verify(r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	sum := sha256.Sum256(body)
	switch said := r.Header.Get("X-Amz-Content-Sha256"); {
	case said == "UNSIGNED-PAYLOAD", r.URL.Query().Has("X-Amz-Signature"):
	case strings.HasPrefix(said, "STREAMING-"):
		return nil, refuse(http.StatusNotImplemented, "NotImplemented")
	case said != hex.EncodeToString(sum[:]):
		return nil, refuse(http.StatusBadRequest, "XAmzContentSHA256Mismatch")
	}
	return body, nil
}

func (s *Server) do(w http.ResponseWriter, r *http.Request, body []byte) error {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != s.config.Bucket {
		return refuse(http.StatusNotFound, "NoSuchBucket")
	}
	if key != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return s.get(w, r, key) // without the lock, since the client may read slowly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	is := func(method, parameter string) bool {
		return r.Method == method && (parameter == "" || query.Has(parameter))
	}
	if key == "" {
		switch {
		case is(http.MethodGet, "uploads"):
			s.listUploads(w, query.Get("prefix"), query.Get("key-marker"))
		case is(http.MethodGet, "list-type"):
			s.list(w, query.Get("prefix"), query.Get("continuation-token"), query.Get("max-keys"))
		case is(http.MethodPost, "delete"):
			return s.deleteObjects(w, body)
		default:
			return refuse(http.StatusNotImplemented, "NotImplemented")
		}
		return nil
	}
	switch {
	case is(http.MethodPut, "uploadId"):
		return s.part(w, query.Get("uploadId"), query.Get("partNumber"), body)
	case is(http.MethodPut, ""):
		o := s.object(r, body)
		s.objects[key] = o
		w.Header().Set("ETag", o.etag)
	case is(http.MethodPost, "uploads"):
		s.begin(w, r, key)
	case is(http.MethodPost, "uploadId"):
		return s.complete(w, query.Get("uploadId"), body)
	case is(http.MethodDelete, "uploadId"):
		if s.uploads[query.Get("uploadId")] == nil {
			return refuse(http.StatusNotFound, "NoSuchUpload")
		}
		delete(s.uploads, query.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case is(http.MethodDelete, ""):
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		return refuse(http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
	return nil
}

// object returns an object with a body, and the metadata in the request's header.
func (s *Server) object(r *http.Request, body []byte) object {
	sum := sha256.Sum256(body)
	return object{
		body: body, kind: r.Header.Get("Content-Type"), etag: strconv.Quote(hex.EncodeToString(sum[:16])),
		encryption: r.Header.Get("X-Amz-Server-Side-Encryption"), kmsKey: r.Header.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"),
		stored: s.config.Now().Truncate(time.Second),
	}
}

func (s *Server) get(w http.ResponseWriter, r *http.Request, key string) error {
	s.mu.Lock()
	o, ok := s.objects[key]
	s.mu.Unlock()
	if !ok {
		return refuse(http.StatusNotFound, "NoSuchKey")
	}
	if len(o.body) == 0 && r.Header.Get("Range") != "" {
		return refuse(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
	}
	w.Header().Set("ETag", o.etag)
	w.Header().Set("Content-Type", o.kind)
	for parameter, header := range map[string]string{
		"response-content-type": "Content-Type", "response-content-disposition": "Content-Disposition",
	} {
		if value := r.URL.Query().Get(parameter); value != "" {
			w.Header().Set(header, value)
		}
	}
	http.ServeContent(w, r, "", o.stored, bytes.NewReader(o.body))
	return nil
}

// page returns the names with a prefix, after a given one, and whether there are more.
func page[V any](all map[string]V, prefix, after string, most int) (names []string, more bool) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(name, prefix) || name <= after {
			continue
		}
		if len(names) == most {
			return names, true
		}
		names = append(names, name)
	}
	return names, false
}

func (s *Server) list(w http.ResponseWriter, prefix, after, most string) {
	limit, err := strconv.Atoi(most)
	if err != nil || limit > s.config.Page {
		limit = s.config.Page
	}
	names, more := page(s.objects, prefix, after, limit)
	out := listBody{IsTruncated: more, KeyCount: len(names)}
	for _, name := range names {
		o := s.objects[name]
		out.Contents = append(out.Contents, contentBody{name, o.stored.UTC().Format(time.RFC3339), o.etag, len(o.body)})
		out.NextContinuationToken = name
	}
	if !more {
		out.NextContinuationToken = ""
	}
	write(w, out)
}

func (s *Server) deleteObjects(w http.ResponseWriter, body []byte) error {
	var in deleteBody
	if err := xml.Unmarshal(body, &in); err != nil || len(in.Objects) == 0 || len(in.Objects) > 1000 { //nolint:gosec // only tests send it
		return refuse(http.StatusBadRequest, "MalformedXML")
	}
	for _, o := range in.Objects {
		delete(s.objects, o.Key)
	}
	write(w, deletedBody{})
	return nil
}
