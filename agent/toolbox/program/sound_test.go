package program

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/slow"
)

// sampled caches the short sounds that tests have decoded, by path and rate.
var sampled sync.Map

// pcm decodes a sound to samples of one channel. A short one is decoded once.
func pcm(t *testing.T, path string, rate int) []float64 {
	t.Helper()
	key := [2]any{path, rate}
	if all, ok := sampled.Load(key); ok {
		return all.([]float64) //nolint:errcheck,forcetypeassert // nothing else is in it
	}
	raw := filepath.Join(t.TempDir(), "samples.raw")
	tool(t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", strconv.Itoa(rate), "-f", "s16le", raw)
	b, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]float64, len(b)/2)
	for i := range all {
		all[i] = float64(int16(binary.LittleEndian.Uint16(b[2*i:]))) / 32768
	}
	if len(all) < 1<<20 {
		sampled.Store(key, all)
	}
	return all
}

// strength returns the strength of one frequency in samples; a full sine wave has 1 (Goertzel).
func strength(samples []float64, rate int, hz float64) float64 {
	k := 2 * math.Cos(2*math.Pi*hz/float64(rate))
	var s1, s2 float64
	for _, v := range samples {
		s1, s2 = v+k*s1-s2, s1
	}
	return 2 * math.Sqrt(max(s1*s1+s2*s2-k*s1*s2, 0)) / float64(len(samples))
}

// loudest returns which of some frequencies is the strongest in a part of a sound.
func loudest(t *testing.T, path string, from, to float64, among ...float64) float64 {
	t.Helper()
	const rate = 16_000
	all := pcm(t, path, rate)
	part := all[min(int(from*rate), len(all)):min(int(to*rate), len(all))]
	if len(part) == 0 {
		t.Fatalf("%s ends before %g s", filepath.Base(path), from)
	}
	best, most := 0.0, 0.0
	for _, hz := range among {
		if s := strength(part, rate, hz); s > most {
			best, most = hz, s
		}
	}
	return best
}

// level returns the level of a part of a sound, in decibels below full scale.
func level(t *testing.T, path string, from, to float64) float64 {
	t.Helper()
	const rate = 16_000
	all := pcm(t, path, rate)
	sum, n := 1e-12, 0.0
	for _, v := range all[min(int(from*rate), len(all)):min(int(to*rate), len(all))] {
		sum, n = sum+v*v, n+1
	}
	return 10 * math.Log10(sum/max(n, 1))
}

// scale returns a sound that goes up second by second: 300 Hz, 600 Hz, 900 Hz, …
func scale(t *testing.T, name string, seconds int, args ...string) string {
	t.Helper()
	return clip(t, name, append(lavfi(fmt.Sprintf("aevalsrc='0.3*sin(2*PI*300*(floor(t)+1)*t)':s=44100:d=%d", seconds)), args...)...)
}

var notes = []float64{300, 600, 900, 1200, 1500, 1800, 2100, 2400}

func TestSoundIsCutAtStatedTimes(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, c := range []struct {
		file, said, about, codec string
		seconds, first, last     float64
	}{
		{"a.mp3", "from 0:02 to 0:05", "0:02–0:05", "audio:mp3", 3, 900, 1500},
		{"a.wav", "the first 2 seconds", "0:00–0:02", "audio:pcm_s16le", 2, 300, 600},
		{"a.flac", "last 1.5 seconds", "0:06.5–0:08", "audio:flac", 1.5, 2100, 2400},
		{"a.ogg", "after 6 seconds", "0:06–0:08", "audio:vorbis", 2, 2100, 2400},
		{"a.m4a", "4 to 90 seconds", "0:04–0:08", "audio:aac", 4, 1500, 2400},
		{"a.opus", "without the first 5 seconds", "0:05–0:08", "audio:opus", 3, 1800, 2400},
		{"b.wav", "0:01-0:02 and 0:05-0:07", "0:01–0:02, 0:05–0:07", "audio:pcm_s16le", 3, 600, 2100},
		{"b.mp3", "without 0:02-0:06", "0:00–0:02, 0:06–0:08", "audio:mp3", 4, 300, 2400},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			out := done(t, "cut_audio", args{"audio": fileOf(plan.Audio, scale(t, c.file, 8)), "range": c.said})
			a := probe(t, out.Path)
			near(t, "the length", a.seconds(), c.seconds, 0.06)
			if a.codecs() != c.codec || out.About.String() != c.about {
				t.Errorf("%s, %q", a.codecs(), out.About)
			}
			if first, last := loudest(t, out.Path, 0.1, 0.4, notes...), loudest(t, out.Path, c.seconds-0.4, c.seconds-0.1, notes...); first != c.first || last != c.last {
				t.Errorf("it goes from %g Hz to %g Hz", first, last)
			}
		})
	}
}

