package program

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
)

// cover returns ffmpeg's arguments for a picture.
func cover() []string {
	return append(lavfi("testsrc2=size=160x120"), "-frames:v", "1")
}

// toolCalled returns the command of the catalogue with that name.
func toolCalled(t *testing.T, name string) toolbox.Tool {
	t.Helper()
	all := commands(t)
	return all[slices.IndexFunc(all, func(o toolbox.Tool) bool { return o.Name == name })]
}

// probed returns the tags of a sound by name, and the codecs of its streams, from ffprobe.
func probed(t *testing.T, path string) (tags map[string]string, codecs []string) {
	t.Helper()
	type tagged struct {
		Codec string            `json:"codec_name"`
		Tags  map[string]string `json:"tags"`
	}
	var found struct {
		Format  tagged   `json:"format"`
		Streams []tagged `json:"streams"`
	}
	said := tool(t, "ffprobe", "-v", "error", "-show_entries", "format_tags:stream_tags:stream=codec_name", "-of", "json", path)
	if err := json.Unmarshal([]byte(said), &found); err != nil {
		t.Fatal(err)
	}
	tags = map[string]string{}
	for _, s := range append(found.Streams[:1:1], found.Format) {
		for name, value := range s.Tags {
			tags[strings.ToLower(name)] = value
		}
	}
	for _, s := range found.Streams {
		codecs = append(codecs, s.Codec)
	}
	return tags, codecs
}

