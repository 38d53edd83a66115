package evaluate

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
)

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
