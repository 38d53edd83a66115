package program

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// TestSoundOfTwoVideos: a video made of two has the sound of either or both, as loud as it was.
func TestSoundOfTwoVideos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	silent := fileOf(plan.Video, silentRedBlue(t, "silent.mp4", "-pix_fmt", "yuv420p"))
	// The tone of redBlue has a level of -18 dB, so that two of them are not limited.
	loud := fileOf(plan.Video, redBlue(t, "loud.mp4", "-pix_fmt", "yuv420p", "-ac", "2"))
	was := volume(t, loud.Path, 0.2, 1.5)
	for run, names := range map[string][2]string{"side_by_side_videos": {"first", "second"}, "picture_in_picture": {"background", "inset"}} {
		for name, c := range map[string]struct {
			one, other any
			gain       float64
		}{
			"only the first":  {loud, silent, 0},
			"only the second": {silent, loud, 0},
			"both":            {loud, loud, 6},
		} {
			t.Run(run+", "+name, func(t *testing.T) {
				t.Parallel()
				out, err := perform(t, run, args{names[0]: c.one, names[1]: c.other})
				if err != nil {
					t.Fatal(err)
				}
				near(t, "the volume", volume(t, out.Path, 0.2, 1.5), was+c.gain, 1)
			})
		}
		t.Run(run+", neither", func(t *testing.T) {
			t.Parallel()
			out, err := perform(t, run, args{names[0]: silent, names[1]: silent})
			if err != nil {
				t.Fatal(err)
			}
			if codecs := probe(t, out.Path).codecs(); codecs != "video:h264" {
				t.Errorf("it has %s", codecs)
			}
		})
	}
}