func TestSilenceIsCutAsStated(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	// It is silent for 2 s, loud for 1 s, silent for 1.5 s, loud for 1 s, and silent for 1 s.
	clipped := clip(t, "said.wav", lavfi("aevalsrc=if(between(t\\,2\\,3)+between(t\\,4.5\\,5.5)\\,0.5*sin(2000*t)\\,0):d=6.5")...)
	for where, want := range map[string]struct {
		seconds float64
		about   string
	}{
		"":                     {2, "without its silence"},
		"at the beginning":     {4.5, "without the silence at its beginning"},
		"trailing":             {5.5, "without the silence at its end"},
		"start and end":        {3.5, "without the silence at both ends"},
		"leading and trailing": {3.5, "without the silence at both ends"},
	} {
		given := args{"audio": fileOf(plan.Audio, clipped)}
		if where != "" {
			given["where"] = where
		}
		out := done(t, "trim_silence", given)
		near(t, "the length without silence "+where, probe(t, out.Path).seconds(), want.seconds, 0.06)
		if out.About.String() != want.about || !out.Note.IsZero() {
			t.Errorf("%q: %s, %q", where, out.About, out.Note)
		}
	}
	// Its only pause is too short, and it is loud at both ends.
	full := clip(t, "full.wav", lavfi("sine=440:d=3,volume=0:enable=between(t\\,1\\,1.4)")...)
	for where, want := range map[string]string{
		"":          "It has no pause of 0.6 seconds or more",
		"leading":   "It does not begin with silence",
		"trailing":  "It does not end with silence",
		"both ends": "It neither begins nor ends with silence",
	} {
		given := args{"audio": fileOf(plan.Audio, full)}
		if where != "" {
			given["where"] = where
		}
		out := done(t, "trim_silence", given)
		if out.About.String() != "with nothing cut out" || !strings.HasPrefix(out.Note.String(), want) {
			t.Errorf("%q: %s, %q", where, out.About, out.Note)
		}
	}
}

// TestLoudSoundIsNoSilence: ffmpeg's default detection mistakes a loud tone like this one for silence at its
// beginning, and misses the silence at its end.
func TestLoudSoundIsNoSilence(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	loud := clip(t, "loud.wav", append(lavfi("sine=440:d=20,volume=30dB,apad=pad_dur=3"), "-ar", "8000", "-c:a", "pcm_u8")...)
	for where, want := range map[string]float64{"": 20, "leading": 23, "trailing": 20, "both ends": 20} {
		given := args{"audio": fileOf(plan.Audio, loud)}
		if where != "" {
			given["where"] = where
		}
		near(t, "the length without silence "+where, probe(t, done(t, "trim_silence", given).Path).seconds(), want, 0.06)
	}
}

func TestMissingPartIsNotCut(t *testing.T) {
	t.Parallel()
	sound := fileOf(plan.Audio, scale(t, "a.wav", 2))
	holds(t, refused(t, "cut_audio", args{"audio": sound, "range": "from 0:30 to 0:40"}), "a.wav", "2 seconds")
	holds(t, refused(t, "cut_audio", args{"audio": sound, "range": "nicely"}), "nicely", "0:10-0:25")
	holds(t, refused(t, "cut_audio", args{"audio": sound, "range": "the first 1.5 seconds and the last 1 second"}), "overlap")
}

func TestSoundsAreJoinedInTheirOrder(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	tone := func(name string, hz int, args ...string) toolbox.Value {
		return fileOf(plan.Audio, clip(t, name, append(lavfi(fmt.Sprintf("sine=frequency=%d:duration=1", hz)), args...)...))
	}
	for _, c := range []struct {
		name, codec string
		sounds      []toolbox.Value
	}{
		{"alike", "audio:flac", []toolbox.Value{tone("a.flac", 900), tone("b.flac", 300), tone("c.flac", 600)}},
		{"of all sorts", "audio:mp3", []toolbox.Value{tone("a.wav", 900, "-ar", "8000"), tone("b.ogg", 300, "-ac", "2"), tone("c.m4a", 600, "-ar", "48000")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "join_audio", args{"audios": c.sounds})
			a := probe(t, out.Path)
			near(t, "the length", a.seconds(), 3, 0.15)
			if a.codecs() != c.codec {
				t.Errorf("%s", a.codecs())
			}
			for i, want := range []float64{900, 300, 600} {
				if got := loudest(t, out.Path, float64(i)+0.3, float64(i)+0.7, notes...); got != want {
					t.Errorf("sound %d is of %g Hz, want %g", i+1, got, want)
				}
			}
		})
	}
	one := []toolbox.Value{fileOf(plan.Audio, scale(t, "a.wav", 1))}
	holds(t, refused(t, "join_audio", args{"audios": one}), "two sounds")
}

