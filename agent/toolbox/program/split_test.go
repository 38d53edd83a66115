package program

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
	"atelier/agent/toolbox/toolboxtest"
)

// TestSplit splits a sound and a video of three seconds in each way.
func TestSplit(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	song := fileOf(plan.Audio, clip(t, "song.wav", lavfi("sine=frequency=300:duration=3")...))
	film := fileOf(plan.Video, clip(t, "three.mp4", append(lavfi("testsrc2=size=64x48:rate=20:duration=3", "sine=duration=3"), "-pix_fmt", "yuv420p")...))
	for _, c := range []struct {
		said args
		want []float64
	}{
		{args{}, []float64{1.5, 1.5}},
		{args{"parts": "3 parts"}, []float64{1, 1, 1}},
		{args{"parts": "four"}, []float64{0.75, 0.75, 0.75, 0.75}},
		{args{"every": "2 seconds"}, []float64{2, 1}},
		{args{"every": "1.5 seconds"}, []float64{1.5, 1.5}},
		{args{"every": "1 second", "parts": "3"}, []float64{1, 1, 1}},
		{args{"at": "at 0:02 and 0:00.5"}, []float64{0.5, 1.5, 1}},
	} {
		for arg, value := range map[string]toolbox.Value{"audio": song, "video": film} {
			t.Run(fmt.Sprint(arg, c.said), func(t *testing.T) {
				t.Parallel()
				given := args{arg: value}
				maps.Copy(given, c.said)
				out := done(t, map[string]string{"audio": "split_audio", "video": "split_video"}[arg], given)
				all := append([]toolbox.Output{out}, out.More...)
				if len(all) != len(c.want) {
					t.Fatalf("%d files", len(all))
				}
				for i, o := range all {
					look, err := toolboxtest.Player(t).Look(t.Context(), o.Path)
					if got := look.Duration.Seconds(); err != nil || math.Abs(got-c.want[i]) > 0.06 {
						t.Errorf("part %d is %.2f s long, %v", i+1, got, err)
					}
				}
			})
		}
	}
}

// toneWithPauses is a tone with silence from 1 s to 2 s, briefly at 3 s, and from 4 s to its end.
const toneWithPauses = "aevalsrc=if(between(t\\,1\\,2)+between(t\\,3\\,3.2)+gt(t\\,4)\\,0\\,0.5*sin(2000*t)):d=5"

// TestSplitAtSilences splits in the middle of each silence of half a second, and not at the ends.
func TestSplitAtSilences(t *testing.T) {
	t.Parallel()
	given := fileOf(plan.Audio, clip(t, "spoken.wav", lavfi(toneWithPauses)...))
	out := done(t, "split_audio", args{"audio": given, "where": "at the pauses"})
	all := append([]toolbox.Output{out}, out.More...)
	if len(all) != 2 {
		t.Fatalf("%d files", len(all))
	}
	for i, want := range []float64{1.5, 3.5} {
		look, err := toolboxtest.Player(t).Look(t.Context(), all[i].Path)
		if got := look.Duration.Seconds(); err != nil || math.Abs(got-want) > 0.06 {
			t.Errorf("part %d is %.2f s long, %v", i+1, got, err)
		}
	}
}

func TestSplitIntoMany(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	song := fileOf(plan.Audio, clip(t, "song.wav", lavfi("sine=frequency=300:duration=3")...))
	if out := done(t, "split_audio", args{"audio": song, "parts": "24"}); len(out.More) != 23 {
		t.Errorf("%d files", 1+len(out.More))
	}
}

func TestSplitRefuses(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	click := fileOf(plan.Audio, clip(t, "click.wav", lavfi("sine=duration=0.3")...))
	long := fileOf(plan.Audio, clip(t, "long.wav", lavfi("sine=duration=20:sample_rate=8000")...))
	paused := fileOf(plan.Audio, clip(t, "paused.wav", lavfi(toneWithPauses)...))
	for want, given := range map[string]args{
		"too short for 20 parts":                     {"audio": click, "parts": "20"},
		"name times within it":                       {"audio": click, "at": "0:30"},
		"Too many files":                             {"audio": long, "every": "0:00.1"},
		"there would be 10 parts, not 3":             {"audio": long, "every": "2 seconds", "parts": "3"},
		"no pause of half a second or longer":        {"audio": long, "where": "silence"},
		"split at the pauses, the times to split at": {"audio": paused, "where": "silence", "parts": "3"},
		"Say one of these: the times":                {"audio": long, "at": "0:05", "every": "2 seconds"},
	} {
		holds(t, refused(t, "split_audio", given), want)
	}
}
