package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// A way of its own for clauses that compare: no tool takes two pictures and a question,
// so each is described and the question is put to the descriptions.

// compares tells whether the clause sets several pictures or texts side by side in
// words: "what is the difference between a.png and b.png", "compare them".
func (s *scene) compares(u *understood) bool {
	said := slices.ContainsFunc(u.words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && s.m.lexicon.Class(w.Stem) == "differ" || strings.EqualFold(w.Text, "common")
	})
	if !said || len(u.files) > 0 {
		return said && len(u.files) >= 2
	}
	pointing := slices.ContainsFunc(u.words, func(w retrieve.Word) bool {
		return comparedThings.hasPlain(w) || s.m.isMedia(w)
	})
	return pointing && len(s.compared()) >= 2
}

// compared are the things that "the two pictures", "them" or "both" mean: what was
// said of each of them, or the pictures themselves.
func (s *scene) compared() []entity {
	var texts, named, given []entity
	for _, e := range s.entities {
		switch {
		case e.made && e.typ == plan.Text:
			texts = append(texts, e)
		case !e.made && e.typ.Media() && e.clause >= 0:
			named = append(named, e)
		case e.given && e.typ.Media():
			given = append(given, e)
		}
	}
	for _, set := range [][]entity{texts, named, given} {
		if len(set) >= 2 {
			return set
		}
	}
	return nil
}

// compare describes each picture that has no words yet, and puts the question to the
// descriptions. n is the number of the clause.
func (s *scene) compare(n int, u *understood, refs references) {
	things := u.files
	if len(things) == 0 {
		things = s.compared()
	}
	var texts []entity
	for _, e := range things {
		if e.typ == plan.Text {
			texts = append(texts, e)
			continue
		}
		d := understood{clause: u.clause, words: u.words, text: "Describe " + e.source.String(), form: retrieve.Order, head: s.describer(e.typ)}
		if d.head.Name == "" {
			continue
		}
		sub := s.subtask(&d, refs, []entity{e})
		s.push(&d, sub, s.result(n, &d, sub, []entity{e}))
		texts = append(texts, d.results...)
	}
	u.head = s.answerer()
	if u.head.Name == "" || len(texts) == 0 {
		return
	}
	question := plan.Arg{Type: plan.Text, Source: quoting(u.text, texts), Meaning: plan.Query}
	s.push(u, plan.Subtask{
		Description: u.text, Args: []plan.Arg{question}, Returns: u.head.Returns, Domains: []string{u.head.Domain},
		After: dependencies([]plan.Arg{question}),
	}, entity{clause: n})
}

// describer is the tool that puts media of a type into words.
func (s *scene) describer(t plan.Type) toolbox.Tool {
	return s.byWords("describe this "+string(baseType(t)), func(tool toolbox.Tool) bool {
		return tool.Returns == plan.Text && len(tool.Args) == 1 && t.Fits(tool.Args[0].Type)
	})
}

// answerer is the tool that answers a question in words from words.
func (s *scene) answerer() toolbox.Tool {
	return s.byWords("answer the question", func(tool toolbox.Tool) bool {
		return tool.Returns == plan.Text && len(tool.Args) > 0 && tool.Args[0].Meaning == plan.Query &&
			textOnly(tool) && requiredArgs(tool) == 1
	})
}

// requiredArgs counts the arguments that a tool cannot do without.
func requiredArgs(t toolbox.Tool) int {
	n := 0
	for _, a := range t.Args {
		if !a.Optional {
			n++
		}
	}
	return n
}

// byWords is the nearest tool to the words that passes the test.
func (s *scene) byWords(words string, test func(toolbox.Tool) bool) toolbox.Tool {
	for _, h := range s.m.index.Search(s.m.lexicon.Features(s.m.lexicon.Words(words, nil))) {
		if t := s.m.tool(h.Tool); test(t) {
			return t
		}
	}
	return toolbox.Tool{}
}