func TestSoundIsConverted(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	from := scale(t, "a.wav", 2, "-metadata", "title=secret")
	for said, want := range map[string][2]string{
		"mp3": {"audio:mp3", ".mp3"}, "a WAV file": {"audio:pcm_s16le", ".wav"}, ".flac": {"audio:flac", ".flac"}, "OGG format": {"audio:vorbis", ".ogg"},
		"opus": {"audio:opus", ".opus"}, "aac": {"audio:aac", ".m4a"}, "m4a": {"audio:aac", ".m4a"}, "m4r": {"audio:aac", ".m4r"}, "AIFF": {"audio:pcm_s16be", ".aiff"},
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			out := done(t, "convert_audio", args{"audio": fileOf(plan.Audio, from), "format": said})
			a := probe(t, out.Path)
			near(t, "the length", a.seconds(), 2, 0.1)
			if a.codecs() != want[0] || filepath.Ext(out.Path) != want[1] || a.Format.Tags["title"] != "" {
				t.Errorf("%s in %s, with %v", a.codecs(), out.Path, a.Format.Tags)
			}
			if got := loudest(t, out.Path, 1.2, 1.8, notes...); got != 600 {
				t.Errorf("it sounds like %g Hz", got)
			}
		})
	}
	holds(t, refused(t, "convert_audio", args{"audio": fileOf(plan.Audio, from), "format": "wma"}), "wma", "MP3", "WAV")
}

func TestSoundIsExtractedFromVideo(t *testing.T) {
	t.Parallel()
	film := clip(t, "film.mp4", append(lavfi("color=red:size=64x64:rate=10:duration=3", "sine=frequency=900:duration=3"), "-pix_fmt", "yuv420p", "-shortest")...)
	out := done(t, "extract_audio", args{"video": fileOf(plan.Video, film)})
	a := probe(t, out.Path)
	near(t, "the length", a.seconds(), 3, 0.1)
	if got := loudest(t, out.Path, 0.5, 2.5, notes...); a.codecs() != "audio:mp3" || got != 900 {
		t.Errorf("%s of %g Hz", a.codecs(), got)
	}
	// any tool for sound takes the sound of a video
	cut := done(t, "cut_audio", args{"audio": fileOf(plan.Audio, film), "range": "1 s"})
	near(t, "the length", probe(t, cut.Path).seconds(), 1, 0.06)
}

func TestNoiseIsTakenAway(t *testing.T) {
	t.Parallel()
	// one second of a tone, one of rest, and noise and hum all the time
	noisy := clip(t, "noisy.wav", lavfi(
		"aevalsrc='0.3*sin(2*PI*900*t)*lt(mod(t,2),1)+0.02*(random(0)-0.5)+0.03*sin(2*PI*50*t)':s=44100:d=8")...)
	out := done(t, "denoise_audio", args{"audio": fileOf(plan.Audio, noisy)})
	near(t, "the length", probe(t, out.Path).seconds(), 8, 0.1)
	if before, rest := level(t, noisy, 5.2, 5.8), level(t, out.Path, 5.2, 5.8); rest > before-15 {
		t.Errorf("the noise was at %g dB and is at %g dB", before, rest)
	}
	near(t, "the tone", level(t, out.Path, 6.2, 6.8), level(t, noisy, 6.2, 6.8), 2)
}

var integrated = regexp.MustCompile(`I:\s+(-?[\d.]+) LUFS`)

// lufs measures the loudness of a sound by the filter's own summary.
func lufs(t *testing.T, path string) float64 {
	t.Helper()
	all := integrated.FindAllStringSubmatch(tool(t, "ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-i", path, "-af", "ebur128=framelog=verbose", "-f", "null", "-"), -1)
	if len(all) == 0 {
		t.Fatal("no loudness was measured")
	}
	return number(all[len(all)-1][1])
}

