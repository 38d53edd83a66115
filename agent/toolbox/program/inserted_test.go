package program

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

func TestSoundsAreInsertedOnce(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	quiet := clip(t, "quiet.wav", lavfi("aevalsrc=0.1*sin(2000*t):d=4")...)
	bell := clip(t, "bell.wav", lavfi("aevalsrc=0.7*sin(6000*t):d=1")...)
	for way, seconds := range map[string]float64{"over": 4, "between": 5} {
		out := done(t, "insert_sound", args{"recording": fileOf(plan.Audio, quiet), "sound": fileOf(plan.Audio, bell), "at": "0:02", "way": way})
		near(t, way+": the length", probe(t, out.Path).seconds(), seconds, 0.06)
		before, during, after := volume(t, out.Path, 0.5, 0.5), volume(t, out.Path, 2.2, 0.5), volume(t, out.Path, 3.3, 0.5)
		if during < before+10 || during < after+10 {
			t.Errorf("%s: volumes of %.1f, %.1f and %.1f dB before, during and after the bell", way, before, during, after)
		}
	}
	holds(t, refused(t, "insert_sound", args{"recording": fileOf(plan.Audio, quiet), "sound": fileOf(plan.Audio, bell), "at": "0:09"}), "only 4 seconds long")
}

func TestLoudnessIsTold(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	sine := clip(t, "sine.wav", lavfi("aevalsrc=0.5*sin(2*PI*1000*t):d=3:s=48000")...)
	out := done(t, "audio_loudness", args{"audio": fileOf(plan.Audio, sine)})
	holds(t, out.Value, "Peak: −6.0 dBTP", "LUFS") // half of full scale
	film := clip(t, "film.mp4", append(lavfi("testsrc2=s=160x120:r=10:d=3"), "-i", sine)...)
	out = done(t, "normalize_loudness_video", args{"video": fileOf(plan.Video, film), "target": "-20 LUFS"})
	holds(t, done(t, "video_loudness", args{"video": fileOf(plan.Video, out.Path)}).Value, "Loudness: −20.")
	mute := clip(t, "mute.mp4", lavfi("testsrc2=s=160x120:r=10:d=1")...)
	holds(t, refused(t, "video_loudness", args{"video": fileOf(plan.Video, mute)}), "has no sound")
}

func TestPagesShareASheet(t *testing.T) {
	t.Parallel()
	words := []string{"first", "second", "third", "fourth", "fifth"}
	report := pdfOf(t, "report.pdf", words...)
	for count, want := range map[string]int{"2": 3, "4": 2, "9": 1} {
		out := done(t, "pages_per_sheet", args{"document": fileOf(plan.Document, report), "count": count})
		facts := done(t, "document_facts", args{"document": fileOf(plan.Document, out.Path)})
		holds(t, facts.Value, "Pages: "+strconv.Itoa(want))
		text := done(t, "pdf_to_text", args{"document": fileOf(plan.Document, out.Path)}).Value
		at := -1
		for _, w := range words {
			if next := strings.Index(text, w); next <= at {
				t.Errorf("%s pages on a sheet: %q is missing or out of order in %q", count, w, text)
			} else {
				at = next
			}
		}
	}
	holds(t, refused(t, "pages_per_sheet", args{"document": fileOf(plan.Document, report), "count": "5"}), "2, 4, 6, 8, 9 or 16")
}

func TestAPartOfAnAnimation(t *testing.T) {
	t.Parallel()
	gif := clip(t, "ball.gif", lavfi("testsrc2=s=64x48:r=10:d=3")...)
	out := done(t, "cut_animation", args{"image": fileOf(plan.Image, gif), "range": "0:01-0:02"})
	near(t, "the length", probe(t, out.Path).seconds(), 1, 0.11)
	if filepath.Ext(out.Path) != ".gif" {
		t.Errorf("it is %s", out.Path)
	}
	still := clip(t, "still.png", append(lavfi("color=red:s=64x48"), "-frames:v", "1")...)
	holds(t, refused(t, "cut_animation", args{"image": fileOf(plan.Image, still), "range": "0:01-0:02"}), "not an animated GIF")
}

func TestWordsOnAStrip(t *testing.T) {
	t.Parallel()
	photo := clip(t, "photo.png", append(lavfi("color=blue:s=160x100"), "-frames:v", "1")...)
	for side, at := range map[string]int{"below": 105, "above": 2} {
		out := done(t, "caption_strip", args{"image": fileOf(plan.Image, photo), "caption": "Hello: 100%, it's {me}", "side": side})
		img := readPicture(t, out.Path)
		if img.Bounds().Dx() != 160 || img.Bounds().Dy() != 112 {
			t.Fatalf("%s: %v", side, img.Bounds())
		}
		if r, g, b, _ := img.At(1, at).RGBA(); r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
			t.Errorf("%s: the strip is not white, but %d %d %d", side, r>>8, g>>8, b>>8)
		}
	}
}
