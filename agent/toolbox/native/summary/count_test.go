package summary

import (
	"testing"

	"atelier/agent/toolbox/native/nativetest"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]counts{
		"One word.":                             {2, 9, 8, 1, 1, 1},
		"Don't stop. Go on!\n":                  {4, 19, 15, 1, 2, 1},
		"First.\nSecond.\n\n \nThird.":          {3, 24, 19, 5, 3, 2},
		"你好世界。":                                 {4, 5, 5, 1, 1, 1},
		"Cafe\u0301 \U0001F468\u200D\U0001F469": {1, 6, 5, 1, 1, 1}, // an accent and a pair are one character each
	} {
		if got := measure(text); got != want {
			t.Errorf("%q: %+v, not %+v", text, got, want)
		}
	}
}

func TestCountWords(t *testing.T) {
	t.Parallel()
	out, err := nativetest.New(t, Operations()).Perform("count_words", nativetest.Call("text", "We met. We ate."))
	if want := "Words: 4\nCharacters: 15 (12 without spaces)\nLines: 1\nSentences: 2\nParagraphs: 1"; err != nil || out.Value != want {
		t.Errorf("got %q and %v", out.Value, err)
	}
	_, err = nativetest.New(t, Operations()).Perform("count_words", nativetest.Call("text", " \n"))
	nativetest.WantFault(t, err, "There is no text to count the words of.")
}
