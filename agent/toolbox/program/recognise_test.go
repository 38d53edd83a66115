package program

import (
	"testing"

	"atelier/agent/plan"
)

func TestSoundWithoutSpeech(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"silence":            clip(t, "silence.wav", append(lavfi("anullsrc=r=16000:cl=mono"), "-t", "2")...),
		"a very short sound": clip(t, "short.wav", append(lavfi("anullsrc=r=16000:cl=mono"), "-t", "0.02")...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds(t, refused(t, "speech_to_text", args{"audio": fileOf(plan.Audio, path)}), "no speech")
		})
	}
	film := clip(t, "film.mp4", append(lavfi("color=red:size=64x48:rate=10:duration=1"), "-pix_fmt", "yuv420p")...)
	holds(t, refused(t, "speech_to_text", args{"audio": fileOf(plan.Audio, film)}), "no sound")
}
