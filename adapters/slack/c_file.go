package slack

import (
	"atelier/adapters"
	"cmp"
	"path"
	"strings"

	"github.com/slack-go/slack"
)

// attached is a file of a message. The library leaves out what sort of a file it is.
type attached struct {
	slack.File

	Subtype string `json:"subtype"`
}

// audioClip is the subtype of an audio clip, which people record in Slack itself: the same sound
// shared as a file has none. Slack documents clips for people only
// (https://slack.com/help/articles/4406235165587), and the media type that it tells of them
// may be that of a video, or none.
const audioClip = "slack_audio"

// stub is how Slack marks a file of another workspace, of which it tells the id alone.
const stub = "check_file_info"

const (
	// MaxName is how many bytes of a name are read.
	MaxName     = 256
	maxAlt      = 2000 // bytes of a file's description that is read
	maxHandle   = 8000
	maxAltOut   = 1000 // characters of a file's description that is sent
	maxFileName = 200  // bytes of a file's name
)

// readFiles gives the files of a message that are there still. One of which Slack tells no
// more than that it is there is asked for where it is fetched.
func readFiles(files []attached) []adapters.File {
	var all []adapters.File
	for _, f := range files {
		if !isID(f.ID) || f.Mode == "tombstone" || f.Mode == "hidden_by_limit" || len(all) == adapters.MaxFiles {
			continue
		}
		all = append(all, adapters.File{
			ID: f.ID, Name: plainLine(cmp.Or(f.Name, f.Title), MaxName), Size: max(int64(f.Size), 0), Type: plainLine(f.Mimetype, MaxName),
			Alt: cutBytes(strings.ToValidUTF8(f.AltTxt, "\uFFFD"), maxAlt), Voice: f.Subtype == audioClip, Handle: handle(f.File),
		})
	}
	return all
}

// handle is what [Slack.Fetch] needs: the file's id, and where it is, if that is told.
func handle(f slack.File) string {
	h := f.ID
	if isElsewhere(f) { // the address is somebody's, and not Slack's
		return h
	}
	if at := cmp.Or(f.URLPrivateDownload, f.URLPrivate); at != "" && len(at) < maxHandle && f.FileAccess != stub && !strings.ContainsFunc(at, isBlank) {
		h += " " + at
	}
	return h
}

// isElsewhere tells of a file that is not with Slack, but at an address that somebody chose.
func isElsewhere(f slack.File) bool { return f.IsExternal || f.Mode == "external" }

func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

// shownIn is the message of a channel that shows a file; "" if none does.
func shownIn(all slack.Share, channel string) string {
	for _, shares := range []map[string][]slack.ShareFileInfo{all.Public, all.Private} {
		for _, share := range shares[channel] {
			return share.Ts
		}
	}
	return ""
}

// alt is what a file is said to show.
func alt(f adapters.Attachment) string {
	letters := []rune(f.Alt)
	return string(letters[:min(len(letters), maxAltOut)])
}

// fileName is a name that is no path, with its extension.
func fileName(name string) string {
	name = strings.ReplaceAll(path.Base(strings.ReplaceAll(plainLine(name, len(name)), `\`, "/")), `"`, "'")
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	if ext := path.Ext(name); len(name) > maxFileName && len(ext) < 20 {
		name = cutBytes(strings.TrimSuffix(name, ext), maxFileName-len(ext)) + ext
	}
	return cutBytes(name, maxFileName)
}
