package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// thing is what a clause can speak of: a resource of the thread or the result of an
// earlier subtask.
type thing struct {
	source plan.Source
	typ    plan.Type
	// clause is the index of the clause that made or named it, -1 if it came before.
	clause int
	given  bool // it came with this message
	made   bool // a subtask of this request makes it
	fresh  bool // it is made, and not of a picture
	many   bool // it may be several files
	inner  bool // it is made for another subtask of the same clause
	joined bool // it is made of several others
	// on is the picture that a mark is on.
	on string
	// root is the first file of its own type that it was made of, by however many steps. moved reports that a
	// place on it is elsewhere than on that one.
	root  string
	moved bool
}

// scene is what a request can speak of: its resources, and what its subtasks make.
type scene struct {
	*tools

	request plan.Request
	text    string
	words   []retrieve.Word
	things  []thing // what was made or spoken of last stands last
	marks   []thing // what is marked on pictures; they stand for nothing by themselves
	types   map[string]plan.Type
	columns set // the words of the names of the columns of the tables at hand; nil where there is no table
}

// newScene reads the words of a text and the resources of its request.
func newScene(ts *tools, r plan.Request, text string) *scene {
	s := &scene{tools: ts, request: r, text: text, types: map[string]plan.Type{}, columns: columnsOf(r.Resources())}
	for i, res := range r.Resources() {
		e := thing{source: plan.FromResource(res.Name), typ: res.Type, clause: -1, given: i >= len(r.Earlier), on: res.On}
		if e.on != "" {
			s.marks = append(s.marks, e)
		} else {
			s.things = append(s.things, e)
		}
	}
	s.words = ts.index.Correct(ts.Lexicon.Words(text, s.fileSpans()))
	s.inferTypes()
	return s
}

// latest returns the last thing of just that type that passes the test, else the last one that fits it.
func (s *scene) latest(typ plan.Type, test func(thing) bool) (thing, bool) {
	var near thing
	found := false
	for _, e := range slices.Backward(s.things) {
		switch {
		case found && e.typ != typ, !e.typ.Fits(typ), !test(e):
		case e.typ == typ:
			return e, true
		default:
			near, found = e, true
		}
	}
	return near, found
}

func anything(thing) bool { return true }
func isMade(e thing) bool { return e.made }

// mention moves a resource to the end: it is what was spoken of last.
func (s *scene) mention(e thing, clause int) {
	s.things = slices.DeleteFunc(s.things, func(o thing) bool { return o.source.Equal(e.source) })
	e.clause = clause
	s.things = append(s.things, e)
}

// media reports whether there are files.
func (s *scene) media() bool {
	return slices.ContainsFunc(s.things, func(e thing) bool { return e.typ.Media() })
}

// sentText reports whether a text came with the message.
func (s *scene) sentText() bool {
	return slices.ContainsFunc(s.things, func(e thing) bool { return e.typ == plan.Text && e.given && !e.made })
}

// focus is the type of what was made, spoken of or sent last; "" if nothing was.
func (s *scene) focus() plan.Type {
	if len(s.things) == 0 {
		return ""
	}
	return s.things[len(s.things)-1].typ
}

// lastMade is the clause that made something last, -1 if none did.
func (s *scene) lastMade() int {
	for _, e := range slices.Backward(s.things) {
		if e.made {
			return e.clause
		}
	}
	return -1
}

// sent are those that came with the message: of pictures just those on which something is
// marked, if there are any.
func (s *scene) sent(k plan.Type) []thing {
	for _, set := range [][]thing{s.picturesOf(s.marks), s.things} {
		fits := slices.DeleteFunc(fitting(set, k), func(e thing) bool { return !e.given || e.made })
		if len(fits) > 0 {
			return fits
		}
	}
	return nil
}

// nth is the one that an ordinal means among those that came with the message, else among those
// of the thread.
func (s *scene) nth(n int, k plan.Type) (thing, bool) {
	for _, rs := range [][]plan.Resource{s.request.Given, s.request.Earlier} {
		var of []thing
		for _, r := range rs {
			of = append(of, fitting(slices.DeleteFunc(slices.Clone(s.things), func(e thing) bool { return e.source.Name != r.Name }), k)...)
		}
		at := n - 1
		if n < 0 {
			at = len(of) + n
		}
		if len(of) > 1 && n != 0 && at >= 0 && at < len(of) {
			return of[at], true
		}
	}
	return thing{}, false
}

