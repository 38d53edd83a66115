package offline

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// The last check of a clause: every word of it must be accounted for. A tool that is near to a
// clause still does less than the clause asks for where words remain that it does not know. Such
// a clause is left, and people are told.

// cover says which words of a clause its subtask accounts for, and those of its constraints.
type cover struct {
	s     *scene
	u     *understood
	tools []toolbox.Tool
	text  string // that is looked at
	says  set    // the words of the texts that the tools are told, and of their descriptions
	args  []toolbox.Arg
	told  []string // the texts that the tools are told, by argument
}

// leftover returns the words of the clause that its subtask and its constraints do not account
// for, as they are written.
func (s *scene) leftover(u *understood, sub plan.Subtask, beside ...constraint) []string {
	c := cover{s: s, u: u, tools: []toolbox.Tool{u.head}, says: set{}}
	for _, a := range sub.Args {
		if a.Source.Kind == plan.OfValue || a.Source.Kind == plan.OfText {
			c.tell(u.head, a)
		}
	}
	for _, b := range beside {
		c.tools = append(c.tools, b.tool)
		c.tell(b.tool, b.told)
	}
	for _, t := range c.tools {
		c.learn(t.Description)
	}
	var unknown []string
	unknown = append(unknown, c.unknown(s.text, u.clause.words)...)
	for _, more := range u.clause.more {
		if words := s.m.lexicon.Words(more, nil); !s.m.forbids(clause{words: words}) {
			unknown = append(unknown, c.unknown(more, words)...)
		}
	}
	return unknown
}

// tell takes in a text that a tool is told.
func (c *cover) tell(t toolbox.Tool, a plan.Arg) {
	i := slices.IndexFunc(t.Args, func(arg toolbox.Arg) bool { return arg.Meaning == a.Meaning && !arg.Type.Media() })
	arg := toolbox.Arg{}
	if i >= 0 {
		arg = t.Args[i]
	}
	if arg.Kind != "" && !arg.Kind.Reads(a.Source.Value) || arg.Meaning == plan.Content && !c.s.plain(c.u, t, a.Source) {
		return // the tool cannot read it, or would write an order as a caption
	}
	c.args, c.told = append(c.args, arg), append(c.told, strings.ToLower(a.Source.Value))
	c.learn(a.Source.Value)
}

// plain reports whether it is sure which words are to stand on a picture or a video: they are
// quoted, follow a colon, or are all that the order to write them is followed by.
func (s *scene) plain(u *understood, t toolbox.Tool, of plan.Source) bool {
	if textOnly(t) || of.Kind != plan.OfValue || s.quoted(u) != "" || strings.Contains(u.text, ": ") {
		return true
	}
	said := strings.Fields(of.Value)
	return len(u.words) > 0 && writingVerbs.has(u.words[0]) && len(said) < 4 &&
		!slices.ContainsFunc(said, func(w string) bool { return s.m.phrases.prepositions[strings.ToLower(w)] })
}

func (c *cover) learn(text string) {
	for _, w := range wordsOf(text) {
		c.says[w] = true
		c.says[retrieve.Stem(w)] = true
	}
}

// saysAll reports whether the tool is told each word of the text.
func (c *cover) saysAll(text string) bool {
	return !slices.ContainsFunc(wordsOf(text), func(w string) bool { return len(w) > 1 && !c.says[w] })
}

// wordsOf are the words of a text, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// unknown returns the words of a part of the text that nothing accounts for.
func (c *cover) unknown(text string, words []retrieve.Word) []string {
	if len(words) == 0 {
		return nil
	}
	start, end := words[0].Start, words[len(words)-1].End
	measures := slices.DeleteFunc(quantity.Find(text[start:end]), func(q quantity.Quantity) bool {
		return slices.ContainsFunc(words, func(w retrieve.Word) bool { return isFile(w) && overlaps(w, q, start) })
	})
	var unknown []string
	for _, q := range c.unmeasured(text[start:end], measures) {
		unknown = append(unknown, text[start+q.Start:start+q.End])
	}
	aside := false
	c.text = text
	for i := 0; i < len(words); i++ {
		w := words[i]
		aside = w.Kind != retrieve.Mark && (aside || i > 0 && asideWords.hasPlain(w))
		in := slices.ContainsFunc(measures, func(q quantity.Quantity) bool { return overlaps(w, q, start) })
		class, length := "", 1
		if w.Kind == retrieve.Plain {
			class, length = c.s.m.lexicon.ClassAt(words, i)
		}
		if !in && !c.covered(words, i, class, aside) {
			unknown = append(unknown, text[w.Start:words[i+length-1].End])
		}
		i += length - 1
	}
	return unknown
}

