package program

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// TestCorrectFilmsShowTheirEffects, however odd the film is: each run of the tests checks the result for the
// effects of the tool.
func TestCorrectFilmsShowTheirEffects(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	films := map[string]string{
		"a sound that goes on":       clip(t, "long-sound.mp4", append(lavfi("testsrc=size=64x48:rate=10:duration=2", "sine=duration=5"), "-pix_fmt", "yuv420p")...),
		"pixels that are no squares": clip(t, "wide.mp4", append(lavfi("testsrc=size=64x48:rate=10:duration=3", "sine=duration=3"), "-vf", "setsar=4/3", "-pix_fmt", "yuv420p")...),
		"uneven pictures": clip(t, "uneven.mp4", append(lavfi("testsrc=size=64x48:rate=20:duration=5"),
			"-vf", "select='lt(n,20)+gt(n,90)'", "-fps_mode", "vfr", "-pix_fmt", "yuv420p")...),
		"odd sides": clip(t, "odd.webm", append(lavfi("testsrc=size=63x47:rate=10:duration=3", "sine=duration=3"), "-c:v", "libvpx", "-c:a", "libvorbis")...),
	}
	for name, path := range films {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := 0
			for _, c := range []struct {
				run string
				args
			}{
				{"cut_video", args{"range": "0:01-0:30"}},
				{"change_speed", args{"factor": "half"}},
				{"change_speed", args{"factor": "8x"}},
				{"mute_video", args{}},
				{"extract_frames", args{"moment": "0:01"}},
				{"extract_audio", args{}},
				{"make_gif", args{}},
			} {
				c.args["video"] = fileOf(plan.Video, path)
				if _, err := perform(t, c.run, c.args); err == nil { // what is refused has nothing to be held to
					made++
				}
			}
			if made < 6 {
				t.Errorf("only %d were made", made)
			}
		})
	}
	sounds := map[string]string{
		"MP3 without a head": clip(t, "bare.mp3", append(lavfi("sine=duration=4"), "-b:a", "32k", "-write_xing", "0")...),
		"bursts":             clip(t, "bursts.wav", append(lavfi("sine=duration=4"), "-af", "volume='if(lt(mod(t,1),0.02),1,0.003)':eval=frame")...),
	}
	for name, path := range sounds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				run string
				args
			}{
				{"cut_audio", args{"range": "0:01-0:30"}},
				{"convert_audio", args{"format": "opus"}},
				{"normalize_loudness", args{}},
			} {
				c.args["audio"] = fileOf(plan.Audio, path)
				if _, err := perform(t, c.run, c.args); err != nil {
					t.Errorf("%s: %v", c.run, err)
				}
			}
		})
	}
}
