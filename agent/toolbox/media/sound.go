package media

import (
	"io"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/container"
)

// mp4Audio is the kind of an MP4 file without video. Phones and recorders give it video extensions.
var mp4Audio = kind{"audio/mp4", plan.Audio, plan.Say("an MP4 sound"), []string{"m4a", "m4r", "mp4", "m4b", "m4v", "mov", "qt", "3gp", "3g2", "f4v"}}

// audioKinds maps the kind detected by the first bytes to the kind of a file with audio only.
var audioKinds = map[string]kind{
	"video/mp4":        mp4Audio,
	"video/x-m4v":      mp4Audio,
	"video/quicktime":  mp4Audio,
	"video/3gpp":       mp4Audio,
	"video/3gpp2":      mp4Audio,
	"video/webm":       {"audio/webm", plan.Audio, plan.Say("a WebM sound"), []string{"webm", "weba", "mkv", "mka"}},
	"video/x-matroska": {"audio/x-matroska", plan.Audio, plan.Say("a Matroska sound"), []string{"mka", "mkv", "webm", "weba"}},
}

// audioOnly returns the audio kind of a file that looks like k if its tracks are audio only. If the
// tracks are not found, it returns k: the validity of the file is checked elsewhere.
func audioOnly(r io.ReaderAt, size int64, k kind) (kind, bool) {
	sound, ok := audioKinds[k.mime]
	if !ok {
		return k, false
	}
	tracks := container.Matroska
	if sound.mime == mp4Audio.mime {
		tracks = container.MP4
	}
	if found, ok := tracks(r, size); !ok || found.Sound == 0 || found.Pictures > 0 {
		return k, false
	}
	return sound, true
}
