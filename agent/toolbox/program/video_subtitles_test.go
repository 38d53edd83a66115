package program

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// TestSubtitlesAreKept checks that a tool that does not change the times of a video keeps its subtitle tracks, if
// the format supports them, and that the answer says when they are left out.
func TestSubtitlesAreKept(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	mp4 := withTrack(t, "clip.mp4", "mov_text")
	mkv := withTrack(t, "clip.mkv", "srt")
	for name, c := range map[string]struct {
		tool string
		args args
		kept bool
	}{
		"resized":             {"resize_video", videoOf(mp4).with("size", "80 px wide"), true},
		"a resized Matroska":  {"resize_video", videoOf(mkv).with("size", "80 px wide"), true},
		"as it is":            {"mute_video", videoOf(mp4), true},
		"cropped":             {"crop_video", videoOf(mkv).with("part", "the left half"), true},
		"with bars":           {"pad_video", videoOf(mp4).with("shape", "1:1"), true},
		"turned":              {"rotate_video", videoOf(mp4).with("angle", "90 degrees"), true},
		"in grey":             {"greyscale_video", videoOf(mp4), true},
		"louder":              {"change_volume_video", videoOf(mp4).with("volume", "50%"), true},
		"small enough":        {"fit_video_size", videoOf(mp4).with("limit", "1 MB"), true},
		"packed":              {"fit_video_size", videoOf(mkv).with("limit", "20 kB"), true},
		"trimmed":             {"cut_video", videoOf(mp4).with("range", "0:01-0:02"), false},
		"with another sound":  {"dub_video", videoOf(mp4).with("audio", fileOf(plan.Audio, tone(t, "new.wav", "880", "2"))), true},
		"as WebM":             {"convert_video", videoOf(mp4).with("format", "webm"), true},
		"as Matroska":         {"convert_video", videoOf(mp4).with("format", "mkv"), true},
		"a Matroska as MP4":   {"convert_video", videoOf(mkv).with("format", "mp4"), true},
		"as AVI":              {"convert_video", videoOf(mp4).with("format", "avi"), false},
		"backwards":           {"reverse_video", videoOf(mp4), false},
		"faster":              {"change_speed", videoOf(mp4).with("factor", "2x"), false},
		"twice":               {"loop_video", videoOf(mp4).with("count", "2"), false},
		"forth and back":      {"boomerang_video", videoOf(mp4), false},
		"without some middle": {"cut_video", videoOf(mp4).with("range", "without 0:01-0:01.5"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := perform(t, c.tool, c.args)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Contains(out.Note.String(), "subtitle tracks of the video were left out")
			if kept := strings.Contains(probe(t, out.Path).codecs(), "subtitle:"); kept != c.kept || said == c.kept {
				t.Fatalf("the result has %s, and the note is %q", probe(t, out.Path).codecs(), out.Note)
			}
			if !c.kept {
				return
			}
			if read := tool(t, "ffmpeg", "-v", "error", "-nostdin", "-i", out.Path, "-f", "srt", "-"); !atItsTime.MatchString(read) {
				t.Errorf("the subtitles are %q", read)
			}
		})
	}
}

// atItsTime is the second subtitle of [withTrack]. A format may begin some hundredths later.
var atItsTime = regexp.MustCompile(`00:00:01,1[0-3]\d --> 00:00:01,9[0-3]\d\nand a word`)

// withTrack is a video with a track of subtitles.
func withTrack(t *testing.T, name, codec string) string {
	t.Helper()
	words := filepath.Join(t.TempDir(), "words.srt")
	if err := os.WriteFile(words, []byte("1\n00:00:00,200 --> 00:00:00,900\nhello\n\n2\n00:00:01,100 --> 00:00:01,900\nand a word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return clip(t, name, "-i", redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p"), "-i", words, "-map", "0", "-map", "1", "-c", "copy", "-c:s", codec)
}
