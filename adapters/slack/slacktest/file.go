package slacktest

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/gif"  // the sizes of pictures
	_ "image/jpeg" // the sizes of pictures
	_ "image/png"  // the sizes of pictures
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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

// fileMethods upload, read and delete files. An upload has three steps: an address, the
// bytes, and where it is shared. https://docs.slack.dev/messaging/working-with-files#upload
type fileMethods struct {
	*shared
	workspace     *Workspace
	events        *events
	faults        *Faults
	uploads       map[string]*fileState // by ticket
	uploadAddress string
}

func (fm *fileMethods) uploadURL(args url.Values) (object, error) {
	length, err := strconv.ParseInt(args.Get("length"), 10, 64)
	switch {
	case args.Get("filename") == "":
		return nil, refuseArgument("missing required field: filename")
	case err != nil || length <= 0:
		return nil, refuseArgument("must be greater than 0 [json-pointer:/length]")
	case utf8.RuneCountInString(args.Get("alt_txt")) > 1000:
		return nil, refuse("alt_txt_too_large")
	}
	f := fm.workspace.addFile(File{Name: args.Get("filename"), AltTxt: args.Get("alt_txt")}, botUser)
	f.complete, f.length = false, length
	ticket := fm.id("up")
	fm.uploads[ticket] = f
	return object{"upload_url": fm.uploadAddress + "/upload/v1/" + ticket, "file_id": f.ID}, nil
}

// serveUpload is called without the lock.
func (fm *fileMethods) serveUpload(w http.ResponseWriter, r *http.Request) {
	failed, lose, ok := fm.faults.befall(r, "upload")
	if !ok {
		return
	}
	var f *fileState
	fm.read(func() { f = fm.uploads[r.PathValue("ticket")] })
	switch {
	case failed != nil:
		failed.write(w)
		return
	case f == nil:
		http.Error(w, "expired", http.StatusNotFound)
		return
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, f.length+1))
	switch {
	case err != nil || int64(len(data)) != f.length || r.ContentLength != f.length:
		http.Error(w, "the length is not the one that was declared", http.StatusBadRequest)
		return
	case r.Header.Get("Authorization") != "" || strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/"):
		http.Error(w, "only the bytes are wanted, and no token", http.StatusBadRequest)
		return
	}
	fm.change(func() { f.Data = data })
	if lose {
		panic(http.ErrAbortHandler) // the connection breaks before the answer
	}
	_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(data))) //nolint:errcheck // the client has gone
}

// summary is a file and its title, as files.completeUploadExternal names them.
type summary struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

func (fm *fileMethods) completeUpload(args url.Values) (object, error) {
	var all []summary
	if json.Unmarshal([]byte(args.Get("files")), &all) != nil || len(all) == 0 {
		return nil, refuseArgument("missing required field: files")
	}
	for _, one := range all {
		f := fm.workspace.files[one.ID]
		switch {
		case f == nil, f.user != botUser, f.Data == nil:
			return nil, refuse("file_not_found")
		case f.complete:
			return nil, refuse("file_update_failed")
		}
	}
	c, err := fm.workspace.writable(args.Get("channel_id"))
	if err != nil {
		return nil, err
	}
	if c.restricted {
		return nil, refuse("posting_to_channel_denied")
	}
	if err := c.mayReply(args.Get("thread_ts")); err != nil {
		return nil, err
	}
	said := url.Values{"text": args["initial_comment"]}
	if !args.Has("initial_comment") { // otherwise blocks are ignored
		said["blocks"] = args["blocks"]
	}
	m, err := fm.content(said)
	if err != nil {
		return nil, err
	}
	if m.text == "" {
		m.text = textOf(m.blocks)
	}
	m.threadTS, m.subtype = args.Get("thread_ts"), "file_share"
	if fm.o.BareFiles {
		m.blocks = nil
	}
	if fm.o.OwnerlessFiles {
		m.botID = ""
	}
	shown := make([]object, 0, len(all))
	for _, one := range all {
		f := fm.workspace.files[one.ID]
		f.become(f.File)
		f.title, f.complete = one.Title, true
		m.files = append(m.files, f)
		shown = append(shown, f.object())
	}
	publish := func() {
		if !c.deleted {
			fm.workspace.store(c, m)
			fm.events.message(c, m)
		}
	}
	if fm.o.ShareAfter < 0 {
		publish()
	} else {
		fm.events.deliveries.open++ // so that it is not idle
		fm.after(fm.o.ShareAfter, func() {
			fm.events.deliveries.open--
			publish()
		})
	}
	return object{"files": shown}, nil
}

