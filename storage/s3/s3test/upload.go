package s3test

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strconv"
	"time"
)

// minPart is the minimum size of all parts but the last.
const minPart = 5 << 20

func (s *Server) begin(w http.ResponseWriter, r *http.Request, key string) {
	s.made++
	id := strconv.Itoa(s.made)
	s.uploads[id] = &upload{key: key, made: s.config.Now().Truncate(time.Second), as: s.object(r, nil), parts: map[int]object{}}
	write(w, begunBody{Bucket: s.config.Bucket, Key: key, UploadID: id})
}

func (s *Server) part(w http.ResponseWriter, id, number string, body []byte) error {
	u := s.uploads[id]
	if u == nil {
		return refuse(http.StatusNotFound, "NoSuchUpload")
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 10_000 {
		return refuse(http.StatusBadRequest, "InvalidArgument")
	}
	o := s.object(&http.Request{}, body)
	u.parts[n] = o
	w.Header().Set("ETag", o.etag)
	return nil
}

func (s *Server) complete(w http.ResponseWriter, id string, body []byte) error {
	u := s.uploads[id]
	if u == nil {
		return refuse(http.StatusNotFound, "NoSuchUpload")
	}
	var in completeBody
	if err := xml.Unmarshal(body, &in); err != nil || len(in.Parts) == 0 { //nolint:gosec // only tests send it
		return refuse(http.StatusBadRequest, "MalformedXML")
	}
	var whole bytes.Buffer
	for i, p := range in.Parts {
		o, ok := u.parts[p.PartNumber]
		switch {
		case i > 0 && p.PartNumber <= in.Parts[i-1].PartNumber:
			return refuse(http.StatusBadRequest, "InvalidPartOrder")
		case !ok || o.etag != p.ETag:
			return refuse(http.StatusBadRequest, "InvalidPart")
		case i < len(in.Parts)-1 && len(o.body) < minPart:
			return refuse(http.StatusBadRequest, "EntityTooSmall")
		}
		whole.Write(o.body)
	}
	o := s.object(&http.Request{}, whole.Bytes())
	o.kind, o.encryption, o.kmsKey = u.as.kind, u.as.encryption, u.as.kmsKey
	s.objects[u.key] = o
	delete(s.uploads, id)
	write(w, completedBody{Bucket: s.config.Bucket, Key: u.key, ETag: o.etag})
	return nil
}

func (s *Server) listUploads(w http.ResponseWriter, prefix, after string) {
	ids := map[string]string{} // by key
	for id, u := range s.uploads {
		ids[u.key] = id
	}
	keys, more := page(ids, prefix, after, s.config.Page)
	out := uploadsBody{IsTruncated: more}
	for _, key := range keys {
		out.Uploads = append(out.Uploads, uploadBody{key, ids[key], s.uploads[ids[key]].made.UTC().Format(time.RFC3339)})
		out.NextKeyMarker, out.NextUploadIDMarker = key, ids[key]
	}
	write(w, out)
}
