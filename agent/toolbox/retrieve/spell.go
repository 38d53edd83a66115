package retrieve

import (
	"strings"

	"atelier/agent/toolbox/quantity"
)

// Correct corrects typos in words of the tools' vocabulary: two swapped letters in words of at least
// four letters, or one missing or extra letter in words of at least six. A replaced letter is not
// corrected, since it may be another word. File names, quotations, numbers and number words stay
// unchanged: "three" is not a typo of "there".
func (x *Index) Correct(words []Word) []Word {
	out := words
	known := 0 // end of a known phrase such as "contact sheet"
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
		if !ok || right == strings.ToLower(w.Text)+"d" { // "pixelate" is not a typo of "pixelated"
			continue
		}
		if &out[0] == &words[0] {
			out = append([]Word(nil), words...)
		}
		out[i].Text, out[i].Stem = right, Stem(right)
	}
	return out
}

// maxSlip is the maximum length in bytes of a word to correct, since the time grows with the square of the length.
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
