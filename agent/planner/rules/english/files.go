package english

import (
	"slices"

	"atelier/agent/toolbox/retrieve"
)

// Counts reports whether the word at i picks one of several: "the second one", "under the first".
func (g *Grammar) Counts(words []retrieve.Word, i int) bool {
	if Ordinals[words[i].Lower()] == 0 || !g.Determined(words, i) {
		return false
	}
	next := words[min(i+1, len(words)-1)]
	return i+1 == len(words) || next.IsMark() || g.Is("counted things", next) || g.Is("prepositions", next)
}

// ListsFile reports whether words continue with another counted file: "the second one grey".
func (g *Grammar) ListsFile(words []retrieve.Word) bool {
	return len(words) > 2 && g.Is("determiners", words[0]) && Ordinals[words[1].Lower()] != 0
}

// LeavesFile reports whether words only say that one of several files stays unchanged: "leave the other".
func (g *Grammar) LeavesFile(words []retrieve.Word) bool {
	order := 0
	switch n := g.Begins("forbidding", words); {
	case n > 0: // "don't touch the other"
		order = n + 1
	case len(words) > 0 && g.Is("leaving", words[0]):
		order = 1
	}
	file := slices.IndexFunc(words, func(w retrieve.Word) bool { return Ordinals[w.Lower()] != 0 || g.Is("other files", w) })
	if order == 0 || file < order || slices.ContainsFunc(words[order:file], func(w retrieve.Word) bool { return !g.Is("determiners", w) }) {
		return false
	}
	rest := words[file+1:]
	if len(rest) > 0 && g.Is("counted things", rest[0]) {
		rest = rest[1:]
	}
	return len(rest) == 0 || g.Begins("as it is", rest) == len(rest)
}

// ExcludesFile reports whether the file at i is excluded: "not b.png", "except a.png".
func (g *Grammar) ExcludesFile(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		switch {
		case g.Is("sparing", words[k]):
			return true
		case !g.Lexicon.Stop(words[k].Text) && !g.IsMedia(words[k]):
			return false
		}
	}
	return false
}
