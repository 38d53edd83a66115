package localaitest

import (
	"encoding/base64"
	"net/http"
	"slices"
)

// result is what a model makes: JSON, or a file.
type result struct {
	json any
	file []byte
	// item is that a file is handed over as OpenAI does it with pictures, as an address
	// unless it is to be spelled out.
	item, spelled bool
}

// works are what is done, by method and path.
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

// handle checks a request, has the work done and answers.
func (s *Server) handle(path string, work func(*Request) (result, error)) http.HandlerFunc {
	f := forms()[path]
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := f.read(r)
		if err != nil {
			if r.Context().Err() == nil { // one that broke off is not ill-formed
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

// has reports whether a model is installed that can do it.
func (s *Server) has(model, capability string) bool {
	return slices.ContainsFunc(s.config.Models, func(m Model) bool { return m.ID == model && slices.Contains(m.Capabilities, capability) })
}

// answer writes what was made, with the faults that it has.
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
