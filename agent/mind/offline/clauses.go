package offline

import (
	"slices"
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// The first station of a wish: it is split into clauses, each of which asks for one
// thing. Where a clause may begin and end is decided in joints.go.

// join tells how a clause hangs on the one before.
type join int

const (
	apart join = iota // a sentence of its own
	along             // "… and …"
	after             // "… and then …": it goes on with the result
)

// clause is a part of a wish that asks for one thing.
type clause struct {
	words []retrieve.Word
	text  string
	join  join
	// asks marks a clause that ends in a question mark.
	asks bool
	// onward marks a clause that changed places with one before which it stood: it goes on
	// with the result of that one, whatever picture it names.
	onward bool
	// more are the texts of later clauses that only say more about this one.
	more []string
}

// clauses splits a wish: at the ends of sentences, at connectors ("and then"), and at
// "and" or a comma before a verb or a question. Clauses that only say more about the
// one before are put to it.
func (m *Mind) clauses(text string, words []retrieve.Word) []clause {
	p := splitter{m: m, text: text, words: words}
	for i := 0; i < len(words); {
		i = p.step(i)
	}
	p.cut(len(words), len(words), apart)
	return m.merge(p.found)
}

// splitter walks over the words of a wish.
type splitter struct {
	m     *Mind
	text  string
	words []retrieve.Word
	found []clause
	begin int  // where the clause begins that is being walked over
	how   join // how that clause hangs on the one before
}

// step looks at the word at i and tells where to go on.
func (p *splitter) step(i int) int {
	if i > p.begin && breaksLine(p.text, p.words[i-1], p.words[i]) {
		p.cut(i, i, apart)
	}
	if n := listMark(p.text, p.words, i); n > 0 {
		p.cut(i, i+n, apart)
		return i + n
	}
	if p.textBegins(i) {
		return len(p.words)
	}
	if p.endsAt(i) {
		if p.cut(i, i+1, apart) && questionMarks.has(p.words[i]) {
			p.found[len(p.found)-1].asks = true
		}
		return i + 1
	}
	n, how := p.m.connector(p.words, i)
	switch {
	case n == 0:
	case i == p.begin:
		if how == after && len(p.found) > 0 {
			p.how = after // "Then …" at the front of a sentence
		}
	case p.m.goesOnAnew(p.words[i+n:], how) && p.m.complete(p.words[p.begin:i]):
		p.cut(i, i+n, how)
		return i + n
	}
	return i + 1
}

// textBegins tells whether the text that is to be worked on begins after the colon at i
// and goes on to the end, as in "summarise this: The meeting was long. Nobody agreed".
func (p *splitter) textBegins(i int) bool {
	if p.words[i].Text != ":" || i <= p.begin || len(p.words)-i <= longClause {
		return false
	}
	core := p.m.lexicon.Core(p.words[p.begin:i])
	return len(core) > 0 && p.m.phrases.inscribing.has(core[0]) &&
		!slices.ContainsFunc(p.words[p.begin:], func(w retrieve.Word) bool { return isFile(w) || lower(w) == "then" })
}

// endsAt tells whether the mark at i ends the clause.
func (p *splitter) endsAt(i int) bool {
	w := p.words[i]
	return w.Kind == retrieve.Mark &&
		(endsSentence(p.text, p.words, i) || w.Text == ":" && i > p.begin && p.m.introduces(p.words[p.begin:i]))
}

// cut ends the clause before the word at end; the next begins at next and hangs on it
// by how. It tells whether there was a clause: marks alone are none.
func (p *splitter) cut(end, next int, how join) bool {
	c, ok := newClause(p.text, p.words[p.begin:end], p.how)
	if ok {
		p.found = append(p.found, c)
	}
	if ok || how != apart {
		p.how = how
	}
	p.begin = next
	return ok
}

// newClause makes a clause of the words without the marks around them; false if nothing
// is left.
func newClause(text string, words []retrieve.Word, how join) (clause, bool) {
	for len(words) > 0 && words[0].Kind == retrieve.Mark {
		words = words[1:]
	}
	for len(words) > 0 && words[len(words)-1].Kind == retrieve.Mark {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return clause{}, false
	}
	return clause{words: words, text: text[words[0].Start:words[len(words)-1].End], join: how}, true
}

// merge puts clauses that only say more to the one before.
func (m *Mind) merge(all []clause) []clause {
	var out []clause
	for _, c := range all {
		if len(out) == 0 {
			out = append(out, c)
			continue
		}
		switch last := &out[len(out)-1]; {
		case onlyQuotes(c.words): // a quotation alone is what the clause before is about
			last.words = append(slices.Clip(last.words), c.words...)
			last.text += " " + c.text
		case m.forbids(*last): // it says more about nothing
			out = append(out, c)
		case m.elaborates(c) && !m.stands(c.words) && !m.isContext(last.words):
			last.more = append(last.more, c.text)
		default:
			out = append(out, c)
		}
	}
	return out
}

func onlyQuotes(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.Kind != retrieve.Quote && w.Kind != retrieve.Mark })
}

// elaborates tells whether the clause only says more about the one before.
func (m *Mind) elaborates(c clause) bool {
	core := m.lexicon.Core(c.words)
	if startsWithAny(c.words, m.phrases.elaborations) || startsWithAny(core, m.phrases.elaborations) {
		return true
	}
	// "The new picture should be …"
	for i, w := range core {
		if i > 5 || w.Kind != retrieve.Plain {
			return false
		}
		if obliging.has(w) {
			return i > 0 && (strings.EqualFold(core[0].Text, "the") || strings.EqualFold(core[0].Text, "this") || m.isMedia(core[0]))
		}
	}
	return false
}

// stands tells whether words are a wish of their own, though they seem to say more about
// the one before or hold no verb: "make sure it is under 200 kB", "half the size".
func (m *Mind) stands(words []retrieve.Word) bool {
	hits := m.index.Search(m.lexicon.Features(words))
	if len(hits) == 0 {
		return false
	}
	return hits[0].Score > standing || m.measures(words, m.tool(hits[0].Tool))
}

// measures reports whether the words say a quantity with a unit that the tool takes.
func (m *Mind) measures(words []retrieve.Word, t toolbox.Tool) bool {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return slices.ContainsFunc(quantity.Find(strings.Join(texts, " ")), func(q quantity.Quantity) bool {
		return q.Unit != quantity.Number && slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Kind != "" && a.Kind.Takes(q.Unit) })
	})
}
