package retrieve

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"

	"atelier/agent/lazyregexp"
)

//go:embed synonyms.txt
var synonymsFile string

//go:embed stopwords.txt
var stopwordsFile string

// Lexicon is the index's knowledge of English: stems, synonyms, and stop words. It is safe for concurrent use.
type Lexicon struct {
	class   map[string]string   // stem → stem of its class
	phrases map[string][]phrase // first stem of a phrase → phrases
	stop    map[string]bool     // lower-case words

	mu    sync.RWMutex
	stems map[string]string // those of the first words that were read, mostly the catalogue's: stemming is slow
}

type phrase struct {
	stems []string
	class string
}

// NewLexicon parses the embedded word lists.
func NewLexicon() (*Lexicon, error) { return readLexicon(stopwordsFile, synonymsFile) }

func readLexicon(stopwords, synonyms string) (*Lexicon, error) {
	l := &Lexicon{class: map[string]string{}, phrases: map[string][]phrase{}, stop: map[string]bool{}, stems: map[string]string{}}
	for w := range strings.FieldsSeq(withoutComments(stopwords)) {
		l.stop[w] = true
	}
	for n, line := range strings.Split(synonyms, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		head, rest, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("synonyms.txt:%d: no colon", n+1)
		}
		class := Stem(strings.TrimSpace(head))
		if _, twice := l.class[class]; twice {
			return nil, fmt.Errorf("synonyms.txt:%d: %q is in two classes", n+1, head)
		}
		l.class[class] = class
		for entry := range strings.SplitSeq(rest, ",") {
			words := strings.Fields(entry)
			if len(words) == 0 {
				continue
			}
			stems := make([]string, len(words))
			for i, w := range words {
				stems[i] = Stem(w)
			}
			if len(stems) == 1 {
				if other, twice := l.class[stems[0]]; twice && other != class {
					return nil, fmt.Errorf("synonyms.txt:%d: %q is in two classes", n+1, words[0])
				}
				l.class[stems[0]] = class
				continue
			}
			l.phrases[stems[0]] = append(l.phrases[stems[0]], phrase{stems: stems, class: class})
		}
	}
	return l, nil
}

func withoutComments(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line, _, _ = strings.Cut(line, "#")
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Stem returns the stem of an English word, in lower case.
func Stem(word string) string {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "formation"): // unrelated to formats
		return "formation"
	case colourizing.MatchString(word): // about adding colours, not asking about them
		return "colorize"
	case word == "pixelate", word == "pixelating": // unrelated to pixels or to looking pixelated
		return "pixelate"
	}
	return english.Stem(word, true)
}

var colourizing = lazyregexp.New(`^colou?ri[sz]`)

// Stop reports whether the word is a stop word.
func (l *Lexicon) Stop(word string) bool { return l.stop[strings.ToLower(word)] }

// Class returns the stem that represents a word and its synonyms.
func (l *Lexicon) Class(stem string) string {
	if c, ok := l.class[stem]; ok {
		return c
	}
	return stem
}

// canonical writes a text as class stems, to compare tool names.
func (l *Lexicon) canonical(s string) string {
	var out []string
	for _, w := range l.Words(s, nil) {
		if w.Kind == Plain {
			out = append(out, l.Class(w.Stem))
		}
	}
	return strings.Join(out, " ")
}

// mostStems is the maximum number of stems to remember.
const mostStems = 10_000

// stem is [Stem] with a memory.
func (l *Lexicon) stem(word string) string {
	l.mu.RLock()
	stem, ok := l.stems[word]
	l.mu.RUnlock()
	if ok {
		return stem
	}
	stem = Stem(word)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.stems) < mostStems && len(word) <= maxSlip {
		l.stems[word] = stem
	}
	return stem
}