func TestSoundsAreBroughtToOneLoudness(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, source := range map[string]string{
		"quiet.wav":   "aevalsrc='0.01*sin(2*PI*900*t)':s=44100:d=6",
		"loud.flac":   "aevalsrc='0.9*sin(2*PI*900*t)':s=48000:d=6",
		"peaks.mp3":   "aevalsrc='(0.02+0.9*lt(mod(t,2),0.004))*sin(2*PI*900*t)':s=44100:d=12",
		"changes.ogg": "aevalsrc='(0.02+0.2*lt(mod(t,10),5))*sin(2*PI*900*t)':s=44100:d=20",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := clip(t, name, lavfi(source)...)
			was := lufs(t, from)
			out := done(t, "normalize_loudness", args{"audio": fileOf(plan.Audio, from)})
			near(t, "the loudness", lufs(t, out.Path), -16, 1)
			a, before := probe(t, out.Path), probe(t, from)
			near(t, "the length", a.seconds(), before.seconds(), 0.1)
			if a.codecs() != before.codecs() || a.Streams[0].Frequency != before.Streams[0].Frequency {
				t.Errorf("%s at %s Hz was %s at %s Hz", a.codecs(), a.Streams[0].Frequency, before.codecs(), before.Streams[0].Frequency)
			}
			holds(t, out.About.String(), "−16.0 LUFS", fmt.Sprintf("−%.1f", -was)[:len("−1")])
		})
	}
	from := clip(t, "broadcast.wav", lavfi("aevalsrc='0.3*sin(2*PI*900*t)':s=48000:d=6")...)
	told := done(t, "normalize_loudness", args{"audio": fileOf(plan.Audio, from), "target": "-23 LUFS"})
	near(t, "the loudness that was asked for", lufs(t, told.Path), -23, 1)
	holds(t, told.About.String(), "−23.0 LUFS")
	click := clip(t, "click.wav", lavfi("aevalsrc='0.05*sin(2*PI*900*t)':s=44100:d=0.1")...)
	out := done(t, "normalize_loudness", args{"audio": fileOf(plan.Audio, click)})
	if was, is := level(t, click, 0, 0.1), level(t, out.Path, 0, 0.1); is < was+6 {
		t.Errorf("a click was at %g dB and is at %g dB", was, is)
	}
	silence := clip(t, "silence.wav", lavfi("anullsrc=duration=2")...)
	holds(t, refused(t, "normalize_loudness", args{"audio": fileOf(plan.Audio, silence)}), "silence.wav", "silent")
}

// line returns the brightest row in a column of a picture.
func line(img image.Image, x int) int {
	best, row := uint32(0), 0
	for y := 40; y < 800; y++ {
		r, g, b, _ := img.At(x, y).RGBA()
		if r+g+b > best {
			best, row = r+g+b, y
		}
	}
	return row
}

func TestToneIsALineInASpectrogram(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	rows := map[int]int{}
	for _, hz := range []int{440, 880, 1760} {
		tone := clip(t, "tone.mp3", lavfi(fmt.Sprintf("sine=frequency=%d:duration=2", hz))...)
		out := done(t, "spectrogram_image", args{"audio": fileOf(plan.Audio, tone)})
		img := readPicture(t, out.Path)
		rows[hz] = line(img, 800)
		for _, x := range []int{300, 1300} {
			near(t, fmt.Sprintf("the line of %d Hz in column %d", hz, x), float64(line(img, x)), float64(rows[hz]), 1)
		}
	}
	// From 40 Hz to 20 kHz, each octave is as high as any other.
	octave := 772 / math.Log2(20_000/40.0)
	near(t, "an octave", float64(rows[440]-rows[880]), octave, 2)
	near(t, "another octave", float64(rows[880]-rows[1760]), octave, 2)
	near(t, "the line of 440 Hz", float64(rows[440]), 804-octave*math.Log2(440/40.0), 2)
}

func TestWaveformIsHighWhereItIsLoud(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	out := done(t, "waveform_image", args{"audio": fileOf(plan.Audio, clip(t, "a.wav", lavfi("aevalsrc='(0.1+0.4*gt(t,1))*sin(2*PI*3000*t)':s=44100:d=2")...))})
	img := readPicture(t, out.Path)
	height := func(x int) float64 {
		n := 0
		for y := range 480 {
			if _, g, _, _ := img.At(x, y).RGBA(); g > 0x8000 {
				n++
			}
		}
		return float64(n)
	}
	near(t, "the quiet part", height(400), 428/5, 12)
	near(t, "the loud part", height(1200), 428, 20)
	silence := done(t, "waveform_image", args{"audio": fileOf(plan.Audio, clip(t, "silence.wav", lavfi("anullsrc=duration=1")...))})
	holds(t, silence.Note.String(), "silent")
	// The band of a constant tone leaves room above and below, however many channels it has.
	for _, channels := range []string{"1", "2", "6"} {
		steady := clip(t, channels+"-steady.wav", append(lavfi("sine=frequency=440:duration=2"), "-ac", channels)...)
		band := readPicture(t, done(t, "waveform_image", args{"audio": fileOf(plan.Audio, steady)}).Path)
		if _, g, _, _ := band.At(800, 10).RGBA(); g > 0x8000 {
			t.Errorf("the wave of %s channels fills the picture", channels)
		}
		if _, g, _, _ := band.At(800, 220).RGBA(); g < 0x8000 {
			t.Errorf("the wave of %s channels cannot be seen", channels)
		}
	}
}

