package convert

import (
	"cmp"
	"path"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// File is a file of a message. The library leaves out the subtype.
type File struct {
	slack.File

	Subtype string `json:"subtype"`
}

// audioClip is the subtype of an audio clip, which people record in Slack itself; the same sound shared as a file
// has no subtype. Slack documents clips only for people (https://slack.com/help/articles/4406235165587), and their
// media type may be that of a video, or missing.
const audioClip = "slack_audio"

// Stub marks a file of another workspace; Slack sends only its id.
const Stub = "check_file_info"

const (
	// MaxName is how many bytes of a name are read.
	MaxName     = 256
	maxAlt      = 2000 // bytes of a file's description that is read
	maxHandle   = 8000
	maxAltOut   = 1000 // characters of a file's description that is sent
	maxFileName = 200  // bytes of a file's name
)

// Files converts the files of a message, except those that were deleted.
func Files(files []File) []adapters.File {
	var all []adapters.File
	for _, f := range files {
		if !IsID(f.ID) || f.Mode == "tombstone" || f.Mode == "hidden_by_limit" || len(all) == adapters.MaxFiles {
			continue
		}
		all = append(all, adapters.File{
			ID: f.ID, Name: PlainLine(cmp.Or(f.Name, f.Title), MaxName), Size: max(int64(f.Size), 0), Type: PlainLine(f.Mimetype, MaxName),
			Alt: CutBytes(strings.ToValidUTF8(f.AltTxt, "\uFFFD"), maxAlt), Voice: f.Subtype == audioClip, Handle: fileHandle(f.File),
		})
	}
	return all
}

// fileHandle returns what fetching needs: the file's id, and its URL if Slack sends it.
func fileHandle(f slack.File) string {
	h := f.ID
	if IsExternal(f) { // the address is not Slack's
		return h
	}
	if at := cmp.Or(f.URLPrivateDownload, f.URLPrivate); at != "" && len(at) < maxHandle && f.FileAccess != Stub && !strings.ContainsFunc(at, isBlank) {
		h += " " + at
	}
	return h
}

// IsExternal reports whether a file is not stored by Slack but at a URL that somebody chose.
func IsExternal(f slack.File) bool { return f.IsExternal || f.Mode == "external" }

func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

// SharedIn returns the message of a channel that shows a file; "" if none does.
func SharedIn(all slack.Share, channel string) string {
	for _, shares := range []map[string][]slack.ShareFileInfo{all.Public, all.Private} {
		for _, share := range shares[channel] {
			return share.Ts
		}
	}
	return ""
}

// AltText returns the description of a file, shortened to what Slack accepts.
func AltText(f adapters.Attachment) string {
	letters := []rune(f.Alt)
	return string(letters[:min(len(letters), maxAltOut)])
}

// FileName returns a file name without folders, shortened to what Slack accepts, with its extension.
func FileName(name string) string {
	name = strings.ReplaceAll(path.Base(strings.ReplaceAll(PlainLine(name, len(name)), `\`, "/")), `"`, "'")
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	if ext := path.Ext(name); len(name) > maxFileName && len(ext) < 20 {
		name = CutBytes(strings.TrimSuffix(name, ext), maxFileName-len(ext)) + ext
	}
	return CutBytes(name, maxFileName)
}
