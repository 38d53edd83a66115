package english

import (
	"strings"
	"testing"
)

// TestTidy checks that tidying normalizes a request, and is idempotent.
func TestTidy(t *testing.T) {
	t.Parallel()
	tidier, err := NewTidier()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"make it b/w":                        "make it black and white",
		"whats in it":                        "what's in it",
		"1. rotate it 2. blur it":            "; rotate it; then blur it",
		"360p, no sound":                     "360p, without sound",
		"keep the faces and blur the rest":   "blur everything except the faces",
		"bar chart titled Sales of the Year": `bar chart titled "Sales of the Year"`,
	} {
		got := tidier.Tidy(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := tidier.Tidy(got); again != got {
			t.Errorf("%q: tidying is not idempotent: %q", got, again)
		}
	}
}

// TestTidyLeavesOrders checks that what looks like an explanation or another way to say something stays where it is
// an order, or the text of one.
func TestTidyLeavesOrders(t *testing.T) {
	t.Parallel()
	tidier, err := NewTidier()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"fade in at the start and fade out at the end over 2 s",
		"remove the phone and the camera",
		"crop it to 4:5. then blur it",
		"put them 2x2 in one picture",
		"trim it to 5 min 30 sec",
		"cut off the first 10 seconds and put everything after 0:20 in slow motion",
		"the first page says the price, remove it",
		"take the logo out of the picture",
		"put the intro first and the outro last",
		"it takes 20 MB to send, zip it",
		"leave the rest of the pages",
		"sort it by last name",
		"crop this to a square and round the corners by 40 px",
		"crop it to a square and make the border 30 px",
		"crop it to a square and add a 20 px white border",
		"longest side 50%",
		"longest side 20 cm",
		"longest side 2,000 px",
		"add a white border on the long side of 40 px",
		"trim the long edge 20 px",
		`write "so I can send my love" at the top, red`,
		"convert it to mp3 (it has to be under one megabyte)",
		"remove the metadata (we want it in black and white)",
		`write "All you need is love (you know it)"`,
		"Write on it: Happy birthday! Best wishes, Anna",
		"Write on it: Happy birthday! Thanks, Anna",
		"convert the gif to mp4 and loop it",
		"make a gif that does not loop",
		"make a gif without a loop",
		"extract 2 images per second from the video",
		"normalize it to a peak of -1 dB",
		"crop to 1200x800 at 90% quality",
		"crop to 1200x800 at 72 dpi",
		"put a red SOLD on it and make it smaller",
		"put a black PNG frame around it",
		"my player can't play this video.",
		"Add a red border. 10 px wide.",
		"add our site logo.png at the bottom right",
		"we need these mp4s merged",
		"I want the PNGs in a zip",
		"make a timelapse, 20 seconds",
		"put the pages in the right order: 3, 1, 2",
		"the rest the same size as the first",
		`write "nice-looking, quality of 9" on it`,
		`write "our new thing, still an mp3, would be great" on it`,
		"for the video: mute it",
		"for logo.png: make it red",
		"the text needs a black outline",
		"the sound is too loud, halve the bass",
		"convert it to png. 3 of them are photos.",
		"resize them. 40 by 40 grid paper stays.",
		"a gif must not loop",
		"watermark it with our logo",
		"a frame around the first second",
		"make a pdf",
		"rotate every 2nd page",
		"the first 5 seconds must go slower",
		"the last 10 seconds should go black",
		"the first 20 seconds have to go to the end",
		"cut out 0:10 to 0:20 and just keep the rest",
		"cut out 1:00-2:00, just keep the music",
		"watermark ALL pictures with our logo",
		"watermark NASA pictures",
		"fade out at the end and remove the audio too",
		"fade in at the start and normalize the sound as well",
		"fade the audio too",
		"i have a photo of my dad in a red hat: make it blue",
		"we have a table of sales by month: make a line chart",
		"for the client logo: make it red",
		"for the team photo: add a border",
		"blur the png for the team and leave the png for the client",
		"crop it so you can only see the dog",
		"zoom in so people see the logo",
		"the video was on its side, turn it into a gif",
		"draw a monster, it is horrible",
		"make a poster of a man at his desk, work is boring",
		"split the pdf into single files and number them",
		"unzip it, zip is fine",
		"drop shadow needs to go",
		"the voice is too low, make it higher",
		"make a card that says thanks, gracias",
		"trim the silence, nothing gets cut",
		"design an instagram post 1080x1080 about cats",
		"qr code in the corner of the poster, 1200x1800",
		"insert a black frame on it at 0:05",
		"draw a phone in my app, with a map",
		"draw a line that goes through all of them",
		"a sign that says can anyone hear me",
		"photos -> black and white",
		"the video needs 5 seconds of black at the start",
		"cut it, the music is annoying, remove it",
		"outline the red car and make it black",
		"a drawing with a red outline of a cat",
		"play it an octave-long scale",
		"make a pdf of the first page",
		"subtitles, white noise and music",
		"make a video thumbnail maker logo",
	} {
		if got := outsideQuotes(text, func(text string) string { return tidier.rewrite("everyday", text) }); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"resize to 1.5, sorry 2.5":                           "resize to 2.5",
		"cut the last twenty-five seconds":                   "cut the last 25 seconds",
		"make it brighter 'cause the dogs' ears are dark":    "make it brighter 'cause the dogs' ears are dark",
		`write "it's 'us'" on 'this'`:                        `write "it's 'us'" on “this”`,
		"caption them 'one','two','three'":                   "caption them “one”,“two”,“three”",
		"first two secs can go, and the last 3 secs must go": "cut off first 2 secs, and cut off the last 3 secs",
	} {
		if got := tidier.Tidy(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := tidier.Tidy("write two minutes left on it"); got != "write two minutes left on it" {
		t.Errorf("a text became %q", got)
	}
	if got := tidier.Tidy("rotate it so i can show my sister and add a black border"); got != "rotate it and add a black border" {
		t.Errorf("got %q", got)
	}
}

// TestMalformedLines checks that an error names the malformed line of a data file.
func TestMalformedLines(t *testing.T) {
	t.Parallel()
	rewritings := func(file string) error { _, err := readRewritings(file); return err }
	lists := func(file string) error { _, err := readLists(file); return err }
	for name, c := range map[string]struct {
		read       func(string) error
		file, want string
	}{
		"no arrow":           {rewritings, "[a]\nb/w = black", "tidy.txt:2"},
		"no section":         {rewritings, "b/w => black", "tidy.txt:1"},
		"no pattern":         {rewritings, "[a]\n# b\n(b/w => black", "tidy.txt:3"},
		"a word too early":   {lists, "blur", "english.txt:1"},
		"a section repeated": {lists, "[a]\nblur\n[a]", "english.txt:3"},
	} {
		if err := c.read(c.file); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
