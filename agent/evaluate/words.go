package evaluate

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
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

// urlType is TaskBench's type for URLs.
const urlType plan.Type = "url"

// typeOfEnding returns the type that a file extension indicates.
func typeOfEnding(name string) (plan.Type, bool) {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) {
	case "png", "jpg", "jpeg", "jpe", "jfif", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl", "svg", "ico":
		return plan.Image, true
	case "mp4", "m4v", "mov", "avi", "mkv", "webm", "wmv", "flv", "mpg", "mpeg", "3gp", "ogv":
		return plan.Video, true
	case "mp3", "wav", "flac", "ogg", "oga", "opus", "m4a", "aac", "wma", "aif", "aiff", "mid", "midi", "amr":
		return plan.Audio, true
	case "txt", "text", "md", "srt", "vtt", "csv", "tsv", "log", "rtf", "doc", "docx", "odt":
		return plan.Text, true
	case "pdf":
		return plan.Document, true
	case "zip":
		return plan.Archive, true
	case "html", "htm":
		return plan.HTML, true
	case "url":
		return urlType, true
	}
	return "", false
}

var address = regexp.MustCompile(`(?i)\b(?:(?:https?|ftp)://|www\.)[^\s'"<>()\[\]{},` + "`" + `]+`)

// mentions finds the files and URLs in a request, in order, without duplicates. A file name ends
// with a known extension and may include folders; surrounding commas, quotes and full stops are not
// part of it.
func mentions(wish string) []file {
	type found struct {
		file
		at int
	}
	var all []found
	keep := func(f file, at int) {
		if !slices.ContainsFunc(all, func(o found) bool { return o.Name == f.Name }) {
			all = append(all, found{f, at})
		}
	}
	for _, span := range address.FindAllStringIndex(wish, -1) {
		url := strings.TrimRight(wish[span[0]:span[1]], ".;:!?")
		keep(file{Name: url, Type: urlType}, span[0])
		wish = wish[:span[0]] + strings.Repeat(" ", span[1]-span[0]) + wish[span[1]:]
	}
	start := -1
	for i, r := range wish + " " {
		if inName(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			name := strings.TrimRight(wish[start:i], ".-/\\")
			if t, ok := typeOfEnding(name); ok && stem(name) != "" {
				keep(file{Name: name, Type: t}, start)
			}
			start = -1
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.at - b.at })
	files := make([]file, len(all))
	for i, f := range all {
		files[i] = f.file
	}
	return files
}

// inName reports whether r may occur in a file name or path.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`_-./\~@+%`, r)
}

// stem returns a file name without folders and extension.
func stem(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.Trim(strings.TrimSuffix(base, path.Ext(base)), ".-")
}
