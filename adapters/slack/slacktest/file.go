package slacktest

import (
	"bytes"
	"image"
	_ "image/gif"  // the sizes of pictures
	_ "image/jpeg" // the sizes of pictures
	_ "image/png"  // the sizes of pictures
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// File is a file that somebody shares.
type File struct {
	ID     string // set by the server if empty
	Name   string
	Type   string // media type; "" is detected by the name or the content
	AltTxt string // alt text of a picture
	Data   []byte
	Clip   bool      // an audio clip, recorded in Slack
	Fault  FileFault // what is wrong with its download
	// Remote is another address of url_private (a remote file: mode "external",
	// is_external).
	Remote string
	// Stub sends the file as Slack Connect does: id and file_access "check_file_info" only;
	// files.info has the rest.
	Stub bool
}

// FileFault is what happens to the download of a file.
type FileFault string

// The faults of downloads.
const (
	FileLost   FileFault = "lost"     // 404 with an HTML page
	FileHTML   FileFault = "html"     // 200 and an HTML page, though the token is right
	FileMoved  FileFault = "redirect" // 302 to http://169.254.169.254/
	FileBroken FileFault = "broken"   // 500
)

// fileState is a file of the workspace.
type fileState struct {
	File
	user, title string
	address     string // where it is downloaded
	created     int64
	length      int64 // declared before an upload
	complete    bool  // it is uploaded, and shared if it is to be
	deleted     bool
	shares      []share
}

// share is a message that shows a file.
type share struct{ channel, channelName, ts, threadTS, by string }

// addFile adds a file owned by user.
func (w *Workspace) addFile(of File, user string) *fileState {
	if of.ID == "" {
		of.ID = w.id("F")
	}
	f := &fileState{user: user, created: time.Now().Unix(), complete: true, address: w.address + "/files-pri/" + teamID + "-" + of.ID + "/"}
	f.become(of)
	w.files[of.ID] = f
	return f
}

// become sets the content of the file, and fills in what it leaves out.
func (f *fileState) become(of File) {
	if of.Type == "" {
		of.Type = mime.TypeByExtension(path.Ext(of.Name))
	}
	if of.Type == "" {
		of.Type = http.DetectContentType(of.Data)
	}
	of.Type, _, _ = strings.Cut(of.Type, ";")
	f.File, f.title = of, of.Name
}

// inMessage returns the file as a message shows it; one of another workspace is a stub.
func (f *fileState) inMessage() object {
	if f.Stub && !f.deleted {
		return object{"id": f.ID, "mode": "file_access", "file_access": "check_file_info", "created": 0, "timestamp": 0, "user": ""}
	}
	return f.object()
}

// object returns the file as Slack shows it.
func (f *fileState) object() object {
	if f.deleted {
		return object{"id": f.ID, "mode": "tombstone"}
	}
	name := url.PathEscape(f.Name)
	extension := strings.TrimPrefix(path.Ext(f.Name), ".")
	o := object{
		"id": f.ID, "created": f.created, "timestamp": f.created, "name": f.Name, "title": f.title, "mimetype": f.Type,
		"filetype": extension, "pretty_type": strings.ToUpper(extension), "user": f.user, "user_team": teamID,
		"editable": false, "size": len(f.Data), "mode": "hosted", "is_external": false, "external_type": "", "is_public": true,
		"file_access": "visible", "url_private": f.address + name, "url_private_download": f.address + "download/" + name,
		"permalink":          "https://" + teamDomain + ".slack.com/files/" + f.user + "/" + f.ID + "/" + name,
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

// sharesObject says in which channels a file was shared.
func (f *fileState) sharesObject() object {
	public, private := map[string][]object{}, map[string][]object{}
	for _, sh := range f.shares {
		one := object{"ts": sh.ts, "channel_name": sh.channelName, "team_id": teamID, "share_user_id": sh.by, "source": "UNKNOWN"}
		if sh.threadTS != "" {
			one["thread_ts"] = sh.threadTS
		}
		of := public
		if strings.HasPrefix(sh.channel, "D") {
			of = private
		}
		of[sh.channel] = append(of[sh.channel], one)
	}
	return object{"public": public, "private": private}
}