// overlaps reports whether a word and a quantity share text. The text of the quantity begins at
// start.
func overlaps(w retrieve.Word, q quantity.Quantity, start int) bool {
	return w.Start < start+q.End && w.End > start+q.Start
}

// unmeasured returns the quantities that the tool is not told, or cannot be told.
func (c *cover) unmeasured(text string, found []quantity.Quantity) []quantity.Quantity {
	taken := map[int]int{} // quantities that each argument holds
	return slices.DeleteFunc(slices.Clone(found), func(q quantity.Quantity) bool {
		said := strings.ToLower(text[q.Start:q.End])
		if c.saysAll(said) && strings.Contains(strings.ToLower(c.u.head.Description), said) {
			return true
		}
		for i, told := range c.told {
			kind := c.args[i].Kind
			switch {
			case !strings.Contains(told, said):
			case kind == "":
				return true
			case kind.Takes(q.Unit) && taken[i] < kind.Most():
				taken[i]++
				return true
			}
		}
		return q.Unit == quantity.Number && c.counts(said)
	})
}

// counts reports whether the number only says how many files there are.
func (c *cover) counts(said string) bool { return len(said) == 1 && len(c.u.files) > 1 }

// covered reports whether the word at i, of that class, is accounted for.
func (c *cover) covered(words []retrieve.Word, i int, class string, aside bool) bool {
	w := words[i]
	switch w.Kind {
	case retrieve.Mark, retrieve.File, retrieve.Number:
		return true // numbers are quantities
	case retrieve.Quote:
		return c.saysAll(w.Text)
	case retrieve.Plain:
	default:
		return true
	}
	text := lower(w)
	// The spelling of a word may have been corrected: what the tool is told has it as it is written.
	written := c.text[w.Start:w.End]
	switch {
	case retrieve.IsFormat(text):
		return c.format(text, class)
	case strings.HasPrefix(text, "recording"): // of sound, or of a screen
		return true
	case c.s.m.phrases.soundNouns[text], c.s.m.lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio:
		return c.sounds() || c.knows(class)
	case c.says[text], c.says[w.Stem], c.saysAll(written), c.u.head.Name != "" && c.knows(class):
		return true
	case c.u.marked() && fateWords[text], i == 0 && len(words) > 1 && words[1].Kind == retrieve.Mark:
		return true // "no, I meant the left one"
	case excluding[text], parts(words, i):
		return false
	case aside:
		return true
	}
	return c.grammar(words, i) || c.pointed(words, i)
}

// knows reports whether the class of words asks for one of the tools, or for one that makes what
// the first needs.
func (c *cover) knows(class string) bool {
	m := c.s.m
	if slices.ContainsFunc(c.tools, func(t toolbox.Tool) bool { return m.index.Vocabulary(t.Name, class) }) {
		return true
	}
	for _, a := range c.u.head.Args {
		if a.Type == plan.Image || a.Type == plan.Video || a.Type == plan.Audio || a.Type == plan.Text && textOnly(c.u.head) && len(c.u.files) == 0 {
			continue
		}
		if m.anyMaker(a.Type, func(t toolbox.Tool) bool { return m.index.Vocabulary(t.Name, class) }) {
			return true
		}
	}
	return false
}

// format reports whether a tool writes the format, or a file at hand is of it.
func (c *cover) format(format, class string) bool {
	converts := slices.ContainsFunc(c.tools, func(t toolbox.Tool) bool { return takes(t, plan.Format) })
	writes := retrieve.FileType("."+format) == baseType(c.u.head.Returns) || format == "gif"
	return converts && c.says[format] && writes || !converts && c.knows(class) || c.s.has(format)
}

