package media

import (
	"io"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/container"
)

// mp4Sound is what a film of boxes without moving pictures is. Phones and recorders give it
// the endings of films.
var mp4Sound = kind{"audio/mp4", plan.Audio, plan.Say("an MP4 sound"), []string{"m4a", "mp4", "m4b", "m4v", "mov", "qt", "3gp", "3g2", "f4v"}}

// soundIn are the kinds that a container of films is where it holds sound alone, by the kind
// that its first bytes tell.
var soundIn = map[string]kind{
	"video/mp4":        mp4Sound,
	"video/x-m4v":      mp4Sound,
	"video/quicktime":  mp4Sound,
	"video/3gpp":       mp4Sound,
	"video/3gpp2":      mp4Sound,
	"video/webm":       {"audio/webm", plan.Audio, plan.Say("a WebM sound"), []string{"webm", "weba", "mkv", "mka"}},
	"video/x-matroska": {"audio/x-matroska", plan.Audio, plan.Say("a Matroska sound"), []string{"mka", "mkv", "webm", "weba"}},
}

// heardOnly is the kind of a file that looks like k, where a look at its tracks shows that it
// holds sound and no moving pictures. Where they are not found, it is what it looks like:
// whether it is whole is for others to say.
func heardOnly(r io.ReaderAt, size int64, k kind) (kind, bool) {
	sound, ok := soundIn[k.mime]
	if !ok {
		return k, false
	}
	tracks := container.Matroska
	if sound.mime == mp4Sound.mime {
		tracks = container.MP4
	}
	if found, ok := tracks(r, size); !ok || found.Sound == 0 || found.Pictures > 0 {
		return k, false
	}
	return sound, true
}