// TestSetTags sets tags in each format: people's words become neither options nor other tags, and the other tags
// stay.
func TestSetTags(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for ending, codec := range map[string]string{
		"mp3": "mp3", "m4a": "aac", "flac": "flac", "ogg": "vorbis", "opus": "opus", "wav": "pcm_s16le", "aiff": "pcm_s16be",
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			made := append(lavfi("sine=duration=1"), "-metadata", "title=Old", "-metadata", "genre=Blues")
			if ending == "aiff" {
				made = append(made, "-write_id3v2", "1")
			}
			song := clip(t, "song."+ending, made...)
			out, err := runCommand(t, toolCalled(t, "set_tags"), args{
				"audio": fileOf(plan.Audio, song), "tags": `title "-map 0; x=1 #2 \\ 'it'" and artist Björk, album: "a` + "\n" + `genre=Pop", year 1997`,
			})
			if err != nil {
				t.Fatal(err)
			}
			tags, codecs := probed(t, out.Path)
			for name, want := range map[string]string{
				"title": `-map 0; x=1 #2 \\ 'it'`, "artist": "Björk", "album": "a genre=Pop", "date": "1997", "genre": "Blues",
			} {
				if tags[name] != want {
					t.Errorf("%s is %q, not %q", name, tags[name], want)
				}
			}
			if diff := cmp.Diff([]string{codec}, codecs); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSetTagsWithBackslash sets values that end with a backslash, which do not swallow the next tag.
func TestSetTagsWithBackslash(t *testing.T) {
	t.Parallel()
	song := clip(t, "song.mp3", lavfi("sine=duration=1")...)
	out, err := runCommand(t, toolCalled(t, "set_tags"), args{
		"audio": fileOf(plan.Audio, song), "tags": `title "C:\" and artist "Bo\\" and album "x"`,
	})
	if err != nil {
		t.Fatal(err)
	}
	tags, _ := probed(t, out.Path)
	for name, want := range map[string]string{"title": `C:\`, "artist": `Bo\\`, "album": "x"} {
		if tags[name] != want {
			t.Errorf("%s is %q, not %q", name, tags[name], want)
		}
	}
}

// TestSetTagsOfOthers writes a sound as MP3 that cannot be copied into any format.
func TestSetTagsOfOthers(t *testing.T) {
	t.Parallel()
	sound := clip(t, "memo.webm", append(lavfi("sine=duration=1"), "-c:a", "libopus")...)
	out, err := runCommand(t, toolCalled(t, "set_tags"), args{"audio": fileOf(plan.Audio, sound), "tags": "title: Memo"})
	if err != nil {
		t.Fatal(err)
	}
	if tags, codecs := probed(t, out.Path); tags["title"] != "Memo" || codecs[0] != "mp3" {
		t.Errorf("%v, %v", tags, codecs)
	}
}

// TestSetCover sets a cover, replaces it, and sets tags as well.
func TestSetCover(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	picture := fileOf(plan.Image, clip(t, "cover.png", cover()...))
	for ending, codec := range map[string]string{"mp3": "mp3", "m4a": "aac", "flac": "flac"} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			song := clip(t, "titled."+ending, append(lavfi("sine=duration=1"), "-metadata", "title=Rain")...)
			for _, step := range []struct {
				tool string
				args
			}{{"set_cover", args{"image": picture}}, {"set_cover", args{"image": picture}}, {"set_tags", args{"tags": "artist: Ella"}}} {
				step.args["audio"] = fileOf(plan.Audio, song)
				out, err := runCommand(t, toolCalled(t, step.tool), step.args)
				if err != nil {
					t.Fatal(err)
				}
				song = out.Path
			}
			tags, codecs := probed(t, song)
			if diff := cmp.Diff([]string{codec, "mjpeg"}, codecs); diff != "" || tags["title"] != "Rain" || tags["artist"] != "Ella" {
				t.Errorf("tags %v: %s", tags, diff)
			}
		})
	}
}

// TestExtractSubtitles extracts the subtitles of each kind of file, as a text with the name of the file.
func TestExtractSubtitles(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, codec := range map[string]string{"film.mp4": "mov_text", "film.mkv": "ass", "film.webm": "webvtt"} {
		for format, want := range map[string]string{"srt": `00:00:00,5\d\d --> 00:00:01,5\d\d\nGuten Abend`, "vtt": `00:00\.5\d\d --> 00:01\.5\d\d\nGuten Abend`} {
			video := clip(t, name, subtitled(codec)...)
			out, err := runCommand(t, toolCalled(t, "extract_subtitles"), args{"video": fileOf(plan.Video, video), "track": "2", "format": format})
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(want).MatchString(out.Value) {
				t.Errorf("%s of %s: %q", format, name, out.Value)
			}
			holds(t, out.Note.String(), "2 subtitle tracks")
			if out.File != "film."+format {
				t.Errorf("the file is called %q", out.File)
			}
		}
	}
}

// TestTagsAreToldAsLeftOut checks that the answer says so where a new sound lacks the tags of the old one.
func TestTagsAreToldAsLeftOut(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	tagged := fileOf(plan.Audio, clip(t, "song.mp3", append(lavfi("sine=duration=2"), "-metadata", "title=Harbour")...))
	covered := fileOf(plan.Audio, clip(t, "album.mp3", append(lavfi("sine=duration=2"), "-i", clip(t, "cover.png", cover()...),
		"-map", "0", "-map", "1", "-c:v", "mjpeg", "-disposition:v", "attached_pic")...))
	plain := fileOf(plan.Audio, clip(t, "plain.mp3", lavfi("sine=duration=2")...))
	for run, given := range map[string]args{
		"cut_audio": {"range": "the first second"}, "normalize_loudness": {}, "split_audio": {}, "reverse_audio": {}, "set_tags": {"tags": "artist Ann"},
	} {
		for want, sound := range map[string]toolbox.Value{
			"Its tags, such as the title, were left out.": tagged, "Its tags and its cover picture were left out.": covered, "": plain,
		} {
			out, err := perform(t, run, given.with("audio", sound))
			if err != nil {
				t.Fatal(err)
			}
			if run == "set_tags" {
				want = ""
			}
			if got := out.Note.String(); got != want {
				t.Errorf("%s says %q, want %q", run, got, want)
			}
		}
	}
}
