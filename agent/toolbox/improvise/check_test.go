package improvise

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

const (
	onePicture = "from PIL import Image\nImage.new('RGB', (40, 30)).save(OUT + '/a.png')"
	oneSound   = "import wave\nw = wave.open(OUT + '/a.wav', 'wb')\nw.setparams((1, 2, 8000, 0, 'NONE', ''))\nw.writeframes(bytes(32000))\nw.close()"
	onePage    = "from reportlab.pdfgen import canvas\nc = canvas.Canvas(OUT + '/a.pdf')\nc.showPage()\nc.save()"
)

// TestChecks checks that a failed check is sent back to the model, with the measured value.
func TestChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		returns plan.Type
		program string
		check   check
		want    string
	}{
		{plan.Image, onePicture, check{"files", "2"}, "there are 1 files in OUT, and 2 were promised."},
		{plan.Image, onePicture, check{"width", "50"}, "width of result 1 should be 50, and is 40."},
		{plan.Image, onePicture, check{"height", "50"}, "height of result 1 should be 50, and is 30."},
		{plan.Image, onePicture, check{"format", "jpg"}, "format of result 1 should be jpg, and is png."},
		{plan.Image, onePicture, check{"sound", "yes"}, "sound of result 1 should be yes, and is no."},
		{plan.Image, onePicture, check{"holds", "words"}, "holds of result 1 should be words, and is without that."},
		{plan.Image, onePicture, check{"most_bytes", "10"}, "most_bytes of result 1 should be 10, and is "},
		{plan.Audio, oneSound, check{"seconds", "3"}, "seconds of result 1 should be 3, and is 2."},
		{plan.Audio, oneSound, check{"sound", "no"}, "sound of result 1 should be no, and is yes."},
		{plan.Document, onePage, check{"pages", "2"}, "pages of result 1 should be 2, and is 1."},
		{plan.Text, fine, check{"most_characters", "5"}, "most_characters of result 1 should be 5, and is 10."},
		{plan.Text, fine, check{"holds", "not there"}, "holds of result 1 should be not there, and is without that."},
		{plan.Text, fine, check{"format", "csv"}, "format of result 1 should be csv, and is another one."},
	} {
		t.Run(c.check.Measure+" of a "+string(c.returns), func(t *testing.T) {
			t.Parallel()
			got := told(t, jobFor(t, c.returns), answer(c.program, c.check), answer(c.program))
			if !strings.Contains(outside(t, got), c.want) {
				t.Errorf("the model is told: %s", got)
			}
		})
	}
}

