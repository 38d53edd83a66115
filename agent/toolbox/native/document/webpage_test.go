package document

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// mp4 is the beginning of an MP4 file, padded to the given size.
func mp4(size int) []byte {
	head := []byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41")
	return append(head, make([]byte, max(0, size-len(head)))...)
}

// makePage runs the tool and returns the page with its text.
func makePage(t *testing.T, video, title, tags, text string) (toolbox.Output, string) {
	t.Helper()
	c := nativetest.FileCall("video", plan.Video, video)
	for arg, v := range map[string]string{"title": title, "tags": tags, "text": text} {
		c.Args[arg] = nativetest.Call(arg, v).Args[arg]
	}
	c.Dir = t.TempDir()
	out, err := nativetest.New(t, Operations(media.Limits{})).Perform("video_to_webpage", c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(b)
}

func TestVideoToWebpage(t *testing.T) {
	t.Parallel()
	video := mp4(500)
	out, html := makePage(t, nativetest.WriteFile(t, "clip.mp4", video), "A day at the sea", "sea, #summer, Sea, sun", "We swam.\n\nThen we slept.")
	for _, want := range []string{
		"<!DOCTYPE html>", "<title>A day at the sea</title>", "<h1>A day at the sea</h1>",
		`<meta name="description" content="We swam. Then we slept.">`, `<meta name="keywords" content="sea, summer, sun">`,
		"<p>We swam.</p>", "<p>Then we slept.</p>", "<li>sea</li>", "<li>summer</li>", "<li>sun</li>", "prefers-color-scheme: dark",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if inside := embedded(t, html); !bytes.Equal(inside, video) {
		t.Error("the video in the page is another one")
	}
	if out.Note.String() != "" {
		t.Errorf("the note is %q", out.Note.String())
	}
	wellFormed(t, html)
}

// embedded returns the video in the page.
func embedded(t *testing.T, html string) []byte {
	t.Helper()
	m := regexp.MustCompile(`src="data:video/mp4;base64,([^"]*)"`).FindStringSubmatch(html)
	if m == nil {
		t.Fatalf("the video is not in the page:\n%s", html)
	}
	inside, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(m[1], "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	return inside
}

func TestWebpageDoesNotTellWhereAVideoWasMade(t *testing.T) {
	t.Parallel()
	const place = "\x00\x00\x00\x2Emoov\x00\x00\x00\x26udta\x00\x00\x00\x1E\xA9xyz\x00\x12\x15\xC7+52.5200+013.4050/"
	video := append(mp4(32), place...)
	video = append(video, "\x00\x00\x00\x10mdatfilmfilm"...)
	path := nativetest.WriteFile(t, "clip.mp4", video)
	_, html := makePage(t, path, "Berlin", "", "")
	inside := embedded(t, html)
	if bytes.Contains(inside, []byte("+52.52")) || len(inside) != len(video) || !bytes.HasSuffix(inside, []byte("mdatfilmfilm")) {
		t.Errorf("the page holds %q", inside)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, video) {
		t.Errorf("the file itself is another one (%v)", err)
	}
}

func TestWebpageRefersToLargeVideos(t *testing.T) {
	t.Parallel()
	out, html := makePage(t, nativetest.WriteFile(t, "a: \"b\" & c.mp4", mp4(embedLimit+1)), "Long", "", "")
	if !strings.Contains(html, `src="./a:%20%22b%22%20&amp;%20c.mp4"`) || strings.Contains(html, "data:") {
		t.Errorf("the page does not refer to the file:\n%s", html)
	}
	if !strings.Contains(out.Note.String(), `a: "b" & c.mp4`) || !strings.Contains(html, "same folder") {
		t.Errorf("the note is %q", out.Note.String())
	}
	wellFormed(t, html)
}

func TestWebpageEscapes(t *testing.T) {
	t.Parallel()
	const evil = `</title><script>alert(1)</script>"'><img src=x onerror=alert(2)>{{.}} javascript:alert(3)`
	_, html := makePage(t, nativetest.WriteFile(t, "clip.mp4", mp4(100)), evil, evil, evil)
	for _, bad := range []string{"<script", "<img", "<title></title>"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q:\n%s", bad, html)
		}
	}
	wellFormed(t, html)
}

func TestWebpageWithoutWords(t *testing.T) {
	t.Parallel()
	_, html := makePage(t, nativetest.WriteFile(t, "clip.mp4", mp4(100)), " ", " , ", "\n")
	if !strings.Contains(html, "<title>Video</title>") || strings.Contains(html, "<ul") || strings.Contains(html, "keywords") {
		t.Errorf("the page is\n%s", html)
	}
	wellFormed(t, html)
}

func TestWebpageNeedsAVideo(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"notes.txt": "only words", "clip.mp4": ""} {
		c := nativetest.FileCall("video", plan.Video, nativetest.WriteFile(t, name, []byte(content)))
		c.Dir = t.TempDir()
		_, err := nativetest.New(t, Operations(media.Limits{})).Perform("video_to_webpage", c)
		nativetest.WantFault(t, err, name)
	}
	_, err := nativetest.New(t, Operations(media.Limits{})).Perform("video_to_webpage", nativetest.Call("title", "x"))
	nativetest.WantFault(t, err, "no video")
}

// wellFormed parses the page with a lenient XML parser: every element except void ones is closed in
// its place, and there is no script.
func wellFormed(t *testing.T, html string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	void := map[string]bool{"meta": true, "br": true, "img": true, "link": true}
	var open []string
	for {
		tok, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page cannot be read: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if e.Name.Local == "script" {
				t.Error("the page holds a script")
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("the page holds %s", a.Name.Local)
				}
			}
			if !void[e.Name.Local] {
				open = append(open, e.Name.Local)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != e.Name.Local {
				t.Fatalf("</%s> closes %v", e.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v are not closed", open)
	}
}
