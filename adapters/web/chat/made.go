package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"

	"atelier/adapters"
)

// madeRef matches the reference to a file of an answer.
var madeRef = regexp.MustCompile(`^(bot-[0-9a-f]{32})\.([0-9]{1,3})$`)

// MadeRef returns a reference to the nth file of an answer, for a message that uses it.
func MadeRef(message string, n int) string { return message + "." + strconv.Itoa(n) }

// IsMadeRef reports whether ref refers to a file of an answer rather than to an upload.
func IsMadeRef(ref string) bool { return madeRef.MatchString(ref) }

// Use returns a file of an answer as a file to send. It returns false if the file does not exist, or no longer.
func (s Snapshot) Use(ref string) (_ Upload, ok bool) {
	parts := madeRef.FindStringSubmatch(ref)
	if parts == nil {
		return Upload{}, false
	}
	m := s.Message(parts[1])
	n, err := strconv.Atoi(parts[2])
	if err != nil || m == nil || m.Said == nil || m.Removed || n >= len(m.Said.Reply.Files) {
		return Upload{}, false
	}
	a := m.Said.Reply.Files[n]
	if a.Handle == "" {
		return Upload{}, false
	}
	sum := sha256.Sum256([]byte(ref))
	return Upload{ID: hex.EncodeToString(sum[:16]), Name: a.Name, Size: a.Size, Type: a.Type, Key: a.Handle, Made: true}, true
}

// drawn are the picture and video types that have thumbnails.
var drawn = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "video/mp4", "video/webm", "video/quicktime", "video/x-matroska",
}

// Picture returns the latest picture or video: an upload id or a [MadeRef]; "" if there is none.
func (s Snapshot) Picture() string {
	for _, m := range slices.Backward(s.Messages) {
		if m.Removed {
			continue
		}
		if m.Said != nil {
			for i, a := range m.Said.Reply.Files {
				if a.Handle != "" && slices.Contains(drawn, a.Type) {
					return MadeRef(m.ID, i)
				}
			}
		}
		for _, f := range m.Files {
			if slices.Contains(drawn, f.Type) {
				return f.ID
			}
		}
	}
	return ""
}

// Kept returns the attachments that are stored, without those that are only links.
func Kept(all []adapters.Attachment) []adapters.Attachment {
	return slices.DeleteFunc(slices.Clone(all), func(a adapters.Attachment) bool { return a.Handle == "" })
}
