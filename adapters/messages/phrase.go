// Package messages translates the program's fixed sentences into the reader's language. A sentence is written in
// the code, in English, as a fmt format; that format is its key in the catalogue. There is one file of
// translations per language, named by its BCP 47 tag:
//
//	{
//		"The file %q is too large.": "文件“%s”太大。",
//		"%d files in %s": {"argument": 1, "one": "%d file in %s", "other": "%d files in %s"}
//	}
//
// A translation may use the arguments in another order (%[2]s). If a number decides the form, the entry is an
// object: the number of the argument, and a text for each of the language's CLDR plural forms ("other" always).
//
// New rejects a translation whose arguments differ from its key's, so that none is ever lost. User text is never a
// format: it is an argument, and is printed verbatim. Numbers are printed as the language writes them (1,000);
// pass numbers that are not quantities, such as years and ports, as strings.
//
// A Catalogue is immutable and safe for concurrent use.
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

// The languages of the program's own sentences, as BCP 47 tags.
const (
	English           = "en"
	SimplifiedChinese = "zh-Hans"
)

// Message is an argument that is itself a sentence, and is translated too.
type Message interface {
	// Phrase returns the arguments for [Catalogue.Say].
	Phrase() (format string, args []any)
}

// Catalogue holds the sentences by language.
type Catalogue struct {
	matcher  language.Matcher
	printers []*message.Printer // by the matcher's index; English first
	exact    map[string]int     // the index of a tag that needs no matching
}

// New returns the catalogue of the program's own sentences and of those in further folders, which hold one file
// per language, such as zh-Hans.json. If several have the same format, the last one wins: a word may need another
// translation in another context.
func New(folders ...fs.FS) (*Catalogue, error) {
	all := map[language.Tag]map[string]entry{language.English: {}, language.SimplifiedChinese: {}}
	for _, folder := range append([]fs.FS{own}, folders...) {
		if err := load(all, folder); err != nil {
			return nil, fmt.Errorf("load the messages: %w", err)
		}
	}
	return build(all)
}

func build(all map[language.Tag]map[string]entry) (*Catalogue, error) {
	tags := slices.SortedFunc(maps.Keys(all), func(a, b language.Tag) int { return cmp.Compare(a.String(), b.String()) })
	tags = slices.DeleteFunc(tags, func(t language.Tag) bool { return t == language.English })
	tags = append([]language.Tag{language.English}, tags...) // the first is the fallback
	b := catalog.NewBuilder(catalog.Fallback(language.English))
	c := &Catalogue{matcher: language.NewMatcher(tags), exact: map[string]int{}}
	for i, tag := range tags {
		for format, e := range all[tag] {
			if err := b.Set(tag, format, e.message()); err != nil {
				return nil, fmt.Errorf("load the messages in %s: %q: %w", tag, format, err)
			}
		}
		c.exact[tag.String()] = i
		c.printers = append(c.printers, message.NewPrinter(tag, message.Catalog(b)))
	}
	return c, nil
}

// Say returns the sentence of a format in the language, a BCP 47 tag. It falls back to English if the language or
// the format is missing.
func (c *Catalogue) Say(tag, format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers
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

// besides is the format that joins two sentences.
const besides = "%s %s"

// spaced adds a space between two sentences if the language uses none there, but the first is in a language that
// does.
func spaced(said, first, second string) string {
	if said != first+second || first == "" || second == "" || first[len(first)-1] <= ' ' || first[len(first)-1] >= utf8.RuneSelf {
		return said
	}
	return first + " " + second
}

// Tell translates the message, see [Catalogue.Say].
func (c *Catalogue) Tell(tag string, m Message) string {
	format, args := m.Phrase()
	return c.Say(tag, format, args...)
}

// spoken returns the index of the language that fits the tag best.
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
