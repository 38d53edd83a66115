package clause

import "testing"

func TestWithoutRemarks(t *testing.T) {
	t.Parallel()
	ts := withoutTools(t)
	for text, want := range map[string]string{
		"before I post this: make it grey":                             "make it grey",
		"my car stereo doesn't play it, can I get an mp3?":             "can I get an mp3",
		"nobody will watch 20 seconds of this. Twice as fast please":   "Twice as fast please",
		"make it louder, you can hardly hear what he says at 5:04":     "make it louder",
		"most people watch on mute so could you burn the subtitles in": "so could you burn the subtitles in",
		"can this be a PDF we can send to customers?":                  "can this be a PDF",
		"a gif of it, 480px wide, for the channel":                     "a gif of it, 480px wide",
		"some people came twice, remove the duplicates. no rush":       "remove the duplicates.",
		"blur the top so nobody sees the url":                          "blur the top",
		"it looks silly on the TV. make it square":                     "make it square",
		"it is way too dark, make it square":                           "it is way too dark, make it square",
		"mute it while he talks about the price":                       "mute it while he talks about the price",
		"blur it when the car appears":                                 "blur it when the car appears",
		"remove the sound before she speaks":                           "remove the sound before she speaks",
		"make it grey, but the sky keeps its colour":                   "make it grey, but the sky keeps its colour",
		"rotate it, you can just delete the second page":               "rotate it, you can just delete the second page",
		"make it grey, you forgot the border":                          "make it grey, you forgot the border",
		"remove the sound for the last scene":                          "remove the sound for the last scene",
		"it must be square and small":                                  "it must be square and small",
		"it would look better in grey, make it square":                 "it would look better in grey, make it square",
		"you can remove the logo, make it square":                      "you can remove the logo, make it square",
		"nobody needs the sound, make it square":                       "nobody needs the sound, make it square",
		"the form takes 500 kB, make it square":                        "the form takes 500 kB, make it square",
		"I need it for 5 seconds, make it square":                      "I need it for 5 seconds, make it square",
		"the picture is crooked rotate it, and crop it":                "the picture is crooked rotate it, and crop it",
		`there is "Hello" on it, make it square`:                       `there is "Hello" on it, make it square`,
		"add captions for the video":                                   "add captions for the video",
	} {
		if got := WithoutRemarks(ts, text, ts.Lexicon.Words(text, nil)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
