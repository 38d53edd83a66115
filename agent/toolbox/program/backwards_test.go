package program

import (
	"fmt"
	"os"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// greys are the greys of a video's frames, from 0 to 255.
func greys(t *testing.T, path string) []byte {
	t.Helper()
	return []byte(tool(t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf", "scale=1:1,format=gray", "-f", "rawvideo", "-"))
}

// piecewise is a backend that reverses [counting] in two pieces.
func piecewise(t *testing.T) *Backend {
	t.Helper()
	m := newBackend(t).machine
	m.Reversed = 1 << 20
	b, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// counting is a video of 80 frames, each lighter than the one before, with sound in its second half.
func counting(t *testing.T, name string, more ...string) string {
	t.Helper()
	return clip(t, name, append(append(lavfi("color=size=2x2:rate=10:duration=8", "sine=duration=8"),
		"-vf", "geq=lum=16+2*N:cb=128:cr=128,scale=160:120:flags=neighbor", "-af", "volume=0:enable='lt(t,4)'",
		"-preset", "ultrafast", "-pix_fmt", "yuv420p"), more...)...)
}

// TestBackwards checks that a reversed video has its sound and all of its frames at their times, also where it is
// reversed in pieces.
func TestBackwards(t *testing.T) {
	t.Parallel()
	back, both := make([]byte, 80), make([]byte, 160)
	forth := greys(t, counting(t, "counting.mp4"))
	for i := range back {
		back[79-i], both[i], both[159-i] = forth[i], forth[i], forth[i]
	}
	for run, want := range map[string][]byte{"reverse_video": back, "boomerang_video": both} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			out, err := performOn(t, piecewise(t), run, videoOf(counting(t, "counting.mp4")))
			if err != nil {
				t.Fatal(err)
			}
			seconds := float64(len(want)) / 10
			near(t, "the duration", probe(t, out.Path).seconds(), seconds, 0.05)
			got := greys(t, out.Path)
			if len(got) != len(want) {
				t.Fatalf("it has %d frames, want %d", len(got), len(want))
			}
			for i := range got {
				near(t, fmt.Sprintf("the grey of frame %d", i), float64(got[i]), float64(want[i]), 1)
			}
			loud, quiet := volume(t, out.Path, seconds-8+0.5, 3), volume(t, out.Path, seconds-8+4.5, 3)
			if loud < -40 || quiet > -60 {
				t.Errorf("its sound has %g dB before, and %g dB after the middle", loud, quiet)
			}
		})
	}
}

// TestBackwardsOfOddVideos: frames that are missing at the beginning, in the middle or at the end are filled.
func TestBackwardsOfOddVideos(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, path := range map[string]string{
		"no frame for a second": counting(t, "gap.mp4", "-filter:v", "geq=lum=16+2*N:cb=128:cr=128,select='not(between(n,40,49))',scale=160:120", "-fps_mode", "vfr"),
		"sound that goes on":    clip(t, "longer.mkv", append(lavfi("testsrc=size=64x48:rate=10:duration=3", "sine=duration=8"), "-pix_fmt", "yuv420p")...),
		"a late beginning":      clip(t, "late.mkv", append(lavfi("testsrc=size=64x48:rate=25:duration=7", "sine=duration=8"), "-vf", "setpts=PTS+1/TB", "-pix_fmt", "yuv420p")...),
		"WebM":                  clip(t, "odd.webm", append(lavfi("testsrc=size=63x47:rate=10:duration=8", "sine=duration=8"), "-c:v", "libvpx", "-c:a", "libvorbis")...),
	} {
		for run, times := range map[string]float64{"reverse_video": 1, "boomerang_video": 2} {
			t.Run(name+", "+run, func(t *testing.T) {
				t.Parallel()
				out, err := performOn(t, piecewise(t), run, videoOf(path))
				if err != nil {
					t.Fatal(err)
				}
				near(t, "the duration", probe(t, out.Path).seconds(), times*8, 0.15)
			})
		}
	}
}

// TestLongVideoBackwards: half a minute in full HD, which decoded has 0.9 GB, is reversed.
func TestLongVideoBackwards(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	video := clip(t, "long.mp4", append(lavfi("color=white:size=1920x1080:rate=10:duration=30,fade=d=30", "sine=duration=30"), "-preset", "ultrafast", "-pix_fmt", "yuv420p")...)
	out, err := perform(t, "reverse_video", videoOf(video))
	if err != nil {
		t.Fatal(err)
	}
	if s := probe(t, out.Path).Streams[0]; s.Frames != "300" {
		t.Errorf("it has %s frames, want 300", s.Frames)
	}
	// Frames are compared small: the first of the result is the last of the video.
	first := tool(t, "ffmpeg", "-v", "error", "-nostdin", "-i", out.Path, "-frames:v", "1", "-vf", "scale=8:6,format=gray", "-f", "rawvideo", "-")
	last := tool(t, "ffmpeg", "-v", "error", "-nostdin", "-ss", "29.85", "-i", video, "-frames:v", "1", "-vf", "scale=8:6,format=gray", "-f", "rawvideo", "-")
	for i := range len(first) {
		near(t, "a pixel of the first frame", float64(first[i]), float64(last[i]), 12)
	}
}

// TestLongSoundBackwards: twelve minutes, which decoded are more than ffmpeg may keep, are reversed in pieces, in stereo.
func TestLongSoundBackwards(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const seconds = 720
	sound := clip(t, "long.flac", append(lavfi("sine=300:d=710", "sine=900:d=10"),
		"-filter_complex", "[0][1]concat=v=0:a=1,pan=stereo|c0=c0|c1=0.1*c0")...)
	out, err := perform(t, "reverse_audio", args{"audio": fileOf(plan.Audio, sound)})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the duration", probe(t, out.Path).seconds(), seconds, 0.2)
	end := clip(t, "end.wav", "-t", "20", "-i", out.Path)
	if got := loudest(t, end, 1, 9, 300, 900); got != 900 {
		t.Errorf("it begins with %g Hz, want its end of 900 Hz", got)
	}
	if got := loudest(t, end, 12, 19, 300, 900); got != 300 {
		t.Errorf("it goes on with %g Hz, want 300 Hz", got)
	}
}

// TestShortSoundBackwards: a reversed WAV has the samples of the original, in the other order.
func TestShortSoundBackwards(t *testing.T) {
	t.Parallel()
	sound := clip(t, "short.wav", append(lavfi("sine=frequency=300:duration=1.5"), "-af", "afade=d=1.5", "-c:a", "pcm_s24le")...)
	out, err := perform(t, "reverse_audio", args{"audio": fileOf(plan.Audio, sound)})
	if err != nil {
		t.Fatal(err)
	}
	was, is := pcm(t, sound, 44_100), pcm(t, out.Path, 44_100)
	if len(was) != len(is) {
		t.Fatalf("it has %d samples, want %d", len(is), len(was))
	}
	for i, v := range was {
		if is[len(is)-1-i] != v {
			t.Fatalf("sample %d is %g, want %g", len(is)-1-i, is[len(is)-1-i], v)
		}
	}
	if info, err := os.Stat(out.Path); err != nil || info.Size() < int64(3*len(was)) {
		t.Errorf("it does not have 24 bits: %v, %v", info.Size(), err)
	}
}

// TestLongSilenceIsTrimmed: the silence at the end of a sound is cut off without reversing it, which needs the memory of
// all its samples.
func TestLongSilenceIsTrimmed(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	sound := clip(t, "silent-end.flac", append(lavfi("sine=318:r=16000:d=1200,volume=0:enable='not(between(t,5,1190))'"), "-ac", "8")...)
	out, err := perform(t, "trim_silence", args{"audio": fileOf(plan.Audio, sound), "where": "at both ends"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the length without silence", probe(t, out.Path).seconds(), 1185, 0.2)
}

// TestSilentSoundIsNotTrimmed: a sound without anything but silence is left alone, and its owner told.
func TestSilentSoundIsNotTrimmed(t *testing.T) {
	t.Parallel()
	silent := fileOf(plan.Audio, clip(t, "silent.wav", lavfi("anullsrc=d=2")...))
	holds(t, refused(t, "trim_silence", args{"audio": silent, "where": "at both ends"}), "silent throughout")
	holds(t, refused(t, "trim_silence", args{"audio": silent}), "silent throughout")
}

// TestBackwardsOfOtherFiles: the sound of a video is reversed alone, and what is not a video or sound is refused.
func TestBackwardsOfOtherFiles(t *testing.T) {
	t.Parallel()
	video := redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p")
	if _, err := perform(t, "reverse_audio", args{"audio": fileOf(plan.Audio, video)}); err != nil {
		t.Error(err)
	}
	for _, run := range []string{"reverse_video", "boomerang_video"} {
		holds(t, refused(t, run, videoOf(stored(t, "bad.mp4", contents(t, video)[:2000]))), "bad.mp4")
		holds(t, refused(t, run, videoOf(clip(t, "short.wav", lavfi("sine=frequency=300:duration=1")...))), "has no video")
	}
	holds(t, refused(t, "reverse_audio", args{"audio": fileOf(plan.Audio, silentRedBlue(t, "mute.mp4", "-pix_fmt", "yuv420p"))}), "has no sound")
}