// sounds reports whether a tool takes or makes a sound.
func (c *cover) sounds() bool {
	return slices.ContainsFunc(c.tools, func(t toolbox.Tool) bool { return t.Returns == plan.Audio || takesType(t, plan.Audio) })
}

// has reports whether a file at hand is of the format, such as "png".
func (s *scene) has(format string) bool {
	return slices.ContainsFunc(s.request.Resources(), func(r plan.Resource) bool {
		return strings.HasSuffix(strings.ToLower(cmp.Or(r.File, r.Name)), "."+format)
	})
}

// grammar reports whether the word at i says nothing that a tool must know.
func (c *cover) grammar(words []retrieve.Word, i int) bool {
	w, p := words[i], &c.s.m.phrases
	text := lower(w)
	return c.s.m.lexicon.Stop(text) || fillers[text] || vagueFillers[text] || c.media(words, i) ||
		p.prepositions[text] || p.generic[text] || p.results[text] || p.pronouns[text] || p.plurals[text] || p.courtesy[text] ||
		p.ordering[text] || p.owners[text] || determiners[text] || articles[text] || auxiliaries[text]
}

// parts reports whether the word at i says into how many something is parted: "in two", but not "in
// two sentences".
func parts(words []retrieve.Word, i int) bool {
	last := i+1 == len(words) || words[i+1].Kind != retrieve.Plain || asideWords.has(words[i+1]) || targets.has(words[i+1])
	return i > 0 && last && (lower(words[i-1]) == "in" || lower(words[i-1]) == "into") && partNumbers.has(words[i])
}

// media reports whether the word at i is a noun for media that the tools take or make: "a short
// clip" asks for one, "the clip" is there.
func (c *cover) media(words []retrieve.Word, i int) bool {
	t := c.s.m.lexicon.MediaNoun(words[i : i+1])
	if t == "" || !wanted(words, i) || len(c.tools[0].Name) == 0 {
		return t != ""
	}
	return slices.ContainsFunc(c.tools, func(tool toolbox.Tool) bool {
		return baseType(tool.Returns) == baseType(t) || slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool { return baseType(a.Type) == baseType(t) })
	})
}

// wanted reports whether the noun at i stands with an article that leaves it open: "a picture",
// "some tags".
func wanted(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		switch {
		case articles.has(words[k]), lower(words[k]) == "some":
			return true
		case words[k].Kind != retrieve.Plain, determiners.has(words[k]), asideWords.has(words[k]), joiningWords.has(words[k]):
			return false
		}
	}
	return false
}

// names reports whether the word at i stands between a determiner and a noun for media: it only
// says which one is meant, as in "the toy picture".
func (c *cover) names(words []retrieve.Word, i int) bool {
	return i > 0 && i+1 < len(words) && determiners.has(words[i-1]) && c.s.m.isMedia(words[i+1]) && !c.s.m.isMedia(words[i])
}

// pointed reports whether the word at i only says which thing is meant: of those at hand, of those
// that are marked, or texts and sounds.
func (c *cover) pointed(words []retrieve.Word, i int) bool {
	w, p := words[i], &c.s.m.phrases
	text := lower(w)
	next := i+1 < len(words) && countedThings.has(words[i+1])
	_, ofMap := mapNouns[text]
	switch {
	case ordinals[text] != 0:
		return next || text == "latter" || text == "former"
	case text == "original", ofMap, c.names(words, i):
		return true
	case p.textNouns[text], p.textNouns[strings.TrimSuffix(text, "s")]:
		return !wanted(words, i)
	case text == "left":
		return i > 0 && remainingWords.has(words[i-1]) // "what's left"
	case pictureUses[text]:
		return c.u.head.Returns == plan.Image && textOnly(c.u.head)
	case textThings[text], textThings[strings.ToLower(c.text[w.Start:w.End])]:
		return takesType(c.u.head, plan.Text)
	case c.u.marked():
		return slices.Contains(wordsOf(c.u.object), text) || p.marked[text] || p.marks[text] || p.parts[text] || c.s.m.verbs[text]
	}
	return false
}
