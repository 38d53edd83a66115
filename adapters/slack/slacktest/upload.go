package slacktest

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The upload of a file goes in three steps: an address, the bytes, and where it is
// shared. https://docs.slack.dev/messaging/working-with-files#upload

func (s *Server) uploadURL(args url.Values) (object, error) {
	length, err := strconv.ParseInt(args.Get("length"), 10, 64)
	switch {
	case args.Get("filename") == "":
		return nil, refuse("invalid_arguments", "[ERROR] missing required field: filename")
	case err != nil || length <= 0:
		return nil, refuse("invalid_arguments", "[ERROR] must be greater than 0 [json-pointer:/length]")
	case length > s.o.MaxFile:
		return nil, refuse("file_upload_size_restricted")
	case runes(args.Get("alt_txt")) > 1000:
		return nil, refuse("alt_txt_too_large")
	}
	f := s.addFile(File{Name: args.Get("filename"), AltTxt: args.Get("alt_txt"), Size: length}, botUser)
	f.complete, f.length, f.ticket = false, length, s.id("up")
	s.uploads[f.ticket] = f
	return object{"upload_url": s.uploadsAt() + "/upload/v1/" + f.ticket, "file_id": f.id}, nil
}

// uploadsAt is where bytes are uploaded to.
func (s *Server) uploadsAt() string {
	if s.other == nil {
		return s.http.URL
	}
	return strings.Replace(s.other.URL, "127.0.0.1", "localhost", 1)
}

func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.uploads[r.PathValue("ticket")]
	hit := s.hit("upload")
	s.count(Call{Method: "upload", Status: http.StatusOK})
	s.mu.Unlock()
	if hit.stall != nil {
		select {
		case <-hit.stall:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
	switch {
	case hit.failed != nil:
		hit.failed.write(w, hit.after)
		return
	case f == nil:
		http.Error(w, "expired", http.StatusNotFound)
		return
	}
	foreign := s.o.Foreign &&
		(r.ContentLength != f.length || r.Header.Get("Authorization") != "" || strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/"))
	data, err := uploaded(r, f.length+1)
	if foreign || err != nil || int64(len(data)) != f.length {
		http.Error(w, "the length is not the one that was declared", http.StatusBadRequest)
		return
	}
	s.change(func() { f.Data = data })
	if hit.lose {
		panic(http.ErrAbortHandler) // the connection breaks before the answer
	}
	_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(data))) //nolint:errcheck // the client has gone
}

// uploaded is the body of an upload, or the first file of its form.
func uploaded(r *http.Request, most int64) ([]byte, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		data, err := io.ReadAll(io.LimitReader(r.Body, most))
		if err != nil {
			return nil, fmt.Errorf("slacktest: reading an upload: %w", err)
		}
		return data, nil
	}
	form := multipart.NewReader(r.Body, params["boundary"])
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, fmt.Errorf("slacktest: reading an upload: %w", err)
		}
		if part.FileName() == "" && part.FormName() != "file" {
			continue
		}
		var data bytes.Buffer
		if _, err := io.Copy(&data, io.LimitReader(part, most)); err != nil {
			return nil, fmt.Errorf("slacktest: reading an upload: %w", err)
		}
		return data.Bytes(), nil
	}
}

func (s *Server) completeUpload(args url.Values) (object, error) {
	all, err := summaries(args)
	if err != nil {
		return nil, err
	}
	files := make([]*fileState, 0, len(all))
	for _, one := range all {
		f := s.files[one.ID]
		switch {
		case f == nil, f.user != botUser, f.Data == nil:
			return nil, refuse("file_not_found")
		case f.complete:
			return nil, refuse("file_update_failed")
		}
		files = append(files, f)
	}
	var places []*channelState
	for id := range strings.SplitSeq(args.Get("channels")+","+args.Get("channel_id"), ",") {
		if id == "" {
			continue
		}
		c, err := s.place(id)
		if err != nil {
			return nil, fmt.Errorf("slacktest: reading an upload: %w", err)
		}
		if c.restricted {
			return nil, refuse("posting_to_channel_denied")
		}
		if err := c.thread(args.Get("thread_ts")); err != nil {
			return nil, fmt.Errorf("slacktest: reading an upload: %w", err)
		}
		places = append(places, c)
	}
	said, err := content(url.Values{"text": args["initial_comment"], "blocks": args["blocks"]})
	if err != nil {
		return nil, err
	}
	shown := make([]object, 0, len(files))
	for i, f := range files {
		f.Title = all[i].Title
		f.become(f.File)
		f.complete = true
		delete(s.uploads, f.ticket)
		shown = append(shown, s.fileObject(f, false))
	}
	publish := func() {
		for _, c := range places {
			m := *said
			m.threadTS, m.files, m.subtype = args.Get("thread_ts"), files, "file_share"
			m.user, m.botID = botUser, botID
			if !c.deleted {
				s.postAs(c, &m)
			}
		}
	}
	if s.o.ShareAfter < 0 {
		publish()
	} else if len(places) > 0 {
		s.open++
		s.after(s.o.ShareAfter, func() {
			s.open--
			publish()
		})
	}
	return object{"files": shown}, nil
}
