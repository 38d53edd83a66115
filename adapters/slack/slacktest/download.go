package slacktest

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// loginPage is what a download without the token gets, with status 200.
const loginPage = `<!DOCTYPE html><html lang="en-US"><head><title>Slack</title></head><body>Sign in to Workshop</body></html>`

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	_, id, _ := strings.Cut(r.PathValue("file"), "-")
	s.mu.Lock()
	state := s.files[id]
	allowed := r.Header.Get("Authorization") == "Bearer "+botToken && s.revoked == "" && s.scopes["files:read"]
	hit := s.hit("download")
	s.count(Call{Method: "download", Status: http.StatusOK})
	var f File
	gone := state == nil || !state.complete || state.deleted
	if !gone {
		f = state.File
	}
	s.mu.Unlock()
	page := func(status int, text string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) //nolint:errcheck // the client has gone
	}
	switch {
	case hit.failed != nil:
		hit.failed.write(w, hit.after)
	case !allowed || f.Fault == FileHTML:
		page(http.StatusOK, loginPage)
	case gone || f.Fault == FileLost || f.Fault == FileGone:
		page(http.StatusNotFound, "<!DOCTYPE html><html><body>The requested file could not be found.</body></html>")
	case f.Fault == FileBroken:
		page(http.StatusInternalServerError, "<!DOCTYPE html><html><body>Something went wrong.</body></html>")
	case f.Fault == FileMoved:
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	default:
		w.Header().Set("Content-Type", f.Type)
		s.pour(w, r, f)
	}
}

// pour sends a file's bytes, as its fault says.
func (s *Server) pour(w http.ResponseWriter, r *http.Request, f File) {
	flush := func() { _ = http.NewResponseController(w).Flush() } //nolint:errcheck // the client has gone
	switch f.Fault {
	case FileCut:
		w.Header().Set("Content-Length", strconv.Itoa(len(f.Data)))
		_, _ = w.Write(f.Data[:len(f.Data)/2]) //nolint:errcheck // it is cut anyway
		flush()
		panic(http.ErrAbortHandler) // the connection breaks
	case FileStalled:
		flush()
		select {
		case <-r.Context().Done():
		case <-s.done:
		}
	case FileEndless:
		block := bytes.Repeat([]byte("endless "), 4096)
		copy(block, f.Data)
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
			select {
			case <-s.done:
				return
			default:
			}
		}
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Data))
	}
}
