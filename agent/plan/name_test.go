package plan_test

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// matches reports whether the name is the pattern, in which "#" stands for a hash.
func matches(name, pattern string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), "#", "[0-9a-f]{4}") + "$").MatchString(name)
}

func TestOriginalNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{"photo.jpg", "photo-#.jpg"},
		{"Photo.JPG", "photo-#.jpg"},
		{"IMG_0042 (1).jpeg", "img_0042-1-#.jpeg"},
		{"holiday, the lake.png", "holiday-the-lake-#.png"},
		{"../../etc/passwd", "passwd-#"},
		{`C:\Users\me\cat.png`, "cat-#.png"},
		{"dir/", "dir-#"},
		{"<b>bold</b>.png", "b-#.png"}, // what stands before a slash is a folder
		{"a<script>.gif", "a-script-#.gif"},
		{"**star** `tick`.webp", "star-tick-#.webp"},
		{"Größe.png", "größe-#.png"},
		{"Gro\u0308ße.png", "gro\u0308ße-#.png"}, // as another system writes it
		{"\u0308umlaut.png", "umlaut-#.png"},
		{"图片.png", "图片-#.png"},
		{"हिन्दी.mp3", "हिन्दी-#.mp3"},
		{"שלום.png", "שלום-#.png"},
		{"photo\u202egnp.exe", "photo-gnp-#.exe"},
		{"🎉🎉.png", "file-#.png"},
		{"", "file-#"},
		{".", "file-#"},
		{"..", "file-#"},
		{"/", "file-#"},
		{".png", "file-#.png"},
		{"notes", "notes-#"},
		{"notes.", "notes-#"},
		{"archive.tar.gz", "archive-tar-#.gz"},
		{"version 1.2 final", "version-1-2-final-#"},
		{"a.b-c", "a-b-c-#"},
		{"a.averylongending", "a-averylongending-#"},
		{"a.p\u00f1g", "a-p\u00f1g-#"},
		{"line\nbreak\x00.png", "line-break-#.png"},
		{"bad\xff\xfebytes.png", "bad-bytes-#.png"},
		{strings.Repeat("a", 300) + ".png", strings.Repeat("a", 24) + "-#.png"},
		{strings.Repeat("a", 23) + " b.png", strings.Repeat("a", 23) + "-#.png"},
	} {
		if got := plan.NewNamer().Original(c.file, "id"); !matches(got, c.want) {
			t.Errorf("%q is named %q, want %q", c.file, got, c.want)
		}
	}
}

func TestDerivedNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op, ext string
		inputs  []string
		want    string
	}{
		{"edge", ".png", []string{"photo-3f2a.jpg"}, "photo-3f2a.edge-#.png"},
		{"edge", ".PNG", []string{"photo-3f2a.jpg"}, "photo-3f2a.edge-#.png"},
		{"image_captioning", "", []string{"photo-3f2a.jpg"}, "photo-3f2a.image_captioning-#"},
		{"resize_image", ".png", []string{"photo-3f2a.edge-91bc.png"}, "photo-3f2a.edge-91bc.resize-#.png"},
		{"blur_image", ".png", []string{"photo-3f2a.edge-91bc.resize-0001.png"}, "photo-3f2a..resize-0001.blur-#.png"},
		{"flip_image", ".png", []string{"photo-3f2a..resize-0001.blur-0002.png"}, "photo-3f2a..blur-0002.flip-#.png"},
		{"text_to_speech", ".mp3", []string{"photo-3f2a.image_captioning-77aa"}, "photo-3f2a.image_captioning-77aa.text_to_speech-#.mp3"},
		{"translation", "", []string{"notes-0a1b"}, "notes-0a1b.translation-#"},
		{"text_to_image", ".png", nil, "text_to_image-#.png"},
		{"text_to_image", ".png", []string{"", ""}, "text_to_image-#.png"},
		{"image_audio_to_video", ".mp4", []string{"", "cat-1111.png", "song-2222.mp3"}, "cat-1111.image_audio_to_video-#.mp4"},
		// the operation reads well without "_image" where it is a mere verb
		{"highlight_object_on_image", ".png", []string{"a-1.png"}, "a-1.highlight_object_on_image-#.png"},
		{"mask_image", ".png", []string{"a-1.png"}, "a-1.mask_image-#.png"},
		{"extract_audio", ".mp3", []string{"a-1.mp4"}, "a-1.extract_audio-#.mp3"},
		{"_image", ".png", []string{"a-1.png"}, "a-1.result-#.png"},
		// whatever the names are, the new one is safe
		{"", ".png", []string{"a-1.png"}, "a-1.result-#.png"},
		{"../up", "/x", []string{"a-1.png"}, "a-1.up-#"},
		{"op", ".png", []string{"../../etc/shadow"}, "etc-shadow.op-#.png"},
		{"op", ".png", []string{"???"}, "op-#.png"},
		{"op", ".png", []string{"My Photo.v2.final.png"}, "my-photo..final.op-#.png"},
	} {
		if got := plan.NewNamer().Derived(c.op, "key", c.ext, c.inputs...); !matches(got, c.want) {
			t.Errorf("%s%s of %q is named %q, want %q", c.op, c.ext, c.inputs, got, c.want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	namer := plan.NewNamer(plan.Resource{Name: plan.NewNamer().Original("a.png", "same")})
	seen := map[string]bool{plan.NewNamer().Original("a.png", "same"): true}
	for i := range 50 {
		name := namer.Original("a.png", "same")
		if i%2 == 1 {
			name = namer.Derived("edge", "same", ".png", "a-0000.png")
		}
		if seen[name] {
			t.Fatalf("%q was given twice", name)
		}
		seen[name] = true
	}
	if a, b := plan.NewNamer().Original("a.png", "1"), plan.NewNamer().Original("a.png", "1"); a != b {
		t.Errorf("the same file is named %q and %q", a, b)
	}
	if a, b := plan.NewNamer().Original("a.png", "1"), plan.NewNamer().Original("a.png", "2"); a == b {
		t.Errorf("two files are both named %q", a)
	}
}

// Whatever files are called and however long the chain grows: names are unique, fit
// into a file system, and tell the origin and the last operation.
func TestNamesAreSafeAndTellWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^[\p{L}\p{Nd}_][\p{L}\p{M}\p{Nd}_-]*(\.{1,2}[\p{L}\p{M}\p{Nd}_-]+)*$`)
	rapid.Check(t, func(t *rapid.T) {
		namer := plan.NewNamer()
		seen := map[string]bool{}
		check := func(name string) {
			switch {
			case seen[name]:
				t.Fatalf("%q was given twice", name)
			case !allowed.MatchString(name) || !utf8.ValidString(name):
				t.Fatalf("%q is not safe", name)
			case len(name) > 255:
				t.Fatalf("%q has %d bytes", name, len(name))
			case path.Base(name) != name:
				t.Fatalf("%q has a folder", name)
			case strings.ContainsAny(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
				t.Fatalf("%q has capitals", name)
			}
			seen[name] = true
		}
		name := namer.Original(rapid.String().Draw(t, "file"), rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "id"))
		check(name)
		origin := strings.TrimSuffix(name, path.Ext(name))
		if strings.Contains(path.Ext(name), "-") {
			t.Fatalf("%q has an ending that is a link", name)
		}
		ops := []string{"edge", "resize_image", "text_to_speech", "image_audio_to_video", "a b"}
		for range rapid.IntRange(1, 6).Draw(t, "links") {
			op := rapid.SampledFrom(ops).Draw(t, "op")
			ext := rapid.SampledFrom([]string{"", ".png", ".mp4", ".jpeg"}).Draw(t, "ext")
			name = namer.Derived(op, rapid.SampledFrom([]string{"k", "l"}).Draw(t, "key"), ext, name)
			check(name)
			if !strings.HasPrefix(name, origin+".") || !strings.HasSuffix(name, ext) {
				t.Fatalf("%q does not come from %q", name, origin)
			}
			if links := strings.Split(strings.ReplaceAll(strings.TrimSuffix(name, ext), "..", "."), "."); len(links) > 3 {
				t.Fatalf("%q has more than the origin and two links", name)
			}
		}
	})
}

func TestFileName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long-", 20)
	for _, c := range []struct{ origin, suffix, ext, want string }{
		{"photo.jpg", "edges", ".png", "photo-edges.png"},
		{"photo.jpg", "black and white", ".JPG", "photo-black-and-white.jpg"},
		{"clip.mp4", "0:03 to 0:07", ".mp4", "clip-0m03-0m07.mp4"},
		{"clip.mp4", "1:02:03-1:10:00", ".mp4", "clip-1h02m03-1h10m00.mp4"},
		{"clip.mp4", "the first 5 seconds", ".mp4", "clip-first-5-seconds.mp4"},
		{"clip.mp4", "make it faster", ".mp4", "clip-faster.mp4"},
		{"clip.mp4", "play it in slow motion", ".mp4", "clip-in-slow-motion.mp4"},
		{"clip.mp4", "make it", ".mp4", "clip-make-it.mp4"},
		{"photo.jpg", "50%", ".jpg", "photo-50-percent.jpg"},
		{"photo.jpg", "800 × 600", ".jpg", "photo-800-600.jpg"},
		{"photo.jpg", "800×600", ".jpg", "photo-800x600.jpg"},
		{"clip.mp4", "1.5x", ".mp4", "clip-1.5x.mp4"},
		{"photo.jpg", "", ".png", "photo.png"},
		{"photo-edges.png", "edges", ".png", "photo-edges.png"},
		{"Foto vom Strand.JPG", "small", ".jpg", "Foto-vom-Strand-small.jpg"},
		{"照片.png", "edges", ".png", "照片-edges.png"},
		{"IMG_2024.v2.heic", "small", ".jpg", "IMG_2024-v2-small.jpg"},
		{"con.png", "", ".png", "con-file.png"},
		{"../../etc/passwd.txt", "small", ".txt", "etc-passwd-small.txt"},
		{"???.png", "", ".png", "file.png"},
		{"", "", "", "file"},
		{"A red fox, in the snow!", "", ".png", "red-fox-in-snow.png"},
		{"the", "", ".png", "the.png"},
		{long + ".jpg", "edges", ".png", "long-long-long-long-long-long-long-long-edges.png"},
		{strings.Repeat("x", 80) + ".jpg", "small", ".png", strings.Repeat("x", 42) + "-small.png"},
	} {
		if got := plan.FileName(c.origin, c.suffix, c.ext); got != c.want {
			t.Errorf("FileName(%q, %q, %q) is %q, want %q", c.origin, c.suffix, c.ext, got, c.want)
		}
	}
	if got := plan.Numbered("photo-edges.png", 2); got != "photo-edges-2.png" {
		t.Errorf("numbered it is %q", got)
	}
}

// FuzzFileName checks that a name is safe on every platform, not too long, and made of itself again.
func FuzzFileName(f *testing.F) {
	f.Add("photo.jpg", "0:03 to 0:07", ".mp4")
	f.Add("..", "con", ".")
	f.Add("a/b\\c:d*?\"<>|.png", "\x00\u202e", ".tar.gz")
	f.Fuzz(func(t *testing.T, origin, suffix, ext string) {
		name := plan.FileName(origin, suffix, ext)
		switch {
		case name == "" || !utf8.ValidString(name) || name != filepath.Base(name):
			t.Errorf("%q is no name of a file", name)
		case utf8.RuneCountInString(name) > 60 || len(name) > 250:
			t.Errorf("%q is long", name)
		case strings.ContainsAny(name, "/\\:*?\"<>| \x00\n\t") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "."):
			t.Errorf("%q is not safe", name)
		}
		if again := plan.FileName(origin, suffix, ext); again != name {
			t.Errorf("%q, and then %q", name, again)
		}
	})
}
