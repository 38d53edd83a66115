package slacktest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

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
			fm.workspace.store(c, m, false)
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
