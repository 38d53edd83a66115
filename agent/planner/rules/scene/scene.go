// Package scene holds what a request can speak of, its files and what its subtasks make, and what one clause names and
// points at.
package scene

import (
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/retrieve"
)

// Thing is what a clause can speak of: a resource of the thread or the result of an
// earlier subtask.
type Thing struct {
	Source plan.Source
	Typ    plan.Type
	// Clause is the index of the clause that made or named it, -1 if it came before.
	Clause int
	Given  bool // it came with this message
	Made   bool // a subtask of this request makes it
	Fresh  bool // it is made, and not of a picture
	Many   bool // it may be several files
	Inner  bool // it is made for another subtask of the same clause
	Joined bool // it is made of several others
	// On is the picture that a mark is on.
	On string
	// Root is the first file of its own type that it was made of, by however many steps. moved reports that a
	// place on it is elsewhere than on that one.
	Root  string
	Moved bool
}

// Scene is what a request can speak of: its resources, and what its subtasks make.
type Scene struct {
	*profile.Tools

	Request plan.Request
	Text    string
	Words   []retrieve.Word
	Things  []Thing // what was made or spoken of last stands last
	Marks   []Thing // what is marked on pictures; they stand for nothing by themselves
	Types   map[string]plan.Type
	pages   profile.Set // the names of the documents whose pages are taken for pictures
	Columns profile.Set // the words of the names of the columns of the tables at hand; nil where there is no table
}

// New reads the words of a text and the resources of its request.
func New(ts *profile.Tools, r plan.Request, text string) *Scene {
	s := &Scene{Tools: ts, Request: r, Text: text, Types: map[string]plan.Type{}, Columns: profile.ColumnsOf(r.Resources())}
	for i, res := range r.Resources() {
		e := Thing{Source: plan.FromResource(res.Name), Typ: res.Type, Clause: -1, Given: i >= len(r.Earlier), On: res.On}
		if e.On != "" {
			s.Marks = append(s.Marks, e)
		} else {
			s.Things = append(s.Things, e)
		}
	}
	s.Words = ts.Index.Correct(ts.Lexicon.Words(text, s.fileSpans()))
	s.inferTypes()
	return s
}

// SeePages takes the pages of the documents for pictures, and reports whether there are any.
func (s *Scene) SeePages() bool {
	s.pages = profile.Set{}
	asPages := func(rs []plan.Resource) []plan.Resource {
		rs = slices.Clone(rs)
		for i, r := range rs {
			if r.Type == plan.Document {
				rs[i].Type, s.pages[r.Name] = plan.Image, true
			}
		}
		return rs
	}
	s.Request.Given, s.Request.Earlier = asPages(s.Request.Given), asPages(s.Request.Earlier)
	for i, e := range s.Things {
		if s.OfPages(e) {
			s.Things[i].Typ, s.Things[i].Many = plan.Image, true
		}
	}
	picture := s.Lexicon.Words("picture", []retrieve.Span{})[0].Stem
	for i, w := range s.Words {
		if w.Lower() == "page" || w.Lower() == "pages" {
			s.Words[i].Stem = picture
		}
	}
	return len(s.pages) > 0
}

// OfPages reports whether the thing is a document whose pages are taken for pictures.
func (s *Scene) OfPages(e Thing) bool {
	return e.Source.Kind == plan.OfResource && s.pages[e.Source.Name]
}

// Latest returns the last thing of just that type that passes the test, else the last one that fits it.
func (s *Scene) Latest(typ plan.Type, test func(Thing) bool) (Thing, bool) {
	var near Thing
	found := false
	for _, e := range slices.Backward(s.Things) {
		switch {
		case found && e.Typ != typ, !e.Typ.Fits(typ), !test(e):
		case e.Typ == typ:
			return e, true
		default:
			near, found = e, true
		}
	}
	return near, found
}

// Anything passes any thing.
func Anything(Thing) bool { return true }

// IsMade reports whether a subtask of this request makes the thing.
func IsMade(e Thing) bool { return e.Made }

// Mention moves a resource to the end: it is what was spoken of last.
func (s *Scene) Mention(e Thing, clause int) {
	s.Things = slices.DeleteFunc(s.Things, func(o Thing) bool { return o.Source.Equal(e.Source) })
	e.Clause = clause
	s.Things = append(s.Things, e)
}

// Media reports whether there are files.
func (s *Scene) Media() bool {
	return slices.ContainsFunc(s.Things, func(e Thing) bool { return e.Typ.Media() })
}

// SentText reports whether a text came with the message.
func (s *Scene) SentText() bool {
	return slices.ContainsFunc(s.Things, func(e Thing) bool { return e.Typ == plan.Text && e.Given && !e.Made })
}

// Focus is the type of what was made, spoken of or sent last; "" if nothing was.
func (s *Scene) Focus() plan.Type {
	if len(s.Things) == 0 {
		return ""
	}
	return s.Things[len(s.Things)-1].Typ
}

// LastMade is the clause that made something last, -1 if none did.
func (s *Scene) LastMade() int {
	for _, e := range slices.Backward(s.Things) {
		if e.Made {
			return e.Clause
		}
	}
	return -1
}

// Sent are those that came with the message: of pictures just those on which something is
// marked, if there are any.
func (s *Scene) Sent(k plan.Type) []Thing {
	for _, set := range [][]Thing{s.PicturesOf(s.Marks), s.Things} {
		fits := slices.DeleteFunc(Fitting(set, k), func(e Thing) bool { return !e.Given || e.Made })
		if len(fits) > 0 {
			return fits
		}
	}
	return nil
}

