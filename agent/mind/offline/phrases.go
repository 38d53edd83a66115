package offline

import (
	_ "embed"
	"fmt"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

// The English that the rules know stands in phrases.txt, not between the rules: so it
// can be read, sorted and added to by somebody who reads no Go.

//go:embed phrases.txt
var phrasesFile string

// phrases are the word lists of phrases.txt; what each is for is said there.
type phrases struct {
	// Lists of phrases, which are tried one after another.
	connectors, lead, context, elaborations []string
	forbidding, dropping                    []string
	greetings, thanks, about                []string
	foreign                                 map[string][]string // language → its small words

	// Sets of words: of orders, …
	verbs, notVerbs, writing, telling, changing set
	making, inscribing, beyond, vague           set
	// … of statements, …
	needing, finite, people, owners, sparing set
	// … and of what points at things, leads to them or names no particular one.
	pronouns, plurals, results, prepositions set
	generic, soundNouns, textNouns, mapTails set
	// … of words that ask for nothing, and of work that must not be skipped.
	courtesy, ordering, protecting set

	// … and of what is marked.
	marked, marks, parts, erasing                set
	hiding, blotting, lifting, keeping, clearing set

	// Classes of words that mean the same here, as the lexicon has them.
	handing, painting, moving, turning set
}

// readPhrases reads the embedded lists.
func readPhrases(lexicon *retrieve.Lexicon) (phrases, error) {
	f := readSections(phrasesFile)
	p := phrases{
		connectors: f.list("connectors"), lead: f.list("lead"), context: f.list("context"), elaborations: f.list("elaborations"),
		forbidding: f.list("forbidding"), dropping: f.list("dropping"), sparing: f.set("sparing"),
		greetings: f.list("greetings"), thanks: f.list("thanks"), about: f.list("about"),
		foreign: f.languages(),

		verbs: f.set("verbs"), notVerbs: f.set("not verbs"), writing: f.set("writing"), telling: f.set("telling"),
		changing: f.set("changing"), making: f.set("making"), inscribing: f.set("inscribing"), beyond: f.set("beyond"), vague: f.set("vague"),
		needing: f.set("needing"), finite: f.set("finite"), people: f.set("people"), owners: f.set("owners"),
		pronouns: f.set("pronouns"), plurals: f.set("plurals"), results: f.set("results"), prepositions: f.set("prepositions"),
		generic: f.set("generic"), soundNouns: f.set("sound nouns"), textNouns: f.set("text nouns"), mapTails: f.set("map tails"),

		courtesy: f.set("courtesy"), ordering: f.set("ordering"), protecting: f.set("protecting"),

		handing: f.classes(lexicon, "handing"), painting: f.classes(lexicon, "painting"),
		marked: f.set("marked"), marks: f.set("marks"), parts: f.set("parts"), erasing: f.set("erasing"),
		hiding: f.set("hiding"), blotting: f.set("blotting"), lifting: f.set("lifting"), keeping: f.set("keeping"), clearing: f.set("clearing"),
		moving: f.classes(lexicon, "moving"), turning: f.classes(lexicon, "turning"),
	}
	if len(f.missing) > 0 {
		return phrases{}, fmt.Errorf("phrases.txt lacks the sections %q", f.missing)
	}
	return p, nil
}

// sections are the lists of a file by their names.
type sections struct {
	words   map[string][]string
	missing []string // asked for and not there
}

// readSections reads sections "[name]": one phrase a line, or several separated by
// commas. What follows a "#" is a comment.
func readSections(file string) *sections {
	f := sections{words: map[string][]string{}}
	section := ""
	for line := range strings.Lines(file) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			continue
		}
		for p := range strings.SplitSeq(line, ",") {
			if p = strings.TrimSpace(p); p != "" {
				f.words[section] = append(f.words[section], p)
			}
		}
	}
	return &f
}

func (f *sections) list(name string) []string {
	if len(f.words[name]) == 0 {
		f.missing = append(f.missing, name)
	}
	return f.words[name]
}

func (f *sections) set(name string) set {
	words := set{}
	for _, w := range f.list(name) {
		words[w] = true
	}
	return words
}

// classes holds, in place of the words, the classes of words that mean the same.
func (f *sections) classes(lexicon *retrieve.Lexicon, name string) set {
	classes := set{}
	for _, w := range f.list(name) {
		classes[lexicon.Class(retrieve.Stem(w))] = true
	}
	return classes
}

// languages are the sections "[language NAME]" by their names.
func (f *sections) languages() map[string][]string {
	foreign := map[string][]string{}
	for name, words := range f.words {
		if language, ok := strings.CutPrefix(name, "language "); ok {
			foreign[language] = words
		}
	}
	return foreign
}
