package retrieve

import (
	"strings"

	"atelier/agent/toolbox/quantity"
)

// Correct puts words right that are one slip of the keys away from a word which asks
// for a tool: two letters swapped in a word of four or more, one letter missing or too
// many in a word of six or more. A letter that is another may be another word, and
// stays, as names of files, quotations and numbers in words do: "three" is no slip of "there".
func (x *Index) Correct(words []Word) []Word {
	out := words
	known := 0 // where a phrase ends that is known as a whole: "contact sheet"
	for i, w := range words {
		if w.Kind == Plain {
			if _, n := x.lexicon.ClassAt(words, i); n > 1 {
				known = max(known, i+n)
			}
		}
		if i < known {
			continue
		}
		if w.Kind != Plain || len(w.Text) < 4 || len(w.Text) > maxSlip || x.Known(x.lexicon.Class(w.Stem)) || x.lexicon.stop[strings.ToLower(w.Text)] {
			continue
		}
		if quantity.Spelled(w.Text) {
			continue
		}
		right, ok := x.spelled(strings.ToLower(w.Text))
		if !ok || right == strings.ToLower(w.Text)+"d" { // "pixelate" is no slip of "pixelated"
			continue
		}
		if &out[0] == &words[0] {
			out = append([]Word(nil), words...)
		}
		out[i].Text, out[i].Stem = right, Stem(right)
	}
	return out
}

// maxSlip is the most bytes of a word that is put right: no word is longer, and trying
// every slip of a long one takes the square of its length.
const maxSlip = 30

func (x *Index) spelled(word string) (string, bool) {
	if !isASCII(word) {
		return "", false
	}
	letters := []byte(word)
	for i := 0; i+1 < len(letters); i++ {
		letters[i], letters[i+1] = letters[i+1], letters[i]
		if x.words[string(letters)] {
			return string(letters), true
		}
		letters[i], letters[i+1] = letters[i+1], letters[i]
	}
	if len(word) < 6 {
		return "", false
	}
	for i := range word {
		if cut := word[:i] + word[i+1:]; x.words[cut] {
			return cut, true
		}
	}
	for i := 0; i <= len(word); i++ {
		for c := byte('a'); c <= 'z'; c++ {
			if longer := word[:i] + string(c) + word[i:]; x.words[longer] {
				return longer, true
			}
		}
	}
	return "", false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
