// Package messages tells the fixed sentences of the program in the language of who reads
// them. A sentence is written in the code, in English, as a format of fmt; that format is
// its key in the catalogue. What else it is called stands in one file a language, named by
// the language's BCP 47 tag:
//
//	{
//		"The file %q is too large.": "文件“%s”太大。",
//		"%d files in %s": {"argument": 1, "one": "%d file in %s", "other": "%d files in %s"}
//	}
//
// A translation may name the arguments in another order (%[2]s). Where a number decides
// the form, it is an object: the number of the argument, and what is said for each of the
// plural forms of CLDR that the language has ("other" always).
//
// A catalogue is refused when it is made if a translation has other arguments than its
// key, so that none is ever lost. Nothing that people wrote is ever a format: it is an
// argument, and comes out as it is. Numbers come out as the language writes them (1,000);
// what is no amount, such as a year or a port, is given as a string.
//
// A Catalogue never changes and is safe for use by many goroutines.
package messages

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed *.json
var own embed.FS

// The languages in which the sentences of the program itself are told, as BCP 47 tags.
const (
	English           = "en"
	SimplifiedChinese = "zh-Hans"
)

// Message is an argument that is a sentence itself, and is told in the same language.
type Message interface {
	// Phrase is what [Catalogue.Say] takes.
	Phrase() (format string, args []any)
}

// Catalogue holds what is said in which language.
type Catalogue struct {
	matcher  language.Matcher
	printers []*message.Printer // by the matcher's index; English first
	exact    map[string]int     // the index of a tag that needs no matching
}

// New is the catalogue of the sentences of the program, and of those in the files of
// others: each folder holds one file a language, such as zh-Hans.json. Where a format is
// in several, the last one counts: a word may be another one elsewhere.
func New(folders ...fs.FS) (*Catalogue, error) {
	all := map[language.Tag]map[string]entry{language.English: {}, language.SimplifiedChinese: {}}
	for _, folder := range append([]fs.FS{own}, folders...) {
		if err := load(all, folder); err != nil {
			return nil, fmt.Errorf("the catalogue of sentences: %w", err)
		}
	}
	return build(all)
}

func build(all map[language.Tag]map[string]entry) (*Catalogue, error) {
	tags := slices.SortedFunc(maps.Keys(all), func(a, b language.Tag) int { return cmp.Compare(a.String(), b.String()) })
	tags = slices.DeleteFunc(tags, func(t language.Tag) bool { return t == language.English })
	tags = append([]language.Tag{language.English}, tags...) // the first one is what is spoken to all others
	b := catalog.NewBuilder(catalog.Fallback(language.English))
	c := &Catalogue{matcher: language.NewMatcher(tags), exact: map[string]int{}}
	for i, tag := range tags {
		for format, e := range all[tag] {
			if err := b.Set(tag, format, e.message()); err != nil {
				return nil, fmt.Errorf("the catalogue of sentences in %s: %q: %w", tag, format, err)
			}
		}
		c.exact[tag.String()] = i
		c.printers = append(c.printers, message.NewPrinter(tag, message.Catalog(b)))
	}
	return c, nil
}

// Say is the sentence of that format in the language, a BCP 47 tag, or in English where
// that is not spoken, or the format not known in it.
func (c *Catalogue) Say(tag, format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks those who call
	}
	told := slices.Clone(args)
	for i, arg := range args {
		if m, ok := arg.(Message); ok {
			inner, its := m.Phrase()
			told[i] = c.Say(tag, inner, its...)
		}
	}
	said := c.printers[c.spoken(tag)].Sprintf(format, told...)
	if format == besides && len(told) == 2 {
		return spaced(said, fmt.Sprint(told[0]), fmt.Sprint(told[1]))
	}
	return said
}

// besides is how one sentence is said after another.
const besides = "%s %s"

// spaced is said with a space between its two sentences where the language writes none,
// but the first one is in another language, which does.
func spaced(said, first, second string) string {
	if said != first+second || first == "" || second == "" || first[len(first)-1] <= ' ' || first[len(first)-1] >= utf8.RuneSelf {
		return said
	}
	return first + " " + second
}

// Tell is the message in the language, see [Catalogue.Say].
func (c *Catalogue) Tell(tag string, m Message) string {
	format, args := m.Phrase()
	return c.Say(tag, format, args...)
}

// spoken is the index of the language that is spoken to who reads that one.
func (c *Catalogue) spoken(tag string) int {
	if i, ok := c.exact[tag]; ok {
		return i
	}
	wanted, err := language.Parse(tag)
	if err != nil {
		return 0
	}
	_, i, _ := c.matcher.Match(wanted)
	return i
}
