package program

import (
	"math"
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// TestDucking checks that music gets quieter while a voice sounds, however quiet that is, and louder again in its
// pauses.
func TestDucking(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const voice, music = 440.0, 1320.0
	track := tone(t, "music.wav", "1320", "3") // it begins anew
	for name, loud := range map[string]string{"loud": "1", "quiet": "0.05"} {
		speech := []string{"-af", "volume=volume='" + loud + "*between(t,2,5)':eval=frame"}
		spoken := clip(t, name+".wav", slices.Concat(lavfi("sine=frequency=440:duration=8:sample_rate=44100"), speech)...)
		film := clip(t, name+".mp4", slices.Concat(lavfi("color=red:size=80x60:rate=10:duration=8", "sine=frequency=440:duration=8:sample_rate=44100"),
			speech, []string{"-pix_fmt", "yuv420p"})...)
		for tool, given := range map[string]args{
			"mix_audio": {"voice": fileOf(plan.Audio, spoken), "music": fileOf(plan.Audio, track)},
			"dub_video": {"video": fileOf(plan.Video, film), "audio": fileOf(plan.Audio, track)},
		} {
			t.Run(tool+" under a "+name+" voice", func(t *testing.T) {
				t.Parallel()
				out := done(t, tool, given.with("balance", "ducked"))
				const rate = 16_000
				all := pcm(t, out.Path, rate)
				heard := func(hertz, from, to float64) float64 {
					return 20 * math.Log10(strength(all[int(from*rate):int(to*rate)], rate, hertz))
				}
				before, while, after := heard(music, 0.5, 1.5), heard(music, 3, 4.5), heard(music, 6, 6.9)
				if down := before - while; down < 10 || down > 30 {
					t.Errorf("the music goes down by %.1f dB", down)
				}
				near(t, "the music after the voice", after, before, 1)
				near(t, "the voice", heard(voice, 3, 4.5)-before, 20*math.Log10(number(loud)), 2)
			})
		}
	}
}
