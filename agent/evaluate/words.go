package evaluate

import (
	"slices"
	"strings"
	"unicode"
)

// functionWords carry no content, so sharing one of them means nothing.
const functionWords = ` a about above after again all also am an and any are as at be because
been before being below between both but by can cannot could d did do does doing down during each
either else ever every few for from further had has have having he her here hers herself him himself
his how i if in into is it its itself just let ll m may me might more most must my myself neither no
nor not now of off on once one ones only or other our ours out over own per please re s same shall she
should so some such t than that the their theirs them themselves then there these they this those
through to too under until up upon us ve very was we were what when where whether which while who
whom whose why will with within without would yet you your yours yourself `

// irregular maps irregular plurals to their singulars.
var irregular = map[string]string{
	"men": "man", "women": "woman", "people": "person", "children": "child", "feet": "foot",
	"teeth": "tooth", "geese": "goose", "mice": "mouse", "oxen": "ox", "kine": "cow",
	"dice": "die", "cacti": "cactus", "loaves": "loaf",
}

// tokens returns the words of a text, in lower case.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// contentWords returns the words of a text without function words.
func contentWords(text string) []string {
	return slices.DeleteFunc(tokens(text), func(w string) bool {
		return strings.Contains(functionWords, " "+w+" ") || strings.Contains(functionWords, "\n"+w+" ")
	})
}

// holdsWords reports whether a tool's name contains all content words of a text, so that it needs no argument for
// them: oil_painting and "oil painting".
func holdsWords(tool, text string) bool {
	want, name := contentWords(text), contentWords(strings.ReplaceAll(tool, "_", " "))
	return len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool {
		return !slices.ContainsFunc(name, func(n string) bool { return sameWord(w, n) })
	})
}

// sharesWord reports whether the two texts share a content word, ignoring case and plurals. If
// wanted has only function words ("what is this?"), passed must contain it literally.
func sharesWord(wanted, passed string) bool {
	want := contentWords(wanted)
	if len(want) == 0 {
		all := " " + strings.Join(tokens(passed), " ") + " "
		return strings.Contains(all, " "+strings.Join(tokens(wanted), " ")+" ")
	}
	for _, p := range contentWords(passed) {
		if slices.ContainsFunc(want, func(w string) bool { return sameWord(w, p) }) {
			return true
		}
	}
	return false
}

// sameWord reports whether two words may be forms of the same word: they are equal or share a
// possible singular.
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	of := singulars(a)
	return slices.ContainsFunc(singulars(b), func(w string) bool { return slices.Contains(of, w) })
}

// singulars returns the word and its possible singulars.
func singulars(w string) []string {
	all := []string{w}
	if s, ok := irregular[w]; ok {
		all = append(all, s)
	}
	try := func(ending, instead string) {
		if s, ok := strings.CutSuffix(w, ending); ok && len(s) > 1 {
			all = append(all, s+instead)
		}
	}
	if !strings.HasSuffix(w, "ss") {
		try("s", "")
	}
	try("es", "")
	try("ies", "y")
	try("ves", "f")
	try("ves", "fe")
	return all
}
