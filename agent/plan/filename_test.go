package plan_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/agent/plan"
)

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