// among reports whether the thing is one of several.
func among(es []thing, e thing) bool {
	return slices.ContainsFunc(es, func(o thing) bool { return o.source.Equal(e.source) })
}

// without returns the things that are not among others.
func without(es, gone []thing) []thing {
	return slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return among(gone, e) })
}

// fitting returns the things that fit the type. A mark stands for no picture.
func fitting(es []thing, t plan.Type) []thing {
	return slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return !e.typ.Fits(t) || e.on != "" && e.typ != t })
}

// exactly returns the things of just that type, else those that fit it.
func exactly(es []thing, t plan.Type) []thing {
	if same := slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return e.typ != t }); len(same) > 0 {
		return same
	}
	return fitting(es, t)
}

func typesOf(es []thing) []plan.Type {
	types := make([]plan.Type, len(es))
	for i, e := range es {
		types[i] = e.typ
	}
	return types
}

// picturesOf are the pictures that the marks are on, each once.
func (s *scene) picturesOf(marks []thing) []thing {
	var pictures []thing
	for _, mark := range marks {
		i := slices.IndexFunc(s.things, func(e thing) bool { return e.source.Kind == plan.OfResource && e.source.Name == mark.on })
		if i >= 0 && !among(pictures, s.things[i]) {
			pictures = append(pictures, s.things[i])
		}
	}
	return pictures
}

// calledAll are the names by which people know things: those of their own files.
func (s *scene) calledAll(es []thing) []string {
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.source.Name
		for _, r := range s.request.Resources() {
			if r.Name == e.source.Name && r.File != "" {
				names[i] = r.File
				break
			}
		}
	}
	return names
}

// shownFormat reports whether the word at i speaks of a file at hand by its format: "this gif".
func (s *scene) shownFormat(words []retrieve.Word, i int) bool {
	ending := "." + strings.Replace(words[i].Lower(), "jpeg", "jpg", 1)
	becomes := i+2 < len(words) && slices.Contains([]string{"to", "into"}, words[i+1].Lower()) && retrieve.IsFormat(words[i+2].Lower()) // "heic to jpg"
	return (becomes || s.Determined(words, i) && !s.Is("targets", words[i-1])) && slices.ContainsFunc(s.calledAll(s.things), func(name string) bool {
		return strings.EqualFold(strings.Replace(filepath.Ext(name), "jpeg", "jpg", 1), ending)
	})
}

// names are those of the files among things: what is marked is no file of its own.
func (s *scene) names(es []thing) plan.Message {
	return listed(s.calledAll(slices.DeleteFunc(slices.Clone(es), func(e thing) bool { return e.on != "" })))
}

// named is the thing of a resource that the clause of number n names.
func (s *scene) named(n int, res plan.Resource) thing {
	e := thing{source: plan.FromResource(res.Name), typ: res.Type, clause: n, on: res.On}
	if typ, ok := s.types[res.Name]; ok {
		e.typ = typ
	}
	e.given = slices.ContainsFunc(slices.Concat(s.things, s.marks), func(o thing) bool { return o.given && o.source.Equal(e.source) })
	return e
}

// part is a clause of some words of another one. They are written again behind the text, where they stand side by
// side: what is between two words of a clause belongs to it.
func (s *scene) part(c clause, words []retrieve.Word) clause {
	s.text += "\n"
	begin := len(s.text)
	c.words = slices.Clone(words)
	for i, w := range words {
		if i > 0 && w.Start != words[i-1].End {
			s.text += " "
		}
		c.words[i].Start = len(s.text)
		s.text += s.text[w.Start:w.End]
		c.words[i].End = len(s.text)
	}
	c.text = s.text[begin:]
	return c
}

// coined writes a word behind the text.
func (s *scene) coined(text string) retrieve.Word {
	s.text += "\n" + text
	w := s.Lexicon.Words(text, []retrieve.Span{})[0]
	w.Start, w.End = len(s.text)-len(text), len(s.text)
	return w
}

// differs reports whether the clause sets things side by side in words.
func (s *scene) differs(r *reading) bool {
	return slices.ContainsFunc(r.words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && (s.Lexicon.Class(w.Stem) == "differ" || w.Lower() == "common")
	})
}

// listed joins names with "and". It returns "it" if there are none.
func listed(names []string) plan.Message {
	if len(names) == 0 {
		return plan.Say("it")
	}
	return plan.And(names...)
}
