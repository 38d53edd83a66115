package localaitest

import (
	"encoding/base64"
	"net/http"
	"slices"
)

// result is the output of a model: JSON, or a file.
type result struct {
	json any
	file []byte
	// item says that the file is returned as in OpenAI's image API: as a URL, or in Base64 if spelled is
	// set.
	item, spelled bool
}

// works are the handlers by method and path.
var works = map[string]func(*Request) (result, error){
	"POST /v1/detection":            detect,
	"POST /v1/depth":                estimate,
	"POST /v1/sound-generation":     compose,
	"POST /video":                   film,
	"POST /v1/images/generations":   paint,
	"POST /v1/images/inpainting":    inpaint,
	"POST /v1/images/upscale":       enlarge,
	"POST /v1/audio/classification": classify,
	"POST /audio/transformations":   transform,
	"POST /v1/audio/speech":         speak,
	"POST /v1/audio/transcriptions": transcribe,
}

// handle validates a request, runs the work and answers.
func (s *Server) handle(path string, work func(*Request) (result, error)) http.HandlerFunc {
	f := forms()[path]
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := f.read(r)
		if err != nil {
			if r.Context().Err() == nil { // an aborted request is not ill-formed
				s.tb.Errorf("localaitest: %s: ill-formed: %v", path, err)
			}
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, *q)
		s.mu.Unlock()
		if !s.has(q.Model, f.Capability) {
			fail(w, http.StatusInternalServerError, "could not load model - all backends returned error: "+q.Model)
			return
		}
		made, err := work(q)
		if err != nil {
			s.tb.Errorf("localaitest: %s: %v", path, err)
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		s.answer(w, r, made)
	}
}

// has reports whether a model with the capability is installed.
func (s *Server) has(model, capability string) bool {
	return slices.ContainsFunc(s.config.Models, func(m Model) bool { return m.ID == model && slices.Contains(m.Capabilities, capability) })
}

// answer sends the result, altered by a fault.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, made result) {
	b, _ := s.fault(r)
	if b.fault == WrongKind && made.file != nil {
		made.file = []byte("words, and not what was asked for\n")
	}
	switch {
	case made.file == nil:
		send(w, http.StatusOK, made.json)
	case !made.item:
		write(w, http.DetectContentType(made.file), made.file)
	default:
		item := map[string]any{"index": 0}
		switch {
		case b.fault == Elsewhere:
			item["url"] = "http://192.0.2.1:9/generated/0"
		case made.spelled:
			item["b64_json"] = base64.StdEncoding.EncodeToString(made.file)
		default:
			item["url"] = s.host(made.file)
		}
		send(w, http.StatusOK, map[string]any{"created": 1, "id": "local", "data": []any{item}})
	}
}