// TestBadSound gives each operation on sound an input that it cannot use.
func TestBadSound(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(scale(t, "a.m4a", 1))
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]struct {
		path string
		says []string
	}{
		"a video without sound": {clip(t, "mute.mp4", append(lavfi("color=red:size=64x64:rate=10:duration=1"), "-pix_fmt", "yuv420p")...), []string{"mute.mp4"}},
		"no samples":            {clip(t, "none.wav", append(lavfi("anullsrc=duration=1"), "-t", "0")...), []string{"none.wav", "has no sound in it"}},
		"cut off":               {write("half.m4a", string(whole[:len(whole)/2])), []string{"half.m4a"}},
		"empty":                 {write("empty.mp3", ""), []string{"empty.mp3", "empty"}},
		"a playlist":            {write("list.mp3", "ffconcat version 1.0\nfile /etc/passwd\n"), []string{"list.mp3"}},
		"noise for a header":    {write("noise.mp3", "ID3\x03\x00\x00\x00\x00\x00\x0a"+strings.Repeat("\x00\x01", 4000)), []string{"noise.mp3"}},
	}
	for _, run := range []string{"convert_audio", "cut_audio", "denoise_audio", "extract_audio", "join_audio", "normalize_loudness", "spectrogram_image", "waveform_image"} {
		for name, c := range bad {
			t.Run(run+"/"+name, func(t *testing.T) {
				t.Parallel()
				v := fileOf(plan.Audio, c.path)
				holds(t, refused(t, run, args{"audio": v, "video": v, "audios": []toolbox.Value{v, v}, "format": "mp3", "range": "1 s"}), c.says...)
			})
		}
	}
}

// TestBassAndTrebleByDecibels checks that one of the two changes by the requested amount, and the other does not.
func TestBassAndTrebleByDecibels(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const low, high, rate = 40.0, 7000.0, 32_000
	both := clip(t, "both.wav", append(lavfi("sine=frequency=40:duration=2", "sine=frequency=7000:duration=2"),
		"-filter_complex", "amix=inputs=2,volume=0.3")...)
	gain := func(path string, hz float64) float64 {
		return 20 * math.Log10(strength(pcm(t, path, rate), rate, hz)/strength(pcm(t, both, rate), rate, hz))
	}
	for _, c := range []struct {
		band, way, amount string
		low, high         float64
		about             string
	}{
		{"bass", "up", "6 dB", 6, 0, "more bass (+6 dB)"},
		{"bass", "less", "10 dB", -10, 0, "less bass (-10 dB)"},
		{"treble", "down", "3 dB", 0, -3, "less treble (-3 dB)"},
		{"treble", "", "-3 dB", 0, -3, "less treble (-3 dB)"},
		{"treble", "less", "-3 dB", 0, -3, "less treble (-3 dB)"},
		{"treble", "more", "", 0, 8, "more treble (+8 dB)"},
	} {
		a := args{"audio": fileOf(plan.Audio, both), "band": c.band}
		for name, said := range map[string]string{"way": c.way, "amount": c.amount} {
			if said != "" {
				a[name] = said
			}
		}
		out, err := perform(t, "adjust_bass_treble", a)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.about+": bass", gain(out.Path, low), c.low, 0.7)
		near(t, c.about+": treble", gain(out.Path, high), c.high, 0.7)
		holds(t, out.About.String(), c.about)
	}
	holds(t, refused(t, "adjust_bass_treble", args{"audio": fileOf(plan.Audio, both), "band": "bass", "amount": "0 dB"}), "changes nothing")
}

// TestSpeedWithThePitch checks that the pitch of a faster recording stays, unless it is to change, too.
func TestSpeedWithThePitch(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const rate = 32_000
	tone := clip(t, "tone.wav", lavfi("sine=frequency=500:duration=3")...)
	for pitch, hz := range map[string]float64{"": 500, "same pitch": 500, "chipmunk voice": 750} {
		a := args{"audio": fileOf(plan.Audio, tone), "factor": "1.5x"}
		if pitch != "" {
			a["pitch"] = pitch
		}
		sound := pcm(t, done(t, "change_audio_speed", a).Path, rate)
		near(t, pitch+": seconds", float64(len(sound))/rate, 2, 0.1)
		if other := 1250 - hz; strength(sound, rate, hz) < 10*strength(sound, rate, other) {
			t.Errorf("%q: it sounds at %.0f Hz no more than at %.0f Hz", pitch, hz, other)
		}
	}
	for said, want := range map[string]float64{"a quarter of the speed": 12, "6 times as fast": 0.5} {
		out := done(t, "change_audio_speed", args{"audio": fileOf(plan.Audio, tone), "factor": said})
		near(t, said+": seconds", probe(t, out.Path).seconds(), want, 0.25)
	}
}