// TestResults checks that unacceptable results are sent back to the model.
func TestResults(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, c := range []struct {
		name, program string
		returns       plan.Type
		want          string
	}{
		{"nothing", "pass", plan.Text, "it left no file in OUT."},
		{"an early end", "import sys\nsys.exit(0)", plan.Text, "it left no file in OUT."},
		{"an early end with a fault", fine + "\nimport sys\nsys.exit('no such page')", plan.Text, "it ended with an error."},
		{"an end by a signal", fine + "\nimport os\nos.abort()", plan.Text, "it ended with an error."},
		{"no Python", "Dear user,", plan.Text, "it ended with an error."},
		{"an empty file", "open(OUT + '/a.txt', 'w')", plan.Text, "result 1 is empty."},
		{"spaces", "open(OUT + '/a.txt', 'w').write(' \\n')", plan.Text, "result 1 is no text in UTF-8."},
		{"bytes", "open(OUT + '/a.txt', 'wb').write(b'a\\xff')", plan.Text, "result 1 is no text in UTF-8."},
		{"a text that is too long", "open(OUT + '/a.txt', 'w').write('x' * (1 << 20) + 'x')", plan.Text, "result 1 has 1048577 bytes"},
		{"a folder", fine + "\nimport os\nos.mkdir(OUT + '/z')", plan.Text, "result 2 is no regular file."},
		{"a link", "import os\nos.symlink('../job.json', OUT + '/a.txt')", plan.Text, "it ended with an error."},
		{"a pipe", "import os\nos.mkfifo(OUT + '/a.txt')", plan.Text, "it ended with an error."},
		{"no folder", "import os\nos.rmdir(OUT)", plan.Text, "the folder OUT is gone."},
		{"a file in its place", "import os\nos.rmdir(OUT)\nopen(OUT, 'w').write('x')", plan.Text, "the folder OUT is gone."},
		{"too many files", "for i in range(41): open(f'{OUT}/{i}.txt', 'w').write('x')", plan.Text, "it left 41 files in OUT, and at most 40 are taken."},
		{"a picture for a video", onePicture, plan.Video, "result 1 is of the type image, and video is wanted."},
		{"a PDF for a picture", onePage, plan.Image, "result 1 is of the type document, and image is wanted."},
		{"a text for a picture", fine, plan.Image, "result 1 is of the type text, and image is wanted."},
		{"a text by the name of a picture", "open(OUT + '/a.png', 'w').write('x')", plan.Image, "result 1 cannot be used: it "},
		{"half a picture", onePicture + "\nb = open(OUT + '/a.png', 'rb').read()\nopen(OUT + '/a.png', 'wb').write(b[:60])", plan.Image, "result 1 cannot be used: it "},
		{"a broken video", "open(OUT + '/a.mp4', 'wb').write(b'\\0\\0\\0\\x18ftypisom\\0\\0\\2\\0isommp42' + bytes(100))", plan.Video, "result 1 cannot be "},
		{"a PDF whose page holds a stream", "from pypdf import PdfWriter\nfrom pypdf.generic import NameObject, StreamObject\nw = PdfWriter()\ns = StreamObject()\ns._data = b'0 0 9 9 re f'\nw.add_blank_page(99, 99)[NameObject('/Contents')] = s\nw.write(OUT + '/a.pdf')", plan.Document, "result 1 is a damaged PDF"},
		{"a web page", "open(OUT + '/a.html', 'w').write('<!DOCTYPE html><html><body>x</body></html>')", plan.Document, "result 1 is of the type text, and document is wanted."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			good := map[plan.Type]string{plan.Text: fine, plan.Image: onePicture, plan.Document: onePage}[c.returns]
			if c.returns == plan.Video {
				good = "import subprocess\nsubprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'color=red:size=64x48:rate=10:duration=1', OUT + '/a.mp4'], check=True)"
			}
			got := told(t, jobFor(t, c.returns), answer(c.program), answer(good))
			if !strings.Contains(outside(t, got), c.want) {
				t.Errorf("the model is told: %s", got)
			}
		})
	}
}

// TestLink checks that a link is rejected, however it was made, and is not followed.
func TestLink(t *testing.T) {
	t.Parallel()
	hidden, out := filepath.Join(t.TempDir(), "hidden.txt"), t.TempDir()
	if err := errors.Join(os.WriteFile(hidden, []byte(secret), 0o600), os.Symlink(hidden, filepath.Join(out, "a.txt"))); err != nil {
		t.Fatal(err)
	}
	b := backend(t, Config{})
	j := job{Backend: b, call: jobFor(t, plan.Text)}
	got, err := j.results(t.Context(), out, program{Source: fine}, "")
	if _, ok := errors.AsType[*plan.Trouble](err); !ok || got.Value != "" || !strings.Contains(err.Error(), "result 1 is no regular file.") {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestWordsOfDocumentsAreNotChecked checks that a promise about the words of a PDF, which cannot be read here,
// causes no second program.
func TestWordsOfDocumentsAreNotChecked(t *testing.T) {
	t.Parallel()
	w := &writer{answers: []string{answer(onePage, check{"holds", "Ann"})}}
	if _, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Document)); err != nil || len(w.talks) != 1 {
		t.Errorf("the model was asked %d times: %v", len(w.talks), err)
	}
}
