package plan

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The maximum runes of a file name without its extension, of the suffix in it, and of a name made
// from words instead of a file name.
const maxFileStem, maxSuffix, maxWords = 48, 24, 32

// maxOrigin is how many bytes of an origin are used.
const maxOrigin = 400

// FileName returns a readable name for a file made from another one: "photo-edges.png" for the
// origin "photo.jpg", the suffix "edges" and the extension ".png". An origin without a file
// extension is taken as words, which are shortened. The result is deterministic, contains only
// letters, digits, '_', '-' and dots between digits, and is safe on every platform. It need not be
// unique: see [Numbered].
func FileName(origin, suffix, ext string) string {
	if len(origin) > maxOrigin {
		origin = strings.ToValidUTF8(origin[:maxOrigin], "")
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(origin, ending(origin)), ".")
	if stem == origin {
		stem = shortened(slug(strings.ToLower(leaveOut(origin, smallWords))), maxWords)
	} else {
		stem = slug(stem)
	}
	suffix = shortened(slug(strings.ToLower(leaveOut(suffix, slices.Concat(smallWords, orderWords)))), maxSuffix)
	if suffix == "" || suffix == stem || strings.HasSuffix(stem, "-"+suffix) {
		stem = shortened(stem, maxFileStem)
	} else {
		stem = strings.Trim(shortened(stem, maxFileStem-1-len([]rune(suffix)))+"-"+suffix, "-")
	}
	if stem == "" || slices.Contains(reserved, strings.ToLower(stem)) {
		stem = strings.Trim(stem+"-file", "-")
	}
	return stem + strings.ToLower(ending(ext))
}

// Numbered returns the name of the nth file with that name: "photo-edges-2.png".
func Numbered(file string, n int) string {
	ext := ending(file)
	return strings.TrimSuffix(file, ext) + "-" + strconv.Itoa(n) + ext
}

// reserved are the file names that Windows forbids, whatever the extension.
var reserved = []string{
	"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// smallWords carry no meaning in a file name.
var smallWords = []string{"a", "an", "the", "to", "till", "until", "from", "at", "of", "by", "is"}

// orderWords carry no meaning in a suffix that is a person's request: "make it faster".
var orderWords = []string{"make", "play", "it", "this", "them", "please"}

// leaveOut removes words without meaning, unless nothing would be left.
func leaveOut(s string, nothing []string) string {
	words := slices.DeleteFunc(strings.Fields(s), func(w string) bool { return slices.Contains(nothing, strings.ToLower(w)) })
	if len(words) == 0 {
		return s
	}
	return strings.Join(words, " ")
}

// slug converts a text for use in a file name: "0m03-0m07" for "0:03-0:07", "50-percent" for "50%".
func slug(s string) string {
	runes := []rune(strings.ReplaceAll(s, "%", " percent"))
	digit := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsDigit(runes[i]) }
	var b strings.Builder
	gap := false
	for i, r := range runes {
		between := digit(i-1) && digit(i+1)
		switch {
		case r == ':' && between:
			r = 'm'
			if rest := strings.TrimLeftFunc(string(runes[i+1:]), unicode.IsDigit); strings.HasPrefix(rest, ":") {
				r = 'h'
			}
		case r == '×' && between:
			r = 'x'
		case r == '.' && between:
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && b.Len() > 0 && !gap:
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// shortened truncates a slug to a maximum number of runes, at the end of a word if it has several.
func shortened(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	cut := string(runes[:max(most, 0)])
	if runes[len([]rune(cut))] != '-' {
		if i := strings.LastIndexByte(cut, '-'); i > 0 {
			cut = cut[:i]
		}
	}
	return strings.Trim(cut, "-.")
}
