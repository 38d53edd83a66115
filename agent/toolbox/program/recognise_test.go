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

// TestRecogniserOutput: the lines of version 5 and of those before.
func TestRecogniserOutput(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"hello world\n\ngood bye\n": "hello world\ngood bye",
		`{"b":0.000,"d":3.250,"p":1.000,"t":"go forward ten meters","w":[]}` + "\n" + `{"t":""}` + "\n": "go forward ten meters",
		"<s> the(2) [NOISE] cat ++COUGH++ <sil> </s>\n":                                                 "the cat",
		"\n":           "",
		"{not json}\n": "",
	} {
		if got := heard([]byte(said)); got != want {
			t.Errorf("%q is heard as %q, want %q", said, got, want)
		}
	}
}