// Nth is the one that an ordinal means among those that came with the message, else among those
// of the thread.
func (s *Scene) Nth(n int, k plan.Type) (Thing, bool) {
	for _, rs := range [][]plan.Resource{s.Request.Given, s.Request.Earlier} {
		var of []Thing
		for _, r := range rs {
			of = append(of, Fitting(slices.DeleteFunc(slices.Clone(s.Things), func(e Thing) bool { return e.Source.Name != r.Name }), k)...)
		}
		at := n - 1
		if n < 0 {
			at = len(of) + n
		}
		if len(of) > 1 && n != 0 && at >= 0 && at < len(of) {
			return of[at], true
		}
	}
	return Thing{}, false
}

// Among reports whether the thing is one of several.
func Among(es []Thing, e Thing) bool {
	return slices.ContainsFunc(es, func(o Thing) bool { return o.Source.Equal(e.Source) })
}

// Without returns the things that are not among others.
func Without(es, gone []Thing) []Thing {
	return slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return Among(gone, e) })
}

// Fitting returns the things that fit the type. A mark stands for no picture.
func Fitting(es []Thing, t plan.Type) []Thing {
	return slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return !e.Typ.Fits(t) || e.On != "" && e.Typ != t })
}

// Exactly returns the things of just that type, else those that fit it.
func Exactly(es []Thing, t plan.Type) []Thing {
	if same := slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return e.Typ != t }); len(same) > 0 {
		return same
	}
	return Fitting(es, t)
}

// TypesOf are the types of things, in their order.
func TypesOf(es []Thing) []plan.Type {
	types := make([]plan.Type, len(es))
	for i, e := range es {
		types[i] = e.Typ
	}
	return types
}

// PicturesOf are the pictures that the marks are on, each once.
func (s *Scene) PicturesOf(marks []Thing) []Thing {
	var pictures []Thing
	for _, mark := range marks {
		i := slices.IndexFunc(s.Things, func(e Thing) bool { return e.Source.Kind == plan.OfResource && e.Source.Name == mark.On })
		if i >= 0 && !Among(pictures, s.Things[i]) {
			pictures = append(pictures, s.Things[i])
		}
	}
	return pictures
}

// CalledAll are the names by which people know things: those of their own files.
func (s *Scene) CalledAll(es []Thing) []string {
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.Source.Name
		for _, r := range s.Request.Resources() {
			if r.Name == e.Source.Name && r.File != "" {
				names[i] = r.File
				break
			}
		}
	}
	return names
}

// ShownFormat reports whether the word at i speaks of a file at hand by its format: "this gif".
func (s *Scene) ShownFormat(words []retrieve.Word, i int) bool {
	ending := "." + strings.Replace(words[i].Lower(), "jpeg", "jpg", 1)
	becomes := i+2 < len(words) && slices.Contains([]string{"to", "into"}, words[i+1].Lower()) && retrieve.IsFormat(words[i+2].Lower()) // "heic to jpg"
	return (becomes || s.Determined(words, i) && !s.Is("targets", words[i-1])) && slices.ContainsFunc(s.CalledAll(s.Things), func(name string) bool {
		return strings.EqualFold(strings.Replace(filepath.Ext(name), "jpeg", "jpg", 1), ending)
	})
}

// Names are those of the files among things: what is marked is no file of its own.
func (s *Scene) Names(es []Thing) plan.Message {
	return Listed(s.CalledAll(slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return e.On != "" })))
}

// Named is the thing of a resource that the clause of number n names.
func (s *Scene) Named(n int, res plan.Resource) Thing {
	e := Thing{Source: plan.FromResource(res.Name), Typ: res.Type, Clause: n, On: res.On, Many: s.pages[res.Name]}
	if typ, ok := s.Types[res.Name]; ok {
		e.Typ = typ
	}
	e.Given = slices.ContainsFunc(slices.Concat(s.Things, s.Marks), func(o Thing) bool { return o.Given && o.Source.Equal(e.Source) })
	return e
}

// Part is a clause of some words of another one. They are written again behind the text, where they stand side by
// side: what is between two words of a clause belongs to it.
func (s *Scene) Part(c clause.Clause, words []retrieve.Word) clause.Clause {
	s.Text += "\n"
	begin := len(s.Text)
	c.Words = slices.Clone(words)
	for i, w := range words {
		if i > 0 && w.Start != words[i-1].End {
			s.Text += " "
		}
		c.Words[i].Start = len(s.Text)
		s.Text += s.Text[w.Start:w.End]
		c.Words[i].End = len(s.Text)
	}
	c.Text = s.Text[begin:]
	return c
}

// Coined writes a word behind the text.
func (s *Scene) Coined(text string) retrieve.Word {
	s.Text += "\n" + text
	w := s.Lexicon.Words(text, []retrieve.Span{})[0]
	w.Start, w.End = len(s.Text)-len(text), len(s.Text)
	return w
}

// Differs reports whether the clause sets things side by side in words.
func (s *Scene) Differs(r *Reading) bool {
	return slices.ContainsFunc(r.Words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && (s.Lexicon.Class(w.Stem) == "differ" || w.Lower() == "common")
	})
}

// Listed joins names with "and". It returns "it" if there are none.
func Listed(names []string) plan.Message {
	if len(names) == 0 {
		return plan.Say("it")
	}
	return plan.And(names...)
}
