package offline

import (
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// What a wish says of files: where their names stand in it, which resources they mean,
// and what kinds of pictures those are.

// fileSpans finds the names of the request's resources in the wish, and whatever else
// looks like the name of a file. It is never nil: no other names are looked for.
func (s *scene) fileSpans() []retrieve.Span {
	found := spans{all: []retrieve.Span{}, taken: make([]bool, len(s.text))}
	text := strings.ToLower(s.text)
	if len(text) == len(s.text) { // else the places in the two are not the same
		for _, n := range s.fileNames() {
			found.addName(text, n)
		}
	}
	for _, sp := range retrieve.FileSpans(s.text) {
		found.add(sp)
	}
	slices.SortFunc(found.all, func(a, b retrieve.Span) int { return a.Start - b.Start })
	return found.all
}

// fileName is a name in lower case by which a resource may be called.
type fileName struct {
	text string
	typ  plan.Type
}

// fileNames are the names of the request's resources, the longest first: it must not be
// found in parts.
func (s *scene) fileNames() []fileName {
	var names []fileName
	for _, r := range s.request.Resources() {
		names = append(names, fileName{strings.ToLower(r.Name), r.Type})
		if r.File != "" {
			names = append(names, fileName{strings.ToLower(r.File), r.Type})
		}
	}
	slices.SortStableFunc(names, func(a, b fileName) int { return len(b.text) - len(a.text) })
	return names
}

// spans are places of a text that do not overlap.
type spans struct {
	all   []retrieve.Span
	taken []bool // the bytes of the text that belong to one
}

// add takes a place in unless a part of it belongs to another.
func (s *spans) add(sp retrieve.Span) {
	place := s.taken[sp.Start:sp.End]
	if slices.Contains(place, true) {
		return
	}
	for i := range place {
		place[i] = true
	}
	s.all = append(s.all, sp)
}

// addName adds the places where the name stands in the text.
func (s *spans) addName(text string, name fileName) {
	if name.text == "" {
		return
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name.text)
		if at < 0 {
			return
		}
		sp := retrieve.Span{Start: from + at, End: from + at + len(name.text), Type: name.typ}
		if !insideWord(text, sp.Start, sp.End) {
			s.add(sp)
		}
		from = sp.End
	}
}

// insideWord tells whether the text from begin to end is only a part of a longer name.
func insideWord(text string, begin, end int) bool {
	return begin > 0 && (isNameByte(text[begin-1]) || text[begin-1] == '/') && isNameByte(text[begin]) ||
		end < len(text) && isNameByte(text[end-1]) && isNameByte(text[end])
}

// isNameByte tells whether a byte is a letter, a part of one, a digit or an underscore.
func isNameByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b >= 0x80
}

// lookup is the resource that a file's name in the wish means: by its own name, by the
// name that the user's file had (the latest of that name), or by the last part of a path.
func (s *scene) lookup(name string) (plan.Resource, bool) {
	all := s.request.Resources()
	base := path.Base(name)
	for _, same := range []func(plan.Resource) bool{
		func(r plan.Resource) bool { return r.Name == name },
		func(r plan.Resource) bool { return strings.EqualFold(r.Name, name) || strings.EqualFold(r.File, name) },
		func(r plan.Resource) bool {
			return strings.EqualFold(path.Base(r.File), base) || strings.EqualFold(path.Base(r.Name), base)
		},
	} {
		for _, r := range slices.Backward(all) {
			if same(r) {
				return r, true
			}
		}
	}
	return plan.Resource{}, false
}

// inferTypes learns from the words before a name what kind of picture it is: "the
// depth map room.png", "with the mask m.png".
func (s *scene) inferTypes() {
	for i, w := range s.words {
		if !isFile(w) {
			continue
		}
		if r, ok := s.lookup(w.Text); ok && r.Type == plan.Image {
			if t, ok := s.kindBefore(i); ok {
				s.retype(r.Name, t)
				s.words[i].Media = t
			}
		}
	}
}

// kindBefore is the special kind of picture that the words before the name at i say.
func (s *scene) kindBefore(i int) (plan.Type, bool) {
	for k := i - 1; k >= max(0, i-4); k-- {
		w := s.words[k]
		if w.Kind != retrieve.Plain && (k < i-1 || w.Text != ",") {
			break
		}
		if t, ok := s.m.mapNoun(lower(w)); ok {
			return t, s.m.isMapTail(s.words[k+1 : i])
		}
	}
	return "", false
}

// isMapTail tells whether the words between the kind and the name only finish the
// noun: "depth map", "edge image file".
func (m *Mind) isMapTail(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.Text != "," && !m.phrases.mapTails.has(w) })
}

// retypeContext learns from a clause that only brings a file in what kind of picture
// it is: "hed_face.png holds HED outlines".
func (s *scene) retypeContext(u *understood) {
	if len(u.files) != 1 || u.files[0].typ != plan.Image {
		return
	}
	for _, w := range u.clause.words {
		if t, ok := s.m.mapNoun(lower(w)); ok && w.Kind == retrieve.Plain {
			s.retype(u.files[0].source.Name, t)
			return
		}
	}
}

// retype keeps what kind of picture a resource is.
func (s *scene) retype(name string, t plan.Type) {
	s.types[name] = t
	for i := range s.entities {
		if s.entities[i].source.Kind == plan.OfResource && s.entities[i].source.Name == name {
			s.entities[i].typ = t
		}
	}
}

// mapNoun is the special kind of picture that a noun in lower case names.
func (m *Mind) mapNoun(word string) (plan.Type, bool) {
	t, ok := mapNouns[word]
	return t, ok
}
