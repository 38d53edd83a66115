package media

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// made is a file that ffmpeg makes of a tone, a test picture or both.
func made(t *testing.T, name, what string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := []string{"-f", "lavfi", "-i", "sine=duration=0.3", "-f", "lavfi", "-i", "testsrc=duration=0.3:size=64x48:rate=10"}
	ffmpeg(t, append(append(args, strings.Fields(what)...), path)...)
	return path
}

func ffmpeg(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-v", "error"}, args...)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil { //nolint:gosec // the tests' own words
		t.Fatalf("ffmpeg %q: %v: %s", args, err, out)
	}
}

// TestSoundInAContainerOfFilms: what has no moving pictures is a sound, however it is
// written and called, and what holds some is a video.
func TestSoundInAContainerOfFilms(t *testing.T) {
	t.Parallel()
	const both, sound, pictures = "-map 0 -map 1 ", "-map 0 ", "-map 1 "
	for name, c := range map[string]struct {
		make string
		want Info
	}{
		"voice.webm":   {sound + "-c:a libopus", Info{Type: plan.Audio, MIME: "audio/webm", Ext: ".webm"}},
		"stream.webm":  {sound + "-c:a libopus -live 1", Info{Type: plan.Audio, MIME: "audio/webm", Ext: ".webm"}},
		"voice.weba":   {sound + "-c:a libopus -f webm", Info{Type: plan.Audio, MIME: "audio/webm", Ext: ".webm"}},
		"voice.mka":    {sound + "-c:a libopus", Info{Type: plan.Audio, MIME: "audio/x-matroska", Ext: ".mka"}},
		"voice.mkv":    {sound + "-c:a pcm_s16le", Info{Type: plan.Audio, MIME: "audio/x-matroska", Ext: ".mka"}},
		"voice.mp4":    {sound + "-c:a aac", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"first.mp4":    {sound + "-c:a aac -movflags faststart", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"parts.mp4":    {sound + "-c:a aac -movflags frag_keyframe+empty_moov", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"voice.mov":    {sound + "-c:a pcm_s16le", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"voice.3gp":    {sound + "-c:a aac", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"both.webm":    {both + "-c:a libopus -c:v libvpx", Info{Type: plan.Video, MIME: "video/webm", Ext: ".webm"}},
		"live.webm":    {both + "-c:a libopus -c:v libvpx -live 1", Info{Type: plan.Video, MIME: "video/webm", Ext: ".webm"}},
		"silent.mkv":   {pictures + "-c:v mpeg4", Info{Type: plan.Video, MIME: "video/x-matroska", Ext: ".mkv"}},
		"both.mp4":     {both + "-c:a aac -c:v mpeg4", Info{Type: plan.Video, MIME: "video/mp4", Ext: ".mp4"}},
		"inparts.mp4":  {both + "-c:a aac -c:v mpeg4 -movflags frag_keyframe+empty_moov", Info{Type: plan.Video, MIME: "video/mp4", Ext: ".mp4"}},
		"pictures.mov": {pictures + "-c:v mpeg4", Info{Type: plan.Video, MIME: "video/quicktime", Ext: ".mov"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Inspect(t.Context(), made(t, name, c.make), Limits{})
			if err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

// TestASoundWhoseTracksAreLost is what its first bytes say.
func TestASoundWhoseTracksAreLost(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]string{"cut.mp4": "-map 0 -c:a aac", "cut.webm": "-map 0 -c:a libopus"} {
		path := made(t, name, what)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		most := len(b) - 10 // the box of tracks is the last
		if name == "cut.webm" {
			most = bytes.Index(b, []byte("A_OPUS"))
		}
		if got, err := Inspect(t.Context(), store(t, name, b[:most]), Limits{}); err != nil || got.Type != plan.Video {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// boxed is a box of the form of MP4.
func boxed(name string, body ...[]byte) []byte {
	all := bytes.Join(body, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(all))), name...), all...)
}

// handled is a track with what handles it.
func handled(handler string) []byte {
	return boxed("trak", boxed("mdia", boxed("mdhd"), boxed("hdlr", make([]byte, 8), []byte(handler), make([]byte, 12))))
}

const isom = "isom\x00\x00\x02\x00isomiso2mp41"

// reads counts what is read of a file.
type reads struct {
	*bytes.Reader

	n int
}

func (r *reads) ReadAt(b []byte, at int64) (int, error) {
	r.n++
	return r.Reader.ReadAt(b, at)
}

func mp4() kind { k, _ := named("mp4"); return k }

func webm() kind { k, _ := named("webm"); return k }

func TestTracksOfBoxes(t *testing.T) {
	t.Parallel()
	long := append([]byte("\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00"), byte(16+len(handled("soun"))))
	huge := []byte("\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff")
	for name, c := range map[string]struct {
		boxes []byte
		sound bool
	}{
		"sound":                {boxed("moov", boxed("mvhd"), handled("soun")), true},
		"sound and subtitles":  {boxed("moov", handled("soun"), handled("sbtl")), true},
		"sound and pictures":   {boxed("moov", handled("soun"), handled("vide")), false},
		"subtitles":            {boxed("moov", handled("sbtl")), false},
		"no tracks":            {boxed("moov"), false},
		"a length of 64 bits":  {append(long, handled("soun")...), true},
		"a length of too many": {append(huge, handled("soun")...), false},
		"to the end":           {append([]byte("\x00\x00\x00\x00moov"), handled("soun")...), true},
		"a track that is cut":  {boxed("moov", handled("soun"), []byte("\x00\x00\x00\x40trak")), false},
		"a box of no length":   {boxed("moov", handled("soun"), []byte("\x00\x00\x00\x07trak")), false},
		"a handler of nothing": {boxed("moov", handled("soun"), boxed("trak", boxed("mdia", boxed("hdlr")))), false},
	} {
		b := append(boxed("ftyp", []byte(isom)), c.boxes...)
		if got, is := heardOnly(bytes.NewReader(b), int64(len(b)), mp4()); is != c.sound || is != (got.typ == plan.Audio) {
			t.Errorf("%s: %v, %+v", name, is, got)
		}
	}
}

// TestEndlessPartsAreNotFollowed: a file of nothing but small parts costs a bounded look.
func TestEndlessPartsAreNotFollowed(t *testing.T) {
	t.Parallel()
	film := append(boxed("ftyp", []byte(isom)), bytes.Repeat(boxed("free"), 100_000)...)
	voids := append([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"), bytes.Repeat([]byte("\xec\x80"), 100_000)...)
	for k, b := range map[string][]byte{"mp4": film, "webm": voids} {
		like, _ := named(k)
		r := &reads{Reader: bytes.NewReader(b)}
		if _, is := heardOnly(r, int64(len(b)), like); is || r.n > mostParts+2 || r.n < mostParts/2 {
			t.Errorf("%s: %v, after %d reads", k, is, r.n)
		}
	}
}

// FuzzTracks: whatever bytes come, a look at their tracks ends, and makes a sound of nothing
// but a container of films.
func FuzzTracks(f *testing.F) {
	f.Add(append(boxed("ftyp", []byte(isom)), boxed("moov", handled("soun"), handled("vide"))...))
	f.Add(append(boxed("ftyp", []byte(isom)), append([]byte("\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00\x60"), handled("soun")...)...))
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x16\x54\xae\x6b\x85\xae\x83\x83\x81\x02"))
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x8a\x16\x54\xae\x6b\x01\x00\x00\x00\x00\x00\x00\x05\xae\x83\x83\x81\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, k := range []kind{mp4(), webm()} {
			r := &reads{Reader: bytes.NewReader(b)}
			got, is := heardOnly(r, int64(len(b)), k)
			if is != (got.typ == plan.Audio) || r.n > 2*mostParts {
				t.Errorf("%v: %+v after %d reads", is, got, r.n)
			}
		}
	})
}
