package slacktest

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/gif"  // the sizes of pictures
	_ "image/jpeg" // the sizes of pictures
	_ "image/png"  // the sizes of pictures
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// fileState is a file of the workspace.
type fileState struct {
	File
	id, user string
	created  int64
	length   int64  // declared before an upload
	ticket   string // of its upload
	complete bool   // it is there
	deleted  bool
	shares   []share
}

// share is a message that shows a file.
type share struct {
	channel, ts, threadTS, by string
	kind                      channelKind
	name                      string
}

func (f *fileState) share(c *channelState, m *messageState) {
	f.shares = append(f.shares, share{c.id, m.ts, m.threadTS, m.user, c.kind, c.name})
}

// addFile is a new file of user.
func (s *Server) addFile(f File, user string) *fileState {
	if f.ID == "" {
		f.ID = s.id("F")
	}
	state := &fileState{id: f.ID, user: user, created: s.o.Now().Unix(), complete: true}
	state.become(f)
	s.files[f.ID] = state
	return state
}

// become fills in what f leaves out.
func (f *fileState) become(of File) {
	of.ID = f.id
	if of.Name == "" {
		of.Name = "file"
	}
	if of.Title == "" {
		of.Title = of.Name
	}
	if of.Type == "" {
		of.Type = mime.TypeByExtension(path.Ext(of.Name))
	}
	if of.Type == "" {
		of.Type = http.DetectContentType(of.Data)
	}
	of.Type, _, _ = strings.Cut(of.Type, ";")
	if of.Size == 0 {
		of.Size = int64(len(of.Data))
	}
	f.File = of
}

func (s *Server) replaceFile(id string, f File) {
	s.tb.Helper()
	s.change(func() {
		state := s.files[id]
		if state == nil {
			s.misusef("the file %q is not there", id)
			return
		}
		state.become(f)
	})
}

// fileObject is the file as Slack shows it; in a message one of another workspace is a
// stub.
func (s *Server) fileObject(f *fileState, inMessage bool) object {
	switch {
	case f.Fault == FileGone || f.deleted:
		return object{"id": f.id, "mode": "tombstone"}
	case f.Stub && inMessage:
		return object{"id": f.id, "mode": "file_access", "file_access": "check_file_info", "created": 0, "timestamp": 0, "user": ""}
	}
	name := url.PathEscape(f.Name)
	address := s.http.URL + "/files-pri/" + teamID + "-" + f.id
	extension := strings.TrimPrefix(path.Ext(f.Name), ".")
	o := object{
		"id": f.id, "created": f.created, "timestamp": f.created, "name": f.Name, "title": f.Title, "mimetype": f.Type,
		"filetype": extension, "pretty_type": strings.ToUpper(extension), "user": f.user, "user_team": teamID,
		"editable": false, "size": f.Size, "mode": "hosted", "is_external": false, "external_type": "", "is_public": true,
		"public_url_shared": false, "display_as_bot": false, "username": "", "file_access": "visible",
		"url_private": address + "/" + name, "url_private_download": address + "/download/" + name,
		"permalink":          "https://" + teamDomain + ".slack.com/files/" + f.user + "/" + f.id + "/" + name,
		"media_display_type": "unknown",
	}
	if f.AltTxt != "" {
		o["alt_txt"] = f.AltTxt
	}
	if f.Clip {
		o["subtype"], o["media_display_type"], o["duration_ms"] = "slack_audio", "audio", 1000
		o["transcription"] = object{"status": "processing"}
	}
	if f.Remote != "" {
		o["mode"], o["is_external"], o["external_type"], o["url_private"] = "external", true, "remote", f.Remote
		delete(o, "url_private_download")
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
		o["original_w"], o["original_h"] = size.Width, size.Height
	}
	return o
}

// sharesObject says where a file was shared, by public and private channels.
func (f *fileState) sharesObject() object {
	out := object{}
	for _, sh := range f.shares {
		kind := "private"
		if sh.kind == kindChannel {
			kind = "public"
		}
		of, ok := out[kind].(map[string][]object)
		if !ok {
			of = map[string][]object{}
			out[kind] = of
		}
		one := object{"ts": sh.ts, "channel_name": sh.name, "team_id": teamID, "share_user_id": sh.by, "source": "UNKNOWN"}
		if sh.threadTS != "" {
			one["thread_ts"] = sh.threadTS
		}
		of[sh.channel] = append(of[sh.channel], one)
	}
	return out
}

// visible is a file of a call.
func (s *Server) visible(args url.Values) (*fileState, error) {
	f := s.files[args.Get("file")]
	switch {
	case f == nil || !f.complete:
		return nil, refuse("file_not_found")
	case f.deleted || f.Fault == FileGone:
		return nil, refuse("file_deleted")
	}
	return f, nil
}

func (s *Server) fileInfo(args url.Values) (object, error) {
	f, err := s.visible(args)
	if err != nil {
		return nil, err
	}
	o := s.fileObject(f, false)
	if !s.o.Foreign {
		o["shares"] = f.sharesObject()
	}
	lists := map[channelKind][]string{kindChannel: {}, kindGroup: {}, kindIM: {}}
	for _, sh := range f.shares {
		kind := sh.kind
		if kind == kindMPIM {
			kind = kindGroup
		}
		if !slices.Contains(lists[kind], sh.channel) {
			lists[kind] = append(lists[kind], sh.channel)
		}
	}
	o["channels"], o["groups"], o["ims"] = lists[kindChannel], lists[kindGroup], lists[kindIM]
	return object{"file": o, "comments": []object{}}, nil
}

func (s *Server) deleteFile(args url.Values) (object, error) {
	f, err := s.visible(args)
	if err != nil {
		return nil, err
	}
	if f.user != botUser {
		return nil, refuse("cant_delete_file")
	}
	f.deleted = true
	for _, sh := range f.shares {
		c := s.channels[sh.channel]
		if c == nil || c.get(sh.ts) == nil {
			continue
		}
		m := c.get(sh.ts)
		before := s.bare(c, m)
		m.files = slices.DeleteFunc(m.files, func(other *fileState) bool { return other == f })
		if len(m.files) == 0 && m.text == "" {
			s.drop(c, m)
			continue
		}
		s.tellChanged(c, m, before)
	}
	return object{}, nil
}

// summary is a file and its title, as files.completeUploadExternal names them.
type summary struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// summaries reads the files of files.completeUploadExternal.
func summaries(args url.Values) ([]summary, error) {
	var all []summary
	if json.Unmarshal([]byte(args.Get("files")), &all) != nil || len(all) == 0 {
		return nil, refuse("invalid_arguments", "[ERROR] missing required field: files")
	}
	return all, nil
}
