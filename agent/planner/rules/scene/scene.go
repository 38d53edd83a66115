// Package scene holds the things that a request can refer to (its files, and the results of its subtasks), and resolves
// the references of a clause.
package scene

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/retrieve"
)

// Scene holds what a request can refer to: its resources, and the results of its subtasks.
type Scene struct {
	*profile.Tools
	*Script

	Request plan.Request
	Files   *Files
	Things  Things
	Marks   Things // marks on pictures, which are not files of their own
	Types   map[string]plan.Type
	pages   profile.Set // names of documents whose pages are treated as pictures
	Columns profile.Set // words in the column names of the given tables; nil without tables
}

// Of returns the scene of a text without resources.
func Of(ts *profile.Tools, text string) *Scene {
	s := &Scene{Tools: ts, Script: &Script{Text: text, grammar: ts.Grammar}, Types: map[string]plan.Type{}}
	s.Files = &Files{ts.Grammar, &s.Request, s.Script}
	return s
}

// New returns the scene of a text and the resources of its request.
func New(ts *profile.Tools, r plan.Request, text string) *Scene {
	s := Of(ts, text)
	s.Request, s.Columns = r, profile.ColumnsOf(r.Resources())
	for i, res := range r.Resources() {
		e := Thing{Source: plan.FromResource(res.Name), Typ: res.Type, Clause: -1, Given: i >= len(r.Earlier), On: res.On}
		if e.On != "" {
			s.Marks = append(s.Marks, e)
		} else {
			s.Things = append(s.Things, e)
		}
	}
	s.Words = ts.Index.Correct(ts.Lexicon.Words(text, s.Files.spans()))
	s.inferTypes()
	return s
}

// SeePages treats the pages of the documents as pictures, and reports whether there are documents.
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

// stills are the formats of pictures that never move.
var stills = []string{".png", ".jpg", ".jpeg", ".heic", ".bmp", ".tif", ".tiff"}

// OnlyStills reports whether all pictures at hand are in a format that never moves.
func (s *Scene) OnlyStills() bool {
	pictures := Fitting(s.Things, plan.Image)
	return len(pictures) > 0 && !slices.ContainsFunc(pictures, func(e Thing) bool {
		return e.Made || !slices.Contains(stills, strings.ToLower(path.Ext(e.Source.Name)))
	})
}

// OfPages reports whether the thing is a document whose pages are treated as pictures.
func (s *Scene) OfPages(e Thing) bool {
	return e.Source.Kind == plan.OfResource && s.pages[e.Source.Name]
}

// Sent returns the things of a type that came with the message; of pictures only the marked ones, if there
// are any.
func (s *Scene) Sent(k plan.Type) []Thing {
	for _, set := range [][]Thing{s.PicturesOf(s.Marks), s.Things} {
		fits := slices.DeleteFunc(Fitting(set, k), func(e Thing) bool { return !e.Given || e.Made })
		if len(fits) > 0 {
			return fits
		}
	}
	return nil
}

// Nth returns the thing that an ordinal means, among those that came with the message, else among those of the
// thread.
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

// PicturesOf returns the pictures that the marks are on, without duplicates.
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

// ShownFormat reports whether the word at i refers to a given file by its format: "this gif".
func (s *Scene) ShownFormat(words []retrieve.Word, i int) bool {
	ending := "." + strings.Replace(words[i].Lower(), "jpeg", "jpg", 1)
	becomes := i+2 < len(words) && slices.Contains([]string{"to", "into"}, words[i+1].Lower()) && retrieve.IsFormat(words[i+2].Lower()) // "heic to jpg"
	return (becomes || s.Determined(words, i) && !s.Is("targets", words[i-1])) && slices.ContainsFunc(s.Files.Called(s.Things), func(name string) bool {
		return strings.EqualFold(strings.Replace(filepath.Ext(name), "jpeg", "jpg", 1), ending)
	})
}

// Names returns the names of the files among things; marks are not files.
func (s *Scene) Names(es []Thing) plan.Message {
	return Listed(s.Files.Called(slices.DeleteFunc(slices.Clone(es), func(e Thing) bool { return e.On != "" })))
}

// Named returns the thing of a resource that clause n names.
func (s *Scene) Named(n int, res plan.Resource) Thing {
	e := Thing{Source: plan.FromResource(res.Name), Typ: res.Type, Clause: n, On: res.On, Many: s.pages[res.Name]}
	if typ, ok := s.Types[res.Name]; ok {
		e.Typ = typ
	}
	e.Given = slices.ContainsFunc(slices.Concat(s.Things, s.Marks), func(o Thing) bool { return o.Given && o.Source.Equal(e.Source) })
	return e
}

// Differs reports whether the clause asks to compare things.
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

// inferTypes infers the kind of a picture from the words before its name: "the depth map room.png".
func (s *Scene) inferTypes() {
	for i, w := range s.Words {
		if !w.IsFile() {
			continue
		}
		r, ok := s.Files.Lookup(w.Text)
		if !ok || r.Type != plan.Image {
			continue
		}
		typ, isMap := english.MapNouns[w.Lower()] // "the mask", and there is a mask.png
		for k := i - 1; !isMap && k >= max(0, i-4); k-- {
			before := s.Words[k]
			typ, isMap = english.MapNouns[before.Lower()]
			isMap = isMap && before.Kind == retrieve.Plain
			if before.Text != "," && !s.Is("map tails", before) {
				break
			}
		}
		if !isMap {
			continue
		}
		s.Types[r.Name], s.Words[i].Media = typ, typ
		for k, e := range s.Things {
			if e.Source.Kind == plan.OfResource && e.Source.Name == r.Name {
				s.Things[k].Typ = typ
			}
		}
	}
}
