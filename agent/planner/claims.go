package planner

import (
	"cmp"

	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// fileName matches likely file names: pictures, video, audio and subtitles, documents, tables and
// data, archives.
var fileName = lazyregexp.New(`[\pL\pN][\pL\pM\pN_.\-]*\.(?i:png|jpe?g|gif|webp|bmp|tiff?|svg|avif|hei[cf]|jxl|psd` +
	`|mp4|m4v|mov|webm|mkv|avi|mpe?g|mp3|wav|flac|og[gv]|opus|aac|m4a|wma|aiff?|midi?|srt|vtt` +
	`|html?|pdf|txt|md|rtf|docx?|od[tsp]|xlsx?|pptx?|epub|csv|tsv|json|xml|ya?ml|env|zip|tar|t?gz|7z|rar)\b`)

// Invents lists the files named in a text that do not exist: they are neither resources nor
// results, and neither people nor tools mentioned them.
func (a Account) Invents(text string) []string {
	for _, name := range a.files() {
		text = without(text, name)
	}
	var invented []string
	for _, name := range fileName.FindAllString(text, -1) {
		alone := strings.TrimLeftFunc(name, unspaced)
		known := a.Says(name) || fileName.MatchString(alone) && a.Says(alone)
		if !known && !slices.Contains(invented, name) {
			invented = append(invented, name)
		}
	}
	return invented
}

// Readable replaces internal resource names in a text by the file names that people know.
func (a Account) Readable(text string) string {
	var pairs []string
	for _, r := range a.resources() {
		if r.File != "" && r.Name != r.File {
			pairs = append(pairs, r.Name, r.File)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// ResultsNamed returns the names of the thread's earlier results that a text names, by the names of the records or those
// that people know. Files of people are left out.
func ResultsNamed(r plan.Request, text string) []string {
	made := map[string]bool{}
	for _, t := range r.Turns {
		for _, name := range t.Made {
			made[name] = true
		}
	}
	var named []string
	for _, res := range r.Earlier {
		if made[res.Name] && without(without(text, res.Name), res.File) != text {
			named = append(named, res.Name)
		}
	}
	return named
}

// Says reports whether people or tools said the quoted text.
func (a Account) Says(quotation string) bool {
	return slices.ContainsFunc(a.said(), func(s string) bool { return strings.Contains(s, quotation) })
}

// files returns the names of all existing files, longest first, since one may contain another.
func (a Account) files() []string {
	var names []string
	for _, r := range a.resources() {
		names = append(names, r.Name, r.File)
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(len(y), len(x)) })
	return names
}

// resources returns all existing resources, longest names first.
func (a Account) resources() []plan.Resource {
	all := a.Request.Resources()
	if a.Plan != nil {
		all = append(all, a.Plan.Resources...)
	}
	for _, r := range a.Results {
		all = append(all, r.Outputs()...)
	}
	slices.SortStableFunc(all, func(x, y plan.Resource) int { return cmp.Compare(len(y.Name), len(x.Name)) })
	return all
}

// said returns the texts that an answer may quote.
func (a Account) said() []string {
	texts := slices.Concat([]string{a.Request.Wish}, a.Fallbacks, a.Missing)
	for _, t := range a.Request.Turns {
		texts = append(texts, t.Wish)
	}
	if q := a.Request.Question; q != nil {
		texts = append(texts, q.Wish, q.Text)
	}
	for _, r := range a.Results {
		texts = append(texts, r.Note, r.Problem)
		for _, out := range r.Outputs() {
			texts = append(texts, out.Value, out.About)
		}
	}
	return texts
}

// without replaces a name by a space wherever it is not the end of a longer name.
func without(text, name string) string {
	if name == "" {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, name)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if last, _ := utf8.DecodeLastRuneInString(before); inName(last) && !unspaced(last) {
			b.WriteString(name)
		} else {
			b.WriteByte(' ')
		}
		text = after
	}
}

func inName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.", r))
}

// unspaced reports whether r belongs to a script without spaces between words, so that a name may
// follow it directly.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