// visible returns the file that a call names, unless it is incomplete or deleted.
func (fm *fileMethods) visible(args url.Values) (*fileState, error) {
	f := fm.workspace.files[args.Get("file")]
	switch {
	case f == nil || !f.complete:
		return nil, refuse("file_not_found")
	case f.deleted:
		return nil, refuse("file_deleted")
	}
	return f, nil
}

func (fm *fileMethods) info(args url.Values) (object, error) {
	f, err := fm.visible(args)
	if err != nil {
		return nil, err
	}
	o := f.object()
	if !fm.o.Foreign {
		o["shares"] = f.sharesObject()
	}
	channels, direct := []string{}, []string{}
	for _, sh := range f.shares {
		if strings.HasPrefix(sh.channel, "D") {
			direct = append(direct, sh.channel)
		} else {
			channels = append(channels, sh.channel)
		}
	}
	o["channels"], o["groups"], o["ims"] = channels, []string{}, direct
	return object{"file": o, "comments": []object{}}, nil
}

func (fm *fileMethods) remove(args url.Values) (object, error) {
	f, err := fm.visible(args)
	if err != nil {
		return nil, err
	}
	if f.user != botUser {
		return nil, refuse("cant_delete_file")
	}
	f.deleted = true
	for _, sh := range f.shares {
		c := fm.workspace.channels[sh.channel]
		m := c.get(sh.ts)
		if m == nil {
			continue
		}
		before := m.bare()
		m.files = slices.DeleteFunc(m.files, func(other *fileState) bool { return other == f })
		if len(m.files) == 0 && m.text == "" {
			fm.events.remove(c, m)
			continue
		}
		fm.events.changed(c, m, before)
	}
	return object{}, nil
}

// loginPage is the answer to a download without the token, with status 200.
const loginPage = `<!DOCTYPE html><html lang="en-US"><head><title>Slack</title></head><body>Sign in to Workshop</body></html>`

// serveDownload is called without the lock.
func (fm *fileMethods) serveDownload(w http.ResponseWriter, r *http.Request) {
	failed, _, ok := fm.faults.befall(r, "download")
	if !ok {
		return
	}
	_, id, _ := strings.Cut(r.PathValue("file"), "-")
	var f File
	var allowed, there bool
	fm.read(func() {
		allowed = r.Header.Get("Authorization") == "Bearer "+botToken && fm.revoked == "" && fm.scopes["files:read"]
		if state := fm.workspace.files[id]; state != nil && state.complete && !state.deleted {
			f, there = state.File, true
		}
	})
	page := func(status int, text string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) //nolint:errcheck // the client has gone
	}
	switch {
	case failed != nil:
		failed.write(w)
	case !allowed || f.Fault == FileHTML:
		page(http.StatusOK, loginPage)
	case !there || f.Fault == FileLost:
		page(http.StatusNotFound, "<!DOCTYPE html><html><body>The requested file could not be found.</body></html>")
	case f.Fault == FileBroken:
		page(http.StatusInternalServerError, "<!DOCTYPE html><html><body>Something went wrong.</body></html>")
	case f.Fault == FileMoved:
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	default:
		w.Header().Set("Content-Type", f.Type)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Data))
	}
}