// TestBitRates checks that they are as requested, in each lossy format and for each kind of sound.
func TestBitRates(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	noise := func(rate, channels int) string {
		return clip(t, fmt.Sprintf("noise-%d-%d.wav", rate, channels), append(lavfi(fmt.Sprintf("anoisesrc=d=6:c=pink:a=0.3:r=%d", rate)), "-ac", strconv.Itoa(channels))...)
	}
	for _, c := range []struct {
		tool, format   string
		rate, channels int
		asked          string
		least, most    float64 // kbps
		says           string
	}{
		{"change_bit_rate", "", 44100, 2, "64 kbps", 62, 66, `It is an MP3 now. For another format name it too, such as "as M4A at 64 kbps".`},
		{"change_bit_rate", "", 44100, 2, "320 kbps", 315, 325, `It is an MP3 now. For another format name it too, such as "as M4A at 320 kbps".`},
		{"change_bit_rate", "", 22050, 1, "320 kbps", 315, 325, `It is an MP3 now. For another format name it too, such as "as M4A at 320 kbps".`},
		{"change_bit_rate", "", 8000, 1, "128 kbps", 125, 131, `It is an MP3 now. For another format name it too, such as "as M4A at 128 kbps".`},
		{"change_bit_rate", "", 8000, 1, "32 kbps", 31, 33, `It is an MP3 now. For another format name it too, such as "as M4A at 32 kbps".`},
		{"change_bit_rate", "mp3", 44100, 2, "64 kbps", 62, 66, ""},
		{"change_bit_rate", "m4a", 44100, 2, "64 kbps", 50, 72, ""},
		{"change_bit_rate", "m4a", 22050, 1, "96 kbps", 75, 105, ""},
		{"change_bit_rate", "m4a", 44100, 1, "320 kbps", 200, 270, "It has 256 kbps, the most that its format can have here."},
		{"change_bit_rate", "ogg", 44100, 2, "96 kbps", 50, 110, ""},
		{"change_bit_rate", "ogg", 44100, 2, "32 kbps", 0, 0, "This format takes at least 46 kbps; ask for more, or for MP3."},
		{"change_bit_rate", "opus", 44100, 2, "64 kbps", 45, 72, ""},
		{"convert_audio", "mp3", 44100, 1, "64 kbps", 62, 66, ""},
		{"convert_audio", "mp3", 8000, 2, "320 kbps", 315, 325, ""},
		{"convert_audio", "m4a", 44100, 2, "64 kbps", 50, 72, ""},
		{"convert_audio", "m4a", 44100, 2, "192 kbps", 150, 205, ""},
		{"convert_audio", "opus", 44100, 2, "48 kbps", 40, 52, ""},
		{"convert_audio", "opus", 8000, 1, "320 kbps", 200, 270, "It has 256 kbps, the most that Opus can have here."},
		{"convert_audio", "ogg", 44100, 2, "96 kbps", 50, 110, ""},
		{"convert_audio", "ogg", 8000, 1, "128 kbps", 40, 150, ""},
		{"convert_audio", "ogg", 44100, 1, "320 kbps", 150, 260, "It has 240 kbps, the most that OGG can have here."},
		{"convert_audio", "flac", 44100, 1, "64 kbps", 100, 1000, "FLAC keeps all of the sound, so it has no bit rate to choose."},
		{"convert_audio", "ogg", 44100, 2, "32 kbps", 0, 0, "OGG takes at least 46 kbps here; ask for more, or for Opus."},
	} {
		t.Run(fmt.Sprint(c.tool, c.format, c.rate, c.channels, c.asked), func(t *testing.T) {
			t.Parallel()
			given := fileOf(plan.Audio, noise(c.rate, c.channels))
			kept := c.tool == "change_bit_rate" && c.format != ""
			if kept {
				given = fileOf(plan.Audio, clip(t, "noise."+c.format, "-i", given.Path))
			}
			a := args{"audio": given, "rate": c.asked}
			if c.format != "" && !kept {
				a["format"] = c.format
			}
			out, err := runCommand(t, toolOf(t, c.tool), a)
			if c.most == 0 {
				holds(t, plan.Sentence(err, plan.Message{}).String(), c.says)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(machine.SizeOf(out.Path)) * 8 / 1000 / probe(t, out.Path).seconds(); got < c.least || got > c.most {
				t.Errorf("it has %.0f kbps, want %g to %g", got, c.least, c.most)
			}
			if out.Note.String() != c.says {
				t.Errorf("it says %q, want %q", out.Note, c.says)
			}
			if now, was := probe(t, out.Path).codecs(), probe(t, given.Path).codecs(); kept && now != was {
				t.Errorf("it is %s, and was %s", now, was)
			}
		})
	}
	for _, limit := range []string{"20 kB", "45 kB", "57 kB", "66 kB", "100 kB", "130 kB"} {
		t.Run("at most "+limit, func(t *testing.T) {
			t.Parallel()
			if _, err := runCommand(t, toolOf(t, "fit_audio_size"), args{"audio": fileOf(plan.Audio, noise(44100, 2)), "limit": limit}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWaveformsHaveColours checks that the wave and the background have the requested colours.
func TestWaveformsHaveColours(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	sound := fileOf(plan.Audio, clip(t, "hum.wav", append(lavfi("sine=frequency=300:duration=2"), "-af", "afade=d=2")...))
	for name, c := range map[string]struct {
		said         args
		ground, wave string
	}{
		"both":            {args{"colour": "red", "background": "white"}, "white", "red"},
		"of one colour":   {args{"colour": "red", "background": "red"}, "black", "red"}, // dark blue
		"the wave's only": {args{"colour": "yellow"}, "black", "yellow"},
	} {
		c.said["audio"] = sound
		out, err := perform(t, "waveform_image", c.said)
		if err != nil {
			t.Fatal(name, err)
		}
		img := readPicture(t, out.Path)
		looks(t, img, 5, 5, c.ground)
		looks(t, img, 1500, 240, c.wave)
	}
	out, err := perform(t, "make_audiogram", args{"audio": sound, "colour": "red", "background": "white", "size": "320x320"})
	if err != nil {
		t.Fatal(err)
	}
	looks(t, frameAt(t, out.Path, 1), 5, 5, "white")
}

// TestSampleRates checks that a rate that the format cannot have is refused.
func TestSampleRates(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, c := range []struct{ file, codec, rate, want string }{
		{"a.mp3", "libmp3lame", "22050 Hz", "22050"}, {"a.wav", "pcm_s16le", "96 kHz", "96000"}, {"a.flac", "flac", "50 kHz", "50000"},
		{"a.mp3", "libmp3lame", "96 kHz", "cannot have 96000 Hz; the nearest is 48000 Hz"}, {"a.ogg", "libopus", "44.1 kHz", "cannot have 44100 Hz; the nearest is 48000 Hz"},
	} {
		sound := args{"audio": fileOf(plan.Audio, clip(t, c.file, append(lavfi("sine=duration=1"), "-c:a", c.codec)...)), "rate": c.rate}
		out, err := perform(t, "change_sample_rate", sound)
		if err != nil {
			holds(t, plan.Sentence(err, plan.Message{}).String(), c.want)
		} else if got := probe(t, out.Path).Streams[0].Frequency; got != c.want {
			t.Errorf("%s at %s: %s", c.file, c.rate, got)
		}
	}
}

// TestCrossfade checks that a sound in stereo stays so, and that the tones overlap.
func TestCrossfade(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	mono := fileOf(plan.Audio, tone(t, "mono.wav", "440", "3"))
	stereo := fileOf(plan.Audio, clip(t, "stereo.wav", append(lavfi("sine=frequency=880:duration=3"), "-ac", "2")...))
	out, err := perform(t, "crossfade_audio", args{"first": mono, "second": stereo, "length": "1 s"})
	if err != nil {
		t.Fatal(err)
	}
	if said := tool(t, "ffprobe", "-v", "error", "-show_entries", "stream=channels", "-of", "default=nw=1:nk=1", out.Path); strings.TrimSpace(said) != "2" {
		t.Errorf("it has %s channels", said)
	}
	near(t, "the length", probe(t, out.Path).seconds(), 5, 0.1)
	if first, last := loudest(t, out.Path, 0.5, 1.5, 440, 880), loudest(t, out.Path, 3.5, 4.5, 440, 880); first != 440 || last != 880 {
		t.Errorf("it sounds of %g Hz, then of %g Hz", first, last)
	}
}

// TestMonoStaysLoud checks that mono is as loud as before where it is joined with stereo, or put into stereo.
func TestMonoStaysLoud(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const film = "testsrc=size=64x48:rate=10:duration=2"
	mono, stereo := "aevalsrc='0.2*sin(2*PI*440*t)':s=48000:d=2", "aevalsrc='0.2*sin(2*PI*880*t)|0.2*sin(2*PI*880*t)':s=48000:d=2"
	a, b := fileOf(plan.Audio, clip(t, "mono.wav", lavfi(mono)...)), fileOf(plan.Audio, clip(t, "stereo.wav", lavfi(stereo)...))
	v, w := fileOf(plan.Video, clip(t, "mono.mp4", lavfi(film, mono)...)), fileOf(plan.Video, clip(t, "stereo.mp4", lavfi(film, stereo)...))
	silent := fileOf(plan.Video, clip(t, "silent.mp4", lavfi(film)...))
	for name, c := range map[string]struct {
		tool  string
		given args
	}{
		"joined":         {"join_audio", args{"audios": list(a, b)}},
		"crossfaded":     {"crossfade_audio", args{"first": a, "second": b, "length": "0.5 s"}},
		"joined videos":  {"join_videos", args{"videos": list(v, w)}},
		"put to a video": {"dub_video", args{"video": silent, "audio": a}},
		"on a video":     {"insert_sound_video", args{"video": silent, "sound": a, "at": "0:00"}},
		"before a card":  {"add_title_card", args{"video": v, "caption": "The end", "place": "end"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := perform(t, c.tool, c.given)
			if err != nil {
				t.Fatal(err)
			}
			for _, side := range []string{"c0", "c1"} {
				heard := clip(t, "side.wav", "-ss", "0.5", "-t", "0.5", "-i", out.Path, "-map", "0:a:0", "-af", "pan=mono|c0="+side)
				near(t, side, volume(t, heard, 0, 0.5), volume(t, a.Path, 0.5, 0.5), 0.7)
			}
		})
	}
}

// TestMixKeepsStereo checks that a mono voice does not make stereo music mono, nor the other way round, and that both
// stay as loud as they were.
func TestMixKeepsStereo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	mono := fileOf(plan.Audio, clip(t, "mono.wav", lavfi("aevalsrc='0.2*sin(2*PI*440*t)':s=44100:d=2")...))
	stereo := fileOf(plan.Audio, clip(t, "stereo.wav", lavfi("aevalsrc='0.2*sin(2*PI*880*t)|0':s=44100:d=2")...))
	for _, given := range []args{
		{"voice": mono, "music": stereo}, {"voice": stereo, "music": mono}, {"voice": mono, "music": stereo, "balance": "ducked"},
	} {
		out := done(t, "mix_audio", given)
		left, right := clip(t, "left.wav", "-i", out.Path, "-af", "pan=mono|c0=c0"), clip(t, "right.wav", "-i", out.Path, "-af", "pan=mono|c0=c1")
		const rate = 44_100
		heard := func(path string, hertz float64) float64 {
			return strength(pcm(t, path, rate)[rate/2:rate], rate, hertz)
		}
		near(t, "the mono sound on the left", heard(left, 440), heard(right, 440), heard(right, 440)/50)
		near(t, "the mono sound", heard(left, 440), heard(mono.Path, 440), heard(mono.Path, 440)/20)
		if loud, quiet := heard(left, 880), heard(right, 880); quiet*20 > loud {
			t.Errorf("the stereo sound is %g on the left, and %g on the right", loud, quiet)
		}
	}
}

// TestEcho checks that an echo comes later than a reverb, and that each is as strong as requested.
func TestEcho(t *testing.T) {
	t.Parallel()
	click := clip(t, "click.wav", lavfi("aevalsrc='if(lt(t,0.03),0.8*sin(3000*t),0)':s=44100:d=2")...)
	echoes := map[string]float64{} // in decibels, where the first echo of each is
	for said, at := range map[string]float64{"echo": 0.35, "echo 20%": 0.35, "echo 100%": 0.35, "reverb": 0.11, "reverb 20%": 0.11} {
		kind, amount, given := strings.Cut(said, " ")
		a := args{"audio": fileOf(plan.Audio, click), "room": kind}
		if given {
			a["amount"] = amount
		}
		out := done(t, "add_echo", a)
		echoes[said] = level(t, out.Path, at, at+0.03)
		holds(t, out.About.String(), map[string]string{"echo": "echo", "reverb": "reverb"}[kind], strings.TrimSuffix(amount, "%"))
	}
	near(t, "an echo of 100% beside one of 50%", echoes["echo 100%"]-echoes["echo"], 5.4, 1.5)
	near(t, "an echo of 20% beside one of 50%", echoes["echo 20%"]-echoes["echo"], -8, 1)
	near(t, "20% reverb beside 50%", echoes["reverb 20%"]-echoes["reverb"], -8, 1)
	if echoes["echo"] < -40 || echoes["reverb"] < -40 {
		t.Errorf("they cannot be heard: %v", echoes)
	}
}

// TestSmallSoundStaysSmall: a sound that is small enough is left as it is, and none becomes larger.
func TestSmallSoundStaysSmall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"small.mp3", "small.opus", "small.m4a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sound := clip(t, name, append(lavfi("anoisesrc=d=8:a=0.2"), "-ac", "1", "-b:a", "32k")...)
			out, err := perform(t, "fit_audio_size", args{"audio": fileOf(plan.Audio, sound), "limit": "2 MB"})
			if err != nil {
				t.Fatal(err)
			}
			if was, is := machine.SizeOf(sound), machine.SizeOf(out.Path); is > was+2000 {
				t.Errorf("it had %d bytes, and has %d", was, is)
			}
			if copied := strings.Contains(out.Note.String(), "small enough already"); copied != strings.HasSuffix(name, ".mp3") {
				t.Errorf("the note is %q", out.Note)
			}
		})
	}
}
